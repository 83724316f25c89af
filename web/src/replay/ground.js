/* ground.js: an endless plane: a large round piece of it about what is looked at, with a grid and an edge that fades. */
import { CircleGeometry, Color, DoubleSide, Group, Matrix4, Mesh, ShaderMaterial, ShadowMaterial, Vector3 } from 'three';
import { roundIndex, roundNumber } from './extent.js';

const VERTEX = `
varying vec2 at;
uniform vec2 middle;
void main() { at = position.xy + middle; gl_Position = projectionMatrix * modelViewMatrix * vec4(at, 0.0, 1.0); }`;

/* Lines are a pixel wide; every tenth is stronger; where they lie closer than a few pixels they are not drawn. */
const FRAGMENT = `
varying vec2 at;
uniform vec2 middle;
uniform vec3 face, line;
uniform float pitch, reach, strength;
float lines(float apart) {
  vec2 p = at / apart, wide = fwidth(p), d = abs(fract(p - 0.5) - 0.5) / max(wide, vec2(1e-6));
  return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.1, 0.4, max(wide.x, wide.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(at - middle) / reach);
  float drawn = max(0.45 * lines(pitch), 0.9 * lines(10.0 * pitch));
  float alpha = mix(strength, 1.0, drawn) * fade * fade;
  gl_FragColor = vec4(mix(face, line, drawn), alpha);
  #include <colorspace_fragment>
}`;

/* m: how far apart lines of a grid are in a scene of this size. */
export function gridPitch(size) { return roundNumber(roundIndex(size / 8)); }

export class Ground {
  /* plane: {body, local}, null: a grid for the eye where the scene has no ground, on which no shadows fall. */
  constructor(plane, size) {
    this.body = plane ? plane.body : -1;
    this.local = plane ? plane.local : new Matrix4();
    this.reach = 6 * size;
    this.group = new Group();
    this.group.matrixAutoUpdate = false;
    this.grid = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, side: DoubleSide,
      uniforms: { middle: { value: { x: 0, y: 0 } }, face: { value: new Color() }, line: { value: new Color() },
        pitch: { value: gridPitch(size) }, reach: { value: this.reach }, strength: { value: plane ? 0.75 : 0 } } });
    const mesh = new Mesh(new CircleGeometry(this.reach, 64), this.grid);
    mesh.frustumCulled = false;
    mesh.renderOrder = -2;
    this.group.add(mesh);
    if (!plane) return;
    this.shade = new Mesh(new CircleGeometry(2 * size, 48), new ShadowMaterial({ opacity: 0.22, depthWrite: false }));
    this.shade.receiveShadow = true;
    this.shade.renderOrder = -1;
    this.group.add(this.shade);
  }
  place(pose, middle) {
    if (!pose) return;
    this.group.matrix.multiplyMatrices(pose, this.local);
    this.group.matrixWorldNeedsUpdate = true;
    const at = new Vector3().copy(middle).applyMatrix4(new Matrix4().copy(this.group.matrix).invert());
    this.grid.uniforms.middle.value = { x: at.x, y: at.y };
    this.shade?.position.set(at.x, at.y, 0);
  }
  paint(colours) {
    this.grid.uniforms.face.value.copy(colours.paper).lerp(colours.line, colours.dark ? 0.35 : 0.12);
    this.grid.uniforms.line.value.copy(colours.line).lerp(colours.soft, 0.35);
    if (this.shade) this.shade.material.opacity = colours.dark ? 0.45 : 0.2;
  }
}

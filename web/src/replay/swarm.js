/* swarm.js: many copies of one mark, told anew for each picture: shafts and heads of arrows, cones; and dots. What lies behind a body shines
 * through it faintly. */
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, GreaterDepth, InstancedMesh, LessEqualDepth, Matrix4, MeshBasicMaterial, Points, Quaternion, ShaderMaterial,
  Vector3 } from 'three';

const UP = new Vector3(0, 0, 1), turn = new Quaternion(), way = new Vector3(), size = new Vector3(), matrix = new Matrix4();

export class Swarm {
  #count = 0;
  constructor(group, geometry, { opacity = 1, behind = 0.25, side } = {}) {
    this.group = group;
    this.geometry = geometry;
    const told = { transparent: true, opacity, depthWrite: opacity === 1, ...(side === undefined ? {} : { side }) };
    this.material = new MeshBasicMaterial(told);
    this.behind = behind > 0 ? new MeshBasicMaterial({ ...told, opacity: behind * opacity, depthWrite: false, depthFunc: GreaterDepth }) : null;
    this.#grow(16);
  }
  #grow(capacity) {
    this.group.remove(this.mesh, this.twin);
    const old = this.mesh;
    this.mesh = new InstancedMesh(this.geometry, this.material, capacity);
    this.mesh.setColorAt(0, new Color());
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    if (old) {
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      this.mesh.instanceColor.array.set(old.instanceColor.array);
      old.dispose();
    }
    this.capacity = capacity;
    this.group.add(this.mesh);
    if (!this.behind) return;
    this.twin?.dispose();
    this.twin = new InstancedMesh(this.geometry, this.behind, capacity);
    this.twin.instanceMatrix = this.mesh.instanceMatrix;
    this.twin.instanceColor = this.mesh.instanceColor;
    this.twin.frustumCulled = false;
    this.twin.renderOrder = 1;
    this.group.add(this.twin);
  }
  begin() { this.#count = 0; }
  /* At `at`, its z along `along` (any length), so wide and so long. */
  add(at, along, wide, long, colour) {
    if (!Number.isFinite(at.x + at.y + at.z + wide + long)) return;
    if (this.#count === this.capacity) this.#grow(2 * this.capacity);
    if (along) turn.setFromUnitVectors(UP, way.copy(along).normalize()); else turn.identity();
    this.mesh.setMatrixAt(this.#count, matrix.compose(at, turn, size.set(wide, wide, long)));
    this.mesh.setColorAt(this.#count++, colour);
  }
  end() {
    for (const mesh of [this.mesh, this.twin]) if (mesh) { mesh.count = this.#count; mesh.visible = this.#count > 0; }
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor.needsUpdate = true;
  }
}

const DOT_VERTEX = `
attribute vec3 tint;
attribute float wide;
varying vec3 seen;
varying float across;
uniform float ratio;
void main() {
  seen = tint;
  across = wide * ratio;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = across;
}`;

const DOT_FRAGMENT = `
varying vec3 seen;
varying float across;
uniform float opacity;
void main() {
  float edge = 0.5 * across * (1.0 - 2.0 * length(gl_PointCoord - 0.5));
  if (edge <= 0.0) discard;
  gl_FragColor = vec4(seen, opacity * min(edge, 1.0));
  #include <colorspace_fragment>
}`;

/* Round dots, so many pixels across. */
export class Dots {
  #count = 0;
  constructor(group) {
    const material = (opacity, depthFunc) => new ShaderMaterial({ vertexShader: DOT_VERTEX, fragmentShader: DOT_FRAGMENT, transparent: true, depthWrite: false, depthFunc,
      uniforms: { opacity: { value: opacity }, ratio: { value: 1 } } });
    this.geometry = new BufferGeometry();
    this.points = [material(1, LessEqualDepth), material(0.4, GreaterDepth)].map((one) => {
      const points = new Points(this.geometry, one);
      points.frustumCulled = false;
      points.renderOrder = 3;
      group.add(points);
      return points;
    });
    this.#grow(64);
  }
  #grow(capacity) {
    for (const [name, width] of [['position', 3], ['tint', 3], ['wide', 1]]) {
      const array = new Float32Array(width * capacity), old = this.geometry.attributes[name];
      if (old) array.set(old.array);
      this.geometry.setAttribute(name, new BufferAttribute(array, width).setUsage(DynamicDrawUsage));
    }
    this.capacity = capacity;
  }
  begin(ratio) {
    this.#count = 0;
    this.points.forEach((points) => { points.material.uniforms.ratio.value = ratio; });
  }
  add(at, wide, colour) {
    if (this.#count === this.capacity) { this.geometry.dispose(); this.#grow(2 * this.capacity); }
    const { position, tint, wide: size } = this.geometry.attributes, i = this.#count++;
    position.setXYZ(i, at.x, at.y, at.z);
    tint.setXYZ(i, colour.r, colour.g, colour.b);
    size.setX(i, wide);
  }
  end() {
    this.geometry.setDrawRange(0, this.#count);
    for (const attribute of Object.values(this.geometry.attributes)) attribute.needsUpdate = true;
  }
}

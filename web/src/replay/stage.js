/* stage.js: the picture in space: light, camera, and drawing only when something has changed. */
import { AmbientLight, DirectionalLight, HemisphereLight, PCFSoftShadowMap, PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Bodies } from './bodies.js';
import { Ground } from './ground.js';
import { Marks } from './marks.js';
import { fitView, upward } from './extent.js';

const FOV = 32; /* degrees, vertical */
const MOST_RATIO = 2; /* pixels drawn for one of the page, along an edge */

export class Stage {
  /* toSun: where light comes from. */
  constructor(canvas, context, recordings, box, options, toSun) {
    Object.assign(this, { canvas, box, options, lost: false, middle: box.centre });
    this.renderer = new WebGLRenderer({ canvas, context, antialias: true });
    this.renderer.debug.checkShaderErrors = false; /* asking for them makes the page wait */
    this.renderer.setPixelRatio(Math.min(MOST_RATIO, window.devicePixelRatio || 1));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.scene = new Scene();
    this.up = upward(recordings[0].told.gravity);
    this.camera = new PerspectiveCamera(FOV, 1, 0.01 * box.size, 100 * box.size);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.moved?.());
    this.#light(toSun);
    this.bodies = recordings.map((recording, number) => new Bodies(recording, box, number));
    this.bodies.forEach((bodies) => this.scene.add(bodies.group));
    this.marks = new Marks(recordings[0], this.bodies[0], box);
    this.scene.add(this.marks.group);
    if (!this.bodies[0].grounds.length) this.#grid();
    this.bodies.forEach((bodies) => bodies.place(recordings[0].first, this.middle));
    canvas.addEventListener('webglcontextlost', (event) => { event.preventDefault(); this.lost = true; this.moved?.(); });
    canvas.addEventListener('webglcontextrestored', () => { this.lost = false; this.moved?.(); });
  }

  #light(toSun) {
    this.sky = new HemisphereLight(0xffffff, 0x8f98a3, 1.7);
    this.sky.position.copy(this.up);
    this.sun = new DirectionalLight(0xffffff, 1.9);
    const s = this.box.size;
    this.toSun = toSun.clone().setLength(2 * s);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    Object.assign(this.sun.shadow.camera, { left: -0.8 * s, right: 0.8 * s, top: 0.8 * s, bottom: -0.8 * s, near: 0.1 * s, far: 5 * s });
    this.sun.shadow.normalBias = 0.002 * s;
    this.sun.shadow.radius = 5;
    this.scene.add(this.sky, this.sun, this.sun.target, new AmbientLight(0xffffff, 0.25));
  }

  /* For the eye, below everything, where there is no ground. */
  #grid() {
    const ground = new Ground(null, this.box.size), lowest = Math.min(...this.box.corners.map((p) => p.dot(this.up)));
    const below = new Vector3().copy(this.up).multiplyScalar(lowest - 0.03 * this.box.size);
    const pose = this.camera.matrixWorld.clone().identity().setPosition(below);
    const side = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0), x = side.projectOnPlane(this.up).normalize();
    pose.makeBasis(x, new Vector3().crossVectors(this.up, x), this.up).setPosition(below);
    this.grid = { ground, pose };
    this.scene.add(ground.group);
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  paint(colours, selected) {
    this.background = colours.panel.clone().lerp(colours.paper, 0.5);
    const body = selected?.kind === 'body' ? selected.name : null;
    this.bodies.forEach((bodies) => bodies.paint(colours, body));
    this.marks.paint(colours, selected);
    this.grid?.ground.paint(colours);
  }

  /* Looks along -from at the whole scene, or at what is followed. */
  look(from, target) {
    const fit = fitView(this.box.ends, this.box.centre, from, this.up, FOV * Math.PI / 180, this.camera.aspect);
    this.controls.target.copy(target ?? fit.target);
    this.camera.position.copy(this.controls.target).addScaledVector(from, (target ? 1.6 : 1.12) * fit.distance);
    this.controls.update();
  }
  get from() { return new Vector3().subVectors(this.camera.position, this.controls.target).normalize(); }

  /* Takes the camera along with a body. */
  follow(point) {
    if (this.followed && point) {
      const way = new Vector3().subVectors(point, this.followed);
      this.controls.target.add(way);
      this.camera.position.add(way);
      this.camera.lookAt(this.controls.target);
    }
    this.followed = point ? point.clone() : null;
  }

  place(t) {
    this.middle.copy(this.followed ?? this.box.centre);
    this.bodies.forEach((bodies, i) => {
      bodies.group.visible = this.options.recordings[i];
      if (bodies.group.visible || i === 0) bodies.place(t, this.middle);
    });
  }

  draw(t, scale) {
    if (this.lost || !this.width || !this.background) return;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(0.02 * distance, 1e-4 * this.box.size);
    this.camera.far = distance + 12 * this.box.size;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    if (this.grid) this.grid.ground.place(this.grid.pose, this.middle);
    if (this.grid) this.grid.ground.group.visible = this.options.grid;
    this.bodies[0].grounds.forEach((ground) => { ground.group.visible = this.options.grid; });
    this.sun.target.position.copy(this.middle);
    this.sun.position.copy(this.middle).add(this.toSun);
    const ahead = this.camera.getWorldDirection(new Vector3()), tan = 2 * Math.tan(FOV * Math.PI / 360) / this.height, way = new Vector3();
    this.marks.place(t, this.options, scale, (point) => tan * Math.max(this.camera.near, way.subVectors(point, this.camera.position).dot(ahead)),
      this.renderer.getPixelRatio());
    this.renderer.setClearColor(this.background, 1); /* a context that came back has forgotten it */
    this.renderer.render(this.scene, this.camera);
  }

  /* CSS pixels of the canvas; null: behind the camera. */
  project(point) {
    const p = point.clone().project(this.camera);
    return p.z < 1 ? { x: (p.x + 1) / 2 * this.width, y: (1 - p.y) / 2 * this.height } : null;
  }

  /* What is drawn at a place of the canvas: {kind, name} or null. Small marks go before bodies. */
  pick(x, y, within = 9) {
    let best = null;
    for (const target of this.marks.targets) {
      if (!target.shown) continue;
      const at = this.project(target.point), far = at ? Math.hypot(at.x - x, at.y - y) : Infinity;
      if (far <= within && (!best || far < best.far)) best = { kind: target.kind, name: target.name, far };
    }
    if (best) return { kind: best.kind, name: best.name };
    const hit = this.bodies[0].meet(this.#ray(x, y));
    return hit ? { kind: 'body', name: this.bodies[0].recording.bodies[hit.body].name } : null;
  }
  #ray(x, y) {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(2 * x / this.width - 1, 1 - 2 * y / this.height), this.camera);
    return ray;
  }
  /* The body there, and where the ray meets it. */
  hold(x, y) {
    const ray = this.#ray(x, y), hit = this.bodies[0].meet(ray);
    return hit ? { body: hit.body, point: ray.ray.at(hit.distance, new Vector3()).toArray() } : null;
  }
  /* The place there that is as far from the eye, straight ahead, as the point. */
  lift(x, y, point) {
    const { ray } = this.#ray(x, y), ahead = this.camera.getWorldDirection(new Vector3());
    return ray.at(point.clone().sub(ray.origin).dot(ahead) / ray.direction.dot(ahead), new Vector3());
  }

  get matrices() { return { view: [...this.camera.matrixWorldInverse.elements], projection: [...this.camera.projectionMatrix.elements], width: this.width, height: this.height }; }
}

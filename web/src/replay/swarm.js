/* swarm.js: many copies of one mark, told anew for each picture: dots, shafts and heads of arrows, cones. What lies behind a body shines
 * through it faintly. */
import { Color, DynamicDrawUsage, GreaterDepth, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from 'three';

const UP = new Vector3(0, 0, 1), turn = new Quaternion(), way = new Vector3(), size = new Vector3(), matrix = new Matrix4();

export class Swarm {
  #count = 0;
  constructor(group, geometry, { opacity = 1, behind = 0.25, side } = {}) {
    this.group = group;
    this.geometry = geometry;
    const told = { transparent: opacity < 1, opacity, depthWrite: opacity === 1, ...(side === undefined ? {} : { side }) };
    this.material = new MeshBasicMaterial(told);
    this.behind = behind > 0 ? new MeshBasicMaterial({ ...told, transparent: true, opacity: behind * opacity, depthWrite: false, depthFunc: GreaterDepth }) : null;
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

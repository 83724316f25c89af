/* bodies.js: the bodies of a recording in space. Equal meshes are drawn at once, however many there are. */
import { BackSide, BufferAttribute, Color, DoubleSide, DynamicDrawUsage, FrontSide, Group, InstancedMesh, Matrix4, MeshLambertMaterial, Quaternion, Vector3 } from 'three';
import { partsOf } from './parts.js';
import { bodyColour, recordingColour } from './colours.js';
import { Ground } from './ground.js';

const GONE = new Matrix4().makeScale(0, 0, 0); /* of a body whose place is not a number */

/* Pieces with one mesh: its copies, and which body each belongs to. */
class Batch {
  constructor(pieces, ghost) {
    const geometry = pieces[0].make(), { wall, open } = pieces[0];
    this.pieces = pieces;
    /* one program for all of them: those without a pattern are white */
    if (!geometry.attributes.color) geometry.setAttribute('color', new BufferAttribute(new Float32Array(geometry.attributes.position.array.length).fill(1), 3));
    this.material = new MeshLambertMaterial({ side: wall ? BackSide : open ? DoubleSide : FrontSide, vertexColors: true });
    if (ghost) Object.assign(this.material, { transparent: true, opacity: 0.35, depthWrite: false });
    this.mesh = new InstancedMesh(geometry, this.material, pieces.length);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = !ghost && !wall;
    this.mesh.receiveShadow = !ghost;
    this.mesh.userData.bodies = pieces.map((piece) => piece.body);
  }
  place(poses) {
    const matrix = new Matrix4();
    this.pieces.forEach((piece, i) => {
      const pose = poses[piece.body];
      this.mesh.setMatrixAt(i, pose ? matrix.multiplyMatrices(pose, piece.local) : GONE);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
  paint(colourOf) {
    this.pieces.forEach((piece, i) => this.mesh.setColorAt(i, colourOf(piece.body)));
    this.mesh.instanceColor.needsUpdate = true;
  }
  dispose() { this.mesh.geometry.dispose(); this.material.dispose(); this.mesh.dispose(); }
}

export class Bodies {
  /* number: of the recording; all but the first are ghosts. */
  constructor(recording, box, number) {
    this.recording = recording;
    this.number = number;
    this.group = new Group();
    this.poses = recording.bodies.map(() => new Matrix4());
    const { pieces, planes } = partsOf(recording, box), kinds = new Map();
    for (const piece of pieces) {
      const key = `${piece.key} ${piece.wall}`;
      if (!kinds.has(key)) kinds.set(key, []);
      kinds.get(key).push(piece);
    }
    this.pieces = pieces;
    this.batches = [...kinds.values()].map((same) => new Batch(same, number > 0));
    this.batches.forEach((batch) => this.group.add(batch.mesh));
    this.grounds = number > 0 ? [] : planes.map((plane) => new Ground(plane, box.size));
    this.grounds.forEach((ground) => this.group.add(ground.group));
  }
  /* Everything to where it is at t; `middle`: what is looked at, grounds lie about it. */
  place(t, middle) {
    const position = [0, 0, 0], turn = [0, 0, 0, 1], one = new Vector3(1, 1, 1);
    const shown = this.recording.bodies.map((_, body) => {
      this.recording.pose(body, t, position, turn);
      if (!position.every(Number.isFinite) || !turn.every(Number.isFinite)) return null;
      return this.poses[body].compose(new Vector3(...position), new Quaternion(...turn), one);
    });
    this.batches.forEach((batch) => batch.place(shown));
    this.grounds.forEach((ground) => ground.place(shown[ground.body], middle));
  }
  paint(colours, selected) {
    const ghost = this.number > 0 ? recordingColour(colours, this.number) : null;
    const known = this.recording.bodies.map((told, body) => {
      if (ghost) return ghost;
      const colour = bodyColour(colours, told, body);
      return told.name === selected ? colour.lerp(new Color(colours.accent), 0.75) : colour;
    });
    this.batches.forEach((batch) => batch.paint((body) => known[body]));
    this.grounds.forEach((ground) => ground.paint(colours));
  }
  /* The body that the ray meets first: {body, distance} or null. */
  meet(ray) {
    let best = null;
    for (const { mesh } of this.batches) {
      mesh.computeBoundingSphere();
      const [hit] = ray.intersectObject(mesh, false);
      if (hit && (!best || hit.distance < best.distance)) best = { body: mesh.userData.bodies[hit.instanceId], distance: hit.distance };
    }
    return best;
  }
  /* A point of a body's axes in the world, as it is drawn. */
  pointOf(body, point, into = new Vector3()) { return into.set(...point).applyMatrix4(this.poses[body]); }
}

/* parts.js: what a recording's bodies are drawn with: a list of pieces, each a mesh of unit size and where it sits on its body.
 * Bodies without shapes are stick figures: lines from the centre of mass to the joints, and a ball at the centre. Shapes that do not reach
 * their joints get a stick there. */
import { BoxGeometry, Matrix3, Matrix4, Quaternion, SphereGeometry, Vector3 } from 'three';
import { Box, halfSizes, joinedAt } from './extent.js';
import { shapeMesh, stick } from './shapes.js';

const MANY = 200; /* balls: from there on with fewer triangles */

/* Shape to body as a matrix of position, rotation (by rows) and scale. */
function placed(shape, scale) {
  const r = shape.rotation, p = shape.position;
  return new Matrix4().set(r[0], r[1], r[2], p[0], r[3], r[4], r[5], p[1], r[6], r[7], r[8], p[2], 0, 0, 0, 1).scale(new Vector3(...scale));
}

/* The scene's box in the axes of a shape, as the body stands at first, a tenth larger. */
function boxAbout(recording, body, shape, box) {
  const position = [0, 0, 0], turn = [0, 0, 0, 1], own = new Box();
  recording.pose(body, recording.first, position, turn);
  const back = new Quaternion(...turn).invert(), rows = new Matrix3().set(...shape.rotation).transpose();
  for (const corner of box.corners) {
    own.add(corner.sub(new Vector3(...position)).applyQuaternion(back).sub(new Vector3(...shape.position)).applyMatrix3(rows));
  }
  const more = 0.1 * box.size;
  return { min: own.min.addScalar(-more), max: own.max.addScalar(more), size: box.size };
}

/* From the centre of mass to each of these points. */
function sticksTo(ends, size) {
  return ends.filter((end) => end.length() > 1e-6 * size).map((end) => {
    const { key, make, scale } = stick(new Vector3(), end, 0.005 * size), turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), end.clone().normalize());
    return { key, make, local: new Matrix4().compose(new Vector3(), turn, new Vector3(...scale)) };
  });
}

/* A body without shapes, or of points alone: sticks and a ball; a fixed one: blocks that hold the machine. */
function figureOf(recording, body, size) {
  const points = recording.bodies[body].shapes.map((shape) => new Vector3(...shape.position)), ends = [...joinedAt(recording, body), ...points], r = 0.014 * size, a = 0.02 * size;
  if (recording.bodies[body].kind === 'fixed') {
    return ends.map((end) => ({ key: 'anchor', make: () => new BoxGeometry(1, 1, 1), local: new Matrix4().makeTranslation(end.x, end.y, end.z).scale(new Vector3(a, a, a)) }));
  }
  return [...sticksTo(ends, size), { key: 'bob', make: () => new SphereGeometry(1, 24, 16), local: new Matrix4().makeScale(r, r, r) }];
}

const PIVOTS = new Set(['revolute', 'spherical', 'universal', 'distance', 'link', 'fixed']); /* whose point is a place on both bodies; where a slide is put says little */

/* A body with shapes, joined at a point that they do not reach: a stick there. Endless shapes reach everywhere. */
function armsOf(recording, body, size) {
  const { shapes, kind } = recording.bodies[body];
  if (kind === 'fixed') return [];
  const reach = Math.max(...shapes.map((shape) => { const half = halfSizes(shape); return half ? Math.hypot(...half) + Math.hypot(...shape.position) : Infinity; }));
  return sticksTo(joinedAt(recording, body, (joint) => PIVOTS.has(joint.type)).filter((end) => end.length() > 1.02 * reach), size);
}

/* {pieces: [{body, key, make, local, wall, open}], planes: [{body, local}]}; box: the scene's. */
export function partsOf(recording, box) {
  const pieces = [], planes = [];
  const balls = recording.bodies.reduce((sum, body) => sum + body.shapes.filter((s) => s.kind === 'sphere').length, 0), fine = balls > MANY ? 0 : 1;
  recording.bodies.forEach((told, body) => {
    for (const shape of told.shapes) {
      const around = shape.kind === 'quadric' ? boxAbout(recording, body, shape, box) : { size: box.size };
      const mesh = shapeMesh(shape, around, fine);
      if (mesh) pieces.push({ body, key: mesh.key, make: mesh.make, wall: mesh.wall === true, open: mesh.open === true, local: placed(shape, mesh.scale) });
      else planes.push({ body, local: placed(shape, [1, 1, 1]) });
    }
    const sticks = told.shapes.some((shape) => shape.kind !== 'point') ? armsOf(recording, body, box.size) : figureOf(recording, body, box.size);
    pieces.push(...sticks.map((part) => ({ body, wall: false, open: false, ...part })));
  });
  return { pieces, planes };
}

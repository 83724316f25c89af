/* extent.js: how big a scene is, and what follows from that: round numbers for grids and scales, where to stand to see the motion.
 * Without a page: node can ask it too. */
import { Matrix3, Quaternion, Vector3 } from 'three';

/* ---- round numbers: 1, 2, 5, 10, 20, ...; number 0 is 1, 3 is 10, -1 is 0.5 ---- */

export function roundNumber(index) {
  const decade = Math.floor(index / 3);
  return Number(`${[1, 2, 5][index - 3 * decade]}e${decade}`);
}

/* The number of the largest that is not above x > 0. */
export function roundIndex(x) {
  let index = 3 * Math.floor(Math.log10(x));
  while (roundNumber(index + 1) <= x) index++;
  while (roundNumber(index) > x) index--;
  return index;
}

/* A length that is drawn, as people say it: 5 cm. */
export function lengthText(metres) {
  const [size, unit] = [[1e3, 'km'], [1, 'm'], [1e-2, 'cm'], [1e-3, 'mm'], [1e-6, '\u00b5m']].find(([least]) => metres >= 0.9999 * least) ?? [1e-9, 'nm'];
  return `${Number((metres / size).toPrecision(3))} ${unit}`;
}

/* Arrows of forces: `force` N are drawn `length` m long, both round, so that a usual force is about a fifth of the scene; the length is the
 * scene's. `larger`: steps of 1, 2, 5. */
export function arrowScale(usual, size, larger = 0) {
  const length = roundNumber(roundIndex(0.1 * size)), wanted = (usual > 0 ? usual : 1) * length / (0.2 * size);
  const index = roundIndex(wanted), force = roundNumber(index + (roundNumber(index) < wanted ? 1 : 0) - larger);
  return { force, length, scale: length / force };
}

/* ---- how far shapes reach ---- */

function profileReach(points, both) {
  let first = 0, second = 0;
  for (let i = 0; i + 1 < points.length; i += 2) {
    first = Math.max(first, Math.abs(points[i]));
    second = Math.max(second, Math.abs(points[i + 1]));
  }
  return both ? [first, first, second] : [first, second];
}

/* m, along the shape's axes; what is not here has no size of its own. */
const HALF = {
  point: () => [0, 0, 0],
  sphere: (s) => [s.radius, s.radius, s.radius],
  box: (s) => s.size.map((edge) => edge / 2),
  ellipsoid: (s) => s.size,
  bowl: (s) => s.size,
  capsule: (s) => [s.radius, s.radius, s.length / 2 + s.radius],
  cylinder: (s) => [s.radius, s.radius, s.length / 2],
  tube: (s) => [s.radius, s.radius, s.length / 2],
  disc: (s) => [s.radius, s.radius, 0],
  torus: (s) => [s.ring_radius + s.radius, s.ring_radius + s.radius, s.radius],
  groove: (s) => [s.ring_radius + s.radius, s.ring_radius + s.radius, s.radius],
  extrusion: (s) => [...profileReach(s.points, false), s.length / 2],
  revolution: (s) => profileReach(s.points, true),
};

export function halfSizes(shape) { return HALF[shape.kind]?.(shape) ?? null; }

const HOLLOW = new Set(['bowl', 'tube', 'groove']);
const ROUND = new Set(['sphere', 'ellipsoid', 'bowl']), CORNERS = new Set(['box']);

/* Directions to the corners of a cube, and of its faces and edges. */
const AROUND = [];
for (let i = 0; i < 27; i++) if (i !== 13) AROUND.push(new Vector3(i % 3 - 1, Math.floor(i / 3) % 3 - 1, Math.floor(i / 9) - 1));

/* Points that a shape does not reach beyond by much, in its axes. */
function reachOf(kind, half) {
  const h = new Vector3(...half);
  if (CORNERS.has(kind)) return AROUND.filter((way) => way.x * way.y * way.z !== 0).map((way) => way.clone().multiply(h));
  if (ROUND.has(kind)) return AROUND.map((way) => way.clone().normalize().multiply(h));
  return AROUND.filter((way) => way.z !== 0 && (way.x || way.y)).map((way) => {
    const wide = Math.hypot(way.x, way.y);
    return new Vector3(way.x / wide, way.y / wide, way.z).multiply(h);
  });
}

/* Points of a body that shall be seen, in its axes. Of its shapes, ends; */
function shapeEnds(recording, body) {
  const points = [];
  for (const shape of recording.bodies[body].shapes) {
    const half = halfSizes(shape);
    if (!half) continue;
    const turn = new Matrix3().set(...shape.rotation), at = new Vector3(...shape.position);
    points.push(...reachOf(shape.kind, half).map((p) => p.applyMatrix3(turn).add(at)));
  }
  return points;
}

/* where it is joined, by which joints is asked, and where springs pull. */
export function joinedAt(recording, body, which = () => true) {
  const joints = recording.joints.filter(which).flatMap((j) => [j.bodies[0] === body ? j.at_first : null, j.bodies[1] === body ? j.at_second : null]);
  const springs = recording.told.springs.flatMap((s) => [s.bodies?.[0] === body ? s.from : null, s.bodies?.[1] === body ? s.to : null]);
  return [...joints, ...springs].filter(Boolean).map((p) => new Vector3(...p));
}

/* All of that, and the centre of mass of what moves. */
function cornersOf(recording, body) {
  return [...shapeEnds(recording, body), ...joinedAt(recording, body), ...(recording.bodies[body].kind === 'fixed' ? [] : [new Vector3()])];
}

/* ---- the scene's box ---- */

export class Box {
  #farthest = AROUND.map(() => ({ far: -Infinity, point: null }));
  constructor() { this.min = new Vector3(Infinity, Infinity, Infinity); this.max = new Vector3(-Infinity, -Infinity, -Infinity); }
  add(point) {
    this.min.min(point);
    this.max.max(point);
    AROUND.forEach((way, i) => {
      const far = way.dot(point);
      if (far > this.#farthest[i].far) this.#farthest[i] = { far, point: point.clone() };
    });
    return this;
  }
  get empty() { return !(this.min.x <= this.max.x && this.min.y <= this.max.y && this.min.z <= this.max.z); }
  get size() { return this.empty ? 0 : this.min.distanceTo(this.max); }
  get centre() { return new Vector3().addVectors(this.min, this.max).multiplyScalar(0.5); }
  get corners() {
    return Array.from({ length: 8 }, (_, c) => new Vector3(...['x', 'y', 'z'].map((axis, i) => (c >> i & 1 ? this.max[axis] : this.min[axis]))));
  }
  /* What was added, as far as it reaches outwards. */
  get ends() { return this.#farthest.map((end) => end.point).filter(Boolean); }
}

/* s: so many rows from the first to the last; 1: the first. */
function momentsOf(recording, count) {
  return Array.from({ length: count }, (_, i) => recording.time[Math.round(i * (recording.rows - 1) / Math.max(1, count - 1))]);
}

function isFinite3(p) { return Number.isFinite(p.x) && Number.isFinite(p.y) && Number.isFinite(p.z); }

/* Where a body is at some moments: {position, points: its corners in the world}. */
function sampleBody(recording, body, times, corners = cornersOf(recording, body)) {
  const position = [0, 0, 0], turn = [0, 0, 0, 1];
  const samples = [];
  for (const t of times) {
    recording.pose(body, t, position, turn);
    const at = new Vector3(...position), q = new Quaternion(...turn);
    if (isFinite3(at)) samples.push({ position: at, points: corners.map((p) => p.clone().applyQuaternion(q).add(at)) });
  }
  return samples;
}

function median(values) { return values.sort((a, b) => a - b)[values.length >> 1]; }

/* Which samples are of the scene, and which have flown off: farther than `reach` plus six times the usual distance (the median) from the median. */
function keepNear(samples, reach) {
  if (!samples.length) return samples;
  const near = ['x', 'y', 'z'].map((axis) => {
    const middle = median(samples.map((s) => s.position[axis]));
    const usual = median(samples.map((s) => Math.abs(s.position[axis] - middle)));
    return (s) => Math.abs(s.position[axis] - middle) <= 6 * usual + reach;
  });
  return samples.filter((s) => near.every((test) => test(s)));
}

function boxOf(samples) {
  const box = new Box();
  for (const sample of samples) sample.points.forEach((p) => isFinite3(p) && box.add(p));
  return box;
}

/* What moves, where it moves, the fixed bodies that are at most `larger` times as large, and what holds it. `moments`: how many are looked at. */
export function sceneBox(recording, moments = 16, larger = 2) {
  const times = momentsOf(recording, moments);
  const numbers = recording.bodies.map((_, b) => b);
  const moving = numbers.filter((b) => recording.bodies[b].kind !== 'fixed');
  const start = boxOf(keepNear(moving.flatMap((b) => sampleBody(recording, b, [times[0]])), 1e3 * usualReach(recording, moving)));
  const samples = moving.flatMap((b) => sampleBody(recording, b, times));
  const box = boxOf(keepNear(samples, start.size));
  const most = box.empty ? Infinity : larger * Math.max(box.size, start.size), middle = box.empty ? null : box.centre;
  const addFixed = (body, corners, reach) => {
    for (const { points } of sampleBody(recording, body, [times[0]], corners)) {
      const own = boxOf([{ points }]);
      if (!own.empty && own.size <= reach && (!middle || own.centre.distanceTo(middle) <= reach)) points.forEach((p) => box.add(p));
    }
  };
  for (const b of numbers.filter((n) => recording.bodies[n].kind === 'fixed')) {
    const around = recording.bodies[b].shapes.some((shape) => HOLLOW.has(shape.kind)); /* what holds others within it wants to be seen */
    addFixed(b, shapeEnds(recording, b), around ? 4 * most : most);
    addFixed(b, joinedAt(recording, b), 5 * most);
  }
  if (box.empty) box.add(new Vector3());
  const blurred = 1e-9 + 1e-6 * box.centre.length(); /* m: rounding of what stands still, in single precision, is no size */
  const still = box.centre;
  if (!(box.size > blurred)) for (const way of AROUND) box.add(still.clone().addScaledVector(way, 0.5));
  return box;
}

/* m: how far a body usually reaches from its centre, at least something. */
function usualReach(recording, bodies) {
  const reach = bodies.map((b) => Math.max(0, ...cornersOf(recording, b).map((p) => p.length()))).filter((r) => r > 0);
  return reach.length ? median(reach) : 1;
}

/* ---- looking ---- */

/* Against gravity; z where there is none, or where nobody knows (recordings without a scene). */
export function upward(gravity) {
  const g = new Vector3(...(gravity ?? [0, 0, 0]));
  return g.length() > 0 ? g.normalize().negate() : new Vector3(0, 0, 1);
}

/* The horizontal direction along which least happens: whoever looks along it sees the motion. Signed so that x goes to the right. */
export function quietDirection(recording, up, moments = 16) {
  const side = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  const right = side.sub(up.clone().multiplyScalar(side.dot(up))).normalize(), ahead = new Vector3().crossVectors(up, right);
  let n = 0, a = 0, b = 0, aa = 0, ab = 0, bb = 0;
  const position = [0, 0, 0], turn = [0, 0, 0, 1], p = new Vector3();
  const add = (x, y) => { n++; a += x; b += y; aa += x * x; ab += x * y; bb += y * y; };
  recording.bodies.forEach((body, number) => {
    if (body.kind === 'fixed') return;
    for (let i = 0; i < moments; i++) {
      recording.pose(number, recording.first + i / (moments - 1) * (recording.last - recording.first), position, turn);
      if (isFinite3(p.set(...position))) add(p.dot(right), p.dot(ahead));
    }
  });
  const xx = aa - a * a / n, xy = ab - a * b / n, yy = bb - b * b / n;
  /* direction of the largest spread, from the x of the plane; nothing to choose: ahead */
  const clear = Math.hypot(xx - yy, 2 * xy) > 0.2 * (xx + yy);
  const angle = clear ? 0.5 * Math.atan2(2 * xy, xx - yy) : 0;
  return ahead.multiplyScalar(Math.cos(angle)).addScaledVector(right, -Math.sin(angle)).normalize();
}

/* From where to look: `turned` to the right of the quiet direction and from above, rad. */
export function threeQuarter(quiet, up, turned = 0.55, above = 0.38) {
  return quiet.clone().negate().applyAxisAngle(up, turned).multiplyScalar(Math.cos(above)).addScaledVector(up, Math.sin(above)).normalize();
}

/* Right and above of whoever stands in the direction `from`. */
function screenAxes(from, up) {
  const right = new Vector3().crossVectors(up, from);
  if (right.lengthSq() < 1e-12) right.set(Math.abs(from.x) < 0.9 ? 1 : 0, Math.abs(from.x) < 0.9 ? 0 : 1, 0).cross(from);
  right.normalize();
  return { right, above: new Vector3().crossVectors(from, right) };
}

/* How far from `target` to stand, in the direction `from`, so that all points are in view. fov: vertical, rad. */
export function fitDistance(points, target, from, up, fov, aspect) {
  const { right, above } = screenAxes(from, up), tan = Math.tan(fov / 2), p = new Vector3();
  let distance = 0;
  for (const point of points) {
    p.subVectors(point, target);
    distance = Math.max(distance, p.dot(from) + Math.max(Math.abs(p.dot(above)), Math.abs(p.dot(right)) / aspect) / tan);
  }
  return distance;
}

/* Where to look and from how far, so that all points are in view with as much room on the left as on the right, above as below. */
export function fitView(points, centre, from, up, fov, aspect) {
  const { right, above } = screenAxes(from, up), target = centre.clone(), p = new Vector3();
  for (let round = 0; round < 8; round++) { /* near things look larger: it settles by itself */
    const distance = fitDistance(points, target, from, up, fov, aspect);
    for (const way of [right, above]) {
      const seen = points.map((point) => { /* how far from the middle it looks, and how far away it is */
        const depth = Math.max(1e-3 * distance, distance - p.subVectors(point, target).dot(from));
        return { aside: p.dot(way) / depth, depth };
      });
      const [first, last] = [seen.reduce((a, b) => (b.aside < a.aside ? b : a)), seen.reduce((a, b) => (b.aside > a.aside ? b : a))];
      target.addScaledVector(way, (first.aside + last.aside) / (1 / first.depth + 1 / last.depth));
    }
  }
  return { target, distance: fitDistance(points, target, from, up, fov, aspect) };
}

/* The heaviest body, if it goes much farther along the ground than all that is there at first is big: it wants to be followed. -1: none does. */
export function traveller(recording, up) {
  const who = heaviest(recording);
  if (who < 0) return -1;
  const stands = sampleBody(recording, who, [recording.first]), start = stands[0]?.position;
  if (!start) return -1;
  const ways = sampleBody(recording, who, momentsOf(recording, 32)).map(({ position }) => position.sub(start)).map((way) => way.addScaledVector(up, -way.dot(up)).length());
  return Math.max(...ways) > 3 * sceneBox(recording, 1, 8).size ? who : -1;
}

/* The number of the heaviest body that moves; -1: none does. */
export function heaviest(recording) {
  let best = -1;
  recording.bodies.forEach((body, b) => { if (body.kind === 'dynamic' && (best < 0 || body.mass > recording.bodies[best].mass)) best = b; });
  return best;
}

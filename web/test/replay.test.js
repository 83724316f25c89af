/* What the replay works out, without a page: node --test test/replay.test.js */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Box3, PerspectiveCamera, Vector3 } from 'three';
import { Recording } from '../src/data.js';
import { later, speedsFor, speedText, usualSpeed } from '../src/replay/clock.js';
import { coneOf, lastingContact, linesAt, readAt, slipTrails, usualForce } from '../src/replay/contacts.js';
import { arrowScale, fitDistance, fitView, halfSizes, lengthText, quietDirection, roundIndex, roundNumber, sceneBox, threeQuarter, traveller, upward } from '../src/replay/extent.js';
import { outline } from '../src/replay/flat.js';
import { commandOf, takesKey } from '../src/replay/keys.js';
import { partsOf } from '../src/replay/parts.js';
import { shapeMesh } from '../src/replay/shapes.js';
import { quadric, quadricBox, quadricSurface, smoothProfile } from '../src/replay/surfaces.js';

const near = (got, wanted, tolerance, what = '') => assert.ok(Math.abs(got - wanted) <= tolerance, `${what} ${got}, not ${wanted} within ${tolerance}`);
const UNTURNED = [1, 0, 0, 0, 1, 0, 0, 0, 1], Z = new Vector3(0, 0, 1);
const shape = (kind, rest) => ({ kind, position: [0, 0, 0], rotation: UNTURNED, ...rest });

/* A recording of bodies: {shapes, kind, mass, path: t -> [x, y, z]}, over 0 to 1 s. */
function record(bodies, { joints = [], gravity = [0, 0, -9.81], rows = 101, contacts = null } = {}) {
  const time = Float64Array.from({ length: rows }, (_, i) => i / (rows - 1));
  return new Recording({ name: 'x', time, gravity, joints, contacts, springs: [],
    channels: bodies.map(({ path = () => [0, 0, 0] }, b) => ({ name: `bodies.b${b}.position`, unit: 'm', help: '', width: 3, data: Float32Array.from([...time].flatMap(path)) })),
    bodies: bodies.map(({ shapes = [], kind = 'dynamic', mass = 1, path = () => [0, 0, 0] }, b) => ({ name: `b${b}`, kind, mass, shapes, position: path(0), position_channel: `bodies.b${b}.position`,
      orientation: null, rest: [0, 0, 0, 1] })) }, { read: (array) => array });
}
const ball = (radius, path, rest = {}) => ({ shapes: [shape('sphere', { radius })], path, ...rest });

test('round numbers are 1, 2, 5 and their tens, the largest that fits', () => {
  assert.deepEqual([-3, -2, -1, 0, 1, 2, 3, 4].map(roundNumber), [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]);
  for (let index = -30; index <= 30; index++) assert.equal(roundIndex(roundNumber(index)), index);
  for (let x = 1e-9; x < 1e9; x *= 1.37) {
    const index = roundIndex(x);
    assert.ok(roundNumber(index) <= x && x < roundNumber(index + 1), `${x}`);
  }
});

test('arrows of a usual force are about a fifth of the scene, by round numbers', () => {
  for (const usual of [1e-9, 3e-4, 1, 9.81, 777, 1e9]) for (const size of [1e-3, 0.3, 7, 1e3]) {
    const { force, length, scale } = arrowScale(usual, size);
    assert.equal(force, roundNumber(roundIndex(force)));
    assert.equal(length, roundNumber(roundIndex(length)));
    const part = usual * scale / size; /* the force is rounded up, by a factor of 2.5 at most */
    assert.ok(part <= 0.2 * (1 + 1e-12) && part >= 0.2 / 2.5 * (1 - 1e-12), `${usual} N, ${size} m: ${part}`);
    near(arrowScale(usual, size, 3).scale / scale, 10, 1e-12);
    assert.equal(arrowScale(7 * usual, size).length, length, 'all arrows of a scene share the length');
  }
  assert.ok(arrowScale(0, 1).scale > 0);
});

test('lengths are said in a unit that fits', () => {
  assert.deepEqual([0.05, 0.005, 2, 5e-6, 1000, 0.2].map(lengthText), ['5 cm', '5 mm', '2 m', '5 \u00b5m', '1 km', '20 cm']);
});

test('a force of Coulomb lies in its cone: on it when it slips', () => {
  const mu = 0.37, N = 12, scale = 0.01;
  const slipping = coneOf(0, mu * N, N, scale), sticking = coneOf(mu * N - 1, 1, N, scale);
  near(slipping.halfAngle, Math.atan(mu), 1e-15);
  near(slipping.radius, mu * N * scale, 1e-15, 'the tip of the force is at the rim');
  near(sticking.mu, mu, 1e-15);
  near(sticking.radius / sticking.height, Math.tan(sticking.halfAngle), 1e-15);
  assert.equal(coneOf(0, 0, 0, scale).height, 0);
});

const QUADRICS = {
  sphere: [1, 1, 1, 0, 0, 0, -0.2, 0.4, 0, 0.04 + 0.01 - 0.09 - 0.0],
  'leaning ellipsoid': [4, 9, 30, 1, 0, 2, 0, 0, 0, -1],
  paraboloid: [1, 1, 0, 0, 0, 0, 0, 0, -0.5, 0],
  saddle: [1, -1, 0, 0, 0, 0, 0, 0, -0.5, 0],
  cylinder: [1, 0, 1, 0, 0, 0, 0, 0, 0, -0.04],
};

test('corners of quadrics lie on them to 1e-6 of the scene', () => {
  for (const [name, q] of Object.entries(QUADRICS)) for (const size of [1e-3, 1, 1e3]) {
    const scaled = q.map((c, i) => c * size ** (i < 6 ? 0 : i < 9 ? 1 : 2));
    const { positions, normals, triangles } = quadricSurface(scaled, [-size, -size, -size], [size, size, size], 16), { value, gradient } = quadric(scaled);
    assert.ok(triangles.length > 100, name);
    for (let i = 0; i < positions.length; i += 3) {
      const p = positions.slice(i, i + 3), G = gradient(p), steep = Math.hypot(...G);
      if (steep < 1e-3 * size) continue; /* where a surface meets itself it has no distance */
      near(value(p) / steep, 0, 1e-6 * size, name);
      near((normals[i] * G[0] + normals[i + 1] * G[1] + normals[i + 2] * G[2]) / steep, 1, 1e-9, 'normals point out of what is solid');
    }
  }
});

test('a closed quadric is whole: its volume, its box', () => {
  const r = 0.3, q = [1, 1, 1, 0, 0, 0, -0.2, 0.4, 0, 0.01 + 0.04 - r * r], box = quadricBox(q);
  [[0.1, 0], [-0.2, 1], [0, 2]].forEach(([middle, i]) => { near(box.min[i], middle - r, 1e-12); near(box.max[i], middle + r, 1e-12); });
  assert.equal(quadricBox(QUADRICS.paraboloid), null);
  assert.equal(quadricBox(QUADRICS.saddle), null);
  const { positions: p, triangles } = quadricSurface(q, [-9, -9, -9], [9, 9, 9]);
  let volume = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => new Vector3().fromArray(p, 3 * triangles[i + k]).sub(new Vector3(0.1, -0.2, 0)));
    volume += a.dot(b.cross(c)) / 6;
  }
  near(volume / (4 / 3 * Math.PI * r ** 3), 1, 0.01, 'triangles turn outwards, none is missing: volume'); /* chords of cells a twentieth of r long: (1/20)^2 and some */
});

test('profiles go through their points, smoothly', () => {
  const n = 24, circle = Array.from({ length: n }, (_, i) => [Math.cos(2 * Math.PI * i / n), Math.sin(2 * Math.PI * i / n)]).flat();
  for (const [x, y] of smoothProfile(circle, true, 8)) near(Math.hypot(x, y), 1, 2e-5, 'error of a cubic spline, (pi/12)^4/384');
  const dish = smoothProfile([0, 0, 0.1, 0.02, 0.2, 0.1], false, 1000);
  near((dish[1][1] - dish[0][1]) / (dish[1][0] - dish[0][0]), 0, 1e-3, 'slope on the axis');
  assert.deepEqual(dish.at(-1), [0.2, 0.1]);
  const line = smoothProfile([1, 0, 1, 0.5, 1, 2], false);
  for (const [r] of line) near(r, 1, 1e-15);
});

const KINDS = {
  sphere: { radius: 0.3 }, box: { size: [0.1, 0.2, 0.3] }, ellipsoid: { size: [0.1, 0.2, 0.3] }, bowl: { size: [0.1, 0.2, 0.3] }, capsule: { radius: 0.1, length: 0.4 },
  cylinder: { radius: 0.1, length: 0.4 }, tube: { radius: 0.1, length: 0.4 }, torus: { radius: 0.1, ring_radius: 0.4 }, groove: { radius: 0.1, ring_radius: 0.4 },
  extrusion: { points: [0.2, 0, 0, 0.2, -0.2, 0, 0, -0.2], length: 0.1 }, revolution: { points: [0.1, -0.3, 0.1, 0, 0.1, 0.3] },
};

test('meshes are as large as their shapes', () => {
  for (const [kind, rest] of Object.entries(KINDS)) {
    const told = shape(kind, rest), mesh = shapeMesh(told, { size: 1 }), box = new Box3().setFromBufferAttribute(mesh.make().attributes.position), half = halfSizes(told);
    const largest = Math.max(...half);
    [box.max.x, box.max.y, box.max.z].forEach((reach, i) => near(reach * mesh.scale[i], half[i], 0.01 * largest, kind));
    [box.min.x, box.min.y, box.min.z].forEach((reach, i) => near(reach * mesh.scale[i], -half[i], 0.01 * largest, kind));
  }
  const vase = shapeMesh(shape('revolution', { points: [0.1, 0, 0.2, 0.1, 0.1, 0.3] }), { size: 1 }).make().attributes.position, box = new Box3().setFromBufferAttribute(vase);
  near(box.min.z, 0, 1e-7, 'a profile stands upright');
  near(box.max.z, 0.3, 1e-7);
  const pill = shapeMesh(shape('capsule', { radius: 1, length: 3 }), { size: 1 }).make().attributes.position;
  near(new Box3().setFromBufferAttribute(pill).max.z, 2.5, 1e-6);
  assert.ok(shapeMesh(shape('function', {}), { size: 1 }).make().attributes.position.count > 0);
  assert.ok(shapeMesh(shape('of tomorrow', {}), { size: 1 }), 'what is not known is a marker');
  assert.equal(shapeMesh(shape('plane', {}), { size: 1 }), null);
});

test('the scene is what moves; what flew off and endless walls do not count', () => {
  for (const size of [1e-3, 1, 1e3]) {
    const still = Array.from({ length: 19 }, (_, i) => ball(0.05 * size, () => [0.1 * size * i, 0, 0]));
    const away = ball(0.05 * size, (t) => [0, 0, 1e6 * size * t]);
    const wall = { kind: 'fixed', shapes: [shape('box', { size: [1e3 * size, 1e3 * size, size] }), shape('plane', {})] };
    const { min, max } = sceneBox(record([...still, away, wall]));
    near(min.x, -0.05 * size, 1e-6 * size);
    near(max.x, 1.85 * size, 1e-6 * size);
    assert.ok(max.z < 20 * size, `${max.z}`);
  }
  const bowl = { kind: 'fixed', shapes: [shape('bowl', { size: [1, 1, 1] })] };
  near(sceneBox(record([bowl, ball(0.15, () => [0, 0, -0.85])])).max.z, 1, 1e-6, 'a bowl is seen with the ball in it');
  const trembling = sceneBox(record([{ path: (t) => [1e-20 * t, 3, 0] }]));
  near(trembling.size, Math.sqrt(3), 1e-9, 'rounding is no motion');
  const point = sceneBox(record([{}]));
  assert.ok(point.size > 0 && Number.isFinite(point.size));
  assert.ok(sceneBox(record([{ kind: 'fixed', shapes: [shape('plane', {})] }])).size > 0);
  const lost = sceneBox(record([ball(0.1, (t) => (t > 0.5 ? [NaN, NaN, NaN] : [t, 0, 0]))]));
  assert.ok(Number.isFinite(lost.size) && lost.size < 2);
});

test('all of the scene is in view from everywhere', () => {
  const box = sceneBox(record([ball(0.1, (t) => [2 * t, 0, Math.sin(3 * t)]), ball(0.3, () => [1, 1, 0])]));
  for (const aspect of [0.5, 1, 2]) for (const from of [[1, 0, 0], [0, 0, 1], [1, 2, 3], [-1, 0.2, -0.4]]) {
    const camera = new PerspectiveCamera(32, aspect, 1e-3, 1e3), way = new Vector3(...from).normalize();
    camera.up.copy(Z);
    camera.position.copy(box.centre).addScaledVector(way, fitDistance(box.ends, box.centre, way, Z, 32 * Math.PI / 180, aspect));
    camera.lookAt(box.centre);
    camera.updateMatrixWorld();
    let most = 0;
    for (const end of box.ends) {
      const p = end.clone().project(camera);
      most = Math.max(most, Math.abs(p.x), Math.abs(p.y));
    }
    near(most, 1, 4e-4, 'the farthest end touches the edge:'); /* three turns a camera that looks along its up by 1e-4; the field is tan 16 degrees */
  }
});

test('the scene is in the middle of the view', () => {
  const points = [[0, 0, 0], [3, 0, 0], [0, 0.2, 1], [-1, 4, 0.3]].map((p) => new Vector3(...p)), fov = 32 * Math.PI / 180;
  for (const aspect of [0.5, 2]) for (const from of [[1, 0, 0.1], [1, 2, 3]]) {
    const camera = new PerspectiveCamera(32, aspect, 1e-3, 1e3), way = new Vector3(...from).normalize(), { target, distance } = fitView(points, new Vector3(), way, Z, fov, aspect);
    camera.up.copy(Z);
    camera.position.copy(target).addScaledVector(way, distance);
    camera.lookAt(target);
    camera.updateMatrixWorld();
    const seen = points.map((p) => p.clone().project(camera));
    for (const axis of ['x', 'y']) near(Math.min(...seen.map((p) => p[axis])) + Math.max(...seen.map((p) => p[axis])), 0, 0.01, 'as much on one side as on the other:');
    near(Math.max(...seen.flatMap((p) => [Math.abs(p.x), Math.abs(p.y)])), 1, 1e-6);
  }
});

test('one looks across the motion, against gravity upwards', () => {
  const swing = (t) => [Math.cos(t), 0, -Math.sin(t)], across = (t) => [0, Math.cos(t), -Math.sin(t)];
  near(quietDirection(record([ball(0.1, swing)]), Z).y, 1, 1e-9);
  near(Math.abs(quietDirection(record([ball(0.1, across)]), Z).x), 1, 1e-9);
  near(quietDirection(record([ball(0.1, (t) => [t, 2 * t, t * t])]), Z).dot(new Vector3(1, 2, 0)), 0, 1e-6, 'across a way aslant');
  for (const gravity of [[0, 0, -9.81], [0, -9.81, 0], [1, 0, 0], [3, 4, -5]]) {
    const up = upward(gravity);
    near(up.dot(new Vector3(...gravity).normalize()), -1, 1e-12);
    const quiet = quietDirection(record([ball(0.1, swing)], { gravity }), up);
    near(quiet.dot(up), 0, 1e-12);
    assert.ok(threeQuarter(quiet, up).dot(up) > 0.3, 'from above');
  }
  assert.deepEqual(upward([0, 0, 0]).toArray(), [0, 0, 1]);
});

test('who goes far along the ground is followed, who falls is not', () => {
  const ground = { kind: 'fixed', shapes: [shape('plane', {})] };
  assert.equal(traveller(record([ground, ball(0.1, (t) => [5 * t, 0, 0])]), Z), 1);
  assert.equal(traveller(record([ground, ball(0.1, (t) => [Math.sin(6 * t), Math.cos(6 * t) - 1, 0])]), Z), 1, 'also in a circle');
  assert.equal(traveller(record([ground, ball(0.1, (t) => [0, 0, 5 * t])]), Z), -1);
  assert.equal(traveller(record([{ kind: 'fixed', shapes: [shape('box', { size: [1.5, 0.4, 0.1] })] }, ball(0.1, (t) => [1.5 * t, 0, 0])]), Z), -1, 'on a belt');
});

test('bodies without shapes are sticks to their joints', () => {
  const joints = [{ name: 'j', type: 'revolute', bodies: [0, 1], at_first: [0, 0, 0], at_second: [-0.5, 0, 0] }];
  const recording = record([{ kind: 'fixed' }, { path: () => [0.5, 0, 0] }], { joints }), { pieces } = partsOf(recording, sceneBox(recording));
  assert.deepEqual(pieces.map((piece) => [piece.body, piece.key]), [[0, 'anchor'], [1, 'stick'], [1, 'bob']]);
  const end = new Vector3(0, 0, 1).applyMatrix4(pieces[1].local);
  near(end.distanceTo(new Vector3(-0.5, 0, 0)), 0, 1e-12);
  for (const [radius, kinds] of [[0.1, ['anchor', 'sphere', 'stick']], [0.6, ['anchor', 'sphere']]]) {
    const shaped = record([{ kind: 'fixed' }, ball(radius, () => [0.5, 0, 0])], { joints });
    assert.deepEqual(partsOf(shaped, sceneBox(shaped)).pieces.map((piece) => piece.key), kinds, 'a ball on a string, one on its hinge');
  }
});

/* One place that slips from x = 0 to x = 0.3 in rows 0 to 3, and one that sticks in rows 1 and 2. */
function touching() {
  const column = (name, width, data) => ({ name, unit: '', help: '', width, data });
  const places = { start: Uint32Array.of(0, 1, 3, 5, 6), pair: Uint32Array.of(0, 0, 0, 0, 0, 0), number: Uint32Array.of(0, 0, 1, 1, 0, 0),
    columns: [column('mode', 1, Uint8Array.of(2, 2, 1, 1, 2, 2)), column('point', 3, Float32Array.of(0, 0, 0, 0.1, 0, 0, 9, 9, 9, 9, 9, 9, 0.2, 0, 0, 0.3, 0, 0))] };
  const contacts = { stride: 1, pairs: [{ name: 'b1/b0', first: 1, second: 0 }], tables: { places, pairs: { start: Uint32Array.of(0, 0, 0, 0, 0), pair: Uint32Array.of(), columns: [] } } };
  return record([{ kind: 'fixed' }, {}], { rows: 4, contacts });
}

test('places of contact move between the rows, and keep to themselves', () => {
  const recording = touching(), { part, lines } = linesAt(recording, recording.placeTable, 0.5), points = recording.placeTable.column('point');
  near(part, 0.5, 1e-12);
  assert.deepEqual(lines, [{ line: 1, next: 4 }, { line: 2, next: 3 }]);
  near(readAt(points, 3, lines[0], part, [0, 0, 0])[0], 0.15, 1e-7);
  near(readAt(points, 3, { line: 4, next: -1 }, part, [0, 0, 0])[0], 0.2, 1e-7, 'what is gone in the next row stays where it was');
  assert.equal(linesAt(recording, recording.placeTable, 1).lines.length, 1, 'the last row');
  assert.deepEqual(linesAt(recording, null, 0), { part: 0, lines: [] });
});

test('a contact that is a joint has its force on the second body', () => {
  const recording = record([{ kind: 'fixed' }, {}], { rows: 2, joints: [{ name: 'c', type: 'contact', bodies: [0, 1], at_first: null, at_second: null }] }), told = {
    point: [0, 0, 0, 1, 2, 3], normal: [0, 0, 1, 0, 0, 1], friction_force: [0, 0, 0, -2, 0, 0], normal_force: [4, 5], mode: [1, 2] };
  for (const [name, values] of Object.entries(told)) recording.channels.set(`joints.c.${name}`, { values: Float32Array.from(values) });
  assert.deepEqual(lastingContact(recording, recording.joints[0], 1), { point: [1, 2, 3], force: [-2, 0, 5], mode: 2 });
  assert.equal(lastingContact(recording, { name: 'other' }, 1), null);
  assert.ok(sceneBox(recording).size > 0 && partsOf(recording, sceneBox(recording)).pieces.length > 0, 'it has no point of its own');
});

test('trails are where places slipped', () => {
  const { points, upTo } = slipTrails(touching(), 1);
  assert.deepEqual([...upTo], [0, 1, 2, 3]);
  [0, 0.1, 0.1, 0.2, 0.2, 0.3].forEach((x, i) => near(points[3 * i], x, 1e-7));
  assert.equal(slipTrails(touching(), 1, 1).points.length, 6, 'no more than asked for');
  const none = { pairTable: null, placeTable: { start: new Uint32Array(0), column: () => new Float32Array(0) } };
  assert.equal(slipTrails(none, 1).points.length, 0, 'nothing touches');
  assert.equal(slipTrails(touching(), 0.05).points.length, 0, 'a leap is no trail');
});

test('a usual force is not the worst blow', () => {
  const forces = new Float32Array(300);
  for (let i = 0; i < 100; i++) forces[3 * i] = i === 50 ? 1e6 : 10;
  assert.equal(usualForce(forces), 10);
  assert.equal(usualForce(forces.map((_, i) => (i % 3 ? 0 : 7)).filter((f) => f), 1), 7, 'of numbers');
  assert.equal(usualForce(new Float32Array(9)), 0);
  assert.equal(usualForce(null), 0);
});

test('time goes on, over and around', () => {
  assert.deepEqual(later(1, 0.5, 0, 2, false), { t: 1.5, over: false });
  assert.deepEqual(later(1.8, 0.5, 0, 2, false), { t: 2, over: true });
  near(later(1.8, 0.5, 0, 2, true).t, 0.3, 1e-12);
  for (const duration of [1e-6, 1e-3, 0.02, 1, 10, 3600]) {
    const speeds = speedsFor(duration), usual = usualSpeed(duration);
    assert.ok(speeds.includes(usual) && speeds.includes(0.01) && speeds.includes(10), `${duration}`);
    assert.ok(duration / speeds[0] >= 2, 'slow enough to look at');
    assert.ok(duration / usual >= 2);
  }
  assert.deepEqual([0.01, 0.5, 1, 10].map(speedText), ['1/100\u00d7', '1/2\u00d7', '1\u00d7', '10\u00d7']);
});

test('keys do what they say, and not where one types', () => {
  assert.deepEqual(commandOf({ key: 'ArrowRight', shiftKey: true }), { name: 'step', number: 10 });
  assert.deepEqual(commandOf({ key: 'F', shiftKey: true }).name, 'fit');
  assert.equal(commandOf({ key: 'q' }), null);
  const at = (tagName, type) => ({ tagName, type });
  assert.ok(takesKey(at('INPUT', 'search'), 'f') && takesKey(at('SELECT'), 'ArrowLeft') && takesKey(at('INPUT', 'range'), 'ArrowLeft') && takesKey(at('BUTTON'), ' '));
  assert.ok(!takesKey(at('BODY'), ' ') && !takesKey(at('INPUT', 'checkbox'), 'f') && !takesKey(at('BUTTON'), 'f') && !takesKey(at('CANVAS'), 'ArrowLeft'));
});

test('an outline is what lies outermost', () => {
  const square = [[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [0.5, 0]].map(([x, y]) => ({ x, y }));
  assert.equal(outline(square).length, 4);
});

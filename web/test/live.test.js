/* live.test.js: a recording that grows, without a browser: node --test test/ */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recording } from '../src/data.js';
import { Feed } from '../src/live/feed.js';
import { Growing, GrowingRows } from '../src/live/growing.js';

const CHANNELS = [{ name: 'bodies.b.position', width: 3 }, { name: 'bodies.b.rotation', width: 4 }, { name: 'energy.kinetic', width: 1 }];
const column = (name, width) => ({ name, unit: 'N', help: '', width, data: new Float32Array(0) });

/* As the page has it: one row, which goes when the first one comes. */
function makePage() {
  const told = {
    name: 'run', time: Float64Array.of(7), joints: [],
    channels: [{ name: 'energy.kinetic', unit: 'J', help: '', width: 1, stats: [{}], data: Float32Array.of(1) }, { name: 'bodies.b.position', unit: 'm', help: '', width: 3, data: new Float32Array(3) }],
    bodies: [{ name: 'b', position_channel: 'bodies.b.position', position: [0, 0, 0], rest: [0, 0, 0, 1], orientation: new Float32Array(4) }],
    contacts: { stride: 1, pairs: [{ name: 'old/pair' }], tables: { pairs: { start: Uint32Array.of(0, 0), pair: new Uint32Array(0), columns: [column('normal_force', 1)] },
      places: { start: Uint32Array.of(0, 0), pair: new Uint32Array(0), number: new Uint32Array(0), columns: [column('point', 3)] } } },
  };
  return new Recording(told, { read: (reference) => (reference?.view ? reference.view() : reference) });
}

/* A row as bristle tells it: pairs [[pair, force]], places [[pair, number, x, y, z]]. */
function rowOf(time, numbers, pairs = [], places = []) {
  const words = 4 + numbers.length + 2 * pairs.length + 5 * places.length, buffer = new ArrayBuffer(4 * words), view = new DataView(buffer);
  view.setFloat64(0, time, true);
  view.setUint32(8, pairs.length, true);
  view.setUint32(12, places.length, true);
  let at = 16;
  const float = (x) => { view.setFloat32(at, x, true); at += 4; }, whole = (x) => { view.setUint32(at, x, true); at += 4; };
  numbers.forEach(float);
  for (const [pair, force] of pairs) { whole(pair); float(force); }
  for (const [pair, number, ...point] of places) { whole(pair); whole(number); point.forEach(float); }
  return Buffer.from(buffer).toString('base64');
}
const numbersAt = (t) => [t, 2 * t, 3 * t, 0, 0, Math.sin(t / 2), Math.cos(t / 2), t * t];

test('arrays grow at one end and shrink at the other', () => {
  const array = new Growing(Uint32Array);
  for (let i = 0; i < 1000; i++) array.append([i]);
  array.drop(990);
  assert.deepEqual([...array.view], [990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
  const rows = new GrowingRows(3), middle = rows.column(1, 2);
  rows.append([1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...middle()], [2, 3, 5, 6]);
  rows.append([7, 8, 9]);
  rows.drop(1);
  assert.deepEqual([...middle()], [5, 6, 8, 9]);
  rows.drop(2);
  rows.append([1, 2, 3]);
  assert.deepEqual([...middle()], [2, 3]);
});

test('rows come behind the others, and the row of the page goes', () => {
  const recording = makePage(), feed = new Feed(recording);
  feed.begin(CHANNELS);
  assert.equal(recording.rows, 1);
  feed.addPair(0, { name: 'b/ground', first: 0, second: 1 });
  feed.append(rowOf(0, numbersAt(0), [[0, 10]], [[0, 0, 1, 2, 3], [0, 1, 4, 5, 6]]));
  feed.append(rowOf(0.5, numbersAt(0.5)));
  feed.append(rowOf(1, numbersAt(1), [[0, 30]], [[0, 1, 7, 8, 9]]));
  feed.append(rowOf(1, numbersAt(5))); /* told twice */
  assert.deepEqual([...recording.time], [0, 0.5, 1]);
  assert.deepEqual([...recording.channel('energy.kinetic').values], [0, 0.25, 1]);
  assert.equal(recording.channel('energy.kinetic').stats, null);
  assert.deepEqual([...recording.channel('bodies.b.position').column(1)], [0, 1, 2]);
  assert.deepEqual(recording.pairs.map(({ name }) => name), ['b/ground']);
  assert.equal(recording.channel('contacts.old/pair.normal_force'), null);
  assert.deepEqual([...recording.channel('contacts.b/ground.normal_force').values], [10, 0, 30]);
  assert.deepEqual([...recording.placeTable.start], [0, 2, 2, 3]);
  assert.deepEqual([...recording.placeTable.number], [0, 1, 1]);
  assert.deepEqual([...recording.placeTable.column('point').subarray(6)], [7, 8, 9]);
  const position = [0, 0, 0], turn = [0, 0, 0, 1];
  recording.pose(0, 0.75, position, turn);
  assert.deepEqual(position, [0.75, 1.5, 2.25]);
  assert.ok(Math.abs(turn[2] - Math.sin(0.375)) < 1e-3); /* the chord of 0.25 rad for its arc: a 300th of it */
});

test('another run begins without the rows and pairs of the one before', () => {
  const recording = makePage(), feed = new Feed(recording);
  feed.begin(CHANNELS);
  feed.addPair(0, { name: 'b/ground', first: 0, second: 1 });
  feed.append(rowOf(3, numbersAt(3), [[0, 10]]));
  feed.begin(CHANNELS);
  feed.addPair(0, { name: 'b/wall', first: 0, second: 2 });
  assert.equal(recording.last, 3);
  feed.append(rowOf(0, numbersAt(0), [[0, 20]]));
  assert.deepEqual([...recording.time], [0]);
  assert.equal(recording.channel('contacts.b/ground.normal_force'), null);
  assert.deepEqual([...recording.channel('contacts.b/wall.normal_force').values], [20]);
});

test('the oldest half goes when there are too many rows', () => {
  const recording = makePage(), feed = new Feed(recording), rows = 20001;
  feed.begin(CHANNELS);
  feed.addPair(0, { name: 'b/ground', first: 0, second: 1 });
  for (let i = 0; i < rows; i++) feed.append(rowOf(i, numbersAt(i), i % 2 ? [[0, i]] : []));
  assert.equal(recording.rows, rows - 10000);
  assert.equal(recording.first, 10000);
  assert.equal(recording.last, 20000);
  const force = recording.channel('contacts.b/ground.normal_force').values;
  for (const i of [10000, 10001, 15555, 20000]) assert.equal(force[i - 10000], i % 2 ? i : 0);
  assert.equal(recording.channel('bodies.b.position').values[3 * 10000 + 1], 40000);
});

/* panels.test.js: what the panels compute, without a browser: node --test test/ */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { histogram, namesOf, polarBins, turnPart } from '../src/panels/bins.js';
import { balance, fromLowest, holdings, losses, stack } from '../src/panels/books.js';
import { chosenOf, defaultChannels, mainChannels, namesOfChosen, readHash, writeHash } from '../src/panels/choice.js';
import { readPoints, single, writeTable } from '../src/panels/csv.js';
import { figure, figurePlaces, mixed, node, polarFigure, svgFile, toText } from '../src/panels/figure.js';
import { along, eventsOf, intervalAt, jointLines, mainDirection, pairLines } from '../src/panels/intervals.js';
import { cranksOf, jointLoads, limitLoads, marginOf, motorLoads } from '../src/panels/loads.js';
import { columnOf, difference, firstFrom, interpolate, partOf, rowsWithin, statsOf, thin, valueAt, withGaps } from '../src/panels/series.js';
import { airy, axisOf, axisPower, decades, linearTicks, logTexts, logTicks, tickStep, tickTexts } from '../src/panels/ticks.js';
import { Recording } from '../src/data.js';

/* A recording of given arrays: data.js takes views as they stand. */
function recordingOf({ name = 'run', time, channels = {}, bodies = [], joints = [], motors = [], contacts = null }) {
  const told = Object.entries(channels).map(([channel, { values, unit = '1', width = 1, help = '', stats = null }]) => (
    { name: channel, unit, help, width, stats, data: Float32Array.from(values) }));
  return new Recording({ name, time: Float64Array.from(time), channels: told, bodies, joints, motors, contacts }, { read: (reference) => reference });
}

/* A table of pairs from its rows: [[{pair, mode, ...}], ...]. */
function contactsOf(pairs, rows, columns) {
  const lines = rows.flat();
  const start = Uint32Array.from([0, ...rows.map((_, r) => rows.slice(0, r + 1).flat().length)]);
  const table = {
    start, pair: Uint32Array.from(lines, (line) => line.pair),
    columns: columns.map((name) => ({ name, unit: '1', help: '', width: 1, data: Float32Array.from(lines, (line) => line[name] ?? 0) })),
  };
  return { stride: 1, pairs: pairs.map((name) => ({ name, first: 0, second: 1 })), tables: { pairs: table, places: { ...table, number: table.pair } } };
}

/* ---------------------------------------------------------------- axes */

test('ticks are whole multiples of 1, 2 or 5, within the range, about as many as asked for', () => {
  for (const [min, max] of [[0, 1], [-3.7, 12.2], [1e-9, 4e-9], [-2e7, 5e6], [0.1, 0.3], [1000.001, 1000.002]]) {
    const ticks = linearTicks(min, max, 5), step = tickStep(max - min, 5);
    assert.ok(ticks.length >= 2 && ticks.length <= 7, `${ticks}`);
    for (const tick of ticks) {
      assert.ok(tick >= min - 1e-6 * step && tick <= max + 1e-6 * step);
      assert.ok(Math.abs(tick / step - Math.round(tick / step)) < 1e-6);
    }
  }
  assert.deepEqual(linearTicks(0, 1, 5), [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
  assert.deepEqual(linearTicks(2, 2, 5), [2]);
  assert.deepEqual(linearTicks(NaN, 1, 5), []);
});

test('an axis tells small and large numbers with one power of ten in steps of three', () => {
  assert.equal(axisPower(0, 0.5), 0);
  assert.equal(axisPower(-2e-4, 1e-4), -6);
  assert.equal(axisPower(0, 0.002), -3);
  assert.equal(axisPower(0, 12345), 3);
  assert.equal(axisPower(0, 0), 0);
  assert.deepEqual(axisOf(0, 0.002, 4, 'm'), { ticks: [0, 0.0005, 0.001, 0.0015, 0.002], texts: ['0.0', '0.5', '1.0', '1.5', '2.0'], unit: '10\u207b\u00b3 m' });
  assert.deepEqual(tickTexts([-0.5, 0, 0.5]), ['\u22120.5', '0.0', '0.5']);
  assert.deepEqual(tickTexts([1000, 1200], 3), ['1.0', '1.2']);
});

test('logarithmic axes have whole decades, and few of them', () => {
  assert.deepEqual(logTicks(1e-3, 1, 5), [1e-3, 1e-2, 0.1, 1]);
  assert.ok(logTicks(1e-16, 1, 4).length <= 5);
  assert.deepEqual(logTexts([1e-12, 1]), ['10\u207b\u00b9\u00b2', '10\u2070']);
  assert.deepEqual(decades(3e-5, 0.2), [1e-5, 1]);
  assert.deepEqual(decades(1, 1), [0.1, 10]);
});

test('a range has air, and is never empty', () => {
  for (const [min, max] of [[0, 1], [5, 5], [0, 0], [-1e-12, -1e-12], [1e9, 1e9]]) {
    const [low, high] = airy(min, max);
    assert.ok(low < min && high > max);
  }
});

/* ---------------------------------------------------------------- curves */

const run = recordingOf({
  time: [0, 1, 2, 3],
  channels: { 'bodies.a.position': { values: [3, 4, 0, 0, 0, 0, 1, 2, 2, -1, 0, 0], width: 3, unit: 'm' }, 'bodies.a.x.y': { values: [1, 2, 3, 4] } },
});

test('parts of channels: components, norm, and names with dots in them', () => {
  assert.equal(partOf([run], 'bodies.a.position').part, 'all');
  assert.equal(partOf([run], 'bodies.a.position.y').part, 'y');
  assert.equal(partOf([run], 'bodies.a.x.y').name, 'bodies.a.x.y');
  assert.equal(partOf([run], 'bodies.a.position.q'), null);
  const position = run.channel('bodies.a.position');
  assert.deepEqual([...columnOf(position, 'norm')], [5, 0, 3, 1]);
  assert.deepEqual([...columnOf(position, 'y')], [4, 0, 2, 0]);
  assert.equal(valueAt(position, 'norm', 2), 3);
  assert.equal(valueAt(position, 'x', 3), -1);
});

test('linear interpolation is exact for lines, takes rows as they stand, and says nothing outside', () => {
  const x = [0, 1, 3, 4], y = x.map((v) => 2 * v - 1);
  const values = interpolate(x, y, [-1, 0, 0.5, 1, 2, 4, 4.1]);
  assert.deepEqual([...values], [NaN, -1, 0, 1, 3, 7, NaN]);
  const less = difference([0, 2, 4], [1, 1, 1], x, y);
  assert.deepEqual([...less], [-2, 2, 6]);
  assert.deepEqual([...difference(x, y, x, y)], [0, 0, 0, 0]);
});

test('rows of a window are found with one beside it on both ends', () => {
  const x = Float64Array.from({ length: 11 }, (_, i) => i);
  assert.equal(firstFrom(x, 3), 3);
  assert.equal(firstFrom(x, 3.5), 4);
  assert.deepEqual(rowsWithin(x, 3.5, 6.5), [3, 9]);
  assert.deepEqual(rowsWithin(x, -5, 50), [0, 11]);
});

test('thinning keeps every peak', () => {
  const y = Float32Array.from({ length: 100000 }, (_, i) => Math.sin(i / 50));
  y[77777] = 9;
  y[12345] = -9;
  const kept = thin(y, 0, y.length, 200);
  assert.ok(kept.length <= 800);
  assert.ok(kept.includes(77777) && kept.includes(12345));
  for (let i = 1; i < kept.length; i++) assert.ok(kept[i] > kept[i - 1]);
  assert.deepEqual(thin(y, 5, 9, 200), [5, 6, 7, 8]);
});

test('what is no number is a gap', () => {
  assert.deepEqual(withGaps([1, NaN, 3]), [1, null, 3]);
  assert.deepEqual(withGaps([1, 0, 3], true), [1, null, 3]);
  const fine = Float32Array.of(1, 2);
  assert.equal(withGaps(fine), fine);
});

test('statistics of a sine over whole periods: peaks 1, RMS 1/sqrt 2', () => {
  const rows = 4000, time = Float64Array.from({ length: rows }, (_, i) => i / rows), values = Float64Array.from(time, (t) => Math.sin(2 * Math.PI * t));
  const [told] = statsOf(time, values, 1);
  assert.ok(Math.abs(told.rms - Math.SQRT1_2) < 1e-12); /* sums of sines over whole periods are exact */
  assert.equal(told.max_at, 0.25);
  assert.equal(told.min_at, 0.75);
  assert.equal(statsOf([0], [NaN], 1)[0].rms, null);
});

/* ---------------------------------------------------------------- CSV */

test('points: names with units, quotes, semicolons with decimal commas, in the order of time', () => {
  const { columns } = readPoints('time,"a, b [m]",c (N)\n2,5,\n1,4,7\n');
  assert.deepEqual(columns, [{ name: 'a, b', unit: 'm', x: [1, 2], y: [4, 5] }, { name: 'c', unit: 'N', x: [1], y: [7] }]);
  assert.deepEqual(readPoints('t;x\n0,5;1,25\n').columns, [{ name: 'x', unit: null, x: [0.5], y: [1.25] }]);
  assert.deepEqual(readPoints('\ufeff# a note\ntime\tx\r\n0\t-1e-3\r\n').columns, [{ name: 'x', unit: null, x: [0], y: [-0.001] }]);
});

test('points that cannot be read are refused in a sentence with the line', () => {
  assert.match(readPoints('').error, /no points/);
  assert.match(readPoints('1,2\n3,4\n').error, /header/);
  assert.match(readPoints('time\n1\n').error, /one column/);
  assert.match(readPoints('time,x\n1,2,3\n').error, /Line 2 has 3 columns/);
  assert.match(readPoints('time,x\n1,2\nsoon,3\n').error, /Line 3 begins with "soon"/);
  assert.match(readPoints('time,x\n1,<b>\n').error, /Line 2, column 2 holds "<b>"/);
});

test('what is written reads back as the same single-precision numbers', () => {
  for (const v of [0.1, 1 / 3, 1.17549435e-38, 3.4028235e38, 16777217, -2.5e-7]) assert.equal(Math.fround(Number(single(Math.fround(v)))), Math.fround(v));
  assert.equal(single(Math.fround(0.1)), '0.1');
  assert.equal(single(Math.fround(1 / 3)), '0.33333334');
  const values = Float32Array.from([0.1, 0.2, NaN]);
  const own = { head: 'time[s]', time: [0, 1, 2], columns: [{ head: 'a,b', values }], from: 0, to: 3 };
  const other = { head: 'o: time[s]', time: [0.5], columns: [{ head: 'o: x', values: [7] }], from: 0, to: 1 };
  const text = writeTable([own, other]);
  assert.equal(text, 'time[s],"a,b",o: time[s],o: x\n0,0.1,0.5,7\n1,0.2,,\n2,,,\n');
  assert.deepEqual(readPoints(writeTable([{ ...own, to: 2 }])).columns[0].y.map(Math.fround), [...values.subarray(0, 2)]);
});

/* ---------------------------------------------------------------- timeline */

const touching = recordingOf({
  time: [0, 1, 2, 3, 4, 5],
  contacts: contactsOf(['wheel/ground', 'ball/ground'], [
    [{ pair: 0, mode: 2, heat: 0 }], [{ pair: 0, mode: 2, heat: 3 }, { pair: 1, mode: 1 }], [{ pair: 0, mode: 3, heat: 3 }],
    [{ pair: 0, mode: 0, heat: 3 }], [{ pair: 0, mode: 1, heat: 4 }, { pair: 1, mode: 1 }], [],
  ], ['mode', 'heat']),
  channels: { 'joints.hinge.grip': { values: [1, 1, 2, 2, 1, 1] }, 'energy.dissipated': { values: [0, 4, 4, 4, 6, 6] } },
});

test('intervals: what holds in consecutive rows is one; open rows and rows without a line part them', () => {
  const [wheel, ball] = pairLines(touching);
  assert.deepEqual([wheel.from, wheel.to, wheel.mode], [[0, 2, 4], [2, 3, 5], [2, 3, 1]]);
  assert.deepEqual([ball.from, ball.to, ball.mode], [[1, 4], [2, 5], [1, 1]]);
  const [hinge] = jointLines(touching);
  assert.deepEqual([hinge.from, hinge.to, hinge.mode], [[0, 2, 4], [2, 4, 6], [1, 2, 1]]);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((row) => intervalAt(wheel, row)), [0, 0, 1, -1, 2, -1]);
});

test('contact rows that stand for several rows of the recording', () => {
  const contacts = { ...contactsOf(['a/b'], [[{ pair: 0, mode: 1 }], [{ pair: 0, mode: 1 }], []], ['mode']), stride: 2 };
  const [line] = pairLines(recordingOf({ time: [0, 1, 2, 3, 4], contacts }));
  assert.deepEqual([line.from, line.to], [[0], [4]]);
});

test('events: touch, leave and changes at the row that shows them; what holds at first is none', () => {
  const told = eventsOf(pairLines(touching), touching.rows).map(({ row, line, what, then }) => [row, line.name, what, then]);
  assert.deepEqual(told, [
    [1, 'ball/ground', 'touch', 'stick'], [2, 'wheel/ground', 'roll', ''], [2, 'ball/ground', 'leave', ''], [3, 'wheel/ground', 'leave', ''],
    [4, 'wheel/ground', 'touch', 'stick'], [4, 'ball/ground', 'touch', 'stick'], [5, 'wheel/ground', 'leave', ''], [5, 'ball/ground', 'leave', ''],
  ]);
});

test('the main direction is that of the motion, whichever way it lies, and points to the farthest', () => {
  const d = [2 / 3, -1 / 3, 2 / 3], values = Float32Array.from({ length: 300 }, (_, i) => Math.sin(Math.floor(i / 3)) * d[i % 3] * (i > 150 ? 2 : 1));
  const found = mainDirection(values), sizes = along(values, found);
  const same = Math.abs(found.reduce((sum, v, i) => sum + v * d[i], 0));
  assert.ok(Math.abs(same - 1) < 1e-6); /* of single-precision values */
  assert.ok(Math.max(...sizes) >= -Math.min(...sizes));
  assert.equal(mainDirection(new Float32Array(9)), null);
});

test('a pair\u2019s heat stays while it is open', () => {
  assert.deepEqual([...touching.channel('contacts.wheel/ground.heat').values], [0, 3, 3, 3, 4, 4]);
});

/* ---------------------------------------------------------------- energy */

test('losses by cause add up to what is dissipated, row by row', () => {
  const told = losses(touching);
  assert.deepEqual(told.map(({ name }) => name), ['wheel/ground', 'dampers, blows and the rest']);
  assert.deepEqual([...told[0].values], [0, 3, 3, 3, 4, 4]);
  const tops = stack(told);
  assert.deepEqual([...tops[tops.length - 1]], [...touching.channel('energy.dissipated').values]);
});

test('of many pairs the hottest are told by name, the others in one', () => {
  const pairs = Array.from({ length: 50 }, (_, p) => `p${p}/ground`);
  const rows = [pairs.map((_, pair) => ({ pair, mode: 2, heat: 0 })), pairs.map((_, pair) => ({ pair, mode: 2, heat: pair }))];
  const told = losses(recordingOf({ time: [0, 1], contacts: contactsOf(pairs, rows, ['mode', 'heat']), channels: { 'energy.dissipated': { values: [0, 1300] } } }));
  assert.equal(told[0].name, 'p49/ground');
  assert.equal(told.length, 7);
  const sum = told.reduce((all, { values }) => all + values[1], 0);
  assert.equal(sum, 1300);
  assert.equal(told[6].values[1], 1300 - (49 * 50) / 2);
});

test('energy held: the potential from its lowest, nothing that is nought', () => {
  const values = { kinetic: [0, 2, 0], potential: [-3, -5, -3], stored: [0, 0, 0], work: [0, 0, 0], dissipated: [0, 0, 0], defect: [0, 0, 0] };
  const swing = recordingOf({ time: [0, 1, 2], channels: Object.fromEntries(Object.entries(values).map(([name, v]) => [`energy.${name}`, { values: v }])) });
  const held = holdings(swing);
  assert.deepEqual(held.map(({ name, moved, values }) => [name, moved, [...values]]), [['kinetic', 0, [0, 2, 0]], ['potential', -5, [2, 0, 2]]]);
  assert.deepEqual([...stack(held)[1]], [2, 2, 2]);
  assert.deepEqual(balance(swing, 2), { gained: 0, work: 0, dissipated: 0, defect: 0, exchanged: 2 });
  assert.equal(fromLowest(Float32Array.of(1, 2), false).moved, 0);
});

/* ---------------------------------------------------------------- joints */

test('loads: peaks with their sign, margins against bounds, the share of the time at the bound', () => {
  const arm = recordingOf({
    time: [0, 1, 2, 3], motors: [{ name: 'drive', joint: 0, max_effort: 8 }],
    joints: [{ name: 'hinge', type: 'revolute', coordinates: ['angle'], limits: [[-1, 9]] }],
    channels: {
      'joints.hinge.force_joint': { values: [0, 0, 1, 3, 0, 1, -7, 0, 1, 5, 0, 1], width: 3, unit: 'N' },
      'joints.hinge.position': { values: [0, 7, -0.7, 1.7], unit: 'rad' },
      'motors.drive.effort': { values: [2, -6, 1, 0], unit: 'N m' }, 'motors.drive.saturated': { values: [0, 1, 0, 0] },
      'motors.drive.power': { values: [1, -1, 4, 0], unit: 'W' },
    },
  });
  const [hinge] = jointLoads(arm);
  assert.deepEqual(hinge.force[0], { value: -7, at: 2, rms: Math.sqrt(83 / 4) });
  const [drive] = motorLoads(arm);
  assert.equal(drive.effort.value, -6);
  assert.equal(drive.margin, 25);
  assert.equal(drive.saturated, 25);
  assert.equal(marginOf(10, 8), -25);
  assert.equal(marginOf(10, null), null);
  const [limit] = limitLoads(arm);
  assert.ok(Math.abs(limit.left - 0.3) < 1e-7 && Math.abs(limit.margin - 3) < 1e-6); /* of a position in single precision */
  assert.equal(cranksOf(arm)[0].joint, 'hinge');
});

test('polar bins: an angle counts modulo a turn, also behind nought; a cosine of it is found again', () => {
  assert.ok(Math.abs(turnPart(-0.5) - (2 * Math.PI - 0.5)) < 1e-12);
  assert.equal(turnPart(2 * Math.PI), 0);
  assert.equal(turnPart(-1e-20), 0);
  const rows = 7200, angle = Float64Array.from({ length: rows }, (_, i) => -20 + (i / rows) * 20 * Math.PI), value = angle.map(Math.cos);
  const bins = polarBins(angle, value, 72);
  assert.equal(bins.rows.reduce((sum, n) => sum + n, 0), rows);
  /* The mean of a cosine over 5 degrees is that at its middle but for (5 degrees)^2 / 24 = 3.2e-4. */
  for (let k = 0; k < 72; k++) {
    assert.ok(Math.abs(bins.mean[k] - Math.cos(bins.angle[k])) < 4e-4);
    assert.ok(bins.min[k] <= bins.mean[k] && bins.mean[k] <= bins.max[k]);
  }
  assert.ok(Number.isNaN(polarBins([0.1], [1], 4).mean[2]));
});

/* ---------------------------------------------------------------- numerics */

test('histograms count every value once', () => {
  const values = Float32Array.from({ length: 1000 }, (_, i) => Math.exp(i / 100));
  const told = histogram(values, 10, true);
  assert.equal(told.counts.reduce((a, b) => a + b, 0), 1000);
  for (const count of told.counts) assert.ok(Math.abs(count - 100) <= 1); /* equal ratios: as many in each */
  assert.equal(told.edges.length, 11);
  assert.equal(histogram([0, NaN], 5, true), null);
  assert.equal(histogram([3, 3], 5).counts.reduce((a, b) => a + b, 0), 2);
});

test('names of numbers are read off a help text', () => {
  assert.deepEqual([...namesOf('who answered: 0 none, 1 guess, 2 network newton')], [[0, 'none'], [1, 'guess'], [2, 'network newton']]);
  assert.equal(namesOf('closed contacts').size, 0);
});

/* ---------------------------------------------------------------- drawings */

test('drawings: texts are escaped, colours stand as numbers, curves lie within the frame', () => {
  assert.equal(toText(node('text', { x: 1.23456, title: '"<' }, '<script>&')), '<text x="1.23" title="&quot;&lt;">&lt;script&gt;&amp;</text>');
  const x = [0, 1, 2, 3], y = [0, 1, NaN, 3];
  const curves = [{ label: '<b>', colour: 'c1', x, y }];
  const spec = { title: 'a<b', x: { label: 'time', unit: 's', min: 0, max: 3 }, y: { label: 'force', unit: 'N', min: 0, max: 3 }, curves };
  const text = svgFile(figure(spec));
  assert.ok(!text.includes('<b>') && text.includes('&lt;b&gt;') && !text.includes('var(') && !/NaN|undefined/.test(text));
  assert.match(text, /force \(N\)/);
  const d = /<path d="(M[^"]*)" fill="none" stroke="#0072b2"/.exec(text)[1], places = figurePlaces(spec);
  assert.equal(d.split('M').length - 1, 2); /* a gap breaks the path */
  assert.ok(d.startsWith(`M${places.x(0)} ${places.y(0)}`));
  assert.equal(mixed('#ff0000', '#0000ff', 0.5), '#800080');
});

test('a drawing around a turn has rings for its ticks and closes its band', () => {
  const angle = Float64Array.from({ length: 3600 }, (_, i) => i / 100), bins = polarBins(angle, angle.map((a) => 2 + Math.cos(a)), 36);
  const text = svgFile(polarFigure({ title: 'force', unit: 'N', bins }));
  assert.ok(!/NaN|undefined/.test(text));
  assert.match(text, /force \(N\)/);
  assert.ok((text.match(/<circle/g) ?? []).length >= 3);
});

/* ---------------------------------------------------------------- what is chosen */

test('the address keeps the curves, whatever their names hold, and leaves what others keep in it', () => {
  const names = ['bodies.wheel.position.z', 'contacts.my wheel/a,b&c=d#e.slip.norm', 'bodies.r\u00e4d.%41'];
  const hash = writeHash('#energy', names, { min: 0.25, max: 1 / 3 });
  assert.deepEqual(readHash(hash).plots, names);
  assert.equal(readHash(hash).from, 0.25);
  assert.ok(Math.abs(readHash(hash).to - 1 / 3) < 1e-12);
  assert.equal(writeHash('#view=top&plots=x', [], null), '#view=top');
  assert.equal(readHash('#energy').plots, null);
  assert.deepEqual(readHash('#plots=%E0%A4%A').plots, []);
});

test('chosen channels: a vector with all parts at first, parts by name, unknown names left out', () => {
  assert.deepEqual(namesOfChosen(chosenOf([run], ['bodies.a.position'])), ['bodies.a.position.x', 'bodies.a.position.y', 'bodies.a.position.z']);
  assert.deepEqual(namesOfChosen(chosenOf([run], ['bodies.a.position.norm', 'nothing', 'bodies.a.position.x'])), ['bodies.a.position.x', 'bodies.a.position.norm']);
});

test('what is shown at first: the body that goes farthest, else the energy, else what there is', () => {
  const stats = (way) => [{ min: 0, max: way, min_at: 0, max_at: 1, rms: 1 }];
  const bodies = [{ name: 'belt', kind: 'moved' }, { name: 'near', kind: 'dynamic' }, { name: 'far', kind: 'dynamic' }];
  const position = ([name, way]) => [`bodies.${name}.position`, { values: [0, 0, 0, 0, 0, 0], width: 3, stats: stats(way) }];
  const two = recordingOf({ time: [0, 1], bodies, channels: Object.fromEntries([['belt', 9], ['near', 1], ['far', 3]].map(position)) });
  assert.deepEqual(defaultChannels([two]), ['bodies.far.position']);
  assert.deepEqual(defaultChannels([touching]), ['joints.hinge.grip']);
  assert.deepEqual(mainChannels([two], { kind: 'body', name: 'near' }), ['bodies.near.position']);
  assert.deepEqual(mainChannels([two], null), []);
});

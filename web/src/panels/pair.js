/* pair.js: what the selected pair, or the joint with friction, bears: how far from slipping, how fast it slips, force over depth, friction over slip. */
import { make } from '../elements.js';
import { number } from '../format.js';
import { columnOf, curveName, rangeOf, rowsWithin } from './series.js';
import { airy } from './ticks.js';
import { drawer, shownTime } from './context.js';
import { along, linesOf, mainDirection } from './intervals.js';
import { timePlot } from './timeplot.js';
import { xyPlot } from './xyplot.js';

const MOST = 2e6;       /* rows of a drawing's curve that are looked at */
const ROUNDING = 1e-9;  /* m/s: slower than any sticking that is told to creep */

/* The line of the timeline that is looked at: the selected one, else the busiest. */
function lineOf(context) {
  const { lines } = linesOf(context), selected = context.bus.selected.value;
  return lines.find((line) => selected && line.kind === selected.kind && line.name === selected.name) ?? lines[0] ?? null;
}

const prefixOf = (line) => (line.kind === 'pair' ? `contacts.${line.name}` : `joints.${line.name}`);

/* The first of these channels that there is. */
function channelOf(context, ...names) {
  const line = lineOf(context);
  return line ? names.map((name) => context.recording.value.channel(`${prefixOf(line)}.${name}`)).find(Boolean) ?? null : null;
}

export function mountPair(parent, context) {
  const title = make('h3', {}), grid = make('div', { class: 'grid' }), box = make('div', { class: 'pair' }, title, grid);
  parent.append(box);
  const parts = [
    timePlot(grid, context, { title: 'share of the friction cone', height: 150, specOf: () => shareSpec(context) }),
    timePlot(grid, context, { title: 'slip', height: 150, specOf: () => slipSpec(context) }),
    xyPlot(grid, context, { title: 'Normal force over gap', specOf: () => depthSpec(context) }),
    xyPlot(grid, context, { title: 'Friction over slip', specOf: () => frictionSpec(context) }),
  ];
  const ask = drawer(context, box, () => {
    title.textContent = lineOf(context)?.label ?? '';
    for (const part of parts) part.ask();
  });
  context.bus.selected.follow((selected) => { if (selected?.kind === 'pair' || selected?.kind === 'joint') ask(); });
}

const table = (context, curves) => [{ x: context.recording.value.time, recording: context.recording.value, curves }];

/* |friction| / (mu N): 1 at the edge of the cone. Bearings tell what friction is left. */
function shareSpec(context) {
  const ratio = channelOf(context, 'ratio'), margin = channelOf(context, 'margin'), one = ratio ?? margin;
  if (!one) return null;
  const label = ratio ? '|friction| / (\u03bc N)' : 'friction left in the bearings';
  const curves = [{ label, name: one.name, colour: 'c1', y: one.values }];
  return { unit: one.unit, zero: true, quantity: label, title: ratio ? '1: the edge of the cone' : '', tables: table(context, curves) };
}

function slipSpec(context) {
  const slip = channelOf(context, 'slip');
  if (!slip) return null;
  const part = slip.width === 3 ? 'norm' : '';
  const curves = [{ label: '|slip|', name: curveName(slip.name, part), colour: 'c2', y: columnOf(slip, part) }];
  return { unit: slip.unit, zero: true, quantity: 'slip', title: 'how fast the surfaces slip', tables: table(context, curves) };
}

/* Rows that show and in which it is there: a pair's columns are 0 where it is not. */
function rowsThere(context) {
  const recording = context.recording.value, { min, max } = shownTime(context), [from, to] = rowsWithin(recording.time, min, max);
  const line = lineOf(context), rows = [];
  for (let k = 0; k < line.from.length && rows.length < MOST; k++) for (let r = Math.max(from, line.from[k]); r < Math.min(to, line.to[k]); r++) rows.push(r);
  return rows;
}

/* y over x of those rows; breaks where rows are left out. */
function pathSpec(context, xs, ys, x, y, note) {
  const rows = rowsThere(context), u = [], v = [];
  rows.forEach((row, i) => {
    if (i && rows[i - 1] !== row - 1) { u.push(NaN); v.push(NaN); }
    u.push(xs[row]);
    v.push(ys[row]);
  });
  const across = rangeOf(u), up = rangeOf(v);
  if (!across) return 'It touches in no row that shows.';
  const [xmin, xmax] = airy(...across), [ymin, ymax] = airy(Math.min(0, up[0]), Math.max(0, up[1]));
  const there = new Set(rows), recording = context.recording.value;
  return {
    x: { ...x, min: xmin, max: xmax }, y: { ...y, min: ymin, max: ymax }, legend: false, note,
    curves: [{ colour: 'c1', x: u, y: v, wild: true, width: 1.1 }],
    now: (t) => { const row = recording.rowNear(t); return there.has(row) ? [xs[row], ys[row]] : null; },
  };
}

function depthSpec(context) {
  const gap = channelOf(context, 'gap'), force = channelOf(context, 'normal_force');
  if (!gap || !force) return null;
  const x = { label: 'gap', unit: 'm' }, y = { label: 'normal force', unit: 'N' };
  return pathSpec(context, gap.values, force.values, x, y, 'The gap is the smallest of all places, negative in depth.');
}

/* Both along the main direction of the slip; friction as it acts against the slip, so that losing power lies above nought on the right. */
function frictionSpec(context) {
  const slip = channelOf(context, 'slip'), friction = channelOf(context, 'friction_force', 'friction', 'friction_slide', 'friction_angle');
  if (!slip || !friction) return null;
  if (slip.width === 1) return bearingSpec(context, slip, friction);
  const d = mainDirection(slip.values), fastest = rangeOf(columnOf(slip, 'norm'));
  if (!d || fastest[1] < ROUNDING) return 'It never slips.';
  const against = along(friction.values, d).map((v) => -v);
  const told = d.map((v) => number(Math.round(100 * v) / 100)).join(', ');
  const x = { label: 'slip', unit: 'm/s' }, y = { label: 'friction against it', unit: 'N' };
  return pathSpec(context, along(slip.values, d), against, x, y, `Along the main direction of the slip, (${told}).`);
}

/* Of bearings: their slip has the sign of the joint's rate where there is one; of a ball joint sizes are told. */
function bearingSpec(context, slip, friction) {
  const rate = channelOf(context, 'velocity', 'velocity_angle', 'velocity_slide'), x = { label: 'slip', unit: slip.unit };
  if (friction.width === 3 || rate?.width !== 1) {
    const size = friction.width === 3 ? columnOf(friction, 'norm') : friction.values;
    return pathSpec(context, slip.values, size, x, { label: 'friction', unit: friction.unit }, '');
  }
  const signed = slip.values.map((v, row) => v * Math.sign(rate.values[row])), against = friction.values.map((v) => -v);
  return pathSpec(context, signed, against, x, { label: 'friction against it', unit: friction.unit }, 'The slip has the sign of the rate of the joint.');
}

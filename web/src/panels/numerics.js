/* numerics.js: how well the steps were solved, by whom, in how many passes, and how long it took. */
import { make, panel } from '../elements.js';
import { number, withUnit } from '../format.js';
import { histogram, namesOf } from './bins.js';
import { drawer, recordingPicker } from './context.js';
import { rangeOf } from './series.js';
import { airy, decades } from './ticks.js';
import { timePlot } from './timeplot.js';
import { xyPlot } from './xyplot.js';

const BINS = 40;
const RESIDUALS = ['position_residual', 'velocity_residual', 'contact_residual'];
const COUNTS = ['uncertified_steps', 'contacts', 'iterations', 'solver_iterations', 'parts', 'sleeping', 'fell_back'];

const channelOf = (recording, name) => recording.channel(`certificate.${name}`);
const any = (context, name) => context.page.recordings.some((recording) => channelOf(recording, name));

export function mountNumerics(parent, context) {
  if (![...RESIDUALS, ...COUNTS].some((name) => any(context, name))) return;
  const inside = panel(parent, 'numerics', 'Numerics', recordingPicker(context));
  timePlot(inside, context, { title: 'residuals', height: 150, specOf: () => residualSpec(context.recording.value) });
  timePlot(inside, context, { title: 'steps', height: 130, specOf: () => countSpec(context.recording.value) });
  if (any(context, 'solver')) {
    timePlot(inside, context, { title: 'rung', height: 120, specOf: () => rungSpec(context.recording.value) });
    const table = make('table', { class: 'loads' });
    inside.append(table);
    drawer(context, table, () => fillRungs(table, context.recording.value));
  }
  if (!any(context, 'step_time')) {
    inside.append(make('p', { class: 'hint' }, 'How long steps took is not recorded: run with --times.'));
    return;
  }
  const grid = make('div', { class: 'grid' });
  inside.append(grid);
  xyPlot(grid, context, { title: 'Time of a step', specOf: () => timeSpec(context.recording.value) });
  xyPlot(grid, context, { title: 'Time of a step over contacts', specOf: () => contactSpec(context.recording.value) });
}

/* Those of these channels that there are, as curves. */
function curves(recording, names) {
  const all = names.map((name, k) => ({ label: name.replaceAll('_', ' '), colour: `c${k + 1}`, channel: channelOf(recording, name) }));
  return all.filter(({ channel }) => channel).map(({ label, colour, channel }) => ({ label, name: channel.name, unit: channel.unit, colour, y: channel.values }));
}

function residualSpec(recording) {
  const shown = curves(recording, RESIDUALS).map((curve) => ({ ...curve, label: `${curve.label}, ${curve.unit}` }));
  const positive = shown.filter(({ y }) => y.some((v) => v > 0));
  const title = positive.length ? 'residuals, the worst since the row before; none where it is 0' : 'All residuals are 0.';
  return { unit: '', log: true, title, quantity: 'residual', tables: [{ x: recording.time, recording, curves: positive }] };
}

/* Counts that are not nought throughout. */
function countSpec(recording) {
  const shown = curves(recording, COUNTS).map((curve) => ({ ...curve, steps: true }));
  const moving = shown.filter(({ name, y }) => name === 'certificate.uncertified_steps' || y.some((v) => v !== 0));
  return { unit: '1', zero: true, title: 'of the row; uncertified steps so far', tables: [{ x: recording.time, recording, curves: moving }] };
}

/* Who answered, by name where the channel tells the names of its numbers; nobody where no contact problem was asked. */
function rungNames(recording) {
  const channel = channelOf(recording, 'solver'), names = namesOf(channel?.help ?? ''), used = [...new Set(channel?.values ?? [])];
  const rungs = used.filter(Number.isFinite).sort((a, b) => a - b);
  return { channel, names, used: rungs.some((rung) => rung !== 0) ? rungs : [] };
}

function rungSpec(recording) {
  const { channel, names, used } = rungNames(recording), place = new Map(used.map((rung, i) => [rung, i]));
  if (!used.length) return null;
  const y = Float32Array.from(channel.values, (v) => place.get(v) ?? NaN);
  return {
    unit: '', title: 'who answered the contact problem', texts: { ticks: used.map((_, i) => i), texts: used.map((rung) => names.get(rung) ?? String(rung)) },
    tables: [{ x: recording.time, recording, curves: [{ label: 'rung', name: channel.name, colour: 'c1', y, told: y, points: true, size: 3 }] }],
  };
}

function fillRungs(table, recording) {
  const { channel, names, used } = rungNames(recording), counts = new Map(used.map((rung) => [rung, 0]));
  for (const v of channel?.values ?? []) if (counts.has(v)) counts.set(v, counts.get(v) + 1);
  table.replaceChildren(make('tbody', {}, ...used.map((rung) => make('tr', {}, make('th', { scope: 'row' }, names.get(rung) ?? String(rung)),
    make('td', {}, `${counts.get(rung)} rows`), make('td', {}, `${number((100 * counts.get(rung)) / recording.rows, 3)} %`)))));
}

function timeSpec(recording) {
  const channel = channelOf(recording, 'step_time'), bars = channel && histogram(channel.values, BINS, true);
  if (!bars) return 'Not recorded here.';
  const most = Math.max(...bars.counts), sorted = Float64Array.from(channel.values).filter(Number.isFinite).sort();
  const below = (p) => withUnit(sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))], channel.unit, 3);
  const [min, max] = decades(bars.edges[0], bars.edges[BINS]);
  return {
    x: { label: 'time of a step', unit: channel.unit, min, max, log: true }, y: { label: 'rows', unit: '', min: 0, max: 1.08 * most }, legend: false,
    curves: [{ colour: 'c1', x: bars.edges, y: [...bars.counts, bars.counts[BINS - 1]], steps: true, area: true }],
    note: `Median ${below(0.5)}, 99 of 100 below ${below(0.99)}, longest ${below(1)}.`,
  };
}

function contactSpec(recording) {
  const channel = channelOf(recording, 'step_time'), contacts = channelOf(recording, 'contacts');
  if (!channel || !contacts) return 'Not recorded here.';
  const across = rangeOf(contacts.values), up = rangeOf(channel.values.filter((v) => v > 0));
  if (!across || !up) return 'Not recorded here.';
  const [xmin, xmax] = airy(...across), [ymin, ymax] = decades(...up);
  const now = (t) => [contacts, channel].map(({ values }) => values[recording.rowNear(t)]);
  return {
    x: { label: 'contacts', unit: '', min: xmin, max: xmax }, y: { label: 'time of a step', unit: channel.unit, min: ymin, max: ymax, log: true }, legend: false,
    curves: [{ colour: 'c1', x: contacts.values, y: channel.values, points: true, filled: true, radius: 1.8 }], now,
  };
}

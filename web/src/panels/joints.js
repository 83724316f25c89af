/* joints.js: what joints and motors bear, against what they may; any of it around the turn of a crank. */
import { make, panel } from '../elements.js';
import { number, withUnit } from '../format.js';
import { partsOfTurn, polarBins } from './bins.js';
import { drawer, recordingPicker, shownTime } from './context.js';
import { polarFigure } from './figure.js';
import { cranksOf, jointLoads, limitLoads, motorLoads } from './loads.js';
import { columnOf, rowsWithin } from './series.js';
import { xyPlot } from './xyplot.js';

const FIRST = 24;       /* joints at first */
const ROUNDING = 1e-9;  /* of the largest of a table: below that it is rounding */

export function mountJoints(parent, context) {
  if (!context.page.recordings.some((recording) => recording.joints.length || recording.told.motors?.length)) return;
  const inside = panel(parent, 'joints', 'Joints', recordingPicker(context));
  const tables = make('div', {}), words = make('p', { class: 'hint' }), polar = make('div', { class: 'polar' });
  inside.append(tables, words, polar);
  const state = { all: false };
  const draw = () => {
    const recording = context.recording.value, loads = jointLoads(recording), motors = motorLoads(recording), limits = limitLoads(recording);
    tables.replaceChildren(...loadTable(context, loads, state, draw), ...motorTable(context, motors), ...limitTable(context, limits));
    const whole = [...loads, ...motors, ...limits].every((one) => one.whole);
    words.textContent = loads.length + motors.length + limits.length === 0 ? 'No forces of joints are recorded here.'
      : `The largest, with its sign, and below it the RMS, ${whole ? `of all ${recording.told.rows.recorded} recorded rows` : `of the ${recording.rows} rows that are here`}; forces on the second body, in the axes of the joint. Click a number for its moment.`;
  };
  drawer(context, tables, draw);
  mountPolar(polar, context);
}

/* A value that leads to its moment; `least`: below that it is rounding. */
function peak(context, joint, value, unit, at, rms, least = 0) {
  const told = (v) => (v !== null && v !== 0 && Math.abs(v) < least ? '\u2248 0' : number(v, 4));
  const button = make('button', { class: 'peak', title: at === null ? null : `at ${number(at)} s`, 'aria-label': `${withUnit(value, unit)} at ${number(at)} s`,
    onclick: () => { if (at !== null) context.bus.time.set(at, 'panels'); if (joint) context.bus.selected.set({ kind: 'joint', name: joint }, 'panels'); } }, told(value));
  return make('td', {}, button, rms === undefined ? null : make('small', { title: 'RMS' }, told(rms)));
}

const head = (...names) => make('thead', {}, make('tr', {}, ...names.map((name) => make('th', { scope: 'col' }, name))));

function loadTable(context, loads, state, again) {
  if (!loads.length) return [];
  const none = () => [0, 1, 2].map(() => make('td', {}, '\u2013')), shown = state.all ? loads : loads.slice(0, FIRST);
  const least = (what) => ROUNDING * Math.max(0, ...loads.flatMap((one) => (one[what] ?? []).map(({ value }) => Math.abs(value ?? 0))));
  const lowest = { force: least('force'), torque: least('torque') };
  const cells = (one, what, unit) => one[what]?.map(({ value, at, rms }) => peak(context, one.joint, value, unit, at, rms, lowest[what])) ?? none();
  const rows = shown.map((one) => make('tr', {}, make('th', { scope: 'row', title: one.type }, one.joint), ...cells(one, 'force', 'N'), ...cells(one, 'torque', 'N m')));
  const top = make('thead', {}, make('tr', {}, make('td'), make('th', { colspan: 3, scope: 'colgroup' }, 'force, N'), make('th', { colspan: 3, scope: 'colgroup' }, 'torque, N m')),
    make('tr', {}, ...['joint', 'x', 'y', 'z', 'x', 'y', 'z'].map((name) => make('th', { scope: 'col' }, name))));
  const more = loads.length > FIRST ? make('button', { class: 'quiet', onclick: () => { state.all = !state.all; again(); } }, state.all ? `Only the first ${FIRST}` : `All ${loads.length} joints`) : null;
  return [make('div', { class: 'scroll' }, make('table', { class: 'loads' }, top, make('tbody', {}, ...rows))), ...(more ? [more] : [])];
}

const percent = (value) => (value === null ? '\u2013' : `${number(value, 3)} %`);

function motorTable(context, motors) {
  if (!motors.length) return [];
  const rows = motors.map((one) => make('tr', {}, make('th', { scope: 'row', title: `of ${one.joint}` }, one.motor), peak(context, one.joint, one.effort.value, one.unit, one.effort.at, one.effort.rms), make('td', { class: 'soft' }, one.unit),
    make('td', {}, one.limit === null ? '\u2013' : number(one.limit)), make('td', {}, percent(one.margin)), make('td', {}, percent(one.saturated)),
    one.power ? peak(context, one.joint, one.power.max, 'W', one.power.max_at, one.power.rms) : make('td', {}, '\u2013'), one.power ? peak(context, one.joint, one.power.min, 'W', one.power.min_at) : make('td', {}, '\u2013')));
  return [make('h3', {}, 'Motors'), make('div', { class: 'scroll' }, make('table', { class: 'loads' }, head('motor', 'effort', '', 'limit', 'margin', 'saturated', 'most power, W', 'least, W'), make('tbody', {}, ...rows)))];
}

function limitTable(context, limits) {
  if (!limits.length) return [];
  const rows = limits.map((one) => make('tr', {}, make('th', { scope: 'row' }, one.joint), make('td', { class: 'soft' }, one.unit), make('td', {}, one.lower === null ? 'none' : number(one.lower, 4)),
    peak(context, one.joint, one.min, one.unit, one.min_at), peak(context, one.joint, one.max, one.unit, one.max_at), make('td', {}, one.upper === null ? 'none' : number(one.upper, 4)),
    make('td', {}, one.margin === null ? withUnit(one.left, one.unit, 4) : percent(one.margin))));
  return [make('h3', {}, 'Limits'), make('div', { class: 'scroll' }, make('table', { class: 'loads' }, head('joint', '', 'lower limit', 'smallest', 'largest', 'upper limit', 'margin'), make('tbody', {}, ...rows)))];
}

/* ---------------------------------------------------------------- around a turn */

/* What may be drawn around a turn: of joints, motors and springs, scalars and norms first. */
function polarChannels(recording) {
  const all = [];
  for (const [name, channel] of recording.channels) {
    if (!/^(joints|motors|springs|motions)\./.test(name) || /\.(grip|mode|saturated|heat)(_\w+)?$/.test(name)) continue;
    if (channel.width === 1) all.push({ name, part: '', channel });
    else if (channel.width === 3) for (const part of ['norm', 'x', 'y', 'z']) all.push({ name, part, channel });
  }
  return all;
}

function mountPolar(parent, context) {
  const value = make('select', { 'aria-label': 'What', onchange: () => ask() }), angle = make('select', { 'aria-label': 'Around', onchange: () => ask() });
  let channels = [], cranks = [], told = null;
  const title = make('h3', {}, 'Around a turn');
  const tools = make('div', { class: 'tools' }, value, make('span', {}, 'around'), angle);
  parent.append(title, tools);
  const plot = xyPlot(parent, context, { title: 'around a turn', height: 380, specOf, build: (spec, colours) => polarFigure({ ...spec, title: spec.what, size: 380 }, colours) });
  const ask = () => plot.ask();
  function fill(recording) {
    told = recording;
    cranks = cranksOf(recording);
    channels = polarChannels(recording);
    angle.replaceChildren(...cranks.map(({ joint, turns }) => make('option', {}, `${joint} (${number(turns, 3)} turns)`)));
    value.replaceChildren(...channels.map(({ name, part }) => make('option', {}, `${name}${part ? `.${part}` : ''}`)));
    value.selectedIndex = Math.max(0, channels.findIndex(({ name, part }) => name === `joints.${cranks[0]?.joint}.force_joint` && part === 'norm'));
  }
  function specOf() {
    const recording = context.recording.value;
    if (told !== recording) fill(recording);
    const one = channels[value.selectedIndex], crank = cranks[angle.selectedIndex];
    title.hidden = tools.hidden = !one || !crank;
    if (!one || !crank) return '';
    const { min, max } = shownTime(context), [from, to] = rowsWithin(recording.time, min, max);
    const parts = partsOfTurn(to - from), bins = polarBins(crank.channel.values.subarray(from, to), columnOf(one.channel, one.part).subarray(from, to), parts);
    return { bins, unit: one.channel.unit, what: `${one.name}${one.part ? `.${one.part}` : ''}`, note: `Mean of each ${360 / parts}\u00b0 of ${crank.joint}, and all that lies between smallest and largest, of the time that shows.` };
  }
  context.bus.selected.follow((selected) => {
    const i = selected?.kind === 'joint' ? channels.findIndex(({ name, part }) => name === `joints.${selected.name}.force_joint` && part === 'norm') : -1;
    if (i >= 0) { value.selectedIndex = i; ask(); }
  });
  const moves = drawer(context, parent, ask, [context.moves]);
  moves();
}

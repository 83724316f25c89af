/* joints.js: what joints and motors bear, against what they may; any of it around the turn of a crank. */
import { make, panel } from '../elements.js';
import { number, withUnit } from '../format.js';
import { drawer, recordingPicker } from './context.js';
import { jointLoads, limitLoads, motorLoads } from './loads.js';
import { mountTurn } from './turn.js';

const FIRST = 24;       /* joints at first */
const ROUNDING = 1e-9;  /* of the largest of a table: below that it is rounding */
const NONE = '\u2013';

export function mountJoints(parent, context) {
  if (!context.page.recordings.some((recording) => recording.joints.length || recording.told.motors?.length)) return;
  const inside = panel(parent, 'joints', 'Joints', recordingPicker(context));
  const tables = make('div', {}), words = make('p', { class: 'hint' }), state = { all: false };
  inside.append(tables, words);
  const draw = () => {
    const recording = context.recording.value, loads = jointLoads(recording), motors = motorLoads(recording), limits = limitLoads(recording);
    tables.replaceChildren(...loadTable(context, loads, state, draw), ...motorTable(context, motors), ...limitTable(context, limits));
    words.textContent = explained(recording, [...loads, ...motors, ...limits]);
  };
  drawer(context, tables, draw);
  mountTurn(inside, context);
}

/* What the numbers are. */
function explained(recording, told) {
  if (!told.length) return 'No forces of joints are recorded here.';
  const rows = told.every((one) => one.whole) ? `all ${recording.told.rows.recorded} recorded rows` : `the ${recording.rows} rows that are here`;
  return `The largest, with its sign, and below it the RMS, of ${rows}; forces on the second body, in the axes of the joint. Click a number for its moment.`;
}

/* ---------------------------------------------------------------- cells */

const cell = (text, attributes = {}) => make('td', attributes, text);
const heading = (text, title) => make('th', { scope: 'row', title }, text);
const head = (...names) => make('thead', {}, make('tr', {}, ...names.map((name) => make('th', { scope: 'col' }, name))));
const tableOf = (top, rows) => make('div', { class: 'scroll' }, make('table', { class: 'loads' }, top, make('tbody', {}, ...rows.map((cells) => make('tr', {}, ...cells)))));
const percent = (value) => cell(value === null ? NONE : `${number(value, 3)} %`);

/* A value that leads to its moment and selects its joint: {value, at, rms (undefined: not told)}; `least`: below that it is rounding. */
function peak(context, joint, unit, { value, at, rms }, least = 0) {
  const told = (v) => (v !== null && v !== 0 && Math.abs(v) < least ? '\u2248 0' : number(v, 4)), when = `at ${number(at)} s`;
  const go = () => {
    if (at !== null) context.bus.time.set(at, 'panels');
    if (joint) context.bus.selected.set({ kind: 'joint', name: joint }, 'panels');
  };
  const button = make('button', { class: 'peak', title: when, 'aria-label': `${withUnit(value, unit)} ${when}`, onclick: go }, told(value));
  return make('td', {}, button, rms === undefined ? null : make('small', { title: 'RMS' }, told(rms)));
}

/* ---------------------------------------------------------------- tables */

function loadTable(context, loads, state, again) {
  if (!loads.length) return [];
  const cells = (what, unit) => {
    const least = ROUNDING * Math.max(0, ...loads.flatMap((one) => (one[what] ?? []).map(({ value }) => Math.abs(value ?? 0))));
    return (one) => one[what]?.map((told) => peak(context, one.joint, unit, told, least)) ?? [0, 1, 2].map(() => cell(NONE));
  };
  const force = cells('force', 'N'), torque = cells('torque', 'N m'), wide = { colspan: 3, scope: 'colgroup' };
  const rows = (state.all ? loads : loads.slice(0, FIRST)).map((one) => [heading(one.joint, one.type), ...force(one), ...torque(one)]);
  const top = head('joint', 'x', 'y', 'z', 'x', 'y', 'z');
  top.prepend(make('tr', {}, cell(''), make('th', wide, 'force, N'), make('th', wide, 'torque, N m')));
  if (loads.length <= FIRST) return [tableOf(top, rows)];
  const flip = () => { state.all = !state.all; again(); };
  return [tableOf(top, rows), make('button', { class: 'quiet', onclick: flip }, state.all ? `Only the first ${FIRST}` : `All ${loads.length} joints`)];
}

function motorTable(context, motors) {
  if (!motors.length) return [];
  const rows = motors.map((one) => {
    const watts = (told) => (one.power ? peak(context, one.joint, 'W', told) : cell(NONE));
    return [heading(one.motor, `of ${one.joint}`), peak(context, one.joint, one.unit, one.effort), cell(one.unit, { class: 'soft' }),
      cell(one.limit === null ? NONE : number(one.limit)), percent(one.margin), percent(one.saturated),
      watts({ value: one.power?.max, at: one.power?.max_at, rms: one.power?.rms }), watts({ value: one.power?.min, at: one.power?.min_at })];
  });
  return [make('h3', {}, 'Motors'), tableOf(head('motor', 'effort', '', 'limit', 'margin', 'saturated', 'most power, W', 'least, W'), rows)];
}

function limitTable(context, limits) {
  if (!limits.length) return [];
  const bound = (value) => cell(value === null ? 'none' : number(value, 4));
  const rows = limits.map((one) => [heading(one.joint), cell(one.unit, { class: 'soft' }), bound(one.lower), peak(context, one.joint, one.unit, { value: one.min, at: one.min_at }),
    peak(context, one.joint, one.unit, { value: one.max, at: one.max_at }), bound(one.upper), one.margin === null ? cell(withUnit(one.left, one.unit, 4)) : percent(one.margin)]);
  return [make('h3', {}, 'Limits'), tableOf(head('joint', '', 'lower limit', 'smallest', 'largest', 'upper limit', 'margin'), rows)];
}

/* body.js: the selected body at the moment looked at. */
import { make, panel } from '../elements.js';
import { number, withUnit } from '../format.js';
import { mainBody } from './choice.js';
import { drawer, recordingPicker } from './context.js';
import { valueAt } from './series.js';

const moving = (recording) => recording.bodies.filter((body) => recording.channel(`bodies.${body.name}.position`));

/* A vector with as many decimals as its size deserves: what is far below that is rounding. */
function xyz(channel, row) {
  const size = valueAt(channel, 'norm', row), least = size > 0 ? 10 ** (Math.floor(Math.log10(size)) - 5) : 1;
  return `(${channel.components.map((c) => number(Math.round(valueAt(channel, c, row) / least) * least || 0)).join(', ')}) ${channel.unit}`;
}

/* What is told of a body in a row: [[name, text]]. Its kinetic energy is that of its centre of mass: the page knows no inertia. */
function linesOf(recording, body, row) {
  const of = (what) => recording.channel(`bodies.${body.name}.${what}`), lines = [];
  const position = of('position'), velocity = of('velocity'), turning = of('angular_velocity');
  if (body.mass !== null && body.mass !== undefined) lines.push(['mass', withUnit(body.mass, 'kg')]);
  lines.push(['position', xyz(position, row)]);
  if (velocity) lines.push(['velocity', xyz(velocity, row)], ['speed', withUnit(valueAt(velocity, 'norm', row), velocity.unit)]);
  if (turning) lines.push(['angular speed', withUnit(valueAt(turning, 'norm', row), turning.unit)]);
  if (body.mass && velocity) lines.push(['energy of its motion, \u00bd m v\u00b2', withUnit(0.5 * body.mass * valueAt(velocity, 'norm', row) ** 2, 'J')]);
  if (body.mass && recording.told.gravity) {
    const g = recording.told.gravity, height = g.reduce((sum, v, i) => sum - v * valueAt(position, 'xyz'[i], row), 0);
    lines.push(['energy of its weight, \u2212m g\u00b7x', withUnit(body.mass * height, 'J')]);
  }
  return lines;
}

export function mountBody(parent, context) {
  const { bus } = context;
  if (!context.page.recordings.some((recording) => moving(recording).length)) return;
  const select = make('select', { 'aria-label': 'Body', onchange: () => bus.selected.set({ kind: 'body', name: select.value }, 'panels') });
  const inside = panel(parent, 'body', 'Body', select, recordingPicker(context));
  const table = make('table', { class: 'loads told' });
  let shown = null;
  inside.append(table);
  const ask = drawer(context, inside, () => {
    const recording = context.recording.value, bodies = moving(recording), body = bodies.find((one) => one.name === (shown ?? mainBody(recording))) ?? bodies[0];
    if (select.options.length !== bodies.length) select.replaceChildren(...bodies.map((one) => make('option', { value: one.name }, one.name)));
    if (!body) { table.replaceChildren(); return; }
    select.value = body.name;
    const lines = linesOf(recording, body, recording.rowNear(bus.time.value));
    table.replaceChildren(make('tbody', {}, ...lines.map(([name, text]) => make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, text)))));
  });
  bus.time.follow(ask);
  bus.selected.follow((selected) => { if (selected?.kind === 'body') { shown = selected.name; ask(); } });
}

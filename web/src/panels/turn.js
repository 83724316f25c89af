/* turn.js: a quantity of a joint or a motor around the turn of a crank. */
import { make } from '../elements.js';
import { number } from '../format.js';
import { partsOfTurn, polarBins } from './bins.js';
import { drawer, shownTime } from './context.js';
import { polarFigure } from './figure.js';
import { cranksOf, jointLoads } from './loads.js';
import { columnOf, curveName, rowsWithin } from './series.js';
import { xyPlot } from './xyplot.js';

/* What may be drawn around a turn: of joints, motors and springs, scalars, norms and components. */
function turnChannels(recording) {
  const all = [];
  for (const [name, channel] of recording.channels) {
    if (!/^(joints|motors|springs|motions)\./.test(name) || /\.(grip|mode|saturated|heat)(_\w+)?$/.test(name)) continue;
    const parts = { 1: [''], 3: ['norm', 'x', 'y', 'z'] }[channel.width] ?? [];
    for (const part of parts) all.push({ name: curveName(name, part), part, channel });
  }
  return all;
}

/* The force of the crank's joint; where it bears none, the first that one bears. */
function mainForce(recording, cranks) {
  const bears = ({ force }) => force?.some(({ value }) => value !== null && value !== 0), loads = jointLoads(recording).filter(bears);
  return forceOf((loads.find(({ joint }) => joint === cranks[0]?.joint) ?? loads[0])?.joint);
}

const forceOf = (joint) => `joints.${joint}.force_joint.norm`;

export function mountTurn(inside, context) {
  const value = make('select', { 'aria-label': 'What', onchange: () => plot.ask() }), angle = make('select', { 'aria-label': 'Around', onchange: () => plot.ask() });
  const title = make('h3', {}, 'Around a turn'), tools = make('div', { class: 'tools' }, value, make('span', {}, 'around'), angle);
  const parent = make('div', { class: 'polar' }, title, tools);
  let channels = [], cranks = [], told = null;
  inside.append(parent);

  /* What there is in a recording; looked up when it is drawn. */
  const fill = (recording) => {
    told = recording;
    cranks = cranksOf(recording);
    channels = turnChannels(recording);
    angle.replaceChildren(...cranks.map(({ joint, turns }) => make('option', {}, `${joint} (${number(turns, 3)} turns)`)));
    value.replaceChildren(...channels.map(({ name }) => make('option', {}, name)));
    value.selectedIndex = Math.max(0, channels.findIndex(({ name }) => name === mainForce(recording, cranks)));
  };
  const specOf = () => {
    const recording = context.recording.value;
    if (told !== recording) fill(recording);
    const one = channels[value.selectedIndex], crank = cranks[angle.selectedIndex];
    title.hidden = tools.hidden = !one || !crank;
    return one && crank ? turnSpec(context, recording, one, crank) : '';
  };
  const plot = xyPlot(parent, context, {
    title: 'around a turn', height: 380, specOf, build: (spec, colours) => polarFigure({ ...spec, title: spec.what, size: 380 }, colours),
  });
  drawer(context, parent, () => plot.ask(), [context.moves]);
  context.bus.selected.follow((selected) => {
    const i = selected?.kind === 'joint' ? channels.findIndex(({ name }) => name === forceOf(selected.name)) : -1;
    if (i >= 0) { value.selectedIndex = i; plot.ask(); }
  });
}

function turnSpec(context, recording, one, crank) {
  const { min, max } = shownTime(context), [from, to] = rowsWithin(recording.time, min, max), parts = partsOfTurn(to - from);
  const bins = polarBins(crank.channel.values.subarray(from, to), columnOf(one.channel, one.part).subarray(from, to), parts);
  const note = `Mean of each ${360 / parts}\u00b0 of ${crank.joint}, and all that lies between smallest and largest, of the time that shows.`;
  return { bins, unit: one.channel.unit, what: one.name, note };
}

/* plots.js: curves of chosen channels over time, a panel for each unit, the moment shared with the replay. */
import { make, panel, save } from '../elements.js';
import { Shared } from '../bus.js';
import { chosenOf, defaultChannels, mainChannels, mainCurves, namesOfChosen, readHash, writeHash } from './choice.js';
import { choose, chipsOf, colourOf, forget, offersOf, toolsOf, unitsOf } from './chosen.js';
import { fileName, shownTime, showTime } from './context.js';
import { writeTable } from './csv.js';
import { columnOf, curveName, difference, rowsWithin, shortName } from './series.js';
import { DASHES, timePlot } from './timeplot.js';

const HINT = 'Values are those of the row nearest to the line. Drag to zoom, double click for all; once a plot is clicked the wheel zooms too; '
  + 'arrows, +, \u2212 and 0 do the same.';

export function mountPlots(parent, context) {
  const { page, bus } = context, recordings = page.recordings;
  const inside = panel(parent, 'plots', 'Plots');
  const told = readHash(location.hash), chosen = new Shared(chosenOf(recordings, told.plots ?? []));
  const state = {
    context, recordings, chosen,
    own: chosen.value.length > 0,                    /* somebody has chosen: it does not follow the selection any more */
    references: new Shared([]),                      /* points to compare with: [{name, unit, file, colour, x, y}] */
    differ: new Shared(recordings.length > 1),       /* whether differences are shown */
    colours: new Map(),                              /* of the curves that are shown: {unit, colour} */
  };
  if (told.from !== null && told.to !== null) showTime(context, told.from, told.to);
  if (!state.own) chosen.set(chosenOf(recordings, defaultChannels(recordings)));

  chosen.follow(() => forget(state)); /* before anyone asks for a colour */
  const boxes = make('div', { class: 'plots' });
  inside.append(toolsOf(state, inside, () => saveTable(state)), chipsOf(state), offersOf(state), boxes, make('p', { class: 'hint' }, HINT));
  const plots = keepPlots(state, boxes);
  keepAddress(state);
  bus.selected.follow((selected) => {
    const curves = mainCurves(selected, mainChannels(recordings, selected));
    if (!state.own && curves.length) chosen.set(chosenOf(recordings, curves));
  });
  return {
    show: (names) => choose(state, chosenOf(recordings, names)),
    values: () => plots().flatMap((plot) => plot.values()),
  };
}

/* ---------------------------------------------------------------- the plots */

/* A plot for each unit of what is chosen, in the order in which units come; kept as long as the unit is shown. Returns who has them. */
function keepPlots(state, boxes) {
  const plots = new Map();
  const update = () => {
    const units = [...new Set([...unitsOf(state), ...state.references.value.map(({ unit }) => unit)])];
    for (const [unit, { plot, other }] of plots) {
      if (!units.includes(unit)) { plot.end(); other?.end(); plots.delete(unit); }
    }
    for (const unit of units) {
      const title = unit === '1' ? 'numbers without unit' : unit;
      if (!plots.has(unit)) plots.set(unit, { plot: timePlot(boxes, state.context, { title, specOf: () => specOf(state, unit) }), other: null });
      const mine = plots.get(unit);
      keepDifference(state, boxes, unit, title, mine);
      mine.plot.ask();
      mine.other?.ask();
    }
  };
  state.chosen.follow(update);
  state.references.follow(update);
  state.differ.follow(update);
  return () => [...plots.values()].map(({ plot }) => plot);
}

/* Below a plot of several recordings their differences, where they are wanted. */
function keepDifference(state, boxes, unit, title, mine) {
  const wanted = state.differ.value && unitsOf(state).includes(unit);
  if (wanted === (mine.other !== null)) return;
  if (wanted) {
    const told = { title: `difference of ${title}`, height: 120, saved: `${title}-difference`, specOf: () => differenceOf(state, unit) };
    mine.other = timePlot(boxes, state.context, told);
    mine.plot.element.after(mine.other.element);
  } else { mine.other.end(); mine.other = null; }
}

const curvesOf = (state, unit) => state.chosen.value.filter(({ channel }) => channel.unit === unit).flatMap((one) => one.parts.map((part) => ({ one, part })));

/* What is drawn, in a word, where all curves of a panel are the same quantity. */
function quantityOf(state, unit) {
  const names = new Set(curvesOf(state, unit).map(({ one }) => one.name.slice(one.name.lastIndexOf('.') + 1).replaceAll('_', ' ')));
  return names.size === 1 ? [...names][0] : '';
}

/* A curve of the r-th recording. */
function curveOf(state, { one, part }, r, y) {
  const name = curveName(one.name, part);
  return { label: shortName(name), name, colour: colourOf(state, one, part), dash: DASHES[r % DASHES.length], y };
}

function specOf(state, unit) {
  const curves = curvesOf(state, unit);
  const tables = state.recordings.map((recording, r) => ({
    x: recording.time, recording,
    curves: curves.filter(({ one }) => recording.channel(one.name)).map((c) => curveOf(state, c, r, columnOf(recording.channel(c.one.name), c.part))),
  })).filter((table) => table.curves.length);
  for (const one of state.references.value.filter((o) => o.unit === unit)) {
    tables.push({ x: one.x, recording: null, curves: [{ label: `${one.name} (${one.file})`, colour: one.colour, y: one.y, points: true }] });
  }
  return { unit, tables, quantity: quantityOf(state, unit) };
}

/* Other recordings less the first, on its rows; theirs are taken linearly between rows. */
function differenceOf(state, unit) {
  const [first, ...others] = state.recordings, curves = curvesOf(state, unit), quantity = quantityOf(state, unit);
  const tables = others.map((recording, r) => ({
    x: first.time, recording,
    curves: curves.filter(({ one }) => recording.channel(one.name) && first.channel(one.name)).map((c) => {
      const [its, mine] = [first, recording].map((of) => columnOf(of.channel(c.one.name), c.part));
      return curveOf(state, c, r + 1, difference(first.time, its, recording.time, mine));
    }),
  })).filter((table) => table.curves.length);
  return {
    unit, tables, quantity: quantity && `${quantity} less that of ${first.name}`,
    title: `less ${first.name}, on its rows, linear between those of ${others.length > 1 ? 'the others' : others[0].name}`,
  };
}

/* ---------------------------------------------------------------- what is kept, and saved */

function keepAddress(state) {
  const { context, chosen, recordings } = state;
  const write = () => {
    if (!state.own && !context.window.value) return;
    const hash = writeHash(location.hash, state.own ? namesOfChosen(chosen.value) : [], context.window.value);
    history.replaceState(null, '', `${location.pathname}${location.search}${hash}`);
  };
  chosen.follow(write);
  context.window.follow(write);
  addEventListener('hashchange', () => {
    const told = readHash(location.hash);
    if (told.plots) choose(state, chosenOf(recordings, told.plots));
    else write(); /* somebody went to a part of the page: what is chosen stays in the address */
    if (told.from !== null && told.to !== null) showTime(context, told.from, told.to);
  });
}

/* What is shown as a table: each recording with a time of its own. */
function saveTable(state) {
  const { min, max } = shownTime(state.context), several = state.recordings.length > 1;
  const groups = state.recordings.map((recording) => {
    const [from, to] = rowsWithin(recording.time, min, max), before = several ? `${recording.name}: ` : '';
    const there = state.chosen.value.map((one) => ({ ...one, channel: recording.channel(one.name) })).filter(({ channel }) => channel);
    const columns = there.flatMap(({ name, parts, channel }) => parts.map((part) => (
      { head: `${before}${shortName(curveName(name, part))}[${channel.unit}]`, values: columnOf(channel, part) })));
    return { head: `${before}time[s]`, time: recording.time, columns, from, to };
  });
  save(`${fileName(state.context.page.title)}.csv`, 'text/csv', writeTable(groups));
}

/* plots.js: curves of chosen channels over time, a panel for each unit, the moment shared with the replay. */
import { make, panel, save } from '../elements.js';
import { Shared } from '../bus.js';
import { chosenOf, defaultChannels, mainChannels, namesOfChosen, readHash, writeHash } from './choice.js';
import { fileName, shownTime, showTime } from './context.js';
import { readPoints, writeTable } from './csv.js';
import { searchBox } from './search.js';
import { columnOf, curveName, difference, partOf, partsOf, rowsWithin, shortName } from './series.js';
import { DASHES, timePlot } from './timeplot.js';

const COLOURS = 8;
const LARGEST_FILE = 64e6; /* bytes of reference points: more would stop the page for seconds */

export function mountPlots(parent, context) {
  const { page, bus } = context, recordings = page.recordings;
  const inside = panel(parent, 'plots', 'Plots');
  const told = readHash(location.hash);
  const chosen = new Shared(chosenOf(recordings, told.plots ?? []));
  const state = { context, recordings, chosen, references: new Shared([]), differ: new Shared(recordings.length > 1), own: chosen.value.length > 0, colours: new Map() };
  if (told.from !== null && told.to !== null) showTime(context, told.from, told.to);
  if (!state.own) chosen.set(chosenOf(recordings, defaultChannels(recordings)));

  chosen.follow(() => forget(state)); /* before anyone asks for a colour */
  const boxes = make('div', { class: 'plots' });
  inside.append(toolsOf(state, inside), chipsOf(state), offersOf(state), boxes, make('p', { class: 'hint' },
    'Values are those of the row nearest to the line. Drag to zoom, double click for all; once a plot is clicked the wheel zooms too; arrows, +, \u2212 and 0 do the same.'));
  const plots = keepPlots(state, boxes);
  keepAddress(state);
  bus.selected.follow((selected) => {
    const main = mainChannels(recordings, selected);
    if (!state.own && main.length) chosen.set(chosenOf(recordings, selected.kind === 'body' ? main.slice(0, 1) : selected.kind === 'pair' ? [main[0], `${main[1]}.norm`] : main.slice(0, 2)));
  });
  return {
    show: (names) => { state.own = true; chosen.set(chosenOf(recordings, names)); },
    values: () => plots().flatMap((plot) => plot.values()),
  };
}

/* Somebody has changed what is shown: from now on it does not follow the selection. */
function choose(state, chosen) {
  state.own = true;
  state.chosen.set(chosen);
}

function toggle(state, name) {
  const there = state.chosen.value.some((one) => one.name === name);
  choose(state, there ? state.chosen.value.filter((one) => one.name !== name) : [...state.chosen.value, ...chosenOf(state.recordings, [name])]);
}

/* ---------------------------------------------------------------- above the plots */

function toolsOf(state, inside) {
  const { context, recordings } = state, error = make('p', { class: 'error', role: 'alert', hidden: true });
  const take = async (file) => {
    const answer = file.size > LARGEST_FILE ? { error: `${file.name} has ${Math.round(file.size / 1e6)} MB; reference points may have ${LARGEST_FILE / 1e6} MB.` } : readPoints(await file.text());
    error.hidden = !answer.error;
    error.textContent = answer.error ? `${file.name}: ${answer.error}` : '';
    if (!answer.error) state.references.set([...state.references.value, ...answer.columns.map((column) => placed(state, column, file.name))]);
  };
  const file = make('input', { type: 'file', accept: '.csv,.txt,.tsv,text/csv', 'aria-label': 'Reference points (CSV)', class: 'file', onchange: () => { if (file.files[0]) take(file.files[0]); file.value = ''; } });
  inside.addEventListener('dragover', (event) => { event.preventDefault(); inside.classList.add('drop'); });
  inside.addEventListener('dragleave', () => inside.classList.remove('drop'));
  inside.addEventListener('drop', (event) => { event.preventDefault(); inside.classList.remove('drop'); for (const one of event.dataTransfer.files) take(one); });
  const all = make('button', { title: 'Show the whole time (0)', onclick: () => context.window.set(null) }, 'All time');
  context.window.follow((window) => { all.disabled = window === null; });
  const differ = recordings.length > 1 ? make('label', { class: 'check' }, make('input', { type: 'checkbox', checked: state.differ.value, onchange: (event) => state.differ.set(event.target.checked) }), `differences from ${recordings[0].name}`) : null;
  return make('div', { class: 'tools' },
    searchBox(recordings, { toggle: (name) => toggle(state, name), isChosen: (name) => state.chosen.value.some((one) => one.name === name) }),
    all, make('button', { title: 'What is shown, as a table (CSV)', onclick: () => saveTable(state) }, 'CSV'),
    make('label', { class: 'button', title: 'Points to compare with: a CSV file, time in s first; it may be dropped here too' }, 'Reference\u2026', file), differ, error);
}

/* A column of reference points: in the panel of its channel, of its unit, or the first. */
function placed(state, column, file) {
  const known = ['', 'bodies.', 'contacts.'].map((kind) => partOf(state.recordings, `${kind}${column.name}`)).find(Boolean);
  const units = unitsOf(state), unit = column.unit ?? known?.channel.unit ?? units[0] ?? '1';
  return { ...column, unit, file, colour: `c${(state.references.value.length + 6) % COLOURS + 1}` };
}

const unitsOf = (state) => [...new Set(state.chosen.value.map(({ channel }) => channel.unit))];

/* The chosen channels with a button for each part and one to remove them; reference points with the panel they stand in. */
function chipsOf(state) {
  const chips = make('ul', { class: 'chips', 'aria-label': 'Shown' });
  const channelChip = (one) => {
    const parts = partsOf(one.channel);
    const part = (p) => make('button', {
      class: 'part', 'aria-pressed': String(one.parts.includes(p)), 'aria-label': p === 'norm' ? 'norm' : p, style: one.parts.includes(p) ? `border-bottom-color: var(--${colourOf(state, one, p)})` : null,
      onclick: () => choose(state, state.chosen.value.map((o) => (o.name === one.name ? { ...o, parts: parts.filter((q) => o.parts.includes(q) !== (q === p)) } : o)).filter((o) => o.parts.length)),
    }, p === 'norm' ? '|\u00b7|' : p);
    return make('li', { title: `${one.name}: ${one.channel.help}` }, parts.length === 1 ? make('i', { class: 'dot', style: `background: var(--${colourOf(state, one, '')})`, 'aria-hidden': 'true' }) : null,
      shortName(one.name), ...(parts.length > 1 ? parts.map(part) : []), make('button', { class: 'remove', 'aria-label': `Remove ${shortName(one.name)}`, onclick: () => toggle(state, one.name) }, '\u00d7'));
  };
  const pointChip = (one) => {
    const units = [...new Set([one.unit, ...unitsOf(state)])];
    const select = make('select', { 'aria-label': `Panel of ${one.name}`, onchange: () => state.references.set(state.references.value.map((o) => (o === one ? { ...o, unit: units[select.selectedIndex] } : o))) },
      ...units.map((unit) => make('option', { selected: unit === one.unit }, unit)));
    return make('li', { title: `${one.x.length} points of ${one.file}` }, make('i', { class: 'ring', style: `border-color: var(--${one.colour})`, 'aria-hidden': 'true' }), `${one.name}`, select,
      make('button', { class: 'remove', 'aria-label': `Remove ${one.name}`, onclick: () => state.references.set(state.references.value.filter((o) => o !== one)) }, '\u00d7'));
  };
  const fill = () => chips.replaceChildren(...state.chosen.value.map(channelChip), ...state.references.value.map(pointChip));
  state.chosen.follow(fill);
  state.references.follow(fill);
  return chips;
}

/* Channels of what is selected, one press away. */
function offersOf(state) {
  const line = make('p', { class: 'offers' });
  const fill = () => {
    const selected = state.context.bus.selected.value;
    const rest = mainChannels(state.recordings, selected).filter((name) => !state.chosen.value.some((one) => one.name === name));
    line.hidden = rest.length === 0;
    line.replaceChildren(`${selected?.name ?? ''}: `, ...rest.map((name) => make('button', { class: 'offer', onclick: () => toggle(state, name) }, `+ ${name.slice(name.lastIndexOf('.') + 1)}`)));
  };
  state.context.bus.selected.follow(fill);
  state.chosen.follow(fill);
  return line;
}

/* Curves that are gone give their colours back. */
function forget(state) {
  const shown = new Set(namesOfChosen(state.chosen.value));
  for (const key of state.colours.keys()) if (!shown.has(key)) state.colours.delete(key);
}

/* A curve keeps its colour as long as it is shown: the first that no other of its panel has. */
function colourOf(state, { name, channel, parts }, part) {
  const key = curveName(name, part), known = state.colours.get(key);
  if (known) return known.colour;
  const used = new Set([...state.colours.values()].filter((one) => one.unit === channel.unit).map((one) => one.colour));
  const free = Array.from({ length: COLOURS }, (_, i) => `c${i + 1}`).find((c) => !used.has(c)) ?? `c${(state.colours.size % COLOURS) + 1}`;
  if (parts.includes(part)) state.colours.set(key, { unit: channel.unit, colour: free });
  return free;
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
      const mine = plots.get(unit), wanted = state.differ.value && unitsOf(state).includes(unit);
      if (wanted && !mine.other) {
        mine.other = timePlot(boxes, state.context, { title: `difference of ${title}`, height: 120, saved: `${title}-difference`, specOf: () => differenceOf(state, unit) });
        mine.plot.element.after(mine.other.element);
      } else if (!wanted && mine.other) { mine.other.end(); mine.other = null; }
      mine.plot.ask();
      mine.other?.ask();
    }
  };
  state.chosen.follow(update);
  state.references.follow(update);
  state.differ.follow(update);
  return () => [...plots.values()].map(({ plot }) => plot);
}

const curvesOf = (state, unit) => state.chosen.value.filter(({ channel }) => channel.unit === unit).flatMap((one) => one.parts.map((part) => ({ one, part })));

/* What is drawn, in a word, where all curves of a panel are the same quantity. */
function quantityOf(state, unit) {
  const names = new Set(curvesOf(state, unit).map(({ one }) => one.name.slice(one.name.lastIndexOf('.') + 1).replaceAll('_', ' ')));
  return names.size === 1 ? [...names][0] : '';
}

function specOf(state, unit) {
  const tables = state.recordings.map((recording, r) => ({
    x: recording.time, recording,
    curves: curvesOf(state, unit).flatMap(({ one, part }) => {
      const channel = recording.channel(one.name);
      return channel ? [{ label: shortName(curveName(one.name, part)), name: curveName(one.name, part), colour: colourOf(state, one, part), dash: DASHES[r % DASHES.length], y: columnOf(channel, part) }] : [];
    }),
  })).filter(({ curves }) => curves.length);
  for (const one of state.references.value.filter((o) => o.unit === unit)) {
    tables.push({ x: one.x, recording: null, curves: [{ label: `${one.name} (${one.file})`, colour: one.colour, y: one.y, points: true }] });
  }
  return { unit, tables, quantity: quantityOf(state, unit) };
}

/* Other recordings less the first, on its rows; theirs are taken linearly between rows. */
function differenceOf(state, unit) {
  const [first, ...others] = state.recordings;
  const tables = others.map((recording, r) => ({
    x: first.time, recording,
    curves: curvesOf(state, unit).flatMap(({ one, part }) => {
      const mine = recording.channel(one.name), its = first.channel(one.name);
      if (!mine || !its) return [];
      return [{ label: shortName(curveName(one.name, part)), name: curveName(one.name, part), colour: colourOf(state, one, part), dash: DASHES[(r + 1) % DASHES.length], y: difference(first.time, columnOf(its, part), recording.time, columnOf(mine, part)) }];
    }),
  })).filter(({ curves }) => curves.length);
  return { unit, tables: tables.length ? tables : [{ x: first.time, recording: first, curves: [] }], quantity: quantityOf(state, unit) && `${quantityOf(state, unit)} less that of ${first.name}`, title: `less ${first.name}, on its rows, linear between those of ${others.length > 1 ? 'the others' : others[0].name}` };
}

/* ---------------------------------------------------------------- what is kept, and saved */

function keepAddress(state) {
  const { context, chosen, recordings } = state;
  const write = () => { if (state.own || context.window.value) history.replaceState(null, '', `${location.pathname}${location.search}${writeHash(location.hash, state.own ? namesOfChosen(chosen.value) : [], context.window.value)}`); };
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
    const columns = state.chosen.value.flatMap((one) => one.parts.map((part) => ({ one, part, channel: recording.channel(one.name) }))).filter(({ channel }) => channel)
      .map(({ one, part, channel }) => ({ head: `${before}${shortName(curveName(one.name, part))}[${channel.unit}]`, values: columnOf(channel, part) }));
    return { head: `${before}time[s]`, time: recording.time, columns, from, to };
  });
  save(`${fileName(state.context.page.title)}.csv`, 'text/csv', writeTable(groups));
}

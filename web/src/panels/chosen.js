/* chosen.js: what stands above the plots: the search box, what is chosen and how to change it, points to compare with. */
import { make } from '../elements.js';
import { chosenOf, mainChannels, namesOfChosen } from './choice.js';
import { readPoints } from './csv.js';
import { searchBox } from './search.js';
import { curveName, partOf, partsOf, shortName } from './series.js';

const COLOURS = 8;
const LARGEST_FILE = 64e6; /* bytes of reference points: more would stop the page for seconds */

/* Somebody has changed what is shown: from now on it does not follow the selection. */
export function choose(state, chosen) {
  state.own = true;
  state.chosen.set(chosen);
}

const isChosen = (state, name) => state.chosen.value.some((one) => one.name === name);

function toggle(state, name) {
  const others = state.chosen.value.filter((one) => one.name !== name);
  choose(state, isChosen(state, name) ? others : [...others, ...chosenOf(state.recordings, [name])]);
}

export const unitsOf = (state) => [...new Set(state.chosen.value.map(({ channel }) => channel.unit))];

/* ---------------------------------------------------------------- colours */

/* Curves that are gone give their colours back. */
export function forget(state) {
  const shown = new Set(namesOfChosen(state.chosen.value));
  for (const key of state.colours.keys()) if (!shown.has(key)) state.colours.delete(key);
}

/* A curve keeps its colour as long as it is shown: the first that no other of its panel has. */
export function colourOf(state, { name, channel, parts }, part) {
  const key = curveName(name, part), known = state.colours.get(key);
  if (known) return known.colour;
  const used = new Set([...state.colours.values()].filter((one) => one.unit === channel.unit).map((one) => one.colour));
  const free = Array.from({ length: COLOURS }, (_, i) => `c${i + 1}`).find((c) => !used.has(c)) ?? `c${(state.colours.size % COLOURS) + 1}`;
  if (parts.includes(part)) state.colours.set(key, { unit: channel.unit, colour: free });
  return free;
}

/* ---------------------------------------------------------------- tools */

export function toolsOf(state, inside, saveTable) {
  const { context, recordings, differ } = state;
  const all = make('button', { title: 'Show the whole time (0)', onclick: () => context.window.set(null) }, 'All time');
  context.window.follow((window) => { all.disabled = window === null; });
  const box = make('input', { type: 'checkbox', checked: differ.value, onchange: () => differ.set(box.checked) });
  const [reference, error] = referenceOf(state, inside);
  return make('div', { class: 'tools' },
    searchBox(recordings, { toggle: (name) => toggle(state, name), isChosen: (name) => isChosen(state, name) }), all,
    make('button', { title: 'What is shown, as a table (CSV)', onclick: saveTable }, 'CSV'), reference,
    recordings.length > 1 ? make('label', { class: 'check' }, box, `differences from ${recordings[0].name}`) : null, error);
}

/* Where points to compare with come in, and the sentence when they cannot be read. */
function referenceOf(state, inside) {
  const error = make('p', { class: 'error', role: 'alert', hidden: true });
  const take = async (file) => {
    const size = Math.round(file.size / 1e6), most = LARGEST_FILE / 1e6;
    const answer = file.size > LARGEST_FILE ? { error: `It has ${size} MB; reference points may have ${most} MB.` } : readPoints(await file.text());
    error.hidden = !answer.error;
    error.textContent = answer.error ? `${file.name}: ${answer.error}` : '';
    for (const column of answer.columns ?? []) state.references.set([...state.references.value, placed(state, column, file.name)]);
  };
  const input = make('input', { type: 'file', accept: '.csv,.txt,.tsv,text/csv', 'aria-label': 'Reference points (CSV)', class: 'file' });
  input.addEventListener('change', () => {
    for (const file of input.files) take(file);
    input.value = '';
  });
  const over = (is) => (event) => { event.preventDefault(); inside.classList.toggle('drop', is); };
  inside.addEventListener('dragover', over(true));
  inside.addEventListener('dragleave', over(false));
  inside.addEventListener('drop', (event) => {
    over(false)(event);
    for (const file of event.dataTransfer.files) take(file);
  });
  const title = 'Points to compare with: a CSV file, time in s first; it may be dropped here too';
  return [make('label', { class: 'button', title }, 'Reference\u2026', input), error];
}

/* A column of reference points: in the panel of its unit, of its channel, or the first. */
function placed(state, column, file) {
  const known = ['', 'bodies.', 'contacts.'].map((kind) => partOf(state.recordings, `${kind}${column.name}`)).find(Boolean);
  const unit = column.unit ?? known?.channel.unit ?? unitsOf(state)[0] ?? '1', count = state.references.value.length;
  return { ...column, unit, file, colour: `c${((count + 6) % COLOURS) + 1}` };
}

/* ---------------------------------------------------------------- chips */

/* The chosen channels with a button for each part and one to remove them; reference points with the panel they stand in. */
export function chipsOf(state) {
  const chips = make('ul', { class: 'chips', 'aria-label': 'Shown' });
  const fill = () => chips.replaceChildren(...state.chosen.value.map((one) => channelChip(state, one)), ...state.references.value.map((one) => pointChip(state, one)));
  state.chosen.follow(fill);
  state.references.follow(fill);
  return chips;
}

const remover = (name, onclick) => make('button', { class: 'remove', 'aria-label': `Remove ${name}`, onclick }, '\u00d7');

function channelChip(state, one) {
  const parts = partsOf(one.channel), name = shortName(one.name), scalar = parts.length === 1;
  const dot = scalar ? make('i', { class: 'dot', style: `background: var(--${colourOf(state, one, '')})`, 'aria-hidden': 'true' }) : null;
  return make('li', { title: `${one.name}: ${one.channel.help}` }, dot, name, ...(scalar ? [] : parts.map((part) => partButton(state, one, part))),
    remover(name, () => toggle(state, one.name)));
}

/* Shows or hides a part of a vector; a channel without parts is gone. */
function partButton(state, one, part) {
  const shown = one.parts.includes(part);
  const flip = () => {
    const parts = partsOf(one.channel).filter((p) => one.parts.includes(p) !== (p === part));
    choose(state, state.chosen.value.map((other) => (other.name === one.name ? { ...other, parts } : other)).filter((other) => other.parts.length));
  };
  const style = shown ? `border-bottom-color: var(--${colourOf(state, one, part)})` : null;
  return make('button', { class: 'part', 'aria-pressed': String(shown), 'aria-label': part, style, onclick: flip }, part === 'norm' ? '|\u00b7|' : part);
}

function pointChip(state, one) {
  const units = [...new Set([one.unit, ...unitsOf(state)])], others = () => state.references.value.filter((other) => other !== one);
  const select = make('select', { 'aria-label': `Panel of ${one.name}` }, ...units.map((unit) => make('option', { selected: unit === one.unit }, unit)));
  select.addEventListener('change', () => state.references.set([...others(), { ...one, unit: units[select.selectedIndex] }]));
  return make('li', { title: `${one.x.length} points of ${one.file}` }, make('i', { class: 'ring', style: `border-color: var(--${one.colour})`, 'aria-hidden': 'true' }),
    one.name, select, remover(one.name, () => state.references.set(others())));
}

/* Channels of what is selected, one press away. */
export function offersOf(state) {
  const line = make('p', { class: 'offers' }), { selected } = state.context.bus;
  const offer = (name) => make('button', { class: 'offer', onclick: () => toggle(state, name) }, `+ ${name.slice(name.lastIndexOf('.') + 1)}`);
  const fill = () => {
    const rest = mainChannels(state.recordings, selected.value).filter((name) => !isChosen(state, name));
    line.hidden = rest.length === 0;
    line.replaceChildren(`${selected.value?.name ?? ''}: `, ...rest.map(offer));
  };
  selected.follow(fill);
  state.chosen.follow(fill);
  return line;
}

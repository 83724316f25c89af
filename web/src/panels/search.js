/* search.js: the box in which channels are found: words in any order over name, unit and help. */
import { make } from '../elements.js';
import { shortName } from './series.js';

const MOST = 200; /* lines shown; more words find the others */
const KINDS = [['bodies.', 'Body'], ['joints.', 'Joint'], ['contacts.', 'Contact'], ['motors.', 'Motor'], ['motions.', 'Motion'], ['springs.', 'Spring'],
  ['bushings.', 'Bushing'], ['couplings.', 'Coupling'], ['sensors.', 'Sensor'], ['signals.', 'Signal']];

/* "bodies.wheel.position" -> the heading it stands below. */
export function groupOf(name) {
  const kind = KINDS.find(([start]) => name.startsWith(start)), owner = name.slice(0, name.lastIndexOf('.'));
  if (!kind) return owner ? owner[0].toUpperCase() + owner.slice(1) : 'Others';
  return `${kind[1]} ${owner.slice(kind[0].length)}`;
}

/* All channels of all recordings by name, with the text that is searched; made when it is first needed. */
export function indexOf(recordings) {
  const all = new Map();
  for (const recording of recordings) {
    for (const [name, channel] of recording.channels) {
      if (!all.has(name)) all.set(name, { name, channel, text: `${name} ${channel.unit} ${channel.help}`.toLowerCase() });
    }
  }
  return [...all.values()];
}

export function findIn(index, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = index.filter(({ text: all }) => words.every((word) => all.includes(word)));
  return { found: found.slice(0, MOST), more: Math.max(0, found.length - MOST) };
}

/* A combobox; `toggle(name)` when one is picked, `isChosen(name)` for the tick before it. */
export function searchBox(recordings, { toggle, isChosen }) {
  let index = null, options = [], active = -1;
  const list = make('ul', { id: 'channels', role: 'listbox', 'aria-label': 'Channels', 'aria-multiselectable': 'true', hidden: true });
  const input = make('input', {
    type: 'search', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'channels', 'aria-autocomplete': 'list', 'aria-label': 'Add channels',
    placeholder: 'Add channels: name, unit, meaning\u2026', autocomplete: 'off', spellcheck: 'false',
  });
  const open = (shown) => { list.hidden = !shown; input.setAttribute('aria-expanded', String(shown)); };
  const mark = (i) => {
    options[active]?.element.classList.remove('active');
    active = options.length ? (i + options.length) % options.length : -1;
    const now = options[active]?.element;
    now?.classList.add('active');
    now?.scrollIntoView({ block: 'nearest' });
    if (now) input.setAttribute('aria-activedescendant', now.id); else input.removeAttribute('aria-activedescendant');
  };
  const fill = () => {
    index ??= indexOf(recordings);
    const { found, more } = findIn(index, input.value);
    options = found.map((one, i) => ({ ...one, element: option(one, i, isChosen(one.name), () => pick(i)) }));
    list.replaceChildren(...grouped(options));
    if (more || !found.length) list.append(make('li', { class: 'more', role: 'presentation' }, more ? `and ${more} more: more words find them` : 'No channel has all these words.'));
    open(true);
    mark(found.length && input.value ? 0 : -1);
  };
  const pick = (i) => {
    toggle(options[i].name);
    options[i].element.setAttribute('aria-selected', String(isChosen(options[i].name)));
    mark(i);
    input.focus();
  };
  input.addEventListener('input', fill);
  input.addEventListener('focus', () => { if (list.hidden) fill(); });
  input.addEventListener('keydown', (event) => {
    const act = {
      ArrowDown: () => (list.hidden ? fill() : mark(active + 1)), ArrowUp: () => mark(active < 0 ? options.length - 1 : active - 1),
      Enter: () => { if (active >= 0 && !list.hidden) pick(active); }, Escape: () => (list.hidden ? (input.value = '') : open(false)),
    }[event.key];
    event.stopPropagation();
    if (!act) return;
    event.preventDefault();
    act();
  });
  const box = make('div', { class: 'search' }, input, list);
  box.addEventListener('focusout', (event) => { if (!box.contains(event.relatedTarget)) open(false); });
  list.addEventListener('mousedown', (event) => event.preventDefault()); /* the box keeps the focus */
  return box;
}

function option({ name, channel }, i, chosen, pick) {
  const short = name.slice(name.lastIndexOf('.') + 1);
  return make('li', { id: `channel-${i}`, role: 'option', 'aria-selected': String(chosen), title: shortName(name), onclick: pick },
    make('b', {}, short), make('span', { class: 'unit' }, channel.unit === '1' ? '' : ` ${channel.unit}`), make('small', {}, ` ${channel.help}`));
}

function grouped(options) {
  const parts = [];
  let last = null;
  for (const { name, element } of options) {
    const group = groupOf(name);
    if (group !== last) parts.push(make('li', { class: 'group', role: 'presentation' }, group));
    last = group;
    parts.push(element);
  }
  return parts;
}

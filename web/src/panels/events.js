/* events.js: touches, leaves, and changes between stick, slip and roll as a list: filtered, clicked, walked through by keys. */
import { make } from '../elements.js';
import { moment } from '../format.js';
import { drawer } from './context.js';
import { linesOf } from './intervals.js';
import { virtualList } from './virtual.js';

const LINE = 24, MOST_HEIGHT = 9 * LINE; /* px */
const KINDS = ['touch', 'leave', 'stick', 'slip', 'roll', 'mixed'];

export function mountEvents(parent, context) {
  const { bus } = context;
  let shown = [], apart = 0;
  const words = make('input', { type: 'search', placeholder: 'Name of a pair\u2026', 'aria-label': 'Events of pairs with these words', oninput: () => fill() });
  const kinds = [make('option', { value: '' }, 'all events'), ...KINDS.map((kind) => make('option', { value: kind }, kind))];
  const what = make('select', { 'aria-label': 'Kind of event', onchange: () => fill() }, ...kinds);
  const count = make('span', { class: 'soft', 'aria-live': 'polite' });
  const list = virtualList({
    height: LINE, most: MOST_HEIGHT, label: 'Events',
    lineOf: (i) => {
      const { row, line, what: kind, then } = shown[i];
      return make('div', { class: 'event' }, make('span', { class: 'at' }, moment(context.recording.value.time[row], apart)),
        make('span', { class: 'what' }, make('i', { class: `mode ${then || kind}`, 'aria-hidden': 'true' }), then ? `${kind}, ${then}` : kind),
        make('span', { class: 'who' }, line.label));
    },
    pick: (i) => {
      const { row, line } = shown[i];
      bus.time.set(context.recording.value.time[row], 'panels');
      bus.selected.set({ kind: line.kind, name: line.name }, 'panels');
    },
  });
  const box = make('details', { class: 'events', open: true }, make('summary', {}, 'Events'), make('div', { class: 'tools' }, words, what, count), list.element);
  parent.append(box);

  function fill() {
    const recording = context.recording.value, { events } = linesOf(context), wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    apart = recording.rows > 1 ? (recording.last - recording.first) / (recording.rows - 1) : 0;
    const named = new Map(); /* a line has many events, but one name */
    const isNamed = (line) => named.get(line) ?? named.set(line, wanted.every((word) => line.label.toLowerCase().includes(word))).get(line);
    shown = events.filter((event) => (!what.value || event.what === what.value || event.then === what.value) && isNamed(event.line));
    count.textContent = shown.length === events.length ? `${events.length}` : `${shown.length} of ${events.length}`;
    list.fill(shown.length);
  }
  drawer(context, box, fill);
  box.addEventListener('toggle', () => list.redraw());
}

/* timeline.js: who sticks, slips, rolls or is open when; the events between; what the selected pair bears. */
import { make, panel } from '../elements.js';
import { number } from '../format.js';
import { drawer, recordingPicker } from './context.js';
import { mountEvents } from './events.js';
import { Gantt } from './gantt.js';
import { linesOf, MODES } from './intervals.js';
import { mountPair } from './pair.js';

const mayTouch = (recording) => recording.pairs.length > 0 || [...recording.channels.keys()].some((name) => /^joints\..+\.(grip(_\w+)?|mode)$/.test(name));

export function mountTimeline(parent, context) {
  if (!context.page.live && !context.page.recordings.some(mayTouch)) return;
  const inside = panel(parent, 'timeline', 'Stick and slip', recordingPicker(context));
  const note = make('p', { class: 'hint' }), empty = make('p', { hidden: true }, 'Nothing touches in this recording.');
  const parts = make('div', {}, key(), new Gantt(context).block, note);
  inside.append(empty, parts);
  mountEvents(parts, context);
  mountPair(parts, context);
  drawer(context, inside, () => {
    const none = linesOf(context).lines.length === 0;
    empty.hidden = !none;
    parts.hidden = none;
    note.textContent = exactness(context.recording.value);
  });
}

/* How exact changes are. */
function exactness({ rows, first, last, contactStride }) {
  const apart = rows > 1 ? (1000 * contactStride * (last - first)) / (rows - 1) : 0;
  const where = `the rows${contactStride > 1 ? ` that have contacts, one of ${contactStride}` : ''}`;
  return `Read off ${where}, so a change is as exact as they are near: ${number(apart, 3)} ms on average. Click a bar for its pair, near its edge for the change.`;
}

/* What colours and patterns mean. */
function key() {
  const words = { mixed: 'mixed: places differ' };
  const one = (mode) => make('span', {}, make('i', { class: `mode ${mode}`, 'aria-hidden': 'true' }), words[mode] ?? mode);
  return make('p', { class: 'key' }, ...MODES.slice(1).map(one), make('span', { class: 'soft' }, 'line: open'));
}

/* timeline.js: who sticks, slips, rolls or is open when; the events between; what the selected pair bears. */
import { make, panel } from '../elements.js';
import { moment } from '../format.js';
import { colour, drawer, recordingPicker, shownTime } from './context.js';
import { busiest, endOf, eventsOf, intervalAt, jointLines, MODES, pairLines } from './intervals.js';
import { mountEvents } from './events.js';
import { mountPair } from './pair.js';
import { linearTicks, tickTexts } from './ticks.js';
import { timeArea } from './timearea.js';

const LINE = 22, BAR = 14;  /* px */
const TALL = 38, NARROW = 480; /* px: where there is little room, names stand above their bars */
const FIRST = 40;           /* lines at first: the busiest */
const EDGE = 6;             /* px in which a click means the edge of an interval */
const MOST_HEIGHT = 18 * LINE; /* px */

/* Lines of a recording, busiest first; made once for as many rows as there are. */
export function linesOf(context) {
  const recording = context.recording.value, known = context.lines;
  if (known?.recording === recording && known.rows === recording.rows) return known;
  const lines = busiest([...pairLines(recording), ...jointLines(recording)]);
  context.lines = { recording, rows: recording.rows, lines, events: eventsOf(lines, recording.rows) };
  return context.lines;
}

const mayTouch = (recording) => recording.pairs.length > 0 || [...recording.channels.keys()].some((name) => /^joints\..+\.(grip(_\w+)?|mode)$/.test(name));

export function mountTimeline(parent, context) {
  if (!context.page.live && !context.page.recordings.some(mayTouch)) return;
  const inside = panel(parent, 'timeline', 'Stick and slip', recordingPicker(context));
  const note = make('p', { class: 'hint' }), empty = make('p', { hidden: true }, 'Nothing touches in this recording.');
  const gantt = makeGantt(context, note);
  const parts = make('div', {}, key(), gantt.element, note);
  inside.append(empty, parts);
  mountEvents(parts, context);
  mountPair(parts, context);
  const ask = drawer(context, inside, () => {
    const none = linesOf(context).lines.length === 0;
    empty.hidden = !none;
    parts.hidden = none;
  });
  ask();
}

/* What colours and patterns mean. */
function key() {
  return make('p', { class: 'key' }, ...MODES.slice(1).map((mode) => make('span', {}, make('i', { class: `mode ${mode}`, 'aria-hidden': 'true' }), { roll: 'roll', mixed: 'mixed: places differ' }[mode] ?? mode)), make('span', { class: 'soft' }, 'line: open'));
}

/* The selected line, if it is one of these. */
function selectedOf(context, lines) {
  const selected = context.bus.selected.value;
  return selected ? lines.findIndex((line) => line.kind === selected.kind && line.name === selected.name) : -1;
}

function makeGantt(context, note) {
  const { bus } = context;
  const canvas = make('canvas', { 'aria-hidden': 'true' }), names = make('div', { class: 'names', role: 'presentation' }), inner = make('div', { class: 'inner' }, names, canvas);
  const scroll = make('div', { class: 'lanes' }, inner), axis = make('canvas', { class: 'axis', 'aria-hidden': 'true' });
  const all = make('button', { class: 'quiet', onclick: () => { state.all = !state.all; draw(); } }), said = make('p', { class: 'said', 'aria-live': 'polite' });
  const element = make('div', { class: 'gantt', role: 'group', 'aria-label': 'Timeline. Up and down change the pair, left and right go to its changes, plus and minus zoom, 0 shows all.' }, scroll, axis);
  const state = { all: false, lines: [], left: 140, line: LINE };
  const area = timeArea(element, context, (event, t) => clicked(event, t));
  const block = make('div', {}, element, make('div', { class: 'below' }, all, said));

  function draw() {
    const { lines } = linesOf(context), recording = context.recording.value;
    state.lines = state.all ? lines : lines.slice(0, FIRST);
    all.hidden = lines.length <= FIRST;
    all.textContent = state.all ? `Only the ${FIRST} busiest` : `All ${lines.length}`;
    const width = element.clientWidth;
    state.line = width < NARROW ? TALL : LINE;
    state.left = width < NARROW ? 8 : Math.min(180, Math.round(width * 0.24));
    const height = Math.min(MOST_HEIGHT, state.lines.length * state.line);
    scroll.style.height = `${height}px`;
    inner.style.height = `${state.lines.length * state.line}px`;
    area.set({ left: state.left, top: 0, width: Math.max(20, width - state.left - 12), height });
    const apart = recording.rows > 1 ? (recording.last - recording.first) / (recording.rows - 1) * recording.contactStride : 0;
    note.textContent = `Read off the rows, so a change is as exact as they are near: ${moment(apart, apart / 10)} on average. Click a bar for its pair, near its edge for the change.`;
    paint();
    paintAxis(axis, context, state, width);
    tell();
  }
  /* Only the lines that show. */
  function paint() {
    const from = Math.max(0, Math.floor(scroll.scrollTop / state.line)), to = Math.min(state.lines.length, Math.ceil((scroll.scrollTop + scroll.clientHeight) / state.line) + 1);
    const width = element.clientWidth, ctx = sized(canvas, width, Math.max(1, to - from) * state.line);
    canvas.style.top = `${from * state.line}px`;
    const chosen = selectedOf(context, state.lines);
    names.replaceChildren(...state.lines.slice(from, to).map((line, k) => make('div', {
      class: from + k === chosen ? 'name selected' : 'name', title: line.label, style: `top: ${(from + k) * state.line}px; width: ${state.line === TALL ? width - 8 : state.left - 8}px`,
      onclick: () => bus.selected.set({ kind: line.kind, name: line.name }, 'panels'),
    }, line.label)));
    const colours = modeColours(ctx), window = shownTime(context);
    state.lines.slice(from, to).forEach((line, k) => paintLine(ctx, context.recording.value, line, { y: (k + 1) * state.line - LINE, tall: state.line, left: state.left, width: width - state.left - 12, window, colours, chosen: from + k === chosen }));
  }
  function clicked(event, t) {
    const y = event.clientY - scroll.getBoundingClientRect().top + scroll.scrollTop, line = state.lines[Math.floor(y / state.line)];
    if (!line || event.clientY > scroll.getBoundingClientRect().bottom) return;
    bus.selected.set({ kind: line.kind, name: line.name }, 'panels');
    const { min, max } = shownTime(context), near = (EDGE / Math.max(20, element.clientWidth - state.left - 12)) * (max - min);
    const edge = nearestEdge(context.recording.value.time, line, t);
    if (edge !== null && Math.abs(edge - t) <= near) bus.time.set(edge, 'panels');
  }
  const tell = () => {
    const i = selectedOf(context, state.lines), line = state.lines[i], recording = context.recording.value;
    if (!line) { said.textContent = ''; return; }
    const k = intervalAt(line, recording.rowAt(bus.time.value)), apart = recording.rows > 1 ? recording.time[1] - recording.time[0] : 0;
    said.textContent = k < 0 ? `${line.label}: open` : `${line.label}: ${MODES[line.mode[k]]} from ${moment(recording.time[line.from[k]], apart)} to ${moment(endOf(recording.time, line, k), apart)}`;
  };
  const step = (by) => {
    const i = selectedOf(context, state.lines), next = state.lines[Math.min(state.lines.length - 1, Math.max(0, i + by))];
    if (!next) return;
    bus.selected.set({ kind: next.kind, name: next.name }, 'panels');
    const top = state.lines.indexOf(next) * state.line;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top + state.line > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + state.line - scroll.clientHeight;
  };
  const edge = (by) => {
    const line = state.lines[selectedOf(context, state.lines)];
    const t = line && nextEdge(context.recording.value.time, line, bus.time.value, by);
    if (t !== null && t !== undefined) bus.time.set(t, 'panels');
  };
  element.addEventListener('keydown', (event) => {
    const act = { ArrowUp: () => step(-1), ArrowDown: () => step(1), ArrowLeft: () => edge(-1), ArrowRight: () => edge(1) }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }, true);
  scroll.addEventListener('scroll', paint);
  const ask = drawer(context, element, draw, [context.asks, context.moves]);
  bus.time.follow(drawer(context, element, () => { area.place(); tell(); }, []));
  bus.selected.follow(ask);
  return { element: block };
}

/* The edge of an interval that is nearest to t, s. */
function nearestEdge(time, line, t) {
  let best = null;
  for (let k = 0; k < line.from.length; k++) {
    for (const at of [time[line.from[k]], endOf(time, line, k)]) if (best === null || Math.abs(at - t) < Math.abs(best - t)) best = at;
  }
  return best;
}

/* The next change behind t, or the last before it. */
function nextEdge(time, line, t, by) {
  const edges = [...new Set(line.from.flatMap((from, k) => [time[from], endOf(time, line, k)]))].sort((a, b) => a - b);
  const on = edges.filter((at) => (by > 0 ? at > t + 1e-12 : at < t - 1e-12));
  return on.length ? (by > 0 ? on[0] : on[on.length - 1]) : null;
}

/* ---------------------------------------------------------------- painting */

function sized(canvas, width, height) {
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  return ctx;
}

/* A colour and a pattern for each mode, so that none is told by colour alone: stick plain, slip slanted lines, roll dots, mixed crossed lines. */
function modeColours(ctx) {
  const marks = {
    stick: null,
    slip: (c) => { c.moveTo(-1, 7); c.lineTo(7, -1); c.moveTo(5, 7); c.lineTo(7, 5); c.moveTo(-1, 1); c.lineTo(1, -1); },
    roll: (c) => { c.moveTo(3.8, 3); c.arc(3, 3, 0.8, 0, 7); },
    mixed: (c) => { c.moveTo(-1, -1); c.lineTo(7, 7); c.moveTo(-1, 7); c.lineTo(7, -1); },
  };
  return MODES.map((mode) => {
    const plain = colour(mode === 'open' ? 'soft' : mode), mark = marks[mode];
    if (!mark) return { fill: plain };
    const tile = make('canvas', { width: 6, height: 6 }), c = tile.getContext('2d');
    c.fillStyle = plain;
    c.fillRect(0, 0, 6, 6);
    c.strokeStyle = colour('paper');
    c.lineWidth = mode === 'roll' ? 1.6 : 1.1;
    c.beginPath();
    mark(c);
    c.stroke();
    return { fill: ctx.createPattern(tile, 'repeat') };
  });
}

function paintLine(ctx, recording, line, { y, tall, left, width, window, colours, chosen }) {
  const { time } = recording, x = (t) => left + ((t - window.min) / (window.max - window.min)) * width;
  if (chosen) { ctx.fillStyle = colour('line'); ctx.globalAlpha = 0.6; ctx.fillRect(0, y + LINE - tall, left + width + 12, tall); ctx.globalAlpha = 1; }
  ctx.fillStyle = colours[0].fill;
  ctx.globalAlpha = 0.5;
  ctx.fillRect(left, y + LINE / 2, width, 1);
  ctx.globalAlpha = 1;
  let painted = left;
  for (let k = 0; k < line.from.length; k++) {
    const a = Math.max(left, x(time[line.from[k]])), b = Math.min(left + width, x(endOf(time, line, k)));
    if (b < left || a > left + width) continue;
    if (b <= painted && b - a < 0.5) continue; /* within a pixel that is painted */
    ctx.fillStyle = colours[line.mode[k]].fill;
    ctx.fillRect(a, y + (LINE - BAR) / 2, Math.max(1, b - a), BAR);
    painted = b;
    if (b - a > 46) word(ctx, MODES[line.mode[k]], a + 4, y + LINE / 2);
  }
}

/* The name of a mode where there is room, on a plate so that it reads on any pattern. */
function word(ctx, text, x, y) {
  ctx.font = '10px system-ui, sans-serif';
  ctx.textBaseline = 'middle';
  const wide = ctx.measureText(text).width;
  ctx.fillStyle = colour('paper');
  ctx.fillRect(x, y - 6, wide + 6, 12);
  ctx.fillStyle = colour('ink');
  ctx.fillText(text, x + 3, y + 0.5);
}

function paintAxis(canvas, context, state, width) {
  const ctx = sized(canvas, width, 20), { min, max } = shownTime(context), wide = Math.max(20, width - state.left - 12);
  const ticks = linearTicks(min, max, Math.max(2, wide / 80)), texts = tickTexts(ticks);
  ctx.font = '11px system-ui, sans-serif';
  ctx.fillStyle = colour('soft');
  ctx.textAlign = 'center';
  ctx.textBaseline = 'top';
  ticks.forEach((tick, i) => ctx.fillText(texts[i], state.left + ((tick - min) / (max - min)) * wide, 5));
  ctx.textAlign = 'left';
  if (state.line === LINE) ctx.fillText('time (s)', 0, 5);
}

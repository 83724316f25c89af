/* gantt.js: who sticks, slips, rolls or is open when, a line for each pair and joint; only the lines that show are painted. */
import { make } from '../elements.js';
import { moment } from '../format.js';
import { drawer, shownTime } from './context.js';
import { endOf, intervalAt, linesOf, MODES } from './intervals.js';
import { LINE, modeColours, NARROW, paintAxis, paintLine, sized, TALL } from './lanes.js';
import { timeArea } from './timearea.js';

const FIRST = 40;              /* lines at first: the busiest */
const EDGE = 6;                /* px in which a click means the edge of an interval */
const MOST_HEIGHT = 18 * LINE; /* px */
const RIGHT = 12;              /* px beside the bars */

const KEYS = 'Timeline. Up and down change the pair, left and right go to its changes, plus and minus zoom, 0 shows all.';

export class Gantt {
  constructor(context) {
    this.context = context;
    this.every = false; /* all lines, not only the busiest */
    this.lines = [];
    this.left = 140;    /* px: where bars begin */
    this.line = LINE;
    this.#build();
    this.area = timeArea(this.element, context, (event, t) => this.#clicked(event, t));
    this.element.addEventListener('keydown', (event) => this.#key(event), true);
    this.scroll.addEventListener('scroll', () => this.#paint());
    const ask = drawer(context, this.element, () => this.#draw(), [context.asks, context.moves]);
    context.bus.time.follow(drawer(context, this.element, () => { this.area.place(); this.#tell(); }, []));
    context.bus.selected.follow(ask);
    this.ask = ask;
  }

  #build() {
    this.canvas = make('canvas', { 'aria-hidden': 'true' });
    this.names = make('div', { role: 'presentation' });
    this.inner = make('div', { class: 'inner' }, this.names, this.canvas);
    this.scroll = make('div', { class: 'lanes' }, this.inner);
    this.axis = make('canvas', { class: 'axis', 'aria-hidden': 'true' });
    this.element = make('div', { class: 'gantt', role: 'group', 'aria-label': KEYS }, this.scroll, this.axis);
    this.more = make('button', { class: 'quiet', onclick: () => { this.every = !this.every; this.ask(); } });
    this.said = make('p', { class: 'said', 'aria-live': 'polite' });
    this.block = make('div', {}, this.element, make('div', { class: 'below' }, this.more, this.said));
  }

  get width() { return Math.max(20, this.element.clientWidth - this.left - RIGHT); }

  /* Which line is selected, -1: none of these. */
  get chosen() {
    const selected = this.context.bus.selected.value;
    return selected ? this.lines.findIndex((line) => line.kind === selected.kind && line.name === selected.name) : -1;
  }

  #select(line) { this.context.bus.selected.set({ kind: line.kind, name: line.name }, 'panels'); }

  #draw() {
    const { lines } = linesOf(this.context), narrow = this.element.clientWidth < NARROW;
    this.lines = this.every ? lines : lines.slice(0, FIRST);
    this.more.hidden = lines.length <= FIRST;
    this.more.textContent = this.every ? `Only the ${FIRST} busiest` : `All ${lines.length}`;
    this.line = narrow ? TALL : LINE;
    this.left = narrow ? 8 : Math.min(180, Math.round(this.element.clientWidth * 0.24));
    const height = Math.min(MOST_HEIGHT, this.lines.length * this.line);
    this.scroll.style.height = `${height}px`;
    this.inner.style.height = `${this.lines.length * this.line}px`;
    this.area.set({ left: this.left, top: 0, width: this.width, height });
    this.#paint();
    paintAxis(this.axis, shownTime(this.context), { left: this.left, width: this.width, named: !narrow });
    this.#tell();
  }

  #paint() {
    const { line, scroll, lines, chosen } = this, from = Math.max(0, Math.floor(scroll.scrollTop / line));
    const to = Math.min(lines.length, Math.ceil((scroll.scrollTop + scroll.clientHeight) / line) + 1);
    const wide = this.element.clientWidth, ctx = sized(this.canvas, wide, Math.max(1, to - from) * line);
    this.canvas.style.top = `${from * line}px`;
    const shown = lines.slice(from, to), room = line === TALL ? wide - 8 : this.left - 8;
    this.names.replaceChildren(...shown.map((one, k) => make('div', {
      class: from + k === chosen ? 'name selected' : 'name', title: one.label, style: `top: ${(from + k) * line}px; width: ${room}px`,
      onclick: () => this.#select(one),
    }, one.label)));
    const where = { left: this.left, width: this.width, tall: line, window: shownTime(this.context), colours: modeColours(ctx) };
    shown.forEach((one, k) => paintLine(ctx, this.context.recording.value.time, one, { ...where, y: (k + 1) * line - LINE, chosen: from + k === chosen }));
  }

  /* A click selects the line; near an edge it means the edge. */
  #clicked(event, t) {
    const place = this.scroll.getBoundingClientRect(), line = this.lines[Math.floor((event.clientY - place.top + this.scroll.scrollTop) / this.line)];
    if (!line || event.clientY > place.bottom) return;
    this.#select(line);
    const { min, max } = shownTime(this.context), edges = edgesOf(this.context.recording.value.time, line);
    const near = edges.reduce((best, at) => (Math.abs(at - t) < Math.abs(best - t) ? at : best), Infinity);
    if (Math.abs(near - t) <= (EDGE / this.width) * (max - min)) this.context.bus.time.set(near, 'panels');
  }

  #key(event) {
    const act = { ArrowUp: () => this.#step(-1), ArrowDown: () => this.#step(1), ArrowLeft: () => this.#edge(-1), ArrowRight: () => this.#edge(1) }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }

  #step(by) {
    const next = Math.min(this.lines.length - 1, Math.max(0, this.chosen + by)), top = next * this.line, { scroll } = this;
    if (!this.lines[next]) return;
    this.#select(this.lines[next]);
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top + this.line > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + this.line - scroll.clientHeight;
  }

  /* To the next change of the selected line, or the one before. */
  #edge(by) {
    const line = this.lines[this.chosen], t = this.context.bus.time.value;
    if (!line) return;
    const edges = edgesOf(this.context.recording.value.time, line).filter((at) => (by > 0 ? at > t : at < t));
    if (edges.length) this.context.bus.time.set(by > 0 ? edges[0] : edges[edges.length - 1], 'panels');
  }

  #tell() {
    const line = this.lines[this.chosen], { time, rows, first, last } = this.context.recording.value;
    if (!line) { this.said.textContent = ''; return; }
    const k = intervalAt(line, this.context.recording.value.rowAt(this.context.bus.time.value)), apart = rows > 1 ? (last - first) / (rows - 1) : 0;
    const since = k < 0 ? 'open' : `${MODES[line.mode[k]]} from ${moment(time[line.from[k]], apart)} to ${moment(endOf(time, line, k), apart)}`;
    this.said.textContent = `${line.label}: ${since}`;
  }
}

/* Moments at which a line changes, ascending. */
function edgesOf(time, line) {
  return [...new Set(line.from.flatMap((from, k) => [time[from], endOf(time, line, k)]))];
}

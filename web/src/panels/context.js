/* context.js: what the panels share beside the bus: the window of time they show, whose recording tables speak of, and when to draw. */
import { Shared } from '../bus.js';
import { make } from '../elements.js';

const NEAR = '300px';        /* panels are drawn when they are that near to the screen */
const GROWN_EVERY = 250;     /* ms between redraws while a live run grows */

export function makeContext(page, bus, element) {
  const context = {
    page, bus,
    window: new Shared(null),                       /* {min, max} s, null: all */
    recording: new Shared(page.recordings[0]),
    asks: new Set(),                                /* of drawers: all is to be drawn anew */
    moves: new Set(),                               /* the same: only the window has changed */
  };
  const all = () => { for (const ask of context.asks) ask(); };
  bus.theme.follow(all);
  context.window.follow(() => { for (const ask of context.moves) ask(); });
  context.recording.follow(all);
  new ResizeObserver(all).observe(element);
  addEventListener('beforeprint', () => { for (const ask of context.asks) ask.now(); });
  let waits = false;
  bus.grown.follow(() => {
    if (waits) return;
    waits = true;
    setTimeout(() => { waits = false; all(); }, GROWN_EVERY);
  });
  return context;
}

/* Draws when the element is near the screen and something has changed, at most once a frame: what the asks of the sets tell. Returns what asks
 * for it; .end() stops, .now() draws wherever it is, for paper. */
export function drawer(context, element, draw, sets = [context.asks]) {
  let near = false, wanted = true, coming = false;
  const run = () => {
    coming = false;
    if (!near || !wanted || !element.isConnected) return;
    wanted = false;
    draw();
  };
  const ask = () => {
    wanted = true;
    if (near && !coming) { coming = true; requestAnimationFrame(run); }
  };
  const eye = new IntersectionObserver((entries) => {
    near = entries[entries.length - 1].isIntersecting;
    if (near && wanted) run();
  }, { rootMargin: NEAR });
  eye.observe(element);
  ask.now = () => { if (wanted && element.isConnected) { wanted = false; draw(); } };
  ask.end = () => { eye.disconnect(); for (const set of sets) set.delete(ask); };
  for (const set of sets) set.add(ask);
  return ask;
}

/* From the first moment of all recordings to the last. */
export function wholeTime(context) {
  const ends = context.page.recordings.filter((recording) => recording.rows > 0);
  return { min: Math.min(...ends.map((r) => r.first)), max: Math.max(...ends.map((r) => r.last)) };
}

export function shownTime(context) {
  const { min, max } = context.window.value ?? wholeTime(context);
  return max > min ? { min, max } : { min: min - 0.5, max: min + 0.5 };
}

/* Shows [min, max] s, as far as there are rows. */
export function showTime(context, min, max) {
  const whole = wholeTime(context);
  const low = Math.max(min, whole.min), high = Math.min(max, whole.max);
  const most = 1e-9 * Math.max(Math.abs(whole.min), Math.abs(whole.max)); /* below that doubles are too coarse for an axis */
  if (high - low <= most) return;
  context.window.set(low <= whole.min && high >= whole.max ? null : { min: low, max: high });
}

export function zoomTime(context, about, factor) {
  const { min, max } = shownTime(context);
  showTime(context, about - (about - min) * factor, about + (max - about) * factor);
}

/* Which recording a panel speaks of, where there are several; null where there is one. */
export function recordingPicker(context) {
  const all = context.page.recordings;
  if (all.length < 2) return null;
  const select = make('select', { 'aria-label': 'Recording', onchange: () => context.recording.set(all[select.selectedIndex]) },
    ...all.map((recording) => make('option', {}, recording.name)));
  context.recording.follow((recording) => { select.selectedIndex = all.indexOf(recording); });
  return select;
}

/* A colour of the page as it is now. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
export const PAGE_COLOURS = ['ink', 'soft', 'line', 'panel', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'stick', 'slip', 'roll', 'open', 'mixed'];
export function pageColours() {
  const colours = Object.fromEntries(PAGE_COLOURS.map((name) => [name, colour(name)]));
  return { ...colours, paper: colours.panel };
}

/* A drawing (figure.js) as an element of the page. */
export function drawing(part) {
  if (typeof part === 'string') return document.createTextNode(part);
  const element = document.createElementNS('http://www.w3.org/2000/svg', part.tag);
  for (const [key, value] of Object.entries(part.attributes)) if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  element.append(...part.children.map(drawing));
  return element;
}

export const fileName = (...words) => words.filter(Boolean).join('-').replace(/[^\w.-]+/g, '_');

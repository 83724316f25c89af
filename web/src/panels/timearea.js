/* timearea.js: a stretch of the page that stands for time: the line of the moment looked at, and what mouse, finger and keys do there.
 *   mouse  moving shows that moment (not while the replay plays), a click too; dragging zooms, below the axis it scrubs; double click: all
 *   wheel  zooms once the plot was clicked, and with Ctrl always, so that the page itself can be scrolled
 *   finger scrubs */
import { make } from '../elements.js';
import { showTime, shownTime, zoomTime } from './context.js';

const DRAG = 5;        /* px that part a click from a drag */
const WHEEL = 0.0015;  /* what a px of the wheel zooms: e to it */

/* `element` stands for time in a strip of it: returns {set(strip), place()}; strip: {left, top, width, height} px in the element. */
export function timeArea(element, context, clicked = null) {
  const { bus } = context;
  const line = make('div', { class: 'now-line', 'aria-hidden': 'true' }), band = make('div', { class: 'band', hidden: true });
  let strip = { left: 0, top: 0, width: 1, height: 1 };
  element.append(line, band);
  element.setAttribute('tabindex', '0');

  const across = (event) => event.clientX - element.getBoundingClientRect().left;
  const timeOf = (x) => {
    const { min, max } = shownTime(context), part = Math.min(1, Math.max(0, (x - strip.left) / strip.width));
    return min + part * (max - min);
  };
  const place = () => {
    const { min, max } = shownTime(context), part = (bus.time.value - min) / (max - min);
    line.hidden = !(part >= -1e-9 && part <= 1 + 1e-9);
    line.style.transform = `translateX(${strip.left + part * strip.width}px)`;
  };
  const within = (x) => x >= strip.left - 2 && x <= strip.left + strip.width + 2;
  followPointer(element, { context, across, timeOf, within, band, clicked, strip: () => strip });
  element.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && document.activeElement !== element) return;
    event.preventDefault();
    zoomTime(context, timeOf(across(event)), Math.exp(WHEEL * event.deltaY));
  }, { passive: false });
  element.addEventListener('dblclick', () => context.window.set(null));
  element.addEventListener('keydown', (event) => { if (event.target === element) keys(event, context); });
  return {
    timeOf, place,
    set(next) {
      strip = next;
      for (const part of [line, band]) { part.style.top = `${strip.top}px`; part.style.height = `${strip.height}px`; }
      place();
    },
  };
}

function followPointer(element, { context, across, timeOf, within, band, clicked, strip }) {
  const { bus } = context;
  let from = null, scrubs = false, zooms = false;
  const show = (x) => bus.time.set(timeOf(x), 'panels');
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !within(across(event)) || event.target.closest('button, input, select')) return;
    const y = event.clientY - element.getBoundingClientRect().top;
    from = across(event);
    scrubs = event.pointerType !== 'mouse' || y > strip().top + strip().height;
    zooms = false;
    element.setPointerCapture(event.pointerId);
    if (scrubs) show(from);
  });
  element.addEventListener('pointermove', (event) => {
    const x = across(event);
    if (from === null) {
      if (event.pointerType === 'mouse' && !bus.playing.value && within(x)) show(x);
      return;
    }
    if (scrubs) { show(x); return; }
    zooms ||= Math.abs(x - from) > DRAG;
    band.hidden = !zooms;
    const clipped = Math.min(strip().left + strip().width, Math.max(strip().left, x));
    band.style.left = `${Math.min(clipped, from)}px`;
    band.style.width = `${Math.abs(clipped - from)}px`;
  });
  const done = (event) => {
    if (from === null) return;
    const x = across(event), [a, b] = [timeOf(Math.min(from, x)), timeOf(Math.max(from, x))];
    band.hidden = true;
    if (zooms && event.type === 'pointerup') showTime(context, a, b);
    else if (!scrubs && event.type === 'pointerup') { show(x); clicked?.(event, timeOf(x)); }
    else if (scrubs && event.type === 'pointerup') clicked?.(event, timeOf(x));
    from = null;
  };
  element.addEventListener('pointerup', done);
  element.addEventListener('pointercancel', done);
}

/* Rows with the arrows, ten with Shift; both ends; zoom with + and -, all with 0. */
export function keys(event, context) {
  const { bus } = context, recording = context.recording.value, { min, max } = shownTime(context);
  const row = recording.rowNear(bus.time.value), rows = event.shiftKey ? 10 : 1;
  const go = (r) => bus.time.set(recording.time[Math.min(recording.rows - 1, Math.max(0, r))], 'panels');
  const actions = {
    ArrowLeft: () => go(row - rows), ArrowRight: () => go(row + rows), Home: () => bus.time.set(min, 'panels'), End: () => bus.time.set(max, 'panels'),
    '+': () => zoomTime(context, bus.time.value, 0.7), '=': () => zoomTime(context, bus.time.value, 0.7), '-': () => zoomTime(context, bus.time.value, 1 / 0.7),
    0: () => context.window.set(null),
  };
  if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  actions[event.key]();
}

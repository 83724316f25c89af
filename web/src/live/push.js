/* push.js: a body is drawn to the mouse where that has got hold of it, by a band whose force grows with its length, and a damper; bristle works out both
 * in every step. */
import { make } from '../elements.js';
import { number } from '../format.js';

const AGAIN = 50;       /* ms between what bristle is told while the mouse is held */
const LASTS = 0.2;      /* s by the clock that a push lasts when nothing more is said: a page that is gone pushes no longer */
const PULLS = 10;       /* m/s^2: what a band as long as a quarter of the picture does to the body's mass, at strength 1 */

/* Vectors and quaternions (x, y, z, w), as plain arrays. */
const minus = (a, b) => a.map((x, i) => x - b[i]);
const plus = (a, b) => a.map((x, i) => x + b[i]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function turned([x, y, z, w], v, back = false) {
  const q = back ? [-x, -y, -z] : [x, y, z], t = cross(q, v).map((c) => 2 * c);
  return plus(plus(v, t.map((c) => w * c)), cross(q, t));
}

function rope() {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), line = document.createElementNS('http://www.w3.org/2000/svg', 'line'), text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
  svg.setAttribute('class', 'rope');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(line, text);
  svg.style.display = 'none';
  return {
    svg,
    hide() { svg.style.display = 'none'; },
    show(from, to, words) {
      svg.style.display = '';
      for (const [key, value] of Object.entries({ x1: from.x, y1: from.y, x2: to.x, y2: to.y })) line.setAttribute(key, value);
      text.setAttribute('x', to.x + 10);
      text.setAttribute('y', to.y - 8);
      text.textContent = words;
    },
  };
}

export function mountPush(parent, live, replay) {
  const { recording } = live, { canvas } = replay, band = rope();
  let strength = 1, held = null;
  const tool = make('button', { type: 'button', 'aria-pressed': 'false', title: 'Drag a body in the picture to push it; Alt and drag does so too', onclick: () => tool.setAttribute('aria-pressed', String(tool.getAttribute('aria-pressed') !== 'true')) }, 'Push');
  const often = make('select', { 'aria-label': 'Strength of a push', onchange: () => { strength = Number(often.value); } }, ...[0.1, 0.3, 1, 3, 10, 30, 100].map((one) => make('option', { value: one, selected: one === 1 }, `${one}\u00d7`)));
  parent.querySelector('.controls').append(make('span', { class: 'push' }, tool, make('label', {}, 'strength ', often), ...byKeys(live, () => strength)));
  canvas.parentElement.append(band.svg);

  const placeOf = (event) => { const edge = canvas.getBoundingClientRect(); return { x: event.clientX - edge.left, y: event.clientY - edge.top }; };
  /* Both ends of the band, m, and its stiffness, N/m. */
  const pull = () => {
    const position = [0, 0, 0], turn = [0, 0, 0, 1], { mass } = recording.bodies[held.body];
    recording.pose(held.body, live.bus.time.value, position, turn);
    const point = plus(position, turned(turn, held.at));
    return { point, to: replay.lift(held.mouse.x, held.mouse.y, point), stiffness: strength * PULLS * (mass ?? 1) / (0.25 * replay.size) };
  };
  const draw = () => {
    if (!held) return;
    const { point, to, stiffness } = pull(), from = replay.project(point);
    if (from) band.show(from, held.mouse, `${number(stiffness * Math.hypot(...minus(to, point)), 3)} N`);
    requestAnimationFrame(draw);
  };
  const tell = async () => {
    while (held) {
      const mine = held, { to: [tx, ty, tz], stiffness } = pull(), [x, y, z] = held.at;
      const { dt = 1e-3, speed = 1, paused } = live.state.value ?? {}, time = Math.min(60, Math.max(2 * dt, LASTS * (paused ? 1 : speed || live.rate || 1)));
      const done = await live.act('push', { body: recording.bodies[held.body].name, x, y, z, tx, ty, tz, stiffness, time });
      if (!done && held === mine) letGo();
      await new Promise((go) => { setTimeout(go, AGAIN); });
    }
    live.act('release');
  };
  const letGo = () => { held = null; band.hide(); };

  /* Before the camera hears of it. */
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !event.isPrimary || !(event.altKey || tool.getAttribute('aria-pressed') === 'true')) return;
    const mouse = placeOf(event), hit = replay.pick(mouse.x, mouse.y);
    if (!hit) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    live.follows.set(true);
    const position = [0, 0, 0], turn = [0, 0, 0, 1];
    recording.pose(hit.body, live.bus.time.value, position, turn);
    held = { body: hit.body, mouse, at: turned(turn, minus(hit.point, position), true) };
    live.bus.selected.set({ kind: 'body', name: recording.bodies[hit.body].name }, 'live');
    canvas.setPointerCapture(event.pointerId);
    tell();
    draw();
  }, { capture: true });
  canvas.addEventListener('pointermove', (event) => { if (held) { held.mouse = placeOf(event); event.stopImmediatePropagation(); } }, { capture: true });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) canvas.addEventListener(end, (event) => { if (held) { letGo(); event.stopImmediatePropagation(); } }, { capture: true });
}

/* For whoever has no mouse: the selected body, at its centre of mass, along an axis. */
function byKeys(live, strength) {
  const ways = { '+x': [1, 0, 0], '\u2212x': [-1, 0, 0], '+y': [0, 1, 0], '\u2212y': [0, -1, 0], '+z': [0, 0, 1], '\u2212z': [0, 0, -1] };
  const way = make('select', { 'aria-label': 'Direction of a push' }, ...Object.keys(ways).map((name) => make('option', {}, name)));
  const nudge = make('button', { type: 'button', onclick: () => {
    const body = live.recording.bodies.find(({ name }) => name === live.bus.selected.value?.name), size = strength() * PULLS * (body?.mass ?? 1), [fx, fy, fz] = ways[way.value].map((c) => c * size);
    if (body) live.act('push', { body: body.name, x: 0, y: 0, z: 0, fx, fy, fz, time: LASTS });
  } });
  live.bus.selected.follow((selected) => {
    nudge.disabled = selected?.kind !== 'body';
    nudge.textContent = selected?.kind === 'body' ? `Nudge ${selected.name}` : 'Nudge';
    nudge.title = `Push the selected body for ${LASTS} s`;
  });
  return [way, nudge];
}

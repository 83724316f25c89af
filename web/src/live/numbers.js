/* numbers.js: the scene's parameters and what its motors follow, as sliders; anything else of the scene as a line of text. */
import { make } from '../elements.js';

const STEPS = 400;

/* About a value, as far as twice it; about 0 as far as 1. */
function rangeAbout(value) { return value === 0 ? [-1, 1] : value > 0 ? [0, 2 * value] : [2 * value, 0]; }

/* The latest of what it is given, one at a time. */
function oneByOne(send) {
  let busy = false, next = null;
  const go = async () => {
    busy = true;
    while (next !== null) { const value = next; next = null; await send(value); }
    busy = false;
  };
  return (value) => { next = value; if (!busy) go(); };
}

/* A slider with a field for typing; `event`: of the slider, that counts. Returns {element, show(value)}. */
function slider(name, unit, value, event, send) {
  const later = oneByOne(send), slide = make('input', { type: 'range', 'aria-label': `${name}, slider` }), typed = make('input', { type: 'text', inputmode: 'decimal', 'aria-label': unit ? `${name}, ${unit}` : name, size: 9 });
  let [low, high] = rangeAbout(value);
  const range = () => Object.assign(slide, { min: low, max: high, step: (high - low) / STEPS });
  const show = (v) => {
    if (v < low || v > high) { low = Math.min(low, v); high = Math.max(high, v); range(); }
    if (document.activeElement !== typed) {
      typed.value = String(Number(v.toPrecision(6)));
      typed.removeAttribute('aria-invalid');
    }
    if (document.activeElement !== slide) slide.value = v;
  };
  range();
  show(value);
  slide.addEventListener('input', () => { typed.value = String(Number(Number(slide.value).toPrecision(6))); });
  slide.addEventListener(event, () => later(Number(slide.value)));
  typed.addEventListener('change', () => {
    const v = Number(typed.value.replace(',', '.').replace('\u2212', '-'));
    const wrong = typed.value.trim() === '' || !Number.isFinite(v);
    typed.setAttribute('aria-invalid', String(wrong));
    if (wrong) return;
    if (v < low || v > high) { low = Math.min(low, v); high = Math.max(high, v); range(); }
    slide.value = v;
    later(v);
  });
  return { element: make('div', { class: 'number' }, make('span', { class: 'name', title: name }, name), slide, typed, make('span', { class: 'unit' }, unit)), show };
}

/* Any assignment, as --set takes it. */
function assignment(live) {
  const field = make('input', { type: 'text', placeholder: 'materials.rubber.friction.mu = 0.4', 'aria-label': 'An assignment, as --set takes it', spellcheck: false });
  const form = make('form', { class: 'assign' }, make('label', {}, 'set ', field), make('button', { type: 'submit' }, 'Set'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const at = field.value.indexOf('=');
    if (at < 1) { live.said.set('An assignment is PATH = VALUE, for instance bodies.arm.mass = 2 kg.'); return; }
    live.act('set', { path: field.value.slice(0, at).trim(), value: field.value.slice(at + 1).trim() });
  });
  return form;
}

export function mountNumbers(parent, live) {
  const inside = make('div', { class: 'numbers' }), changed = make('p', { class: 'changed', hidden: true });
  const details = make('details', { class: 'parameters' }, make('summary', {}, 'Numbers'), inside, assignment(live), changed);
  const shown = new Map();
  let names = '';
  parent.append(details);

  const build = (state) => {
    shown.clear();
    const motors = state.motors.map(({ name, target }) => {
      const one = slider(name, live.recording.channel(`motors.${name}.target`)?.unit ?? '', target ?? 0, 'input', (value) => live.act('motor', { name, value }));
      one.element.append(make('button', { type: 'button', class: 'quiet', title: `Give ${name} back to the scene`, 'aria-label': `Give ${name} back to the scene`, onclick: () => live.act('motor', { name, release: 1 }) }, '\u21ba'));
      shown.set(`motor ${name}`, one);
      return one.element;
    });
    const parameters = state.parameters.filter(({ value }) => value !== null).map(({ name, value }) => {
      const one = slider(name, '', value, 'change', (v) => live.act('set', { path: `parameters.${name}`, value: v }));
      shown.set(`parameter ${name}`, one);
      return one.element;
    });
    inside.replaceChildren(
      ...(motors.length ? [make('fieldset', {}, make('legend', {}, 'Motors: what they follow'), ...motors)] : []),
      ...(parameters.length ? [make('fieldset', {}, make('legend', {}, 'Parameters, in SI units'), ...parameters)] : []));
    details.open = motors.length + parameters.length > 0 && motors.length + parameters.length <= 8 && innerWidth > 900;
  };
  live.state.follow((state) => {
    if (!state) return;
    const now = JSON.stringify([state.motors.map(({ name }) => name), state.parameters.map(({ name }) => name)]);
    if (now !== names) { names = now; build(state); }
    for (const { name, target } of state.motors) if (target !== null) shown.get(`motor ${name}`)?.show(target);
    for (const { name, value } of state.parameters) if (value !== null) shown.get(`parameter ${name}`)?.show(value);
    changed.hidden = state.changes.length === 0;
    changed.textContent = `Changed here: ${state.changes.map((one) => `--set ${one}`).join(' ')}`;
  });
}


/* bar.js: how the run goes, and the buttons that hold it, step it, begin it again. */
import { make } from '../elements.js';
import { moment, number } from '../format.js';

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 0];
const speedText = (speed) => (speed === 0 ? 'as fast as it goes' : speed >= 1 ? `${speed}\u00d7` : `1/${Math.round(1 / speed)}\u00d7`);
const LINKS = { coming: 'Waiting for the run.', lost: 'The connection is lost; trying again.', ended: 'The run has ended: bristle view was stopped. What came is still here.' };

export function mountBar(parent, live) {
  const button = (text, title, onclick) => make('button', { type: 'button', title, onclick }, text);
  const status = make('output', { class: 'status' }), said = make('p', { class: 'said', role: 'status', hidden: true });
  const play = button('Pause', 'Pause or go on (p)', () => live.act(live.state.value?.paused ? 'play' : 'pause'));
  const step = button('Step', 'One step (s)', () => live.act('step'));
  const reset = button('Reset', 'Begin again: the scene is read anew, with the numbers below', () => live.act('reset'));
  const newest = button('Live', 'Show the newest moment, and follow it', () => live.follows.set(true));
  const speed = make('select', { 'aria-label': 'Speed of the run', title: 'Time of the run, by the clock', onchange: () => live.act('speed', { value: speed.value }) });
  const choose = (value) => {
    const all = SPEEDS.includes(value) ? SPEEDS : [value, ...SPEEDS];
    speed.replaceChildren(...all.map((one) => make('option', { value: one, selected: one === value }, speedText(one))));
  };
  parent.append(make('div', { class: 'controls', role: 'group', 'aria-label': 'Run' }, play, step, reset, make('label', {}, 'speed ', speed), newest, status), said);

  const controls = [play, reset, speed];
  live.state.follow((state) => {
    if (!state) return;
    play.textContent = state.paused ? 'Play' : 'Pause';
    step.disabled = !state.paused;
    choose(state.speed);
    parent.classList.toggle('paused', state.paused);
    tell();
  });
  live.follows.follow((follows) => { newest.setAttribute('aria-pressed', String(follows)); });
  const tell = () => {
    const { link, state, recording } = live, texts = [LINKS[link.value], state.value?.sentence, live.said.value].filter(Boolean);
    said.hidden = texts.length === 0;
    said.textContent = texts.map((text) => text[0].toUpperCase() + text.slice(1)).join(' ');
    said.classList.toggle('bad', link.value === 'lost' || Boolean(state.value?.sentence));
    for (const control of controls) control.disabled = link.value !== 'there';
    if (link.value !== 'there') step.disabled = true;
    const open = recording.channel('certificate.uncertified_steps')?.values, poor = open?.length ? open[open.length - 1] : 0;
    const words = [state.value?.paused ? 'paused' : link.value === 'there' ? 'running' : link.value === 'ended' ? 'ended' : '\u2026', recording.rows ? moment(recording.last, 0.01) : ''];
    if (state.value && !state.value.paused && live.rate > 0) words.push(`${number(live.rate, 2)}\u00d7 the clock`);
    if (poor > 0) words.push(`${number(poor)} steps not certified`);
    status.textContent = words.filter(Boolean).join(' \u00b7 ');
  };
  live.link.follow(tell);
  live.said.follow(tell);
  live.bus.grown.follow(tell);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select, textarea')) return;
    const pressed = { p: play, s: step }[event.key];
    if (pressed && !pressed.disabled) pressed.click();
  });
}

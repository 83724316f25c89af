/* transport.js: play, pause, scrub, steps by row, speed. */
import { make } from '../elements.js';
import { moment } from '../format.js';
import { later, speedsFor, speedText, usualSpeed } from './clock.js';

const LONGEST = 0.1; /* s: of a pause between two pictures that counts, so that nothing leaps after the page was hidden */

export class Transport {
  /* recording: the one whose rows count. */
  constructor(parent, recording, bus) {
    Object.assign(this, { recording, bus, before: null });
    const button = (text, title, onclick) => make('button', { type: 'button', title, 'aria-label': title, onclick }, text);
    this.play = button('\u25b6', 'Play (space)', () => this.toggle());
    this.slider = make('input', { type: 'range', class: 'scrub', min: 0, step: 1, 'aria-label': 'Moment, by rows', oninput: () => this.toRow(Number(this.slider.value)) });
    this.time = make('output', { class: 'time', 'aria-live': 'off' });
    this.speed = make('select', { 'aria-label': 'Speed', title: 'Speed (+ and \u2212)' });
    this.loop = make('input', { type: 'checkbox', checked: true });
    parent.append(make('div', { class: 'transport' }, this.play, button('\u2039', 'One row back (left)', () => this.step(-1)), button('\u203a', 'One row on (right)', () => this.step(1)),
      this.slider, this.time, this.speed, make('label', {}, this.loop, ' loop')));
    this.#speeds();
    bus.time.follow(() => this.#show());
    bus.grown.follow(() => this.#show());
    bus.playing.follow((playing) => {
      this.play.textContent = playing ? '\u2016' : '\u25b6';
      this.play.title = playing ? 'Pause (space)' : 'Play (space)';
      this.play.setAttribute('aria-label', this.play.title);
      this.before = null;
    });
  }
  #speeds() {
    const duration = this.recording.last - this.recording.first, usual = usualSpeed(duration);
    this.speed.append(...speedsFor(duration).map((speed) => make('option', { value: speed, selected: speed === usual }, speedText(speed))));
  }
  #show() {
    const { recording } = this, t = this.bus.time.value, row = recording.rowNear(t), apart = (recording.last - recording.first) / Math.max(1, recording.rows - 1);
    this.slider.max = recording.rows - 1;
    this.slider.value = row;
    this.slider.setAttribute('aria-valuetext', moment(t, apart));
    this.time.textContent = `${moment(t, apart)} / ${moment(recording.last, apart)}`;
    this.play.disabled = recording.rows < 2;
  }
  toggle() {
    if (this.recording.rows < 2) return;
    if (!this.bus.playing.value && this.bus.time.value >= this.recording.last) this.bus.time.set(this.recording.first, 'replay');
    this.bus.playing.set(!this.bus.playing.value, 'replay');
  }
  toRow(row) {
    this.bus.playing.set(false, 'replay');
    this.bus.time.set(this.recording.time[Math.min(this.recording.rows - 1, Math.max(0, row))], 'replay');
  }
  step(rows) { this.toRow(this.recording.rowNear(this.bus.time.value) + rows); }
  faster(steps) { this.speed.selectedIndex = Math.min(this.speed.options.length - 1, Math.max(0, this.speed.selectedIndex + steps)); }
  /* A picture is due: time goes on as far as the clock did. now: ms. */
  advance(now) {
    const passed = this.before === null ? 0 : Math.min(LONGEST, (now - this.before) / 1000);
    this.before = now;
    const { t, over } = later(this.bus.time.value, passed * Number(this.speed.value), this.recording.first, this.recording.last, this.loop.checked);
    this.bus.time.set(t, 'replay');
    if (over) this.bus.playing.set(false, 'replay');
  }
}

/* live.js: a run that goes on while it is looked at: what comes from it, and what it is told to do. */
import { Feed } from './feed.js';
import { mountBar } from './bar.js';
import { mountNumbers } from './numbers.js';
import { mountPush } from './push.js';
import { Shared } from '../bus.js';
import './live.css';

const FPS = 30, FPS_HIDDEN = 2;
const GROWN_EVERY = 200; /* ms: panels are drawn anew no more often, */
const GROWN_SHARE = 5;   /* and not before so many times what it took have passed */

class Live {
  constructor(page, bus) {
    Object.assign(this, { page, bus, recording: page.recordings[0], feed: new Feed(page.recordings[0]), run: page.live.run, pairs: 0 });
    this.state = new Shared(null);                 /* what bristle says of the run */
    this.link = new Shared('coming');              /* 'there', 'lost', 'ended' */
    this.follows = new Shared(true);               /* the newest row is looked at */
    this.said = new Shared('');                    /* the last thing a command was answered with */
    this.rate = 0;                                 /* of the run's time by the clock */
    bus.time.follow((_, from) => {
      if (from === null || from === 'live') return;
      this.hovers = from === 'panels' && (this.hovers || this.follows.value) && !this.pressed;
      this.follows.set(false);
    });
    bus.playing.follow((playing) => { if (playing) { this.hovers = false; this.follows.set(false); } });
    this.#watchMouse();
    this.follows.follow((follows) => { if (follows) { bus.playing.set(false, 'live'); this.#toEnd(); } });
    document.addEventListener('visibilitychange', () => { if (this.link.value !== 'ended') this.open(); });
    this.open();
  }

  /* A mouse that only passes over a plot shows that moment, and then the newest again; one that was pressed stays where it was. */
  #watchMouse() {
    addEventListener('pointerdown', () => { this.pressed = true; this.hovers = false; }, { capture: true });
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => setTimeout(() => { this.pressed = false; }, 0), { capture: true });
    addEventListener('pointermove', (event) => {
      if (!this.hovers || event.target.closest?.('.timeplot, .gantt')) return;
      this.hovers = false;
      this.follows.set(true);
    });
  }

  #toEnd() { if (this.recording.rows) this.bus.time.set(this.recording.last, 'live'); }

  /* The stream of rows; fewer while nobody looks. */
  open() {
    this.source?.close();
    const source = new EventSource(`${this.page.live.rows}?fps=${document.hidden ? FPS_HIDDEN : FPS}`);
    this.source = source;
    const listen = (name, act) => source.addEventListener(name, (event) => act(name === 'message' ? event.data : JSON.parse(event.data)));
    source.addEventListener('open', () => this.link.set('there'));
    source.addEventListener('error', () => this.link.set('lost'));
    listen('start', (told) => this.#start(told));
    listen('state', (state) => this.state.set(state));
    listen('pairs', (pairs) => pairs.forEach((pair) => this.feed.addPair(this.pairs++, pair)));
    listen('message', (text) => this.#row(text));
    listen('end', () => { source.close(); this.link.set('ended'); });
  }

  #start({ run, form, channels }) {
    const known = this.begun && run === this.run;
    if (form !== this.page.live.form) { location.reload(); return; } /* other bodies or shapes */
    Object.assign(this, { run, pairs: 0, begun: true });
    if (!known) this.feed.begin(channels);
    if (!known) this.follows.set(true);
  }

  #row(text) {
    const now = performance.now(), before = this.measured;
    this.feed.append(text);
    if (this.follows.value) this.#toEnd();
    if (!before || this.recording.last < before.time) this.measured = { now, time: this.recording.last };
    else if (now - before.now > 500) {
      this.rate = 1000 * (this.recording.last - before.time) / (now - before.now);
      this.measured = { now, time: this.recording.last };
    }
    this.#grow();
  }
  #grow() {
    if (this.waits) return;
    this.waits = true;
    const began = performance.now();
    this.bus.grown.set(this.bus.grown.value + 1, 'live');
    setTimeout(() => { /* behind what that has set going */
      const took = performance.now() - began;
      setTimeout(() => { this.waits = false; this.bus.grown.set(this.bus.grown.value + 1, 'live'); }, Math.max(GROWN_EVERY, GROWN_SHARE * took));
    }, 0);
  }

  /* A command; the answer is said, and whether it was done comes back. */
  async act(what, words = {}) {
    try {
      const answer = await fetch(this.page.live.do, { method: 'POST', body: new URLSearchParams({ do: what, ...words }) });
      const { ok, text } = await answer.json();
      if (text || what !== 'push') this.said.set(text);
      return ok;
    } catch { return false; } /* the stream tells that bristle is gone */
  }
}

export function mountLive(page, bus, replay) {
  const live = new Live(page, bus), place = document.getElementById('head');
  document.documentElement.classList.add('live');
  const section = document.createElement('section');
  Object.assign(section, { id: 'live', className: 'live-bar' });
  section.setAttribute('aria-label', 'The run');
  place.after(section);
  mountBar(section, live);
  mountPush(section, live, replay);
  mountNumbers(section, live);
  return live;
}

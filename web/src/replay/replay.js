/* replay.js: the machine as it moved. Draws when something has changed, and only then. */
import { Vector3 } from 'three';
import { make } from '../elements.js';
import { readColours } from './colours.js';
import { heaviest, quietDirection, sceneBox, threeQuarter, traveller, upward } from './extent.js';
import { Flat } from './flat.js';
import { listen } from './keys.js';
import { Legend, startOptions } from './legend.js';
import { Stage } from './stage.js';
import { Transport } from './transport.js';
import './replay.css';

const CLICK = 4; /* pixels that a click may move */
const SUN = [-0.5, 1.1]; /* rad: to the left of the usual view, and above it: what one looks at is lit */
const LISTED = 500; /* of a kind: more of them are no list to choose from */

class Replay {
  #due = 0;
  constructor(parent, page, bus) {
    const { recordings } = page, [first] = recordings;
    Object.assign(this, { bus, recordings, first, alone: location.hash === '#frames' });
    document.documentElement.classList.toggle('frames', this.alone);
    this.up = upward(first.told.gravity);
    this.follows = traveller(first, this.up); /* a body's number; -1: none */
    this.box = sceneBox(first, this.follows >= 0 ? 1 : Math.max(4, Math.min(16, Math.round(4000 / first.bodies.length))));
    this.quiet = quietDirection(first, this.up);
    this.options = startOptions(recordings);
    this.options.follow = this.follows >= 0;
    this.#build(parent);
    this.#stage();
    this.#listen();
    this.resize();
    this.view('t');
  }

  #build(parent) {
    const title = 'The machine as it moved: drag to turn, click to select';
    this.canvas = make('canvas', { tabindex: 0, role: 'img', 'aria-label': title });
    this.label = make('div', { class: 'label', hidden: true });
    this.note = make('div', { class: 'note', role: 'status', hidden: true });
    const button = (text, name, onclick) => make('button', { type: 'button', title: name, 'aria-label': name, onclick }, text);
    this.help = () => {};
    const views = make('div', { class: 'views', role: 'group', 'aria-label': 'Views' }, button('Fit', 'Fit (f)', () => this.fit()), button('3D', 'From an angle (t)', () => this.view('t')),
      ...['x', 'y', 'z'].map((axis) => button(axis.toUpperCase(), `Along ${axis} (${axis})`, () => this.view(axis))), button('?', 'Keys (?)', () => this.help()));
    this.scene = make('div', { class: 'scene' }, this.canvas, this.label, this.note, views);
    parent.append(this.scene);
    const longest = this.recordings.reduce((a, b) => (b.last > a.last ? b : a));
    this.transport = new Transport(parent, longest, this.bus);
    this.#choices(parent.lastChild);
    this.legend = new Legend(parent, this.recordings, this.options, this.box.size, () => this.changed());
  }

  /* What can be selected, for whoever has no mouse. */
  #choices(parent) {
    const group = (label, kind, names) => (names.length && names.length <= LISTED ? make('optgroup', { label }, ...names.map((name) => make('option', { value: `${kind} ${name}` }, name))) : null);
    this.chosen = make('select', { class: 'chosen', 'aria-label': 'Selected', title: 'Selected: click a body, a joint or a contact', onchange: () => {
      const [kind, ...name] = this.chosen.value.split(' ');
      this.bus.selected.set(kind ? { kind, name: name.join(' ') } : null, 'replay');
    } }, make('option', { value: '' }, 'nothing selected'), group('bodies', 'body', this.first.bodies.map((b) => b.name)), group('joints', 'joint', this.first.joints.map((j) => j.name)),
    group('contacts', 'pair', this.first.pairs.map((p) => p.name)));
    this.followBox = make('input', { type: 'checkbox', checked: this.options.follow, onchange: () => { this.options.follow = this.followBox.checked; this.#refollow(); } });
    parent.append(make('span', { class: 'selection' }, this.chosen, make('label', { title: 'Follow the selected body (l)' }, this.followBox, ' follow')));
  }

  #stage() {
    let context = null;
    try { context = this.canvas.getContext('webgl2', { antialias: true, alpha: false, powerPreference: 'low-power' }); } catch { /* told below */ }
    this.stage = context ? new Stage(this.canvas, context, this.recordings, this.box, this.options, threeQuarter(this.quiet, this.up, ...SUN)) : new Flat(this.canvas, this.recordings, this.box, this.options);
    if (!context) this.#say('Drawn flat: this browser has no WebGL.');
    this.stage.moved = () => {
      if (context) this.#say(this.stage.lost ? 'The browser has taken the picture away; it comes back by itself, or when the page is loaded again.' : '');
      this.request();
    };
  }
  #say(text) { this.note.textContent = text; this.note.hidden = !text; }

  #listen() {
    const { bus, canvas } = this;
    let down = null;
    canvas.addEventListener('pointerdown', (event) => { down = event.isPrimary ? { x: event.clientX, y: event.clientY } : null; });
    canvas.addEventListener('pointerup', (event) => {
      if (!down || event.button !== 0 || Math.hypot(event.clientX - down.x, event.clientY - down.y) > CLICK) return;
      const edge = canvas.getBoundingClientRect();
      bus.selected.set(this.stage.pick(event.clientX - edge.left, event.clientY - edge.top), 'replay');
    });
    new ResizeObserver(() => { if (this.resize()) this.draw(); }).observe(this.scene);
    window.addEventListener('beforeprint', () => this.draw());
    bus.theme.follow(() => { this.colours = readColours(); this.changed(); });
    bus.time.follow(() => this.request());
    bus.playing.follow(() => this.request());
    bus.grown.follow((grown) => { if (grown) this.#grow(); });
    bus.selected.follow(() => this.#select());
    const { transport } = this;
    this.help = listen({ toggle: () => transport.toggle(), step: (n) => transport.step(n), toRow: (row) => transport.toRow(row), faster: (n) => transport.faster(n), fit: () => this.fit(),
      view: (which) => this.view(which), theme: () => bus.theme.set(bus.theme.value === 'dark' ? 'light' : 'dark'),
      follow: () => { this.followBox.checked = this.options.follow = !this.options.follow; this.#refollow(); } });
  }

  #select() {
    const selected = this.bus.selected.value;
    this.chosen.value = selected ? `${selected.kind} ${selected.name}` : '';
    const body = selected?.kind === 'body' ? this.first.bodies.findIndex((b) => b.name === selected.name) : -1;
    if (this.colours) this.stage.marks?.follow(body);
    if (body >= 0 && body !== this.follows) { this.follows = body; this.#refollow(); }
    this.changed();
  }
  /* Live pages: there are other rows. Who goes out of the picture is followed, once: then it is up to whoever looks. */
  #grow() {
    this.stage.marks?.renew();
    const who = this.sought || this.options.follow ? -1 : heaviest(this.first), at = who < 0 ? null : this.#centreOf(who), seen = at && this.stage.project(at);
    if (at && !(seen && seen.x >= 0 && seen.x <= this.stage.width && seen.y >= 0 && seen.y <= this.stage.height)) {
      Object.assign(this, { sought: true, follows: who });
      this.followBox.checked = this.options.follow = true;
      this.#look(this.stage.from);
    }
    this.request();
  }
  /* From here on, without a leap. */
  #refollow() { this.stage.follow(null); this.request(); }

  #centreOf(body) {
    const position = [0, 0, 0];
    this.first.pose(body, this.bus.time.value, position, [0, 0, 0, 1]);
    return position.every(Number.isFinite) ? new Vector3(...position) : null;
  }
  get target() { return this.options.follow && this.follows >= 0 ? this.#centreOf(this.follows) : null; }

  /* ---- views ---- */

  fit() { this.#look(this.stage.from); }
  view(which) {
    const side = this.stage instanceof Flat ? this.quiet.clone().negate() : threeQuarter(this.quiet, this.up);
    this.#look(which === 't' ? side : { x: new Vector3(1, 0, 0), y: new Vector3(0, -1, 0), z: new Vector3(0, 0, 1) }[which]);
  }
  #look(from) {
    this.stage.follow(null);
    this.stage.look(from, this.target);
    this.request();
  }

  /* ---- drawing ---- */

  /* To the size that there is now; whether that is another. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.scene;
    if (!(width > 0 && height > 0) || (width === this.stage.width && height === this.stage.height)) return false;
    this.stage.resize(width, height);
    return true;
  }
  changed() {
    if (this.colours) this.stage.paint(this.colours, this.bus.selected.value);
    this.request();
  }
  request() {
    if (!this.#due && this.stage) this.#due = requestAnimationFrame((now) => {
      this.#due = 0;
      if (this.bus.playing.value) { this.transport.advance(now); this.request(); }
      this.draw();
    });
  }
  draw() {
    const t = this.bus.time.value;
    this.stage.follow(this.target);
    this.stage.place(t);
    this.stage.draw(t, this.legend.scale);
    this.#name();
  }
  /* The name of what is selected, beside it. */
  #name() {
    const selected = this.bus.selected.value, point = selected && !this.alone ? this.#pointOf(selected) : null, at = point ? this.stage.project(point) : null;
    this.label.hidden = !at || !(at.x >= 0 && at.x <= this.stage.width && at.y >= 0 && at.y <= this.stage.height);
    if (this.label.hidden) return;
    this.label.textContent = selected.name;
    this.label.style.transform = `translate(${Math.round(at.x + 10)}px, ${Math.round(at.y - 28)}px)`;
    this.label.classList.toggle('left', at.x > 0.7 * this.stage.width);
  }
  #pointOf({ kind, name }) {
    if (kind !== 'body') return this.stage.marks?.targets.find((target) => target.kind === kind && target.name === name)?.point ?? null;
    const body = this.first.bodies.findIndex((b) => b.name === name);
    return body < 0 ? null : this.#centreOf(body);
  }

  /* ---- for tests and for pictures ---- */

  frame(t) { this.bus.time.set(t, 'replay'); this.draw(); }
  camera() { return this.stage.matrices; }
}

/* {frame(t): draws that moment at once, camera(): what turns a point of the world into a pixel; of live pages: canvas, size of the scene (m),
 * pick(x, y): {body: its number, point: [3] m, world} under a pixel or null, lift(x, y, point): the place above a pixel that is as far away as the point,
 * project(point): its pixel} */
export function mountReplay(parent, page, bus) {
  const replay = new Replay(parent, page, bus);
  return {
    frame: (t) => replay.frame(t), camera: () => replay.camera(), canvas: replay.canvas, size: replay.box.size,
    pick: (x, y) => replay.stage.hold(x, y), lift: (x, y, point) => replay.stage.lift(x, y, new Vector3(...point)).toArray(), project: (point) => replay.stage.project(new Vector3(...point)),
  };
}

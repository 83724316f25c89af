/* legend.js: what is drawn, each with its colour and a switch, and how long arrows are. */
import { make } from '../elements.js';
import { withUnit } from '../format.js';
import { usualForce } from './contacts.js';
import { arrowScale, lengthText } from './extent.js';
import { gridPitch } from './ground.js';

const FEW = 40, SEVERAL = 12; /* pairs: more of them would hide the machine behind arrows, or behind trails */

/* Pairs that touch, and contacts that are joints. */
function touching(recording) { return recording.pairs.length + recording.joints.filter((joint) => joint.type === 'contact').length; }

/* What may be drawn, and whether it is at first. */
export function startOptions(recordings) {
  const [first] = recordings, pairs = touching(first);
  return { contacts: pairs > 0 && pairs <= FEW, forces: pairs > 0 && pairs <= FEW, cones: false, trails: first.pairs.length > 0 && pairs <= SEVERAL, joints: first.joints.length > 0 && first.joints.length <= FEW,
    reactions: false, axes: false, path: true, grid: true, follow: false, recordings: recordings.map(() => true) };
}

/* N: what most forces stay below; 0: there are none. */
function usualOf(recording) {
  const most = (name, width) => Math.max(0, ...recording.joints.map((joint) => usualForce(recording.channel(`joints.${joint.name}.${name}`)?.values, width, 256)));
  return { contacts: usualForce(recording.pairTable?.column('force')) || most('normal_force', 1), joints: most('force', 3) };
}

const MODES = [['stick', 'sticks'], ['slip', 'slips'], ['roll', 'rolls']];

export class Legend {
  constructor(parent, recordings, options, size, changed) {
    const [first] = recordings, contacts = touching(first) > 0, joints = first.joints.length > 0;
    Object.assign(this, { options, size, changed, usual: usualOf(first), switches: {} });
    this.element = make('div', { class: 'legend', role: 'group', 'aria-label': 'What is drawn' });
    const add = (there, ...rest) => there && this.element.append(this.#switch(...rest));
    add(contacts, 'contacts', 'contact points', null, 'Coloured as they stick, slip or roll');
    add(contacts, 'forces', 'forces', null, 'Force arrows: on the first-named body of a pair');
    add(first.pairs.length > 0, 'cones', 'friction cones', null, 'Cone of mu N about the normal, the force inside it');
    add(first.pairs.length > 0, 'trails', 'slip trails', 'var(--slip)', 'Where places of contact have slipped until now');
    add(joints, 'joints', 'joints', 'var(--ink)', 'Joint points and axes');
    add(joints, 'reactions', 'reactions', 'var(--c4)', 'Force of a joint on its second body');
    add(true, 'axes', 'body axes', 'var(--c3)', 'x orange, y green, z blue');
    add(true, 'path', 'path', 'var(--accent)', 'Path of the selected body');
    add(true, 'grid', `grid ${lengthText(gridPitch(size))}`, 'var(--line)');
    recordings.forEach((recording, i) => recordings.length > 1 && this.element.append(this.#recording(recording, i)));
    if (contacts) this.element.append(make('span', { class: 'modes' }, ...MODES.map(([mode, word]) => make('span', {}, swatch(`var(--${mode})`), word))));
    if (contacts || joints) this.element.append(this.#scale());
    parent.append(this.element);
  }
  #switch(key, text, colour, title) {
    const box = make('input', { type: 'checkbox', checked: this.options[key], onchange: () => { this.options[key] = box.checked; this.changed(); } });
    this.switches[key] = box;
    return make('label', { title }, box, colour ? swatch(colour) : null, text);
  }
  #recording(recording, i) {
    const box = make('input', { type: 'checkbox', checked: true, onchange: () => { this.options.recordings[i] = box.checked; this.changed(); } });
    return make('label', { title: 'This recording' }, box, swatch(i === 0 ? 'var(--soft)' : `var(--c${1 + i % 8})`), recording.name);
  }
  #scale() {
    this.slider = make('input', { type: 'range', min: -9, max: 9, value: 0, step: 1, 'aria-label': 'Length of force arrows', oninput: () => { this.#say(); this.changed(); } });
    this.said = make('output');
    this.#say();
    return make('label', { class: 'scale' }, this.slider, this.said);
  }
  #told(which) { return arrowScale(this.usual[which], this.size, this.slider ? Number(this.slider.value) : 0); }
  #say() {
    const { contacts, joints } = this.usual, said = [];
    if (contacts > 0) said.push(`forces ${withUnit(this.#told('contacts').force, 'N')}`);
    if (joints > 0) said.push(`reactions ${withUnit(this.#told('joints').force, 'N')}`);
    this.said.textContent = said.length ? `${said.join(', ')} per ${lengthText(this.#told('contacts').length)}` : '';
    this.slider.setAttribute('aria-valuetext', this.said.textContent);
  }
  /* m/N */
  get scale() { return { contacts: this.#told('contacts').scale, joints: this.#told('joints').scale }; }
}

function swatch(colour) { return make('i', { class: 'swatch', style: `background: ${colour}`, 'aria-hidden': 'true' }); }

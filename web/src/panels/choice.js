/* choice.js: which curves the plots show, and how the page's address keeps that: #plots=bodies.wheel.position.z,energy.kinetic&from=1&to=2. No DOM here. */
import { curveName, partOf, partsOf } from './series.js';

const DEFAULT_PARTS = 3; /* of a longer row of numbers the first are enough at first */

/* Names of curves, from the address. Names may hold any letter: commas and & in them are written as %2C, %26. */
export function readHash(hash) {
  const told = { plots: null, from: null, to: null };
  for (const part of hash.replace(/^#/, '').split('&')) {
    const [key, value] = part.split('=');
    if (value === undefined) continue;
    if (key === 'plots') told.plots = value.split(',').filter(Boolean).map(plain).filter((name) => name !== null);
    if (key === 'from' || key === 'to') told[key] = Number.isFinite(Number(value)) && value !== '' ? Number(value) : null;
  }
  return told;
}

function plain(text) {
  try { return decodeURIComponent(text); } catch { return null; }
}

/* The address with these curves and this window; what others keep in it stays. */
export function writeHash(hash, plots, window) {
  const others = hash.replace(/^#/, '').split('&').filter((part) => part.includes('=') && !/^(plots|from|to)=/.test(part));
  const mine = plots.length ? [`plots=${plots.map((name) => encodeURIComponent(name).replaceAll('%2F', '/')).join(',')}`] : [];
  if (window) mine.push(`from=${Number(window.min.toPrecision(12))}`, `to=${Number(window.max.toPrecision(12))}`);
  const all = [...others, ...mine];
  return all.length ? `#${all.join('&')}` : '';
}

/* Names as chosen channels: [{name, parts, channel}], each channel once, in the order they came; what no recording has is left out. */
export function chosenOf(recordings, names) {
  const all = new Map();
  for (const text of names) {
    const found = partOf(recordings, text);
    if (!found) continue;
    const { name, part, channel } = found, one = all.get(name) ?? { name, channel, parts: [] };
    all.set(name, one);
    const wanted = part === 'all' ? channel.components.slice(0, DEFAULT_PARTS) : [part];
    one.parts = partsOf(channel).filter((p) => one.parts.includes(p) || wanted.includes(p));
  }
  return [...all.values()];
}

export const namesOfChosen = (chosen) => chosen.flatMap(({ name, parts }) => parts.map((part) => curveName(name, part)));

const exists = (recordings, name) => recordings.some((recording) => recording.channel(name));

const OF_JOINT = ['position', 'position_angle', 'position_slide', 'velocity', 'force_joint', 'torque_joint', 'friction', 'slip', 'normal_force', 'gap'];

/* The main channels of what is selected. */
export function mainChannels(recordings, selected) {
  if (!selected) return [];
  const { kind, name } = selected;
  const wanted = {
    body: ['position', 'velocity', 'angular_velocity', 'acceleration'].map((what) => `bodies.${name}.${what}`),
    joint: OF_JOINT.map((what) => `joints.${name}.${what}`),
    pair: ['normal_force', 'friction_force', 'slip', 'gap', 'ratio'].map((what) => `contacts.${name}.${what}`),
  }[kind] ?? [];
  return wanted.filter((one) => exists(recordings, one));
}

/* Those of them that are shown at once. */
export function mainCurves(selected, main) {
  if (selected?.kind === 'pair') return main.slice(0, 2).map((name, k) => (k ? `${name}.norm` : name));
  return main.slice(0, selected?.kind === 'body' ? 1 : 2);
}

/* The body that is looked at when none is selected: of those that move by themselves the one that goes farthest; null: there is none. */
export function mainBody(recording) {
  let best = null, farthest = -1;
  for (const { name, kind } of recording.bodies) {
    const channel = recording.channel(`bodies.${name}.position`);
    if (!channel) continue;
    const way = (channel.stats ?? []).reduce((sum, { min, max }) => sum + ((max - min) ** 2 || 0), 0) * (kind === 'dynamic' ? 1 : 1e-9);
    if (way > farthest) { farthest = way; best = name; }
  }
  return best;
}

/* What is shown when nobody has chosen: where the main body is; else the energy; else what there is. */
export function defaultChannels(recordings) {
  const best = mainBody(recordings[0]);
  if (best !== null) return [`bodies.${best}.position`];
  const energies = ['energy.kinetic', 'energy.potential', 'energy.stored'].filter((name) => exists(recordings, name));
  return energies.length ? energies : [...recordings[0].channels.keys()].slice(0, 1);
}

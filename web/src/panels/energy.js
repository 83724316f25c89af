/* energy.js: where the energy is, what put it in and took it out, and what the time step has made or lost. */
import { make, panel } from '../elements.js';
import { number } from '../format.js';
import { balance, holdings, losses, stack } from './books.js';
import { drawer, recordingPicker } from './context.js';
import { timePlot } from './timeplot.js';

const hasEnergy = (recording) => recording.channel('energy.kinetic') !== null;

export function mountEnergy(parent, context) {
  if (!context.page.recordings.some(hasEnergy)) return;
  const inside = panel(parent, 'energy', 'Energy', recordingPicker(context));
  const plot = (title, height, spec) => timePlot(inside, context, { title, height, specOf: () => spec(context.recording.value) });
  plot('energy held', 170, heldSpec);
  plot('work and losses', 170, lossSpec);
  plot('energy defect', 110, defectSpec);
  const table = make('table', { class: 'balance' }), words = make('p', { class: 'hint' });
  inside.append(make('h3', {}, 'Balance at the end'), table, words);
  drawer(context, table, () => fillBalance(table, words, context.recording.value));
}

/* Areas of which each stands on those before it: the whole is painted first, the lowest last; the legend tells them by themselves. */
function areas(told) {
  const tops = stack(told);
  return told.map((one, k) => ({ label: one.name, name: one.channel, colour: one.colour, area: true, y: tops[k], told: one.values, width: 1 })).reverse();
}

const KINDS = { kinetic: 'c1', potential: 'c6', stored: 'c3' };

function heldSpec(recording) {
  const held = holdings(recording), moved = held.filter((one) => one.moved !== 0);
  const title = moved.length ? `stacked; ${moved.map((one) => `${one.name} from its lowest, ${number(one.moved)} J`).join('; ')}` : 'stacked';
  return { unit: 'J', zero: true, title, quantity: 'energy', tables: [{ x: recording.time, recording, curves: areas(held.map((one) => ({ ...one, colour: KINDS[one.name] }))) }] };
}

const CAUSES = ['c2', 'c5', 'c4', 'c7', 'c3', 'c6', 'c1'];

function lossSpec(recording) {
  const causes = losses(recording), work = recording.channel('energy.work');
  const colourOf = (k) => (k === causes.length - 1 ? 'c8' : CAUSES[k % CAUSES.length]);
  const told = causes.map((one, k) => ({ ...one, name: one.kind === 'joint' ? `bearings of ${one.name}` : one.name, colour: colourOf(k) }));
  const curves = areas(told.filter(({ values }, k) => k + 1 < told.length || told.length === 1 || values.some((v) => v !== 0)));
  if (work) curves.push({ label: 'work put in', name: 'energy.work', colour: 'ink', y: work.values, width: 1.8 });
  const guessed = recording.pairTable?.column('heat') && causes.some(({ kind }) => kind === 'pair');
  const title = `losses stacked by cause, since the start${guessed ? '; heat of pairs by trapezoids from row to row' : ''}`;
  return { unit: 'J', zero: true, title, quantity: 'energy', tables: [{ x: recording.time, recording, curves }] };
}

function defectSpec(recording) {
  const defect = recording.channel('energy.defect');
  const curves = defect ? [{ label: 'defect', name: 'energy.defect', colour: 'c2', y: defect.values }] : [];
  return { unit: 'J', quantity: 'defect', title: 'defect: what the time step has made or lost', tables: [{ x: recording.time, recording, curves }] };
}

function fillBalance(table, words, recording) {
  const told = balance(recording, recording.rows - 1), joule = (v) => `${number(v, 5)} J`;
  const share = told.exchanged > 0 ? `${number((100 * Math.abs(told.defect)) / told.exchanged, 3)} %` : '\u2013';
  const line = (name, value, help) => make('tr', {}, make('th', { scope: 'row' }, name, make('small', {}, help)), make('td', {}, joule(value)));
  table.replaceChildren(make('tbody', {}, line('gained', told.gained, 'kinetic, potential and stored, more than at first'),
    line('= work put in', told.work, 'by forces, motors and motions'),
    line('\u2212 dissipated', told.dissipated, 'by dampers, contacts, blows and dry friction'), line('+ defect', told.defect, `${share} of what was exchanged`)));
  words.textContent = `Exchanged: the largest kinetic energy, the largest work, and the losses, ${joule(told.exchanged)}. `
    + 'Numbers of the page have single precision: sums may be off in the seventh digit.';
}

/* books.js: where the energy is and where it goes, over the rows of a recording. No DOM here.
 *   kinetic + potential + stored = the same at first + work - dissipated + defect
 * What is dissipated is told by its causes as far as they are recorded: the heat of joints' bearings, that of pairs in contact; the rest are
 * dampers, blows and joint limits. Heat of pairs is made by trapezoids from row to row, so the rest may be off, and even below zero, by that. */

const MOST = 5; /* causes of a kind that are told by name; the others in one */

const channelOf = (recording, name) => recording.channel(`energy.${name}`)?.values ?? null;

/* Values less their smallest where that is below zero or `always`: {values, moved}. */
export function fromLowest(values, always) {
  let low = Infinity;
  for (const v of values) if (v < low) low = v;
  if (!Number.isFinite(low) || (!always && low >= 0)) return { values, moved: 0 };
  return { values: values.map((v) => v - low), moved: low };
}

/* What the machine holds, stacked: [{name, values, moved}]; what is nought throughout is left out. */
export function holdings(recording) {
  return ['kinetic', 'potential', 'stored'].map((name) => ({ name, told: channelOf(recording, name) })).filter(({ told }) => told)
    .map(({ name, told }) => ({ name, ...fromLowest(told, name === 'potential') })).filter(({ values }) => values.some((v) => v !== 0));
}

/* Heat of all pairs over the rows, from one pass over the table: it stays when a pair is open. */
export function pairHeats(recording) {
  const table = recording.pairTable, heat = table?.column('heat');
  if (!heat) return [];
  const stride = recording.contactStride, rows = recording.rows, last = new Float64Array(recording.pairs.length);
  for (let i = 0; i < heat.length; i++) last[table.pair[i]] = heat[i];
  const best = [...last.keys()].filter((p) => last[p] > 0).sort((a, b) => last[b] - last[a]);
  const named = best.slice(0, MOST), slot = new Int32Array(recording.pairs.length).fill(named.length);
  named.forEach((p, k) => { slot[p] = k; });
  const sums = [...named, -1].map(() => new Float64Array(rows)), now = new Float64Array(recording.pairs.length), sum = new Float64Array(named.length + 1);
  for (let row = 0; row + 1 < table.start.length; row++) {
    for (let i = table.start[row]; i < table.start[row + 1]; i++) {
      const p = table.pair[i];
      sum[slot[p]] += heat[i] - now[p];
      now[p] = heat[i];
    }
    for (let r = row * stride; r < Math.min(rows, (row + 1) * stride); r++) sums.forEach((values, k) => { values[r] = sum[k]; });
  }
  const told = named.map((p, k) => ({ name: recording.pairs[p].name, kind: 'pair', values: sums[k] }));
  if (best.length > named.length) told.push({ name: `${best.length - named.length} other pairs`, kind: null, values: sums[named.length] });
  return told;
}

/* Heat of joints' bearings, the largest by name. */
export function jointHeats(recording) {
  const all = [];
  for (const [name, channel] of recording.channels) {
    const found = /^joints\.(.+)\.heat(?:_\w+)?$/.exec(name);
    if (found) all.push({ name: found[1], kind: 'joint', values: channel.values });
  }
  const last = ({ values }) => values[values.length - 1];
  all.sort((a, b) => last(b) - last(a));
  const told = all.filter((one) => last(one) > 0);
  if (told.length <= MOST) return told;
  const others = told.slice(MOST);
  const rest = Float64Array.from(others[0].values, (_, row) => others.reduce((sum, one) => sum + one.values[row], 0));
  return [...told.slice(0, MOST), { name: `${others.length} other joints`, kind: null, values: rest }];
}

/* Loss by cause: joints, pairs, and what is left of energy.dissipated. */
export function losses(recording) {
  const dissipated = channelOf(recording, 'dissipated');
  if (!dissipated) return [];
  const causes = [...jointHeats(recording), ...pairHeats(recording)];
  const rest = Float64Array.from(dissipated);
  for (const { values } of causes) for (let row = 0; row < rest.length; row++) rest[row] -= values[row];
  return [...causes, { name: causes.length ? 'dampers, blows and the rest' : 'dissipated', kind: null, values: rest }];
}

/* Each curve on top of those before it. */
export function stack(curves) {
  let below = null;
  return curves.map(({ values }) => {
    const sum = Float64Array.from(values, (v, row) => v + (below ? below[row] : 0));
    below = sum;
    return sum;
  });
}

/* The balance at a row: what is held more than at first, and why; exchanged: the largest kinetic energy, the largest work, and what was lost. */
export function balance(recording, row) {
  const at = (name, r) => channelOf(recording, name)?.[r] ?? 0;
  const held = (r) => at('kinetic', r) + at('potential', r) + at('stored', r);
  const most = (name) => (channelOf(recording, name) ?? []).reduce((max, v) => Math.max(max, Math.abs(v)), 0);
  const told = { gained: held(row) - held(0), work: at('work', row), dissipated: at('dissipated', row), defect: at('defect', row) };
  return { ...told, exchanged: most('kinetic') + most('work') + Math.abs(told.dissipated) };
}

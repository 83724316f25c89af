/* bins.js: many values as few: around a turn, and by size. No DOM here. */

const TURN = 2 * Math.PI;

/* Values over an angle (rad), turn upon turn, in `count` equal parts of a turn: {angle (mean of its rows, rad), mean, min, max, rows}; a part
 * without rows has NaN. */
export function polarBins(angle, value, count) {
  const empty = (v) => new Float64Array(count).fill(v);
  const bins = { angle: empty(0), mean: empty(0), min: empty(NaN), max: empty(NaN), rows: new Uint32Array(count) };
  for (let row = 0; row < angle.length; row++) {
    if (!Number.isFinite(angle[row]) || !Number.isFinite(value[row])) continue;
    const k = Math.min(count - 1, Math.floor((turnPart(angle[row]) / TURN) * count));
    bins.mean[k] += value[row];
    bins.angle[k] += turnPart(angle[row]);
    bins.rows[k]++;
    if (!(bins.min[k] <= value[row])) bins.min[k] = value[row];
    if (!(bins.max[k] >= value[row])) bins.max[k] = value[row];
  }
  for (let k = 0; k < count; k++) {
    bins.angle[k] /= bins.rows[k]; /* 0 / 0: none there */
    bins.mean[k] /= bins.rows[k];
  }
  return bins;
}

/* An angle in [0, 2 pi). */
export function turnPart(angle) {
  const part = angle - TURN * Math.floor(angle / TURN);
  return part >= TURN ? 0 : part;
}

/* So many parts of a turn that each has some dozen rows, 15 degrees to 2 degrees. */
export function partsOfTurn(rows) {
  return [180, 120, 90, 72, 36].find((count) => rows >= 12 * count) ?? 24;
}

/* How often values are how large, in bins of equal ratio (`log`) or width: {edges (one more), counts}. Values that do not fit are not counted:
 * no numbers, and none above 0 where bins have equal ratios. */
export function histogram(values, count, log = false) {
  const fine = Array.from(values).filter((v) => Number.isFinite(v) && (!log || v > 0));
  if (!fine.length) return null;
  const to = log ? Math.log : (v) => v, back = log ? Math.exp : (v) => v;
  let low = Infinity, high = -Infinity;
  for (const v of fine) { low = Math.min(low, to(v)); high = Math.max(high, to(v)); }
  if (!(high > low)) { low -= 0.5; high += 0.5; }
  const counts = new Uint32Array(count);
  for (const v of fine) counts[Math.min(count - 1, Math.floor(((to(v) - low) / (high - low)) * count))]++;
  return { edges: Array.from({ length: count + 1 }, (_, k) => back(low + ((high - low) * k) / count)), counts };
}

/* "0 guess, 1 row, ..." in a channel's help -> Map of its numbers to names; empty where it tells none. */
export function namesOf(help) {
  const names = new Map();
  for (const [, digits, name] of help.matchAll(/(?:^|[\s,;(])(\d+)[: ]+([a-z][a-z -]*[a-z])/g)) names.set(Number(digits), name);
  return names;
}

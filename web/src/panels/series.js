/* series.js: curves over the rows of a recording: chosen parts of channels, values at a moment, differences, fewer points. No DOM here. */

/* "bodies.wheel.position.z" or "....norm" -> {name, part}; part '' is a scalar, 'all' a vector of which no part is named. */
export function partOf(recordings, text) {
  const channelOf = (name) => recordings.map((recording) => recording.channel(name)).find(Boolean) ?? null;
  const whole = channelOf(text);
  if (whole) return { name: text, part: whole.width === 1 ? '' : 'all', channel: whole };
  const dot = text.lastIndexOf('.');
  const owner = dot > 0 ? channelOf(text.slice(0, dot)) : null, part = text.slice(dot + 1);
  if (owner && owner.width > 1 && (part === 'norm' || owner.components.includes(part))) return { name: text.slice(0, dot), part, channel: owner };
  return null;
}

/* What can be drawn of a channel: '' of a scalar; components and, of vectors, the norm. */
export function partsOf(channel) {
  if (channel.width === 1) return [''];
  return channel.width === 3 ? [...channel.components, 'norm'] : channel.components;
}

export const curveName = (name, part) => (part ? `${name}.${part}` : name);

/* Names without what is plain: "bodies." and "contacts.". */
export const shortName = (name) => name.replace(/^(bodies|contacts)\./, '');

/* One part of a channel as numbers over the rows. */
export function columnOf(channel, part) {
  if (part === '') return channel.values;
  if (part !== 'norm') return channel.column(channel.components.indexOf(part));
  const all = channel.values, w = channel.width, norms = new Float32Array(all.length / w);
  for (let row = 0; row < norms.length; row++) norms[row] = Math.hypot(...all.subarray(row * w, row * w + w));
  return norms;
}

/* The same value without a column: of one row. */
export function valueAt(channel, part, row) {
  const all = channel.values, w = channel.width;
  if (part === '') return all[row];
  if (part !== 'norm') return all[row * w + channel.components.indexOf(part)];
  return Math.hypot(...all.subarray(row * w, row * w + w));
}

/* uPlot draws null as a gap; what is no number is one. Arrays without such stay as they are. */
export function withGaps(values, log = false) {
  const fine = log ? (v) => v > 0 && Number.isFinite(v) : Number.isFinite;
  if (values.every(fine)) return values;
  return Array.from(values, (v) => (fine(v) ? v : null));
}

/* y over x at other places, linear between rows; NaN outside of what there is. Both x ascend. */
export function interpolate(x, y, at) {
  const values = new Float64Array(at.length).fill(NaN);
  let row = 0;
  for (let i = 0; i < at.length; i++) {
    const t = at[i];
    if (!(t >= x[0] && t <= x[x.length - 1])) continue;
    while (row + 1 < x.length - 1 && x[row + 1] <= t) row++;
    const next = Math.min(row + 1, x.length - 1), span = x[next] - x[row];
    const part = span > 0 ? (t - x[row]) / span : 0;
    values[i] = part === 0 ? y[row] : part === 1 ? y[next] : y[row] + part * (y[next] - y[row]);
  }
  return values;
}

/* y of the second recording less that of the first, on the rows of the first. */
export function difference(firstX, firstY, x, y) {
  const other = interpolate(x, y, firstX);
  for (let i = 0; i < other.length; i++) other[i] -= firstY[i];
  return other;
}

/* Smallest and largest finite value of rows [from, to); null: none. */
export function rangeOf(values, from = 0, to = values.length) {
  let min = Infinity, max = -Infinity;
  for (let i = from; i < to; i++) {
    const v = values[i];
    if (v === null || v === undefined || !Number.isFinite(v)) continue;
    if (v < min) min = v;
    if (v > max) max = v;
  }
  return min <= max ? [min, max] : null;
}

/* The first index whose x is not below t. */
export function firstFrom(x, t) {
  let low = 0, high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] < t) low = middle + 1; else high = middle;
  }
  return low;
}

/* Rows that show in a window, with one beside it on both ends: [from, to). */
export function rowsWithin(x, min, max) {
  return [Math.max(0, firstFrom(x, min) - 1), Math.min(x.length, firstFrom(x, max) + 2)];
}

/* Rows [from, to) as at most about 4 `count` rows that look the same: first, smallest, largest and last of each of `count` pieces.
 * Returns indexes, ascending. */
export function thin(y, from, to, count) {
  if (to - from <= 4 * count) return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  const kept = [];
  for (let piece = 0; piece < count; piece++) {
    const a = from + Math.floor(((to - from) * piece) / count), b = from + Math.floor(((to - from) * (piece + 1)) / count);
    let low = a, high = a;
    for (let i = a; i < b; i++) {
      if (y[i] < y[low]) low = i;
      if (y[i] > y[high]) high = i;
    }
    for (const i of [...new Set([a, Math.min(low, high), Math.max(low, high), b - 1])]) kept.push(i);
  }
  return kept;
}

/* What is told of a channel where bristle has not told it: of the rows that are here. */
export function statsOf(time, values, width) {
  return Array.from({ length: width }, (_, c) => {
    const told = { min: null, min_at: null, max: null, max_at: null, rms: null };
    let sum = 0, count = 0;
    for (let row = 0; row < time.length; row++) {
      const v = values[row * width + c];
      if (!Number.isFinite(v)) continue;
      if (told.min === null || v < told.min) { told.min = v; told.min_at = time[row]; }
      if (told.max === null || v > told.max) { told.max = v; told.max_at = time[row]; }
      sum += v * v;
      count++;
    }
    if (count) told.rms = Math.sqrt(sum / count);
    return told;
  });
}

/* The larger of both ends, with its sign and moment. */
export function peakOf({ min, min_at, max, max_at }) {
  if (min === null || max === null) return { value: null, at: null };
  return Math.abs(min) > Math.abs(max) ? { value: min, at: min_at } : { value: max, at: max_at };
}

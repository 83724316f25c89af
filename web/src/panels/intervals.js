/* intervals.js: from what touches in each row to who sticks, slips, rolls or is open when, and the events between.
 * A row says what holds at its moment; that it holds until the next row is our reading, so events are as exact as the rows are near. No DOM here. */

export const MODES = ['open', 'stick', 'slip', 'roll', 'mixed'];

/* A line of the timeline: {name, kind: 'pair' | 'joint', label, from: [row], to: [row], mode: [1..4], changes, rows}; rows of `time`, the row `to` is the first
 * of which it is not so any more. */
function newLine(name, kind, label) {
  return { name, kind, label, from: [], to: [], mode: [], changes: 0, rows: 0 };
}

/* `mode` holds in the rows [from, to): a new interval, or the last one goes on. */
function extend(line, mode, from, to) {
  const last = line.mode.length - 1;
  if (last >= 0 && line.to[last] === from && line.mode[last] === mode) line.to[last] = to;
  else {
    line.from.push(from);
    line.to.push(to);
    line.mode.push(mode);
    line.changes++;
  }
  line.rows += to - from;
}

/* Of all pairs, in one pass over the table of pairs: work goes with its lines, not with rows times pairs. */
export function pairLines(recording) {
  const table = recording.pairTable, modes = table?.column('mode');
  if (!modes) return [];
  const lines = recording.pairs.map((pair) => newLine(pair.name, 'pair', pair.name));
  const stride = recording.contactStride, rows = recording.rows;
  for (let row = 0; row + 1 < table.start.length; row++) {
    const from = row * stride, to = Math.min(rows, from + stride);
    for (let i = table.start[row]; i < table.start[row + 1]; i++) if (modes[i] >= 1) extend(lines[table.pair[i]], modes[i], from, to);
  }
  return lines.filter((line) => line.rows > 0);
}

/* Of joints whose bearings rub (grip: 1 holds, 2 slides) and of joints of the type contact (mode). */
export function jointLines(recording) {
  const lines = [];
  for (const [name, channel] of recording.channels) {
    const found = /^joints\.(.+)\.(?:grip(?:_(\w+))?|mode)$/.exec(name);
    if (!found || channel.width !== 1) continue;
    const line = newLine(found[1], 'joint', found[2] ? `${found[1]} ${found[2]}` : found[1]);
    const values = channel.values;
    for (let row = 0; row < recording.rows; row++) if (values[row] >= 1 && values[row] <= 4) extend(line, values[row], row, row + 1);
    lines.push(line);
  }
  return lines;
}

/* The busiest first: who changes most, then who touches longest. */
export function busiest(lines) {
  return lines.map((line, i) => ({ line, i })).sort((a, b) => b.line.changes - a.line.changes || b.line.rows - a.line.rows || a.i - b.i).map(({ line }) => line);
}

/* Lines of the recording that panels speak of, busiest first, and its events; made once for as many rows as there are. */
export function linesOf(context) {
  const recording = context.recording.value, known = context.lines;
  if (known?.recording === recording && known.rows === recording.rows) return known;
  const lines = busiest([...pairLines(recording), ...jointLines(recording)]);
  context.lines = { recording, rows: recording.rows, lines, events: eventsOf(lines, recording.rows) };
  return context.lines;
}

/* When an interval ends: at the row where it is not so any more, or the last. */
export const endOf = (time, line, k) => time[Math.min(line.to[k], time.length - 1)];

/* Which interval holds in a row, -1: open. */
export function intervalAt(line, row) {
  let low = 0, high = line.from.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (line.from[middle] <= row) low = middle + 1; else high = middle;
  }
  return low > 0 && row < line.to[low - 1] ? low - 1 : -1;
}

/* touch, leave and what it becomes: [{row, line, what}] in the order of time. What holds in the first row is no event. */
export function eventsOf(lines, rows) {
  const events = [];
  for (const line of lines) {
    for (let k = 0; k < line.from.length; k++) {
      const touches = k === 0 || line.to[k - 1] < line.from[k];
      if (touches && line.from[k] > 0) events.push({ row: line.from[k], line, what: 'touch', then: MODES[line.mode[k]] });
      else if (!touches) events.push({ row: line.from[k], line, what: MODES[line.mode[k]], then: '' });
      const leaves = k + 1 === line.from.length || line.from[k + 1] > line.to[k];
      if (leaves && line.to[k] < rows) events.push({ row: line.to[k], line, what: 'leave', then: '' });
    }
  }
  return events.sort((a, b) => a.row - b.row);
}

/* Main direction of vectors (three numbers a row): of their largest second moment, towards the farthest; null where all vanish. Sixty multiplications with the
 * matrix of moments part two moments that differ by a tenth to 1e-5, enough for a direction to look along. */
export function mainDirection(values) {
  const moment = new Float64Array(9);
  for (let row = 0; row + 2 < values.length; row += 3) {
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) moment[3 * i + j] += values[row + i] * values[row + j];
  }
  const largest = [0, 4, 8].reduce((best, k) => (moment[k] > moment[best] ? k : best), 0);
  if (!(moment[largest] > 0)) return null;
  let d = [moment[largest - (largest % 3)], moment[largest - (largest % 3) + 1], moment[largest - (largest % 3) + 2]];
  for (let pass = 0; pass < 60; pass++) {
    const next = [0, 1, 2].map((i) => moment[3 * i] * d[0] + moment[3 * i + 1] * d[1] + moment[3 * i + 2] * d[2]);
    const size = Math.hypot(...next);
    d = next.map((v) => v / size);
  }
  let far = 0;
  for (let row = 0; row + 2 < values.length; row += 3) {
    const way = values[row] * d[0] + values[row + 1] * d[1] + values[row + 2] * d[2];
    if (Math.abs(way) > Math.abs(far)) far = way;
  }
  return far < 0 ? d.map((v) => -v) : d;
}

export function along(values, direction) {
  const one = new Float32Array(values.length / 3);
  for (let row = 0; row < one.length; row++) one[row] = values[3 * row] * direction[0] + values[3 * row + 1] * direction[1] + values[3 * row + 2] * direction[2];
  return one;
}

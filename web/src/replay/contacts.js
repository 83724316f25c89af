/* contacts.js: what touches at a moment, from the tables of a recording: between two rows what is in both is drawn in between.
 * Without a page: node can ask it too. */

export const MODES = ['open', 'stick', 'slip', 'roll', 'mixed'];

/* Friction that would still hold, over the normal force: mu. margin = mu N - |friction|; 0 where nothing pushes. */
export function coefficient(margin, friction, normal) { return normal > 0 ? Math.max(0, (margin + friction) / normal) : 0; }

/* A cone of Coulomb: its axis is the normal force, the tip of the force lies in its base. m where `scale` is m/N. */
export function coneOf(margin, friction, normal, scale) {
  const mu = coefficient(margin, friction, normal);
  return { mu, halfAngle: Math.atan(mu), height: normal * scale, radius: mu * normal * scale };
}

/* The same thing in both rows: pair, and number where it is a place. */
function keyOf(table, line) { return table.pair[line] * 65536 + (table.number ? table.number[line] : 0); }

/* Lines of a table at t: [{line, next: the same in the next row or -1}], and how far between the rows t is. */
export function linesAt(recording, table, t) {
  if (!table) return { part: 0, lines: [] };
  const stride = recording.contactStride, row = Math.floor(recording.rowAt(t) / stride);
  const from = recording.time[row * stride], to = recording.time[Math.min((row + 1) * stride, recording.rows - 1)];
  const part = to > from ? Math.min(1, Math.max(0, (t - from) / (to - from))) : 0;
  const later = new Map();
  if (part > 0) for (let line = table.start[row + 1]; line < (table.start[row + 2] ?? 0); line++) later.set(keyOf(table, line), line);
  const lines = [];
  for (let line = table.start[row] ?? 0; line < (table.start[row + 1] ?? 0); line++) lines.push({ line, next: later.get(keyOf(table, line)) ?? -1 });
  return { part, lines };
}

/* A number or vector of a column, between the rows. */
export function readAt(values, width, { line, next }, part, into) {
  for (let i = 0; i < width; i++) {
    const a = values[line * width + i];
    into[i] = next < 0 ? a : a + part * (values[next * width + i] - a);
  }
  return into;
}

function distance(points, a, b) { return Math.hypot(points[3 * a] - points[3 * b], points[3 * a + 1] - points[3 * b + 1], points[3 * a + 2] - points[3 * b + 2]); }

/* The ways that places of contact went while they slipped: points of segments, two by two, and how many there are up to each row
 * of the table. At most `most` segments, none above `longest` m: there another place has got the number. */
export function slipTrails(recording, longest, most = 200000) {
  const table = recording.placeTable, mode = table?.column('mode'), points = table?.column('point');
  if (!mode || !points || !table.start.length) return { points: new Float32Array(0), upTo: new Uint32Array(1) };
  const rows = table.start.length - 1, segments = [], upTo = new Uint32Array(rows);
  let before = new Map();
  for (let row = 0; row < rows; row++) {
    const now = new Map();
    for (let line = table.start[row]; line < table.start[row + 1]; line++) {
      if (mode[line] !== 2) continue;
      const key = keyOf(table, line), last = before.get(key);
      now.set(key, line);
      if (last === undefined || segments.length >= 6 * most || !(distance(points, last, line) <= longest)) continue;
      for (const at of [last, line]) segments.push(points[3 * at], points[3 * at + 1], points[3 * at + 2]);
    }
    before = now;
    upTo[row] = segments.length / 6;
  }
  return { points: Float32Array.from(segments), upTo };
}

/* N: a force that most stay below: 95 of 100 that are not 0, of a column of vectors or of numbers. 0: there are none. */
export function usualForce(values, width = 3, samples = 4096) {
  if (!values) return 0;
  const n = values.length / width, step = Math.max(1, Math.floor(n / samples)), sizes = [];
  for (let i = 0; i < n; i += step) {
    const size = Math.hypot(...values.subarray(width * i, width * (i + 1)));
    if (size > 0 && Number.isFinite(size)) sizes.push(size);
  }
  if (!sizes.length) return 0;
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.95 * (sizes.length - 1))];
}

/* A lasting contact is a joint: its point, force on the second body and mode in a row; null where it is not recorded. */
export function lastingContact(recording, joint, row) {
  const read = (name, width) => recording.channel(`joints.${joint.name}.${name}`)?.values.subarray(width * row, width * (row + 1));
  const point = read('point', 3), normal = read('normal', 3), friction = read('friction_force', 3), size = read('normal_force', 1), mode = read('mode', 1);
  if (!point || !normal || !size || !mode) return null;
  return { point: [...point], force: [0, 1, 2].map((i) => size[0] * normal[i] + (friction?.[i] ?? 0)), mode: mode[0] };
}

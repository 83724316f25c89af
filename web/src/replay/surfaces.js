/* surfaces.js: curved surfaces as triangles: what is zero of a function in space, and smooth profiles.
 * Without a page: node can ask it too. */

/* ---- level surfaces ----
 * A cube of a grid is six tetrahedra about its diagonal. Where g changes its sign along an edge there is a point, first by
 * linear interpolation, then by Newton's steps along the gradient. */

const TETRAHEDRA = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/* Onto g = 0: p - g G/|G|^2, again and again. */
function settle(g, gradient, p) {
  for (let i = 0; i < 8; i++) {
    const value = g(p), G = gradient(p), square = G[0] ** 2 + G[1] ** 2 + G[2] ** 2;
    if (!(square > 0) || value === 0) return p;
    const part = value / square;
    p = [p[0] - part * G[0], p[1] - part * G[1], p[2] - part * G[2]];
  }
  return p;
}

/* {positions, normals, triangles} of g = 0 within [min, max]; normals point to where g grows. n: cells along an edge. */
export function polygonise(g, gradient, min, max, n = 32) {
  const side = n + 1, values = new Float64Array(side ** 3);
  const step = [0, 1, 2].map((i) => (max[i] - min[i]) / n);
  const corner = (i, j, k) => [min[0] + i * step[0], min[1] + j * step[1], min[2] + k * step[2]];
  for (let k = 0, at = 0; k < side; k++) for (let j = 0; j < side; j++) for (let i = 0; i < side; i++, at++) values[at] = g(corner(i, j, k));

  const positions = [], normals = [], triangles = [], known = new Map();
  const place = (a) => corner(a % side, Math.floor(a / side) % side, Math.floor(a / side / side));
  const pointOn = (a, b) => {
    const key = a < b ? a * side ** 3 + b : b * side ** 3 + a;
    let number = known.get(key);
    if (number !== undefined) return number;
    const p = place(a), q = place(b), part = values[a] / (values[a] - values[b]);
    const at = settle(g, gradient, [0, 1, 2].map((i) => p[i] + part * (q[i] - p[i])));
    const G = gradient(at), size = Math.hypot(...G) || 1;
    number = positions.length / 3;
    positions.push(...at);
    normals.push(G[0] / size, G[1] / size, G[2] / size);
    known.set(key, number);
    return number;
  };
  const add = (a, b, c) => {
    if (a === b || b === c || a === c) return;
    const at = (v, i) => positions[3 * v + i];
    const u = [0, 1, 2].map((i) => at(b, i) - at(a, i)), v = [0, 1, 2].map((i) => at(c, i) - at(a, i));
    const along = (u[1] * v[2] - u[2] * v[1]) * normals[3 * a] + (u[2] * v[0] - u[0] * v[2]) * normals[3 * a + 1] + (u[0] * v[1] - u[1] * v[0]) * normals[3 * a + 2];
    triangles.push(...(along >= 0 ? [a, b, c] : [a, c, b]));
  };
  const cut = (tetrahedron) => {
    const inside = tetrahedron.filter((v) => values[v] < 0), outside = tetrahedron.filter((v) => !(values[v] < 0));
    if (!inside.length || !outside.length) return;
    if (inside.length === 2) {
      const [a, b] = inside, [c, d] = outside, p = [pointOn(a, c), pointOn(a, d), pointOn(b, d), pointOn(b, c)];
      add(p[0], p[1], p[2]);
      add(p[0], p[2], p[3]);
    } else {
      const [one, three] = inside.length === 1 ? [inside[0], outside] : [outside[0], inside];
      add(...three.map((v) => pointOn(one, v)));
    }
  };
  for (let k = 0; k < n; k++) for (let j = 0; j < n; j++) for (let i = 0; i < n; i++) {
    const at = (i_, j_, k_) => (i + i_) + side * ((j + j_) + side * (k + k_));
    const cube = Array.from({ length: 8 }, (_, c) => at(c & 1, c >> 1 & 1, c >> 2 & 1));
    const first = values[cube[0]] < 0;
    if (cube.every((v) => (values[v] < 0) === first)) continue;
    for (const tetrahedron of TETRAHEDRA) cut(tetrahedron.map((c) => cube[c]));
  }
  return { positions, normals, triangles };
}

/* A quadric's value and gradient; coefficients of x^2, y^2, z^2, x y, x z, y z, x, y, z, 1. */
export function quadric(q) {
  return {
    value: ([x, y, z]) => q[0] * x * x + q[1] * y * y + q[2] * z * z + q[3] * x * y + q[4] * x * z + q[5] * y * z + q[6] * x + q[7] * y + q[8] * z + q[9],
    gradient: ([x, y, z]) => [2 * q[0] * x + q[3] * y + q[4] * z + q[6], 2 * q[1] * y + q[3] * x + q[5] * z + q[7], 2 * q[2] * z + q[4] * x + q[5] * y + q[8]],
  };
}

/* The box of a quadric that is an ellipsoid, or null. With p'A p + b'p + c: centre m = -A^-1 b/2, there g = c + b'm/2, reach sqrt(-g (A^-1)_ii). */
export function quadricBox(q) {
  const A = [[q[0], q[3] / 2, q[4] / 2], [q[3] / 2, q[1], q[5] / 2], [q[4] / 2, q[5] / 2, q[2]]], b = [q[6], q[7], q[8]];
  const minor = (i, j) => {
    const r = [0, 1, 2].filter((k) => k !== i), c = [0, 1, 2].filter((k) => k !== j);
    return (A[r[0]][c[0]] * A[r[1]][c[1]] - A[r[0]][c[1]] * A[r[1]][c[0]]) * ((i + j) % 2 ? -1 : 1);
  };
  const determinant = A[0][0] * minor(0, 0) + A[0][1] * minor(0, 1) + A[0][2] * minor(0, 2);
  const sign = Math.sign(A[0][0]);
  if (!(sign * A[0][0] > 0 && minor(2, 2) > 0 && sign * determinant > 0)) return null;
  const centre = [0, 1, 2].map((i) => -0.5 * [0, 1, 2].reduce((sum, j) => sum + minor(i, j) * b[j], 0) / determinant);
  const least = q[9] + 0.5 * (b[0] * centre[0] + b[1] * centre[1] + b[2] * centre[2]);
  const reach = [0, 1, 2].map((i) => Math.sqrt(Math.max(0, -least * minor(i, i) / determinant)));
  return { min: centre.map((c, i) => c - reach[i]), max: centre.map((c, i) => c + reach[i]) };
}

/* A closed quadric whole, of another what lies between two corners. */
export function quadricSurface(q, least, most, n = 40) {
  const { value, gradient } = quadric(q), own = quadricBox(q);
  if (!own) return polygonise(value, gradient, least, most, n);
  const margin = own.max.map((m, i) => 0.02 * (m - own.min[i]));
  return polygonise(value, gradient, own.min.map((m, i) => m - margin[i]), own.max.map((m, i) => m + margin[i]), n);
}

/* ---- profiles: cubic splines over the length of the chords, as bristle itself joins the points ----
 * On a piece of length l between values a and b with slopes m, M:  a + m s + (3 d - 2 m - M) s^2/l + (m + M - 2 d) s^3/l^2,
 * d = (b - a)/l. Slopes such that second derivatives meet; open ends do not bend, and on the axis they go square to it. */

function solve(matrix, right) {
  const n = right.length;
  for (let i = 0; i < n; i++) {
    let best = i;
    for (let r = i + 1; r < n; r++) if (Math.abs(matrix[r][i]) > Math.abs(matrix[best][i])) best = r;
    [matrix[i], matrix[best]] = [matrix[best], matrix[i]];
    [right[i], right[best]] = [right[best], right[i]];
    for (let r = i + 1; r < n; r++) {
      const part = matrix[r][i] / matrix[i][i];
      if (part === 0) continue;
      for (let c = i; c < n; c++) matrix[r][c] -= part * matrix[i][c];
      right[r] -= part * right[i];
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let c = i + 1; c < n; c++) right[i] -= matrix[i][c] * right[c];
    right[i] /= matrix[i][i];
  }
  return right;
}

function slopes(points, lengths, k, closed) {
  const n = points.length, matrix = Array.from({ length: n }, () => new Float64Array(n)), right = new Array(n).fill(0);
  const rise = (piece) => (points[(piece + 1) % n][k] - points[piece][k]) / lengths[piece];
  for (let i = 0; i < n; i++) {
    const before = i > 0 ? i - 1 : lengths.length - 1;
    if (closed || (i > 0 && i < n - 1)) {
      const l_ = lengths[before], l = lengths[i];
      matrix[i][(i + n - 1) % n] += 1 / l_;
      matrix[i][i] += 2 / l_ + 2 / l;
      matrix[i][(i + 1) % n] += 1 / l;
      right[i] = 3 * (rise(before) / l_ + rise(i) / l);
      continue;
    }
    const piece = i === 0 ? 0 : lengths.length - 1, onAxis = points[i][0] === 0;
    matrix[i][i] = onAxis ? 1 : 2;
    if (!onAxis) matrix[i][i === 0 ? 1 : n - 2] = 1;
    right[i] = !onAxis ? 3 * rise(piece) : k === 1 ? 0 : Math.sign(rise(piece));
  }
  return solve(matrix, right);
}

/* Points of the smooth curve through the given ones, `parts` to a piece. A closed one does not say its first point twice. */
export function smoothProfile(flat, closed, parts = 4) {
  const points = [];
  for (let i = 0; i + 1 < flat.length; i += 2) points.push([flat[i], flat[i + 1]]);
  const pieces = closed ? points.length : points.length - 1, lengths = [];
  for (let i = 0; i < pieces; i++) {
    const a = points[i], b = points[(i + 1) % points.length];
    lengths.push(Math.hypot(b[0] - a[0], b[1] - a[1]));
  }
  const slope = [slopes(points, lengths, 0, closed), slopes(points, lengths, 1, closed)], curve = [];
  for (let i = 0; i < pieces; i++) {
    const next = (i + 1) % points.length, l = lengths[i];
    for (let part = 0; part < parts; part++) {
      const s = part / parts * l;
      curve.push([0, 1].map((k) => {
        const a = points[i][k], d = (points[next][k] - a) / l, m = slope[k][i], M = slope[k][next];
        return a + s * (m + s / l * (3 * d - 2 * m - M + s / l * (m + M - 2 * d)));
      }));
    }
  }
  if (!closed) curve.push(points[points.length - 1]);
  return curve;
}

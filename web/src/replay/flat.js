/* flat.js: the replay where there is no WebGL: outlines from one side, the far ones first. It has the face of Stage. */
import { Matrix4, OrthographicCamera, Vector3 } from 'three';
import { bodyColour, modeColour, recordingColour } from './colours.js';
import { linesAt, readAt } from './contacts.js';
import { fitView, upward } from './extent.js';
import { partsOf } from './parts.js';

const MOST_CORNERS = 400; /* of a mesh: outlines need no more */

/* The corners of what points span in the plane: Andrew's chain. */
export function outline(points) {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

function cornersOf(piece, known) {
  if (!known.has(piece.key)) {
    const at = piece.make().attributes.position, every = Math.max(1, Math.floor(at.count / MOST_CORNERS)), corners = [];
    for (let i = 0; i < at.count; i += every) corners.push(new Vector3().fromBufferAttribute(at, i));
    known.set(piece.key, corners);
  }
  return known.get(piece.key);
}

function inside(hull, x, y) {
  let within = false;
  hull.forEach((a, i) => {
    const b = hull[(i + 1) % hull.length];
    if (a.y > y !== b.y > y && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x)) within = !within;
  });
  return within;
}

export class Flat {
  constructor(canvas, recordings, box, options) {
    Object.assign(this, { canvas, recordings, box, options, context: canvas.getContext('2d'), target: box.centre, drawn: [] });
    this.up = upward(recordings[0].told.gravity);
    this.camera = new OrthographicCamera(-1, 1, 1, -1, -100 * box.size, 100 * box.size);
    const known = new Map();
    this.parts = recordings.map((recording) => {
      const { pieces, planes } = partsOf(recording, box);
      return { pieces: pieces.map((piece) => ({ ...piece, corners: cornersOf(piece, known) })), planes, poses: recording.bodies.map(() => new Matrix4()) };
    });
    this.place(recordings[0].first);
  }
  resize(width, height) {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    Object.assign(this, { width, height, ratio });
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    if (this.from) this.look(this.from, this.target);
  }
  paint(colours, selected) { Object.assign(this, { colours, selected: selected?.kind === 'body' ? selected.name : null }); }
  look(from, target) {
    const aspect = this.width / this.height;
    this.from = from.clone();
    /* a narrow field from far away sees what a parallel one does */
    const fov = 1e-3, fit = fitView(this.box.ends, this.box.centre, from, this.up, fov, aspect), half = 1.12 * Math.tan(fov / 2) * fit.distance;
    this.target = (target ?? fit.target).clone();
    Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    this.camera.updateProjectionMatrix();
    this.#stand();
  }
  #stand() {
    this.camera.up.copy(Math.abs(this.from.dot(this.up)) > 0.999 ? new Vector3(this.up.y, this.up.z, this.up.x) : this.up);
    this.camera.position.copy(this.target).add(this.from);
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
  }
  follow(point) {
    if (this.followed && point) {
      this.target.add(new Vector3().subVectors(point, this.followed));
      this.#stand();
    }
    this.followed = point ? point.clone() : null;
  }
  place(t) {
    const position = [0, 0, 0], turn = [0, 0, 0, 1];
    this.parts.forEach(({ poses }, r) => poses.forEach((pose, body) => {
      this.recordings[r].pose(body, t, position, turn);
      const [x, y, z, w] = turn;
      pose.set(1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), position[0], 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), position[1],
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), position[2], 0, 0, 0, 1);
    }));
  }
  draw(t) {
    if (!this.width || !this.colours) return;
    const { context, colours } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colours.panel.getStyle();
    context.fillRect(0, 0, this.width, this.height);
    this.#grounds();
    this.drawn = [];
    this.parts.forEach(({ pieces, poses }, r) => this.options.recordings[r] && pieces.forEach((piece) => this.#outline(piece, poses[piece.body], r)));
    this.drawn.sort((a, b) => a.depth - b.depth);
    for (const { hull, colour, wall, ghost } of this.drawn) this.#fill(hull, colour, wall, ghost);
    if (this.options.contacts) this.#contacts(t);
  }
  #outline(piece, pose, r) {
    const matrix = new Matrix4().multiplyMatrices(pose, piece.local), told = this.recordings[r].bodies[piece.body];
    const hull = outline(piece.corners.map((corner) => this.project(corner.clone().applyMatrix4(matrix))));
    if (!hull.every((p) => Number.isFinite(p.x + p.y))) return;
    const colour = r > 0 ? recordingColour(this.colours, r) : told.name === this.selected ? this.colours.accent : bodyColour(this.colours, told, piece.body);
    this.drawn.push({ hull, colour: colour.getStyle(), wall: piece.wall, ghost: r > 0, body: piece.body, depth: new Vector3().setFromMatrixPosition(matrix).dot(this.from) });
  }
  #fill(hull, colour, wall, ghost) {
    const { context } = this;
    context.beginPath();
    hull.forEach((p, i) => (i ? context.lineTo(p.x, p.y) : context.moveTo(p.x, p.y)));
    context.closePath();
    context.globalAlpha = ghost ? 0.3 : wall ? 0.15 : 1;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 1;
    context.strokeStyle = this.colours.soft.getStyle();
    context.stroke();
  }
  /* Planes that are seen from the side. */
  #grounds() {
    const { context } = this, { planes, poses } = this.parts[0];
    for (const plane of planes) {
      const matrix = new Matrix4().multiplyMatrices(poses[plane.body], plane.local), normal = new Vector3().setFromMatrixColumn(matrix, 2);
      if (Math.abs(normal.dot(this.from)) > 0.3) continue;
      const way = new Vector3().crossVectors(normal, this.from).setLength(10 * this.box.size);
      const at = new Vector3().setFromMatrixPosition(matrix), foot = this.target.clone().addScaledVector(normal, at.sub(this.target).dot(normal));
      const a = this.project(foot.clone().sub(way)), b = this.project(foot.clone().add(way));
      context.strokeStyle = this.colours.soft.getStyle();
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(a.x, a.y);
      context.lineTo(b.x, b.y);
      context.stroke();
    }
  }
  #contacts(t) {
    const recording = this.recordings[0], table = recording.placeTable, { context } = this;
    if (!table) return;
    const points = table.column('point'), modes = table.column('mode'), { part, lines } = linesAt(recording, table, t), at = [0, 0, 0];
    for (const entry of lines) {
      const p = this.project(new Vector3(...readAt(points, 3, entry, part, at)));
      context.fillStyle = modeColour(this.colours, modes[entry.line]).getStyle();
      context.beginPath();
      context.arc(p.x, p.y, 4, 0, 2 * Math.PI);
      context.fill();
    }
  }
  project(point) {
    const p = point.clone().project(this.camera);
    return { x: (p.x + 1) / 2 * this.width, y: (1 - p.y) / 2 * this.height };
  }
  pick(x, y) {
    const hit = [...this.drawn].reverse().find((piece) => !piece.ghost && inside(piece.hull, x, y));
    return hit ? { kind: 'body', name: this.recordings[0].bodies[hit.body].name } : null;
  }
  /* As of Stage; what is held is the middle of the body. */
  hold(x, y) {
    const hit = this.pick(x, y), body = hit ? this.recordings[0].bodies.findIndex((one) => one.name === hit.name) : -1;
    return body < 0 ? null : { body, point: new Vector3().setFromMatrixPosition(this.parts[0].poses[body]).toArray() };
  }
  lift(x, y, point) {
    const at = point.clone().project(this.camera);
    return new Vector3(2 * x / this.width - 1, 1 - 2 * y / this.height, at.z).unproject(this.camera);
  }
  get matrices() { return { view: [...this.camera.matrixWorldInverse.elements], projection: [...this.camera.projectionMatrix.elements], width: this.width, height: this.height }; }
}

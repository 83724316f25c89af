/* marks.js: what is drawn about the bodies: contact points, forces, friction cones, ways of slip, joints, axes, the path of a body.
 * Marks are as large on the screen wherever one stands; arrows are as long as their scale says. */
import { BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, DynamicDrawUsage, Group, Line, LineBasicMaterial, LineSegments, Vector3 } from 'three';
import { coneOf, lastingContact, linesAt, readAt, slipTrails } from './contacts.js';
import { modeColour } from './colours.js';
import { Dots, Swarm } from './swarm.js';

const AXIAL = new Set(['revolute', 'prismatic', 'cylindrical', 'screw', 'universal', 'planar', 'knife_edge', 'rolling_wheel']);
const RODS = new Set(['distance', 'link']);
const COILS = 12, COIL_POINTS = 8 * COILS; /* of a spring */

function line(points, material, segments = true) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(points, 3).setUsage(DynamicDrawUsage));
  const mesh = segments ? new LineSegments(geometry, material) : new Line(geometry, material);
  mesh.frustumCulled = false;
  return mesh;
}

export class Marks {
  targets = []; /* what a click can find, and a name stand at: {kind, name, point, shown} */
  constructor(recording, bodies, box) {
    Object.assign(this, { recording, bodies, size: box.size, group: new Group(), path: null });
    const shaft = new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5), cone = new ConeGeometry(1, 1, 40, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    this.dots = new Dots(this.group);
    this.shafts = new Swarm(this.group, shaft, { behind: 0.45 });
    this.heads = new Swarm(this.group, head, { behind: 0.45 });
    this.thin = new Swarm(this.group, shaft, { opacity: 0.75, behind: 0.35 });
    this.rods = new Swarm(this.group, shaft, { behind: 0 });
    this.cones = new Swarm(this.group, cone, { opacity: 0.28, behind: 0.3, side: DoubleSide });
    this.trails = null;
    this.springs = recording.told.springs.filter((s) => s.bodies).map((told) => {
      const drawn = line(new Float32Array(3 * (COIL_POINTS + 1)), new LineBasicMaterial(), false);
      this.group.add(drawn);
      return { told, drawn };
    });
  }

  paint(colours, selected) {
    Object.assign(this, { colours, selected });
    this.springs.forEach(({ drawn }) => drawn.material.color.copy(colours.ink).lerp(colours.soft, 0.5));
    this.trails?.material.color.copy(colours.slip);
    this.path?.material.color.copy(colours.accent);
  }

  /* options: what is shown; scale: {contacts, joints} m/N; pixel(point): m that a pixel is wide there; ratio: drawn pixels for one of the page. */
  place(t, options, scale, pixel, ratio) {
    Object.assign(this, { options, scale, pixel, targets: [] });
    const swarms = [this.shafts, this.heads, this.thin, this.rods, this.cones];
    swarms.forEach((swarm) => swarm.begin());
    this.dots.begin(ratio);
    if (options.contacts || options.cones) this.#places(t);
    if (options.forces) this.#forces(t);
    this.#joints(t);
    if (options.axes) this.#axes();
    swarms.forEach((swarm) => swarm.end());
    this.dots.end();
    this.#coils();
    this.#trail(t);
    this.#way(t);
  }

  #dot(point, wide, colour, kind, name) {
    const chosen = this.selected?.kind === kind && this.selected.name === name;
    this.dots.add(point, chosen ? 13 : wide, chosen ? this.colours.accent : colour);
  }

  #arrow(from, vector, colour) {
    const length = vector.length(), px = this.pixel(from), head = Math.min(12 * px, 0.6 * length);
    if (!(length > 1.5 * px)) return;
    const neck = from.clone().addScaledVector(vector, 1 - head / length);
    this.shafts.add(from, vector, 1.6 * px, length - head, colour);
    this.heads.add(neck, vector, Math.min(5 * px, 0.4 * head), head, colour);
  }

  #places(t) {
    const table = this.recording.placeTable;
    if (!table) return;
    const [points, normals, modes, normal, friction, margin] = ['point', 'normal', 'mode', 'normal_force', 'friction_force', 'margin'].map((name) => table.column(name));
    const { part, lines } = linesAt(this.recording, table, t), at = [0, 0, 0], n = [0, 0, 0], f = [0, 0, 0], one = [0];
    for (const entry of lines) {
      const point = new Vector3(...readAt(points, 3, entry, part, at)), mode = modes[entry.line], colour = modeColour(this.colours, mode);
      this.targets.push({ kind: 'pair', name: this.recording.pairs[table.pair[entry.line]].name, point, shown: this.options.contacts });
      if (this.options.contacts) this.#dot(point, mode === 0 ? 5 : 8, mode === 0 ? this.colours.soft : colour, 'pair', this.recording.pairs[table.pair[entry.line]].name);
      if (!this.options.cones) continue;
      const axis = new Vector3(...readAt(normals, 3, entry, part, n)), size = readAt(normal, 1, entry, part, one)[0];
      const side = new Vector3(...readAt(friction, 3, entry, part, f));
      const cone = coneOf(readAt(margin, 1, entry, part, one)[0], side.length(), size, this.scale.contacts);
      if (!(cone.height > 0)) continue;
      this.cones.add(point, axis, cone.radius, cone.height, colour);
      this.#arrow(point, axis.multiplyScalar(size).add(side).multiplyScalar(this.scale.contacts), colour);
    }
  }

  #forces(t) {
    const table = this.recording.pairTable, forces = table?.column('force'), points = table?.column('point'), modes = table?.column('mode');
    if (!forces || !points) return;
    const { part, lines } = linesAt(this.recording, table, t), at = [0, 0, 0], f = [0, 0, 0];
    for (const entry of lines) {
      const force = new Vector3(...readAt(forces, 3, entry, part, f)).multiplyScalar(this.scale.contacts);
      this.#arrow(new Vector3(...readAt(points, 3, entry, part, at)), force, modeColour(this.colours, modes[entry.line]));
    }
  }

  #joints(t) {
    const row = this.recording.rowAt(t), ink = this.colours.ink.clone().lerp(this.colours.soft, 0.4), reaction = this.colours.c4;
    for (const joint of this.recording.joints) {
      if (!joint.at_first || !joint.at_second) { this.#lasting(joint, row); continue; }
      const first = this.bodies.pointOf(joint.bodies[0], joint.at_first), second = this.bodies.pointOf(joint.bodies[1], joint.at_second);
      if (RODS.has(joint.type)) this.rods.add(first, new Vector3().subVectors(second, first), 0.004 * this.size, first.distanceTo(second), ink);
      this.targets.push({ kind: 'joint', name: joint.name, point: first, shown: this.options.joints });
      if (this.options.joints) {
        const px = this.pixel(first);
        this.#dot(first, 6, ink, 'joint', joint.name);
        const axis = AXIAL.has(joint.type) && joint.axis_first ? new Vector3(...joint.axis_first).transformDirection(this.bodies.poses[joint.bodies[0]]) : null, half = 0.06 * this.size;
        if (axis) this.thin.add(first.clone().addScaledVector(axis, -half), axis, 0.9 * px, 2 * half, ink);
      }
      if (!this.options.reactions) continue;
      const force = this.recording.channel(`joints.${joint.name}.force`)?.values;
      if (force) this.#arrow(second, new Vector3(force[3 * row], force[3 * row + 1], force[3 * row + 2]).multiplyScalar(this.scale.joints), reaction);
    }
  }

  /* A contact that is a joint: on the second body. */
  #lasting(joint, row) {
    const contact = lastingContact(this.recording, joint, row);
    if (!contact) return;
    const point = new Vector3(...contact.point), colour = modeColour(this.colours, contact.mode);
    this.targets.push({ kind: 'joint', name: joint.name, point, shown: this.options.contacts });
    if (this.options.contacts) this.#dot(point, 8, colour, 'joint', joint.name);
    if (this.options.forces) this.#arrow(point, new Vector3(...contact.force).multiplyScalar(this.scale.contacts), colour);
  }

  #axes() {
    const { c2, c3, c1 } = this.colours, long = 0.06 * this.size, way = new Vector3();
    this.recording.bodies.forEach((_, body) => {
      const pose = this.bodies.poses[body], at = new Vector3().setFromMatrixPosition(pose);
      [c2, c3, c1].forEach((colour, i) => this.thin.add(at, way.setFromMatrixColumn(pose, i), 1.4 * this.pixel(at), long, colour));
    });
  }

  /* Line springs as coils. */
  #coils() {
    for (const { told, drawn } of this.springs) {
      const a = this.bodies.pointOf(told.bodies[0], told.from), b = this.bodies.pointOf(told.bodies[1], told.to), way = new Vector3().subVectors(b, a);
      const length = way.length(), r = 0.012 * this.size, at = drawn.geometry.attributes.position;
      const side = new Vector3(Math.abs(way.x) < 0.8 * length ? 1 : 0, Math.abs(way.x) < 0.8 * length ? 0 : 1, 0).cross(way).normalize(), other = new Vector3().crossVectors(way, side).normalize();
      for (let i = 0; i <= COIL_POINTS; i++) {
        const part = i / COIL_POINTS, wide = part < 0.08 || part > 0.92 ? 0 : r, angle = 2 * Math.PI * COILS * part, p = a.clone().addScaledVector(way, part);
        if (length > 0) p.addScaledVector(side, wide * Math.cos(angle)).addScaledVector(other, wide * Math.sin(angle));
        at.setXYZ(i, p.x, p.y, p.z);
      }
      at.needsUpdate = true;
    }
  }

  /* Where places of contact slipped until now. */
  #trail(t) {
    if (this.options.trails && !this.trails) {
      const { points, upTo } = slipTrails(this.recording, 0.15 * this.size);
      this.trails = line(points, new LineBasicMaterial({ transparent: true, opacity: 0.8 }));
      this.trails.renderOrder = 2;
      this.upTo = upTo;
      this.trails.material.color.copy(this.colours.slip);
      this.group.add(this.trails);
    }
    if (!this.trails) return;
    this.trails.visible = this.options.trails;
    const row = Math.floor(this.recording.rowAt(t) / this.recording.contactStride);
    this.trails.geometry.setDrawRange(0, 2 * (this.upTo[Math.min(row, this.upTo.length - 1)] ?? 0));
  }

  /* Live pages: there are other rows. */
  renew() {
    if (this.trails) { this.group.remove(this.trails); this.trails.geometry.dispose(); this.trails = null; }
    if (this.path) this.follow(this.followed);
  }

  /* The path of a body's centre of mass, all rows; -1: of none. */
  follow(body) {
    this.followed = body;
    if (this.path) { this.group.remove(this.path, this.rest); this.path.geometry.dispose(); this.path = this.rest = null; }
    if (body < 0 || this.recording.bodies[body].kind === 'fixed') return;
    const rows = this.recording.rows, points = new Float32Array(3 * rows), position = [0, 0, 0], turn = [0, 0, 0, 1];
    for (let row = 0; row < rows; row++) {
      this.recording.pose(body, this.recording.time[row], position, turn);
      points.set(position, 3 * row);
    }
    this.path = line(points, new LineBasicMaterial({ color: new Color(this.colours.accent) }), false);
    this.rest = new Line(this.path.geometry.clone(), new LineBasicMaterial({ color: new Color(this.colours.accent), transparent: true, opacity: 0.25 }));
    this.rest.frustumCulled = false;
    this.group.add(this.path, this.rest);
  }
  #way(t) {
    if (!this.path) return;
    this.path.visible = this.rest.visible = this.options.path;
    this.path.geometry.setDrawRange(0, this.recording.rowAt(t) + 1);
  }
}

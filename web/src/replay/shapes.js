/* shapes.js: every kind of shape as triangles of unit size, so that many of a kind are drawn at once. z is the shape's axis.
 * Without a page: node can ask it too. */
import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, Float32BufferAttribute, LatheGeometry, OctahedronGeometry,
  ShapeUtils, SphereGeometry, TorusGeometry, Vector2 } from 'three';
import { quadricSurface, smoothProfile } from './surfaces.js';

const SHADE = 0.8; /* of every other quarter of what is round, so that one sees it roll */

/* Quarters about the axis, by turns lighter and darker. */
function quartered(geometry) {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry, at = flat.attributes.position, colours = new Float32Array(3 * at.count);
  for (let i = 0; i < at.count; i += 3) {
    const x = at.getX(i) + at.getX(i + 1) + at.getX(i + 2), y = at.getY(i) + at.getY(i + 1) + at.getY(i + 2);
    colours.fill(x * y >= 0 ? 1 : SHADE, 3 * i, 3 * i + 9);
  }
  flat.setAttribute('color', new BufferAttribute(colours, 3));
  return flat;
}

const upright = (geometry) => geometry.rotateX(Math.PI / 2); /* three's axis is y */

function fromMesh({ positions, normals, triangles }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new Float32BufferAttribute(normals, 3));
  geometry.setIndex(triangles);
  return geometry;
}

/* Walls and two flat ends of a closed profile. */
function extrude(points, length) {
  const curve = smoothProfile(points, true).map(([x, y]) => new Vector2(x, y));
  if (ShapeUtils.isClockWise(curve)) curve.reverse();
  const n = curve.length, h = length / 2, positions = [], normals = [], triangles = [];
  for (let i = 0; i < n; i++) {
    const p = curve[i], way = new Vector2().subVectors(curve[(i + 1) % n], curve[(i + n - 1) % n]).normalize();
    positions.push(p.x, p.y, -h, p.x, p.y, h);
    normals.push(way.y, -way.x, 0, way.y, -way.x, 0);
    const a = 2 * i, b = 2 * ((i + 1) % n);
    triangles.push(a, b, b + 1, a, b + 1, a + 1);
  }
  for (const side of [-1, 1]) {
    const first = positions.length / 3;
    for (const p of curve) { positions.push(p.x, p.y, side * h); normals.push(0, 0, side); }
    for (const [a, b, c] of ShapeUtils.triangulateShape(curve, [])) triangles.push(...(side > 0 ? [a, b, c] : [a, c, b]).map((v) => first + v));
  }
  return fromMesh({ positions, normals, triangles });
}

/* What a mesh of a shape is made of: `key` tells equal ones, `scale` stretches it to size, `wall`: seen from inside.
 * around: {min, max: in the shape's axes, size: m} of the scene; fine: 0 or 1. null: planes are drawn otherwise. */
const MAKERS = {
  point: (s, around) => ({ key: 'dot', scale: Array(3).fill(0.006 * around.size), make: () => new SphereGeometry(1, 12, 8) }),
  sphere: (s, around, fine) => ({ key: 'sphere', scale: Array(3).fill(s.radius), make: () => ball(fine) }),
  ellipsoid: (s, around, fine) => ({ key: 'sphere', scale: s.size, make: () => ball(fine) }),
  bowl: (s) => ({ key: 'bowl', scale: s.size, wall: true, make: () => upright(new SphereGeometry(1, 48, 32)) }),
  box: (s) => ({ key: 'box', scale: s.size, make: () => new BoxGeometry(1, 1, 1) }),
  cylinder: (s) => ({ key: 'cylinder', scale: [s.radius, s.radius, s.length], make: () => quartered(upright(new CylinderGeometry(1, 1, 1, 48))) }),
  disc: (s) => ({ key: 'cylinder', scale: [s.radius, s.radius, 0.02 * s.radius], make: () => quartered(upright(new CylinderGeometry(1, 1, 1, 48))) }),
  tube: (s) => ({ key: 'tube', scale: [s.radius, s.radius, s.length], wall: true, make: () => upright(new CylinderGeometry(1, 1, 1, 64, 1, true)) }),
  capsule: (s) => ({ key: `capsule ${s.length / s.radius}`, scale: Array(3).fill(s.radius),
    make: () => quartered(upright(new CapsuleGeometry(1, s.length / s.radius, 8, 24))) }),
  torus: (s) => ({ key: `torus ${s.radius / s.ring_radius}`, scale: Array(3).fill(s.ring_radius),
    make: () => quartered(new TorusGeometry(1, s.radius / s.ring_radius, 20, 64)) }),
  groove: (s) => ({ key: `groove ${s.radius / s.ring_radius}`, scale: Array(3).fill(s.ring_radius), wall: true,
    make: () => new TorusGeometry(1, s.radius / s.ring_radius, 24, 96) }),
  quadric: (s, around) => ({ key: `quadric ${s.quadric} ${around.min.toArray()}`, scale: [1, 1, 1], open: true,
    make: () => fromMesh(quadricSurface(s.quadric, around.min.toArray(), around.max.toArray())) }),
  extrusion: (s) => ({ key: `extrusion ${s.length} ${s.points}`, scale: [1, 1, 1], make: () => extrude(s.points, s.length) }),
  revolution: (s) => ({ key: `revolution ${s.points}`, scale: [1, 1, 1], open: true,
    make: () => quartered(upright(new LatheGeometry(smoothProfile(s.points, false).map(([r, z]) => new Vector2(r, z)), 64))) }),
  function: (s, around) => ({ key: 'unknown', scale: Array(3).fill(0.02 * around.size), make: () => new OctahedronGeometry(1) }),
  plane: () => null,
};

function ball(fine) { return quartered(upright(new SphereGeometry(1, fine ? 32 : 16, fine ? 24 : 10))); }

/* A kind of shape that this page does not know is drawn as a marker, as a function is. */
export function shapeMesh(shape, around, fine = 1) { return (MAKERS[shape.kind] ?? MAKERS.function)(shape, around, fine); }

/* A stick from a to b, of radius r: the unit cylinder from 0 to 1 along z. */
export function stick(a, b, r) {
  return { key: 'stick', scale: [r, r, a.distanceTo(b)], make: () => new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5) };
}

/* figure.js: drawings as trees of nodes, from which both text (SVG files, fit for a paper) and elements of the page are made. No DOM here. */
import { axisOf } from './ticks.js';
import { thin } from './series.js';

/* node('line', {x1: 0}, child, 'text'): a part of a drawing. */
export const node = (tag, attributes = {}, ...children) => ({ tag, attributes, children: children.flat(3).filter((c) => c !== null && c !== undefined) });

const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const told = (value) => (typeof value === 'number' ? String(Math.round(value * 100) / 100) : escaped(value));

/* The drawing as a file. */
export function toText(part) {
  if (typeof part === 'string') return escaped(part);
  const attributes = Object.entries(part.attributes).filter(([, v]) => v !== null && v !== undefined && v !== false).map(([k, v]) => ` ${k}="${told(v)}"`).join('');
  return part.children.length ? `<${part.tag}${attributes}>${part.children.map(toText).join('')}</${part.tag}>` : `<${part.tag}${attributes}/>`;
}
export const svgFile = (drawing) => `<?xml version="1.0" encoding="UTF-8"?>\n${toText(drawing)}\n`;

/* Colours on white paper, those of style.css in its light form. */
export const PRINT = {
  ink: '#1b1f24', soft: '#57606a', line: '#d0d7de', paper: '#ffffff',
  c1: '#0072b2', c2: '#d55e00', c3: '#009e73', c4: '#cc79a7', c5: '#e69f00', c6: '#56b4e9', c7: '#8c7000', c8: '#555555',
};
const GAP = Math.PI / 6;   /* of a turn, without rows, over which no line is drawn */
const FONT = 'Helvetica, Arial, sans-serif';

/* A colour mixed with another, #rrggbb. */
export function mixed(colour, other, share) {
  const parts = (c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16));
  const [a, b] = [parts(colour), parts(other)];
  return `#${a.map((v, i) => Math.round(share * v + (1 - share) * b[i]).toString(16).padStart(2, '0')).join('')}`;
}

/* Where a value stands on an axis of so many px. */
export function placer(min, max, from, to, log) {
  const f = log ? Math.log10 : (v) => v;
  const low = f(min), span = f(max) - low || 1;
  return (v) => from + ((f(v) - low) / span) * (to - from);
}

const text = (x, y, anchor, colour, words, more = {}) => node('text', { x, y, 'text-anchor': anchor, fill: colour, ...more }, words);

/* Frame, grid, ticks and units of both axes. */
function axes(box, x, y, colours) {
  const parts = [];
  x.axis.ticks.forEach((tick, i) => {
    const at = x.place(tick);
    parts.push(node('line', { x1: at, x2: at, y1: box.top, y2: box.bottom, stroke: colours.line, 'stroke-width': 0.5 }),
      text(at, box.bottom + 13, 'middle', colours.ink, x.axis.texts[i]));
  });
  y.axis.ticks.forEach((tick, i) => {
    const at = y.place(tick);
    parts.push(node('line', { x1: box.left, x2: box.right, y1: at, y2: at, stroke: colours.line, 'stroke-width': 0.5 }),
      text(box.left - 6, at + 3.5, 'end', colours.ink, y.axis.texts[i]));
  });
  parts.push(node('path', { d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`, fill: 'none', stroke: colours.soft }));
  const name = (axis) => (axis.label && axis.axis.unit ? `${axis.label} (${axis.axis.unit})` : axis.label || axis.axis.unit);
  parts.push(text((box.left + box.right) / 2, box.bottom + 29, 'middle', colours.ink, name(x)),
    text(box.left - 6, box.top - 8, 'start', colours.ink, name(y), { dx: -box.left + 10 }));
  return parts;
}

/* The path of a curve through rows that are numbers; gaps break it. */
export function pathOf(curve, x, y, width) {
  const { from = 0, to = curve.x.length } = curve;
  const rows = curve.wild ? evenly(from, to, 4000) : thin(curve.y, from, to, Math.ceil(width / 2));
  let d = '', pen = false, last = null;
  for (const row of rows) {
    const v = curve.y[row], u = curve.x[row];
    if (v === undefined) continue;
    if (v === null || !Number.isFinite(v) || !Number.isFinite(u) || (y.log && v <= 0)) { pen = false; continue; }
    const px = x.place(u), py = y.place(v);
    if (curve.steps && pen) d += `H${told(px)}`;
    d += `${pen ? 'L' : 'M'}${told(px)} ${told(py)}`;
    pen = true;
    last = px;
  }
  if (curve.area && last !== null) d += `L${told(last)} ${told(y.place(0))}L${told(x.place(curve.x[rows[0]]))} ${told(y.place(0))}Z`;
  return d;
}

/* At most so many rows, evenly: for curves whose x goes to and fro. */
function evenly(from, to, most) {
  const every = Math.max(1, (to - from) / most);
  return Array.from({ length: Math.floor((to - from) / every) }, (_, i) => from + Math.floor(i * every));
}

const dashes = ({ dash }) => (dash?.length ? dash.join(' ') : null);

function drawn(curve, x, y, box, colours) {
  const stroke = colours[curve.colour] ?? curve.colour;
  if (curve.points) {
    const look = curve.filled ? { fill: stroke, 'fill-opacity': 0.5 } : { fill: 'none' };
    const rows = evenly(0, curve.x.length, 4000).filter((r) => Number.isFinite(curve.x[r]) && Number.isFinite(curve.y[r]) && (!y.log || curve.y[r] > 0));
    return rows.filter((r) => curve.x[r] >= x.min && curve.x[r] <= x.max)
      .map((r) => node('circle', { cx: x.place(curve.x[r]), cy: y.place(curve.y[r]), r: curve.radius ?? 2.5, stroke, ...look }));
  }
  return [node('path', {
    d: pathOf(curve, x, y, box.right - box.left), fill: curve.area ? mixed(stroke, colours.paper, 0.45) : 'none', stroke, 'stroke-width': curve.width ?? 1.3,
    'stroke-dasharray': dashes(curve), 'stroke-linejoin': 'round',
  })];
}

/* Swatches and names below, in as many lines as they need. */
function legend(curves, box, y, colours) {
  const parts = [];
  let x = box.left, line = 0;
  for (const curve of curves.filter((c) => c.label)) {
    const wide = 32 + 5.8 * curve.label.length;
    if (x > box.left && x + wide > box.right + 10) { x = box.left; line++; }
    const at = y + 15 * line, stroke = colours[curve.colour] ?? curve.colour, thick = { 'stroke-width': curve.area ? 6 : 1.8, 'stroke-dasharray': dashes(curve) };
    parts.push(curve.points ? node('circle', { cx: x + 9, cy: at - 4, r: 2.5, fill: 'none', stroke })
      : node('line', { x1: x, x2: x + 18, y1: at - 4, y2: at - 4, stroke, ...thick }),
    text(x + 23, at, 'start', colours.ink, curve.label));
    x += wide;
  }
  return { parts, height: parts.length ? 15 * (line + 1) : 0 };
}

/* A drawing of so many px, on paper of a colour, or none. */
function sheet(width, height, title, paper, ...parts) {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return node('svg', { xmlns: 'http://www.w3.org/2000/svg', ...size, 'font-family': FONT, 'font-size': 11, role: 'img', 'aria-label': title },
    paper && node('rect', { width, height, fill: paper }), ...parts);
}

/* A drawing of curves over x: {width, height (px), title, x: {label, unit, min, max, log}, y: the same, curves: [{label, colour (name in PRINT),
 * x, y, from, to, dash, width, area, points, steps, wild: x goes to and fro}], legend: bool}. */
export function figure(spec, colours = PRINT) {
  const { width = 480, height = 260 } = spec;
  const box = { left: 58, right: width - 14, top: 26, bottom: height - 36 };
  const axisFor = (told_, from, to, count) => ({
    ...told_, axis: axisOf(told_.min, told_.max, count, told_.unit, told_.log), place: placer(told_.min, told_.max, from, to, told_.log),
  });
  const x = axisFor(spec.x, box.left, box.right, Math.max(2, Math.floor((box.right - box.left) / 70)));
  const y = axisFor(spec.y, box.bottom, box.top, Math.max(2, Math.floor((box.bottom - box.top) / 34)));
  if (spec.y.texts) y.axis = { ...y.axis, ticks: spec.y.ticks, texts: spec.y.texts };
  const below = spec.legend === false ? { parts: [], height: 0 } : legend(spec.curves, box, height + 10, colours);
  const whole = height + (below.height ? below.height + 6 : 0), clip = `c${spec.id ?? 0}`;
  return sheet(width, whole, spec.title, spec.bare ? null : colours.paper,
    node('clipPath', { id: clip }, node('rect', { x: box.left, y: box.top - 2, width: box.right - box.left, height: box.bottom - box.top + 4 })),
    axes(box, x, y, colours),
    node('g', { 'clip-path': `url(#${clip})` }, spec.curves.flatMap((curve) => drawn(curve, x, y, box, colours)),
      spec.cursor ? node('circle', { class: 'now', r: 4, cx: -9, cy: -9, fill: colours.ink }) : null),
    below.parts);
}

/* The same places as in figure(), for whoever puts a mark into it. */
export function figurePlaces(spec) {
  const { width = 480, height = 260 } = spec;
  return { x: placer(spec.x.min, spec.x.max, 58, width - 14, spec.x.log), y: placer(spec.y.min, spec.y.max, height - 36, 26, spec.y.log) };
}

/* Parts of a turn that follow each other without a gap. */
function arcsOf(bins, there) {
  const arcs = [];
  there.forEach((k, i) => {
    if (i && bins.angle[k] - bins.angle[there[i - 1]] < GAP) arcs[arcs.length - 1].push(k);
    else arcs.push([k]);
  });
  return arcs;
}

/* Values around a turn: a band between smallest and largest of each part, their mean, rings with ticks, spokes every 30 degrees.
 * {size (px), title, unit, bins (bins.js)}. A ring stands at nought where there are values below it. */
export function polarFigure({ size = 360, title, unit, bins, bare, colour = 'c1' }, colours = PRINT) {
  const middle = size / 2, outer = middle - 34;
  const finite = (a) => Array.from(a).filter(Number.isFinite);
  const low = Math.min(0, ...finite(bins.min)), most = Math.max(0, ...finite(bins.max)), high = most > low ? most : 1; /* all nought: a ring at 1 */
  const axis = axisOf(low, high, 4, unit), far = Math.max(high, axis.ticks[axis.ticks.length - 1]), near = Math.min(low, axis.ticks[0]);
  const radius = placer(near, far, near < 0 ? outer * 0.12 : 0, outer, false);
  const at = (angle, r) => `${told(middle + r * Math.cos(angle))} ${told(middle - r * Math.sin(angle))}`;
  const there = [...bins.rows.keys()].filter((k) => bins.rows[k] > 0);
  const loop = (values, order) => order.map((k) => at(bins.angle[k], radius(values[k])));
  const stroke = colours[colour];
  const rings = axis.ticks.map((tick, i) => [
    node('circle', { cx: middle, cy: middle, r: radius(tick), fill: 'none', stroke: tick === 0 && low < 0 ? colours.soft : colours.line }),
    text(middle + 4, middle - radius(tick) - 3, 'start', colours.soft, axis.texts[i], { 'paint-order': 'stroke', stroke: colours.paper, 'stroke-width': 3 })]);
  const spokes = Array.from({ length: 12 }, (_, i) => {
    const angle = (i * Math.PI) / 6, [x1, y1] = at(angle, 0).split(' '), [x2, y2] = at(angle, outer).split(' '), [tx, ty] = at(angle, outer + 16).split(' ');
    return [node('line', { x1, y1, x2, y2, stroke: colours.line, 'stroke-width': 0.5 }), text(tx, Number(ty) + 4, 'middle', colours.ink, `${30 * i}\u00b0`)];
  });
  const arcs = arcsOf(bins, there), whole = arcs.length === 1 && bins.angle[there[0]] + 2 * Math.PI - bins.angle[there[there.length - 1]] < GAP;
  const around = arcs.map((arc) => `M${loop(bins.max, arc).join('L')}${whole ? 'Z M' : 'L'}${loop(bins.min, [...arc].reverse()).join('L')}Z`).join('');
  const middles = arcs.map((arc) => `M${loop(bins.mean, arc).join('L')}${whole ? 'Z' : ''}`).join('');
  const band = node('path', { d: around, fill: stroke, 'fill-opacity': 0.25, 'fill-rule': 'evenodd' });
  return sheet(size, size, title, bare ? null : colours.paper, spokes, band,
    node('path', { d: middles, fill: 'none', stroke, 'stroke-width': 1.5, 'stroke-linejoin': 'round' }),
    rings, text(4, 12, 'start', colours.ink, axis.unit ? `${title} (${axis.unit})` : title));
}

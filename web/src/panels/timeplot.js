/* timeplot.js: curves over time, drawn by uPlot; their values at the moment looked at; the same as SVG. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { make, save } from '../elements.js';
import { number } from '../format.js';
import { colour, drawer, fileName, shownTime } from './context.js';
import { figure, mixed, PRINT, svgFile } from './figure.js';
import { rangeOf, rowsWithin, withGaps } from './series.js';
import { airy, axisOf, decades, linearTicks, tickTexts } from './ticks.js';
import { timeArea } from './timearea.js';

const FEW = 40;             /* rows: so few are marked one by one */
const LEFT = 62, TOP = 22, FONT = '11px system-ui, sans-serif';
export const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3]]; /* of the recordings, one after the other */

/* What is drawn: {unit, quantity: a word for the axis in print, log, zero: whether 0 must show, texts: {ticks, texts} instead of numbers,
 * tables: [{x, recording, curves: [{label, name, colour, y, dash, width, area, points, steps, told: what the legend shows instead of y}]}]}; without any
 * curve the title alone is shown. */

/* The range of all values that show. */
function heights(spec, { min, max }) {
  let low = Infinity, high = -Infinity;
  for (const { x, curves } of spec.tables) {
    const [from, to] = rowsWithin(x, min, max);
    for (const { y } of curves) {
      const range = rangeOf(spec.log ? withGaps(y.slice(from, to), true) : y, spec.log ? 0 : from, spec.log ? to - from : to);
      if (range) { low = Math.min(low, range[0]); high = Math.max(high, range[1]); }
    }
  }
  if (spec.texts) return [spec.texts.ticks[0] - 0.5, spec.texts.ticks[spec.texts.ticks.length - 1] + 0.5];
  if (spec.log) return decades(low, high);
  if (spec.zero && low === 0 && high === 0) return [0, 1];
  if (spec.zero && low <= high) { low = Math.min(0, low); high = Math.max(0, high); }
  return airy(low, high);
}

function dataOf(spec) {
  const tables = spec.tables.map(({ x, curves }) => [x, ...curves.map(({ y }) => withGaps(y, spec.log))]);
  return tables.length === 1 ? tables[0] : uPlot.join(tables);
}

function seriesOf(curve) {
  const stroke = colour(curve.colour);
  return {
    stroke, width: curve.points ? 0 : curve.width ?? 1.4, dash: curve.dash, spanGaps: false,
    fill: curve.area ? mixed(stroke, colour('panel'), 0.45) : undefined, fillTo: 0,
    paths: curve.points ? () => null : curve.steps ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear(),
    points: curve.points ? { show: true, size: curve.size ?? 6, stroke, fill: 'transparent' }
      : { show: (u, s, from, to) => to - from < FEW && !curve.area, size: 4, stroke, fill: stroke },
  };
}

/* Names of an axis need more room than numbers. */
const leftOf = ({ texts }) => (texts ? Math.max(LEFT, 14 + 6.2 * Math.max(...texts.texts.map((text) => text.length))) : LEFT);

function axesOf(spec) {
  const ink = colour('soft'), grid = { stroke: colour('line'), width: 0.5 };
  const common = { stroke: ink, grid, ticks: { show: false }, font: FONT };
  const y = (min, max, plot) => axisOf(min, max, Math.max(2, Math.floor(plot.bbox.height / devicePixelRatio / 26)), spec.unit, spec.log);
  return [
    {
      ...common, size: 24, gap: 4,
      splits: (u, i, min, max) => linearTicks(min, max, Math.max(2, u.bbox.width / devicePixelRatio / 65)), values: (u, ticks) => tickTexts(ticks),
    },
    {
      ...common, size: leftOf(spec), gap: 6,
      splits: (u, i, min, max) => spec.texts?.ticks ?? y(min, max, u).ticks,
      values: (u, ticks) => spec.texts?.texts ?? y(u.scales.y.min, u.scales.y.max, u).texts.slice(0, ticks.length),
    },
  ];
}

/* Units at the ends of both axes. */
function unitTexts(spec) {
  return (u) => {
    const { ctx } = u, scale = devicePixelRatio, axis = axisOf(u.scales.y.min, u.scales.y.max, 4, spec.unit, spec.log);
    ctx.save();
    ctx.font = `${11 * scale}px system-ui, sans-serif`;
    ctx.fillStyle = colour('soft');
    ctx.textAlign = 'right';
    ctx.textBaseline = 'alphabetic';
    ctx.fillText(spec.texts ? '' : axis.unit, u.bbox.left - 6 * scale, u.bbox.top - 11 * scale);
    ctx.fillText('time (s)', u.bbox.left + u.bbox.width, u.bbox.top - 11 * scale);
    ctx.restore();
  };
}

/* A plot with its legend: `specOf()` says what to draw, when it is drawn; null: nothing. Returns {element, ask, values, end}. */
export function timePlot(parent, context, { title, height = 170, specOf, saved = title }) {
  const keys = 'Arrow keys move the moment, plus and minus zoom, 0 shows all.';
  const holder = make('div', { class: 'timeplot', role: 'group', 'aria-label': `${title} over time. ${keys}` });
  const words = make('figcaption'), table = make('table', { class: 'curves' });
  const element = make('figure', { class: 'plot' }, words, table, holder);
  let plot = null, spec = null, update = () => {};
  parent.append(element);
  const area = timeArea(holder, context);
  const button = svgButton(context, title, saved, () => printed(title, spec ?? specOf(), shownTime(context)));

  function draw() {
    spec = specOf();
    element.hidden = spec === null;
    plot?.destroy();
    plot = null;
    if (spec === null) return;
    words.textContent = spec.title ?? '';
    update = fillLegend(table, context, spec);
    button.hidden = holder.hidden = !spec.tables.some(({ curves }) => curves.length);
    if (holder.hidden) return;
    const series = spec.tables.flatMap(({ curves }) => curves.map(seriesOf));
    plot = new uPlot({
      width: Math.max(200, holder.clientWidth), height, padding: [TOP, 12, 0, 0], legend: { show: false }, cursor: { show: false }, select: { show: false },
      scales: {
        x: { time: false, range: () => { const { min, max } = shownTime(context); return [min, max]; } },
        y: { distr: spec.log ? 3 : 1, range: () => heights(spec, shownTime(context)) },
      },
      series: [{}, ...series], axes: axesOf(spec), hooks: { draw: [unitTexts(spec)] },
    }, dataOf(spec), holder);
    const box = plot.bbox, scale = devicePixelRatio;
    area.set({ left: box.left / scale, top: box.top / scale, width: box.width / scale, height: box.height / scale });
    update();
  }
  element.prepend(button);
  const ask = drawer(context, element, draw);
  const move = drawer(context, element, () => { area.place(); update(); }, []);
  const stop = context.bus.time.follow(move);
  const zoom = drawer(context, element, () => { plot?.setScale('x', shownTime(context)); area.place(); }, [context.moves]);
  return {
    element, ask,
    values: () => ((spec ?? specOf())?.tables ?? []).flatMap((one) => one.curves.filter((c) => c.name).map((curve) => toldAt(context, one, curve))),
    end() { ask.end(); move.end(); zoom.end(); stop(); plot?.destroy(); element.remove(); },
  };
}

/* A button that saves what `drawn()` returns. */
export function svgButton(context, title, saved, drawn) {
  const name = `Save ${title} as SVG`;
  const onclick = () => save(`${fileName(context.page.title, saved)}.svg`, 'image/svg+xml', svgFile(drawn()));
  return make('button', { class: 'quiet', title: name, 'aria-label': name, onclick }, 'SVG');
}

/* The value of a curve in the row nearest to the moment: never one between rows. */
function toldAt(context, { x, recording }, curve) {
  const t = context.bus.time.value;
  let low = 0, high = x.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (x[middle] <= t) low = middle; else high = middle - 1; }
  const row = low + 1 < x.length && x[low + 1] - t < t - x[low] ? low + 1 : low;
  return { name: curve.name, recording: recording?.name ?? null, time: x[row], value: (curve.told ?? curve.y)[row] };
}

const lineOf = (curve) => make('tr', { title: curve.name ?? curve.label }, make('th', { scope: 'row' }, swatch(curve), curve.label));

/* Curves with the same label are one line of the legend, a column for each recording. Returns what puts the values in. */
function fillLegend(table, context, spec) {
  const several = spec.tables.filter(({ recording }) => recording).length > 1, lines = new Map(), cells = [];
  for (const one of spec.tables) {
    for (const curve of one.curves.filter(({ label }) => label)) {
      if (!lines.has(curve.label)) lines.set(curve.label, lineOf(curve));
      const cell = make('td');
      if (several && one.recording) cell.append(swatch(curve));
      const text = make('span');
      cell.append(text);
      lines.get(curve.label).append(cell);
      if (curve.name || curve.told || !curve.points) cells.push({ text, one, curve });
    }
  }
  const names = spec.tables.filter(({ recording }) => recording).map(({ recording }) => make('th', { scope: 'col' }, recording.name));
  table.replaceChildren(...(several ? [make('tr', {}, make('td'), ...names)] : []), ...lines.values());
  return () => {
    for (const { text, one, curve } of cells) {
      const { value } = toldAt(context, one, curve), names = spec.texts;
      const words = names ? names.texts[names.ticks.indexOf(value)] ?? number(value) : number(value);
      text.textContent = spec.unit === '1' || !spec.unit || names ? words : `${words} ${spec.unit}`;
    }
  };
}

export function swatch(curve) {
  const style = curve.points ? `border: 1.5px solid var(--${curve.colour}); border-radius: 50%; width: 7px; height: 7px`
    : curve.area ? `background: var(--${curve.colour}); height: 9px; opacity: .75`
      : `border-top: 2px ${curve.dash?.length ? (curve.dash[0] < 4 ? 'dotted' : 'dashed') : 'solid'} var(--${curve.colour})`;
  return make('i', { class: 'stroke', style, 'aria-hidden': 'true' });
}

/* The plot as a drawing for a paper: the window that shows, in the colours of white paper. */
function printed(title, spec, { min, max }) {
  const [low, high] = heights(spec, { min, max });
  const several = spec.tables.filter(({ recording }) => recording).length > 1;
  const curves = spec.tables.flatMap(({ x, recording, curves: all }) => {
    const [from, to] = rowsWithin(x, min, max);
    return all.map((curve) => ({ ...curve, x, from, to, label: curve.label && several && recording ? `${curve.label}, ${recording.name}` : curve.label }));
  });
  const y = { label: spec.quantity ?? '', unit: spec.unit, min: low, max: high, log: spec.log, ...spec.texts };
  return figure({ title, height: 240, x: { label: 'time', unit: 's', min, max }, y, curves }, PRINT);
}

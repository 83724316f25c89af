/* lanes.js: the lines of the timeline, painted: a colour and a pattern for each mode, its name where there is room. */
import { make } from '../elements.js';
import { colour } from './context.js';
import { endOf, MODES } from './intervals.js';
import { linearTicks, tickTexts } from './ticks.js';

export const LINE = 22;                 /* px of a line */
export const TALL = 38, NARROW = 480;   /* px: where there is little room, names stand above their bars */
const BAR = 14;                         /* px */

export function sized(canvas, width, height) {
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  return ctx;
}

/* A colour and a pattern for each mode, so that none is told by colour alone: stick plain, slip slanted lines, roll dots, mixed crossed lines. */
export function modeColours(ctx) {
  const marks = {
    stick: null,
    slip: (c) => { c.moveTo(-1, 7); c.lineTo(7, -1); c.moveTo(5, 7); c.lineTo(7, 5); c.moveTo(-1, 1); c.lineTo(1, -1); },
    roll: (c) => { c.moveTo(3.8, 3); c.arc(3, 3, 0.8, 0, 7); },
    mixed: (c) => { c.moveTo(-1, -1); c.lineTo(7, 7); c.moveTo(-1, 7); c.lineTo(7, -1); },
  };
  return MODES.map((mode) => {
    const plain = colour(mode === 'open' ? 'soft' : mode), mark = marks[mode];
    if (!mark) return { fill: plain };
    const tile = make('canvas', { width: 6, height: 6 }), c = tile.getContext('2d');
    c.fillStyle = plain;
    c.fillRect(0, 0, 6, 6);
    c.strokeStyle = colour('paper');
    c.lineWidth = mode === 'roll' ? 1.6 : 1.1;
    c.beginPath();
    mark(c);
    c.stroke();
    return { fill: ctx.createPattern(tile, 'repeat') };
  });
}

export function paintLine(ctx, time, line, { y, tall, left, width, window, colours, chosen }) {
  const x = (t) => left + ((t - window.min) / (window.max - window.min)) * width;
  if (chosen) { ctx.fillStyle = colour('line'); ctx.globalAlpha = 0.6; ctx.fillRect(0, y + LINE - tall, left + width + 12, tall); ctx.globalAlpha = 1; }
  ctx.fillStyle = colours[0].fill;
  ctx.globalAlpha = 0.5;
  ctx.fillRect(left, y + LINE / 2, width, 1);
  ctx.globalAlpha = 1;
  let painted = left;
  for (let k = 0; k < line.from.length; k++) {
    const a = Math.max(left, x(time[line.from[k]])), b = Math.min(left + width, x(endOf(time, line, k)));
    if (b < left || a > left + width) continue;
    if (b <= painted && b - a < 0.5) continue; /* within a pixel that is painted */
    ctx.fillStyle = colours[line.mode[k]].fill;
    ctx.fillRect(a, y + (LINE - BAR) / 2, Math.max(1, b - a), BAR);
    painted = b;
    if (b - a > 46) word(ctx, MODES[line.mode[k]], a + 4, y + LINE / 2);
  }
}

/* The name of a mode where there is room, on a plate so that it reads on any pattern. */
function word(ctx, text, x, y) {
  ctx.font = '10px system-ui, sans-serif';
  ctx.textBaseline = 'middle';
  const wide = ctx.measureText(text).width;
  ctx.fillStyle = colour('paper');
  ctx.fillRect(x, y - 6, wide + 6, 12);
  ctx.fillStyle = colour('ink');
  ctx.fillText(text, x + 3, y + 0.5);
}

export function paintAxis(canvas, { min, max }, { left, width, named }) {
  const ctx = sized(canvas, left + width + 12, 20);
  const ticks = linearTicks(min, max, Math.max(2, width / 80)), texts = tickTexts(ticks);
  ctx.font = '11px system-ui, sans-serif';
  ctx.fillStyle = colour('soft');
  ctx.textAlign = 'center';
  ctx.textBaseline = 'top';
  ticks.forEach((tick, i) => ctx.fillText(texts[i], left + ((tick - min) / (max - min)) * width, 5));
  ctx.textAlign = 'left';
  if (named) ctx.fillText('time (s)', 0, 5);
}

/* ticks.js: where an axis has its ticks, and what stands beside them. Numbers of one axis share a power of ten in steps of three,
 * so that they stay short: 10^-3 m beside the axis and 0, 5, 10 at its ticks. No DOM here. */

const SMALL = 0.01, LARGE = 1e4; /* numbers between them are read without a power of ten */
const RAISED = { '-': '\u207b', 0: '\u2070', 1: '\u00b9', 2: '\u00b2', 3: '\u00b3', 4: '\u2074', 5: '\u2075', 6: '\u2076', 7: '\u2077', 8: '\u2078', 9: '\u2079' };

/* 10 ** k is off by a rounding for some k; the decimal is not. */
const power10 = (k) => Number(`1e${k}`);

/* 10 to the power n, as people write it. */
export function tenTo(n) {
  return `10${[...String(n)].map((c) => RAISED[c]).join('')}`;
}

/* The distance of about `count` ticks over a span: 1, 2 or 5 times a power of ten. */
export function tickStep(span, count) {
  const raw = (span / Math.max(1, count)) * (1 - 1e-9); /* a span of whole steps has them, whatever its rounding */
  const power = power10(Math.floor(Math.log10(raw))), lead = raw / power;
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}

/* Ticks from min to max, as whole multiples of their distance so that rounding does not add up. */
export function linearTicks(min, max, count) {
  const span = max - min;
  if (!(span > 0) || !Number.isFinite(span)) return Number.isFinite(min) ? [min] : [];
  const step = tickStep(span, count), ticks = [];
  for (let k = Math.ceil(min / step - 1e-9); k * step <= max + 1e-9 * step && ticks.length < 100; k++) ticks.push(k === 0 ? 0 : k * step);
  return ticks;
}

/* The power of ten, a multiple of three, that an axis is told in; 0: none. */
export function axisPower(min, max) {
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (!(size > 0) || !Number.isFinite(size) || (size >= SMALL && size < LARGE)) return 0;
  return 3 * Math.floor(Math.log10(size) / 3);
}

/* Texts of ticks: as many digits as tell them apart. */
export function tickTexts(ticks, power = 0) {
  const told = ticks.map((tick) => tick / power10(power));
  const apart = told.length > 1 ? Math.abs(told[1] - told[0]) : Math.abs(told[0]) || 1;
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(apart) + 1e-9)));
  return told.map((tick) => tick.toFixed(digits).replace(/^-/, '\u2212').replace(/^\u2212(0(?:\.0*)?)$/, '$1'));
}

/* Decades from min to max, few enough to be read. */
export function logTicks(min, max, count) {
  const low = Math.ceil(Math.log10(min) - 1e-9), high = Math.floor(Math.log10(max) + 1e-9);
  const every = Math.max(1, Math.ceil((high - low + 1) / Math.max(1, count)));
  const ticks = [];
  for (let k = Math.ceil(low / every) * every; k <= high; k += every) ticks.push(power10(k));
  return ticks;
}
export const logTexts = (ticks) => ticks.map((tick) => tenTo(Math.round(Math.log10(tick))));

/* A unit with its power of ten: "10^-3 m"; "1" is no unit. */
export function unitText(unit, power = 0) {
  const plain = unit && unit !== '1' ? unit : '';
  return power === 0 ? plain : `${tenTo(power)}${plain ? ` ${plain}` : ''}`;
}

/* A range that leaves some air around the values, and is never empty. */
export function airy(min, max, share = 0.06) {
  if (!(min <= max)) return [0, 1];
  const span = max - min;
  if (span > Math.abs(max) * 1e-7) return [min - share * span, max + share * span]; /* values are float32 */
  const half = Math.abs(max) > 0 ? 0.1 * Math.abs(max) : 1;
  return [min - half, max + half];
}

/* A range of decades around positive values. */
export function decades(min, max) {
  if (!(min > 0)) return [1e-16, 1];
  const low = power10(Math.floor(Math.log10(min))), high = power10(Math.ceil(Math.log10(max)));
  return low < high ? [low, high] : [low / 10, high * 10];
}

/* All that an axis needs: ticks, their texts, and the unit beside them. */
export function axisOf(min, max, count, unit, log = false) {
  if (log) {
    const ticks = logTicks(min, max, count);
    return { ticks, texts: logTexts(ticks), unit: unitText(unit) };
  }
  const ticks = linearTicks(min, max, count), power = axisPower(min, max);
  return { ticks, texts: tickTexts(ticks, power), unit: unitText(unit, power) };
}

/* format.js: numbers as people read them. */

/* Six digits, powers of ten in steps of three where they are needed: 0.00123, 12.3e6. */
export function number(value, digits = 6) {
  if (value === null || value === undefined || Number.isNaN(value)) return '\u2013';
  if (!Number.isFinite(value)) return value > 0 ? '\u221e' : '\u2212\u221e';
  if (value === 0) return '0';
  const size = Math.abs(value);
  let text;
  if (size >= 1e-3 && size < 1e6) text = String(Number(value.toPrecision(digits)));
  else {
    const power = 3 * Math.floor(Math.log10(size) / 3);
    text = `${Number((value / 10 ** power).toPrecision(digits))}e${power}`;
  }
  return text.replace('-', '\u2212').replace('e-', 'e\u2212');
}

export function withUnit(value, unit, digits = 6) {
  return unit && unit !== '1' ? `${number(value, digits)} ${unit}` : number(value, digits);
}

/* A moment: as many digits as the rows are apart. */
export function moment(t, apart) {
  const digits = apart > 0 ? Math.min(9, Math.max(0, Math.ceil(-Math.log10(apart) + 1e-9))) : 3;
  return `${t.toFixed(digits)} s`;
}

/* csv.js: reference points are read, and what is shown is written, as tables with commas. No DOM here. */

/* Cells of a line; those in quotes may hold the separator, and two quotes for one. */
function cells(line, separator) {
  const all = [];
  let cell = '', quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quoted && c === '"' && line[i + 1] === '"') { cell += '"'; i++; }
    else if (c === '"') quoted = !quoted;
    else if (c === separator && !quoted) { all.push(cell.trim()); cell = ''; }
    else cell += c;
  }
  return [...all, cell.trim()];
}

const separatorOf = (line) => [';', '\t', ','].find((s) => line.includes(s)) ?? ',';

/* "hinge.force.z[N]" or "force (N)" -> name and unit. */
export function nameAndUnit(text) {
  const found = /^(.*?)\s*[[(]([^\])]*)[\])]\s*$/.exec(text);
  return found ? { name: found[1], unit: found[2] } : { name: text, unit: null };
}

function numberOf(text, comma) {
  const plain = comma ? text.replace(',', '.') : text;
  return plain === '' ? NaN : Number(plain);
}

/* Reference points: the first column is time in s, the header names the others. Returns {columns: [{name, unit, x, y}]} or
 * {error: a sentence}. Empty cells are left out; what else is no number is refused with its line. */
export function readPoints(text) {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/).map((line, i) => ({ line, at: i + 1 }))
    .filter(({ line }) => line.trim() && !line.startsWith('#'));
  if (lines.length < 2) return { error: 'The file holds no points: a header and at least one line of numbers are needed, time first.' };
  const separator = separatorOf(lines[0].line), comma = separator === ';';
  const head = cells(lines[0].line, separator);
  if (head.length < 2) return { error: `Line ${lines[0].at} has one column, but time and at least one quantity are needed, parted by commas.` };
  if (head.every((name) => Number.isFinite(numberOf(name, comma)))) {
    return { error: `Line ${lines[0].at} holds numbers, but a header must come first, such as "time,wheel.position.x[m]".` };
  }
  const columns = head.slice(1).map((name) => ({ ...nameAndUnit(name), x: [], y: [] }));
  for (const { line, at } of lines.slice(1)) {
    const row = cells(line, separator);
    if (row.length !== head.length) return { error: `Line ${at} has ${row.length} columns, the header ${head.length}.` };
    const t = numberOf(row[0], comma);
    if (!Number.isFinite(t)) return { error: `Line ${at} begins with "${row[0]}", which is no time in seconds.` };
    for (let c = 0; c < columns.length; c++) {
      if (row[c + 1] === '') continue;
      const y = numberOf(row[c + 1], comma);
      if (!Number.isFinite(y)) return { error: `Line ${at}, column ${c + 2} holds "${row[c + 1]}", which is no number.` };
      columns[c].x.push(t);
      columns[c].y.push(y);
    }
  }
  for (const column of columns) sortPoints(column);
  return { columns: columns.filter((column) => column.x.length) };
}

/* By time, one value at a time: the plots need times that ascend. */
function sortPoints(column) {
  const order = column.x.map((_, i) => i).sort((a, b) => column.x[a] - column.x[b]);
  column.y = order.map((i) => column.y[i]);
  column.x = order.map((i) => column.x[i]);
}

/* The shortest decimal that reads back as the same number of single precision. */
export function single(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) || value === undefined || value === null ? '' : value > 0 ? 'inf' : '-inf';
  for (let digits = 6; digits < 9; digits++) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === Math.fround(value)) return text;
  }
  return String(Number(value.toPrecision(9)));
}

const quoted = (text) => (/[",\n;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/* Groups of columns side by side, each with a time of its own: [{time, columns: [{head, values}]}] with rows [from, to). */
export function writeTable(groups) {
  const head = groups.flatMap((g) => [g.head, ...g.columns.map((column) => column.head)]).map(quoted).join(',');
  const rows = Math.max(0, ...groups.map((g) => g.to - g.from)), lines = [head];
  for (let i = 0; i < rows; i++) {
    lines.push(groups.flatMap((g) => {
      const row = g.from + i;
      if (row >= g.to) return ['', ...g.columns.map(() => '')];
      return [String(g.time[row]), ...g.columns.map((column) => single(column.values[row]))];
    }).join(','));
  }
  return `${lines.join('\n')}\n`;
}

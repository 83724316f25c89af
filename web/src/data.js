/* data.js: what the page shows, as bristle wrote it behind the page. README.md beside this folder tells the format. */

const BYTES = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, u8: Uint8Array };

/* Numbers stand as base64 in one text; each array is decoded when it is first asked for. */
class Numbers {
  #text;
  #known = new Map();
  constructor(text) { this.#text = text; }
  read(reference) {
    if (!reference) return null;
    if (reference.view) return reference.view(); /* of a live page: what there is by now */
    let array = this.#known.get(reference.at);
    if (!array) {
      const bytes = atob(this.#text.substr(reference.at, reference.chars));
      const raw = new Uint8Array(bytes.length);
      for (let i = 0; i < bytes.length; i++) raw[i] = bytes.charCodeAt(i);
      array = new BYTES[reference.type](raw.buffer, 0, reference.count);
      this.#known.set(reference.at, array);
    }
    return array;
  }
}

const AXES = { 1: [''], 3: ['x', 'y', 'z'], 9: ['xx', 'xy', 'xz', 'yx', 'yy', 'yz', 'zx', 'zy', 'zz'] };

/* A quantity over the rows: `width` numbers a row. */
class Channel {
  constructor(told, read) {
    Object.assign(this, { name: told.name, unit: told.unit, help: told.help, width: told.width, stats: told.stats ?? null });
    this.read = read;
  }
  get values() { return this.read(); }
  get components() { return AXES[this.width] ?? Array.from({ length: this.width }, (_, i) => String(i)); }
  /* One component as an array of its own. */
  column(component) {
    const all = this.values;
    if (this.width === 1) return all;
    const one = new Float32Array(all.length / this.width);
    for (let row = 0; row < one.length; row++) one[row] = all[row * this.width + component];
    return one;
  }
}

/* Lines of the table of pairs or of places: in row r those from start[r] to start[r + 1]. */
class Table {
  constructor(told, numbers) {
    this.told = new Map(told.columns.map((column) => [column.name, column]));
    this.numbers = numbers;
    this.read(told);
  }
  read(told) {
    this.start = this.numbers.read(told.start);
    this.pair = this.numbers.read(told.pair);
    this.number = this.numbers.read(told.number);
  }
  column(name) {
    const told = this.told.get(name);
    return told ? this.numbers.read(told.data) : null;
  }
}

export class Recording {
  constructor(told, numbers) {
    this.told = told;
    this.name = told.name;
    this.numbers = numbers;
    this.version = 0; /* counts changes of live pages */
    this.time = numbers.read(told.time);
    this.bodies = told.bodies;
    this.joints = told.joints;
    this.channels = new Map();
    for (const channel of told.channels) this.#add(channel, () => numbers.read(channel.data));
    for (const body of told.bodies) {
      if (body.orientation) this.#add(rotationOf(body), () => matrices(numbers.read(body.orientation)));
    }
    this.pairs = told.contacts?.pairs ?? [];
    this.contactStride = told.contacts?.stride ?? 1;
    this.pairTable = told.contacts ? new Table(told.contacts.tables.pairs, numbers) : null;
    this.placeTable = told.contacts ? new Table(told.contacts.tables.places, numbers) : null;
    this.pairs.forEach((pair, p) => this.#addPair(p));
  }

  /* Live pages: rows have come or gone. */
  renew() {
    this.version++;
    this.time = this.numbers.read(this.told.time);
    this.pairTable?.read(this.told.contacts.tables.pairs);
    this.placeTable?.read(this.told.contacts.tables.places);
  }
  /* The same: another run begins, whose pairs are yet to come. */
  forget() {
    for (const channel of this.channels.values()) channel.stats = null;
    for (const pair of this.pairs) for (const { name } of this.told.contacts.tables.pairs.columns) this.channels.delete(`contacts.${pair.name}.${name}`);
    this.pairs.length = 0;
  }
  /* The same: the pair with this number, if it is new. */
  addPair(number, pair) {
    if (number < this.pairs.length) return;
    this.pairs[number] = pair;
    this.#addPair(number);
  }

  get rows() { return this.time.length; }
  get first() { return this.time[0]; }
  get last() { return this.time[this.rows - 1]; }

  /* The last row that is not behind t. */
  rowAt(t) {
    let low = 0, high = this.rows - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t) low = middle; else high = middle - 1;
    }
    return low;
  }
  /* The row nearest to t. */
  rowNear(t) {
    const row = this.rowAt(t);
    return row + 1 < this.rows && this.time[row + 1] - t < t - this.time[row] ? row + 1 : row;
  }
  channel(name) { return this.channels.get(name) ?? null; }

  /* Channels with all words of the text in their name, unit or help. */
  find(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return [...this.channels.values()].filter((c) => {
      const all = `${c.name} ${c.unit} ${c.help}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
  }

  /* Centre of mass (m, world) and orientation (x, y, z, w: body to world) of a body in a row, or between two rows. */
  pose(body, t, position, orientation) {
    const told = this.bodies[body];
    const place = told.position_channel ? this.channel(told.position_channel).values : null;
    const turn = this.numbers.read(told.orientation);
    const row = this.rowAt(t), next = Math.min(row + 1, this.rows - 1);
    const part = next > row ? Math.min(1, Math.max(0, (t - this.time[row]) / (this.time[next] - this.time[row]))) : 0;
    for (let i = 0; i < 3; i++) {
      position[i] = place ? place[3 * row + i] + part * (place[3 * next + i] - place[3 * row + i]) : told.position[i];
    }
    if (!turn) { for (let i = 0; i < 4; i++) orientation[i] = told.rest[i]; return; }
    let along = 0;
    for (let i = 0; i < 4; i++) along += turn[4 * row + i] * turn[4 * next + i];
    const sign = along < 0 ? -1 : 1;
    let size = 0;
    for (let i = 0; i < 4; i++) {
      orientation[i] = (1 - part) * turn[4 * row + i] + part * sign * turn[4 * next + i];
      size += orientation[i] ** 2;
    }
    for (let i = 0; i < 4; i++) orientation[i] /= Math.sqrt(size);
  }

  /* Lines of a table in the row at t: [from, to). */
  lines(table, t) {
    if (!table) return [0, 0];
    const row = Math.floor(this.rowAt(t) / this.contactStride);
    return [table.start[row] ?? 0, table.start[row + 1] ?? 0];
  }

  #add(told, read) {
    let known = null, version = -1;
    this.channels.set(told.name, new Channel(told, () => {
      if (version !== this.version) { known = read(); version = this.version; }
      return known;
    }));
  }
  #addPair(p) {
    for (const column of this.told.contacts.tables.pairs.columns) {
      this.#add({ ...column, name: `contacts.${this.pairs[p].name}.${column.name}` }, () => this.#scatter(p, column));
    }
  }

  /* A pair's column as a channel of its own: 0 where they do not touch; heat stays. */
  #scatter(pair, column) {
    const table = this.pairTable, values = this.numbers.read(column.data), w = column.width, stride = this.contactStride;
    const dense = new Float32Array(this.rows * w);
    for (let row = 0; row + 1 < table.start.length; row++) {
      for (let line = table.start[row]; line < table.start[row + 1]; line++) {
        if (table.pair[line] !== pair) continue;
        for (let r = row * stride; r < Math.min((row + 1) * stride, this.rows); r++) {
          for (let i = 0; i < w; i++) dense[r * w + i] = values[line * w + i];
        }
      }
    }
    if (column.name === 'heat') for (let r = 1; r < this.rows; r++) dense[r] = Math.max(dense[r], dense[r - 1]);
    return dense;
  }
}

function rotationOf(body) {
  return { name: `bodies.${body.name}.rotation`, unit: '1', help: 'body to world, by rows', width: 9 };
}

/* Quaternions (x, y, z, w) as matrices by rows. */
function matrices(turn) {
  const rows = turn.length / 4, all = new Float32Array(9 * rows);
  for (let r = 0; r < rows; r++) {
    const [x, y, z, w] = turn.subarray(4 * r, 4 * r + 4);
    all.set([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
      2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
      2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], 9 * r);
  }
  return all;
}

/* The page that bristle has written: {title, live, recordings}; null: it is not whole. */
export function readPage(document) {
  const told = document.getElementById('bristle-page');
  if (!told) return null;
  const page = JSON.parse(told.textContent);
  const numbers = new Numbers(document.getElementById('bristle-numbers')?.textContent ?? '');
  return { ...page, recordings: page.recordings.map((recording) => new Recording(recording, numbers)) };
}

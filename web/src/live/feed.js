/* feed.js: a recording that grows: rows as `bristle view` tells them (README.md beside this folder) go behind those that are there; the oldest half
 * goes when there are too many. */
import { Growing, GrowingRows } from './growing.js';

const MOST_ROWS = 20000;
const MOST_NUMBERS = 16e6; /* of channels, and of each table of contacts: 64 MB */

/* Lines of pairs or places: each has whole numbers before its columns. */
class Lines {
  constructor(told, keys) {
    Object.assign(this, { keys, start: new Growing(Uint32Array), pair: new Growing(Uint32Array), number: new Growing(Uint32Array) });
    this.values = new GrowingRows(told.columns.reduce((sum, column) => sum + column.width, 0));
    this.start.append([0]);
    let at = 0;
    for (const column of told.columns) {
      column.data = { view: this.values.column(at, column.width) };
      at += column.width;
    }
    told.start = { view: () => this.start.view };
    told.pair = { view: () => this.pair.view };
    if (keys > 1) told.number = { view: () => this.number.view };
  }
  /* `words`, `floats`: the same bytes; returns where the next thing begins. */
  append(words, floats, at, count) {
    for (let i = 0; i < count; i++) {
      this.pair.append([words[at]]);
      if (this.keys > 1) this.number.append([words[at + 1]]);
      this.values.append(floats.subarray(at + this.keys, at + this.keys + this.values.width));
      at += this.keys + this.values.width;
    }
    this.start.append([this.pair.length]);
    return at;
  }
  drop(rows) {
    const lines = this.start.view[rows];
    this.start.drop(rows);
    const { view } = this.start;
    for (let i = 0; i < view.length; i++) view[i] -= lines;
    this.pair.drop(lines);
    if (this.keys > 1) this.number.drop(lines);
    this.values.drop(lines);
  }
}

export class Feed {
  #coming = null;
  constructor(recording) { this.recording = recording; }

  /* Begins anew with the next row; until then what is there stays. `channels`: what stands in one, [{name, width}]. */
  begin(channels) { this.#coming = { channels, pairs: [] }; }

  #begin({ channels, pairs }) {
    const { told } = this.recording;
    this.time = new Growing(Float64Array);
    this.numbers = new GrowingRows(channels.reduce((sum, channel) => sum + channel.width, 0));
    const columns = new Map();
    let at = 0;
    for (const { name, width } of channels) {
      columns.set(name, this.numbers.column(at, width));
      at += width;
    }
    const missing = () => new Float32Array(0);
    told.time = { view: () => this.time.view };
    for (const channel of told.channels) channel.data = { view: columns.get(channel.name) ?? missing };
    for (const body of told.bodies) if (body.orientation) body.orientation = { view: columns.get(`bodies.${body.name}.rotation`) ?? missing };
    const tables = told.contacts?.tables;
    this.pairs = tables ? new Lines(tables.pairs, 1) : null;
    this.places = tables ? new Lines(tables.places, 2) : null;
    this.recording.forget();
    pairs.forEach((pair, i) => this.recording.addPair(i, pair));
    this.#coming = null;
  }

  /* A pair that has touched, with its number. */
  addPair(number, pair) {
    if (this.#coming) this.#coming.pairs[number] = pair;
    else this.recording.addPair(number, pair);
  }

  /* A row as base64. */
  append(text) {
    const letters = atob(text), bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    const words = new Uint32Array(bytes.buffer), floats = new Float32Array(bytes.buffer), [time] = new Float64Array(bytes.buffer, 0, 1);
    if (this.#coming) this.#begin(this.#coming);
    if (this.time.length && time <= this.time.view[this.time.length - 1]) return; /* told already, before the connection was lost */
    let at = 4 + this.numbers.width;
    this.time.append([time]);
    this.numbers.append(floats.subarray(4, at));
    if (this.pairs) at = this.pairs.append(words, floats, at, words[2]);
    if (this.places) this.places.append(words, floats, at, words[3]);
    if (this.#isFull()) this.#forget(this.time.length >> 1);
    this.recording.renew();
  }
  #isFull() {
    const size = (rows) => (rows ? rows.values.rows * rows.values.width : 0), { length } = this.time;
    return length > MOST_ROWS || (length > 2 && Math.max(length * this.numbers.width, size(this.pairs), size(this.places)) > MOST_NUMBERS);
  }
  #forget(rows) {
    this.time.drop(rows);
    this.numbers.drop(rows);
    this.pairs?.drop(rows);
    this.places?.drop(rows);
  }
}

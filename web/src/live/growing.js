/* growing.js: arrays that get longer at their end and shorter at their beginning. Without a page: node can ask it too. */

export class Growing {
  #all;
  #used = 0;
  constructor(Type) { this.#all = new Type(256); }
  append(values) {
    const needed = this.#used + values.length;
    if (needed > this.#all.length) {
      const larger = new this.#all.constructor(Math.max(needed, 2 * this.#all.length));
      larger.set(this.#all.subarray(0, this.#used));
      this.#all = larger;
    }
    this.#all.set(values, this.#used);
    this.#used = needed;
  }
  drop(count) {
    this.#all.copyWithin(0, count, this.#used);
    this.#used -= count;
  }
  get length() { return this.#used; }
  get view() { return this.#all.subarray(0, this.#used); }
}

/* Rows of `width` numbers as they come; a column of them is an array of its own that is filled when somebody asks. */
export class GrowingRows {
  #numbers = new Growing(Float32Array);
  #columns = [];
  constructor(width) { this.width = width; }
  get rows() { return this.width ? this.#numbers.length / this.width : 0; }
  append(rows) { this.#numbers.append(rows); }
  drop(rows) {
    this.#numbers.drop(rows * this.width);
    for (const column of this.#columns) {
      const there = Math.min(rows, column.rows);
      column.values.drop(there * column.width);
      column.rows -= there;
    }
  }
  /* A function that gives the numbers `at` to `at + width` of all rows. */
  column(at, width) {
    const column = { values: new Growing(Float32Array), width, rows: 0 };
    this.#columns.push(column);
    return () => {
      const all = this.#numbers.view, { rows } = this;
      for (; column.rows < rows; column.rows++) column.values.append(all.subarray(column.rows * this.width + at, column.rows * this.width + at + width));
      return column.values.view;
    };
  }
}

/* bus.js: what the parts of the page share: the moment that is looked at, what is selected, light or dark. */

/* A value that tells whoever asked to be told. `from` is who has set it, so that nobody answers himself. */
export class Shared {
  #value;
  #listeners = new Set();
  constructor(value) { this.#value = value; }
  get value() { return this.#value; }
  set(value, from = null) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value, from);
  }
  /* Calls at once and on every change; what comes back ends it. */
  follow(listener) {
    this.#listeners.add(listener);
    listener(this.#value, null);
    return () => this.#listeners.delete(listener);
  }
}

export function makeBus(start) {
  return {
    time: new Shared(start),   /* s, of the recording: what the replay shows and the plots' cursor marks */
    playing: new Shared(false),
    selected: new Shared(null), /* {kind: 'body' | 'joint' | 'pair', name} */
    theme: new Shared('light'), /* or 'dark' */
    grown: new Shared(0),       /* live pages: rows there are */
  };
}

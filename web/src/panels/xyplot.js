/* xyplot.js: curves over something else than time, as a drawing in the page and as a file; a dot marks the moment. */
import { make } from '../elements.js';
import { drawer, drawing, pageColours } from './context.js';
import { figure, figurePlaces, PRINT } from './figure.js';
import { svgButton } from './timeplot.js';

let drawn = 0; /* drawings so far: ids in a page must differ */

/* `specOf()` returns what figure() takes, without size, and `now(t)` -> [x, y] of the moment or null; null: nothing ever; a sentence: why
 * nothing now, '' for no reason worth a word.
 * `build` draws something else than curves. Returns {element, ask}. */
export function xyPlot(parent, context, { title, height = 220, specOf, wide = 340, build = figure, places = figurePlaces }) {
  const id = ++drawn, place = make('div', { class: 'xy' }), words = make('p', { class: 'hint' }), name = make('figcaption', {}, title);
  const button = svgButton(context, title, title, () => build({ ...specOf(), title, height, width: 480 }, PRINT)); /* there is none where there is no drawing */
  const element = make('figure', { class: 'plot' }, button, name, place, words);
  let dot = null, now = null;
  parent.append(element);
  const move = drawer(context, element, () => {
    const at = dot && now?.(context.bus.time.value);
    if (!dot) return;
    const [x, y] = at && at.every(Number.isFinite) ? at : [-99, -99]; /* out of sight: there is none, or none on a logarithmic axis */
    dot.setAttribute('cx', x);
    dot.setAttribute('cy', y);
  }, []);
  const ask = drawer(context, element, () => {
    const told = specOf(), words_ = typeof told === 'string' ? told : told?.note ?? '';
    words.textContent = words_;
    element.hidden = told === null;
    button.hidden = typeof told === 'string';
    name.hidden = told === '';
    place.replaceChildren();
    dot = null;
    if (told === null || typeof told === 'string') return;
    const spec = { ...told, title, id, height, width: Math.max(260, Math.min(2 * wide, place.clientWidth || wide)), bare: true, cursor: Boolean(told.now) };
    place.append(drawing(build(spec, pageColours())));
    dot = place.querySelector('.now');
    if (told.now && dot) {
      const { x, y } = places(spec);
      now = (t) => { const at = told.now(t); return at && [x(at[0]), y(at[1])]; };
    }
    move();
  });
  context.bus.time.follow(move);
  return { element, ask };
}

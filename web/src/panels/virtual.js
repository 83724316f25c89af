/* virtual.js: long lists of which only what shows is made: thousands of lines cost no more than thirty. */
import { make } from '../elements.js';

const BESIDE = 4; /* lines made above and below what shows */

/* A list in its own scroll; `lineOf(i, isActive)` makes a line of `height` px. Keys: arrows, page up and down, both ends; `pick(i)` when a line is
 * clicked, reached by key, or Enter is pressed. Returns {element, fill(count), show(i)}. */
export function virtualList({ height, most, label, lineOf, pick }) {
  const inner = make('div', { class: 'inner', role: 'presentation' });
  const element = make('div', { class: 'virtual', tabindex: '0', role: 'listbox', 'aria-label': label, style: `max-height: ${most}px` }, inner);
  const id = `list-${label.replace(/\W+/g, '-')}`;
  let count = 0, active = -1, drawn = '';
  const draw = () => {
    const from = Math.max(0, Math.floor(element.scrollTop / height) - BESIDE), bottom = element.scrollTop + Math.max(element.clientHeight, most);
    const to = Math.min(count, Math.ceil(bottom / height) + BESIDE);
    const now = `${from} ${to} ${active} ${count}`;
    if (now === drawn) return;
    drawn = now;
    inner.style.height = `${count * height}px`;
    inner.replaceChildren(...Array.from({ length: Math.max(0, to - from) }, (_, k) => {
      const i = from + k, line = lineOf(i);
      line.setAttribute('role', 'option');
      line.setAttribute('aria-selected', String(i === active));
      line.setAttribute('aria-setsize', count);
      line.setAttribute('aria-posinset', i + 1);
      line.id = `${id}-${i}`;
      line.style.top = `${i * height}px`;
      line.style.height = `${height}px`;
      line.addEventListener('click', () => go(i));
      return line;
    }));
    if (active >= from && active < to) element.setAttribute('aria-activedescendant', `${id}-${active}`); else element.removeAttribute('aria-activedescendant');
  };
  const show = (i) => {
    active = i;
    if (i >= 0) {
      if (i * height < element.scrollTop) element.scrollTop = i * height;
      else if ((i + 1) * height > element.scrollTop + element.clientHeight) element.scrollTop = (i + 1) * height - element.clientHeight;
    }
    draw();
  };
  const go = (i) => {
    if (!count) return;
    show(Math.min(count - 1, Math.max(0, i)));
    pick(active);
  };
  element.addEventListener('scroll', draw);
  element.addEventListener('keydown', (event) => {
    const page = Math.max(1, Math.floor(element.clientHeight / height) - 1);
    const lines = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Enter: 0 }, ends = { Home: 0, End: count - 1 };
    const to = ends[event.key] ?? (event.key in lines ? active + lines[event.key] : undefined);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
  });
  return {
    element, show,
    fill(n) { count = n; active = -1; drawn = ''; element.scrollTop = 0; draw(); },
    redraw() { drawn = ''; draw(); },
  };
}

/* site.js: search, light or dark, and the list of pages on narrow screens. Without it all pages can be read. */
const top_ = document.currentScript.dataset.top;
const element = (id) => document.getElementById(id);

/* ------------------------------------------------------------------ light or dark */

const root = document.documentElement;
function dress(theme) {
  root.dataset.theme = theme;
  element('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
}
let remembered = null;
try { remembered = localStorage.getItem('theme'); } catch { /* pages opened from files may have no memory */ }
dress(remembered ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
element('theme').addEventListener('click', () => {
  dress(root.dataset.theme === 'dark' ? 'light' : 'dark');
  try { localStorage.setItem('theme', root.dataset.theme); } catch { /* the same */ }
});

element('menu').addEventListener('click', () => {
  const open = element('side').classList.toggle('open');
  element('menu').setAttribute('aria-expanded', open);
});

/* ------------------------------------------------------------------ search */

/* [url, page, heading, text] of every heading; read when somebody begins to search. */
let parts = null;
function readParts() {
  if (parts) return Promise.resolve(parts);
  return new Promise((done) => {
    const script = document.createElement('script');
    script.src = `${top_}/search.js`;
    script.onload = () => done((parts = window.SEARCH));
    document.head.append(script);
  });
}

/* A heading counts ten times a text, a page's name three times; all words must be there. */
function weigh([, page, heading, text], words) {
  let sum = 0;
  for (const word of words) {
    const weight = 10 * heading.toLowerCase().includes(word) + 3 * page.toLowerCase().includes(word) + text.toLowerCase().includes(word);
    if (!weight) return 0;
    sum += weight;
  }
  return sum;
}

/* Some words about the first place of a word, which is marked. */
function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const from = Math.max(0, at - 60), small = document.createElement('small'), mark = document.createElement('mark');
  mark.textContent = text.slice(at, at + word.length);
  small.append(`${from ? '\u2026' : ''}${text.slice(from, at)}`, mark, `${text.slice(at + word.length, at + 110)}\u2026`);
  return small;
}

async function search() {
  const words = element('search').value.toLowerCase().split(/\s+/).filter(Boolean), list = element('found');
  list.hidden = !words.length;
  if (!words.length) return;
  const hits = (await readParts()).map((part) => [weigh(part, words), part]).filter(([weight]) => weight > 0);
  hits.sort((a, b) => b[0] - a[0]);
  list.replaceChildren(...hits.slice(0, 12).map(([, [url, page, heading, text]]) => {
    const item = document.createElement('li'), link = document.createElement('a');
    link.href = `${top_}/${url}`;
    link.append(heading === page ? page : `${page}: ${heading}`, excerpt(text, words[0]));
    item.append(link);
    return item;
  }));
  if (!hits.length) list.append(Object.assign(document.createElement('li'), { textContent: 'Nothing has all these words.' }));
}

element('search').addEventListener('input', search);
element('search').addEventListener('focus', readParts);
document.addEventListener('keydown', (event) => {
  const links = [...element('found').querySelectorAll('a')], at = links.indexOf(document.activeElement);
  if (event.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { element('search').focus(); event.preventDefault(); }
  else if (event.key === 'Escape') element('found').hidden = true;
  else if (event.key === 'ArrowDown' && !element('found').hidden && links.length) { links[Math.min(at + 1, links.length - 1)].focus(); event.preventDefault(); }
  else if (event.key === 'ArrowUp' && at >= 0) { (links[at - 1] ?? element('search')).focus(); event.preventDefault(); }
});

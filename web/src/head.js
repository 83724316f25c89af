/* head.js: what the run was, and whether it can be believed. */
import { make } from './elements.js';
import './head.css';

const SIGNS = { good: '\u2713', doubt: '!', bad: '\u2717' };

/* What is wrong stands in the open with what to do about it; what is right can be unfolded. */
function verdict({ level, title, lines }) {
  const item = (line) => make('li', { class: line.level }, line.text, line.remedy ? make('em', {}, ` ${line.remedy}`) : null);
  const wrong = lines.filter((line) => line.level !== 'good'), right = lines.filter((line) => line.level === 'good');
  return make('div', { class: `verdict ${level}` }, make('strong', {}, `${SIGNS[level] ?? ''} ${title}`),
    wrong.length ? make('ul', {}, ...wrong.map(item)) : null,
    right.length ? make('details', {}, make('summary', {}, wrong.length ? 'What holds' : 'How that is known'), make('ul', {}, ...right.map(item))) : null);
}

/* A text that can be taken along. */
function copyButton(text) {
  const button = make('button', { type: 'button', class: 'copy', onclick: async () => {
    try { await navigator.clipboard.writeText(text); button.textContent = 'Copied'; } catch { button.textContent = 'Not allowed here'; }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  } }, 'Copy');
  return button;
}

function folded(title, text) {
  return make('details', { class: 'text' }, make('summary', {}, title), make('div', { class: 'page' }, copyButton(text), make('pre', { tabindex: 0, 'aria-label': title }, text)));
}

/* One line a fact, of those that are known. */
function facts(told) {
  const known = [['bristle', told.bristle], ['numerics', told.numerics], ['model', told.fingerprint], ['last state', told.hash]].filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return make('dl', { class: 'facts' }, ...known.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, String(value)))));
}

/* shown: the page's title, which need not be said twice. */
function run(recording, shown) {
  const { told } = recording, assigned = (told.assignments ?? '').split('\n').filter(Boolean);
  return make('div', { class: 'run' },
    make('p', { class: 'which' }, recording.name === shown ? null : make('b', {}, recording.name), ...assigned.map((line) => make('code', {}, `--set ${line}`))),
    verdict(told.verdict),
    told.rows?.note ? make('p', { class: 'rows' }, told.rows.note) : null,
    facts(told),
    told.scene ? folded('Scene', told.scene) : null,
    told.scene_note ? make('p', {}, told.scene_note) : null);
}

/* Light or dark: what the system likes, until somebody says otherwise. */
function themeButton(bus) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  bus.theme.set(system.matches ? 'dark' : 'light');
  system.addEventListener('change', () => bus.theme.set(system.matches ? 'dark' : 'light'));
  const button = make('button', { type: 'button', class: 'theme', title: 'Light or dark (d)', onclick: () => bus.theme.set(bus.theme.value === 'dark' ? 'light' : 'dark') });
  bus.theme.follow((theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === 'dark' ? 'Light' : 'Dark';
  });
  return button;
}

export function mountHead(head, page, bus) {
  head.append(make('div', { class: 'title' }, make('h1', {}, page.title), make('nav', { 'aria-label': 'Parts of the page' }), themeButton(bus)),
    make('div', { class: 'runs' }, ...page.recordings.map((recording) => run(recording, page.title))));
}

/* Links to the panels that are there. */
export function fillNav() {
  const links = [...document.querySelectorAll('#panels section[id]')].map((part) => make('a', { href: `#${part.id}` }, part.getAttribute('aria-label') || part.id));
  document.querySelector('#head nav').append(...links);
}

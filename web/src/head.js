/* head.js: what the run was, and whether it can be believed. */
import { make } from './elements.js';

const SIGNS = { good: '\u2713', doubt: '!', bad: '\u2717' };

function verdict(recording) {
  const { level, title, lines } = recording.told.verdict;
  return make('div', { class: `verdict ${level}` },
    make('strong', {}, `${SIGNS[level]} ${title}`),
    make('ul', {}, ...lines.map((line) => make('li', { class: line.level }, line.text, line.remedy ? make('em', {}, ` ${line.remedy}`) : null))));
}

/* Light or dark: what the system likes, until somebody says otherwise. */
function themeButton(bus) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  bus.theme.set(system.matches ? 'dark' : 'light');
  system.addEventListener('change', () => bus.theme.set(system.matches ? 'dark' : 'light'));
  const button = make('button', { class: 'theme', title: 'Light or dark (d)', onclick: () => bus.theme.set(bus.theme.value === 'dark' ? 'light' : 'dark') });
  bus.theme.follow((theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === 'dark' ? 'Light' : 'Dark';
  });
  return button;
}

export function mountHead(head, page, bus) {
  const nav = make('nav', { 'aria-label': 'Parts of the page' });
  head.append(make('div', { class: 'title' }, make('h1', {}, page.title), nav, themeButton(bus)),
    ...page.recordings.map((recording) => make('div', { class: 'run' },
      make('p', {}, make('b', {}, recording.name), ` \u00b7 bristle ${recording.told.bristle}, numerics ${recording.told.numerics} \u00b7 model ${recording.told.fingerprint}`),
      verdict(recording))));
}

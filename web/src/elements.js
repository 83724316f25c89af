/* elements.js: parts of the page. Texts come from recordings, so they are set as text, never as HTML. */

/* make('button', {class: 'play', title: 'Play', onclick: f}, 'Play', child, ...) */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/* A panel of the page with a heading that can be linked to; returns its inside. */
export function panel(parent, id, title, ...beside) {
  const body = make('div', { class: 'inside' });
  parent.append(make('section', { id, class: 'panel', 'aria-label': title }, make('h2', {}, title, ...beside), body));
  return body;
}

export function save(name, type, text) {
  const link = make('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

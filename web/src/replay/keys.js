/* keys.js: the keyboard, and the list of what it does. */
import { make } from '../elements.js';

/* key of the event, as it is shown, what it does, name of the command and its number. */
const KEYS = [
  [' ', 'Space', 'play or pause', 'toggle'],
  ['ArrowLeft', '\u2190', 'one row back, with Shift ten', 'step', -1],
  ['ArrowRight', '\u2192', 'one row on, with Shift ten', 'step', 1],
  ['Home', 'Home', 'to the beginning', 'toRow', 0],
  ['End', 'End', 'to the end', 'toRow', Infinity],
  ['+', '+', 'faster', 'faster', 1],
  ['-', '\u2212', 'slower', 'faster', -1],
  ['f', 'F', 'fit: everything in view', 'fit'],
  ['t', 'T', 'from an angle', 'view', 't'],
  ['x', 'X', 'along x', 'view', 'x'],
  ['y', 'Y', 'along y', 'view', 'y'],
  ['z', 'Z', 'along z', 'view', 'z'],
  ['l', 'L', 'follow the selected body', 'follow'],
  ['d', 'D', 'light or dark', 'theme'],
  ['?', '?', 'this list', 'help'],
];

/* Where keys have a meaning of their own: text everywhere, arrows in sliders and lists, space on what it presses. */
export function takesKey(target, key) {
  const tag = target?.tagName;
  if (target?.isContentEditable || tag === 'TEXTAREA' || tag === 'SELECT') return true;
  if (tag === 'BUTTON' || tag === 'A' || tag === 'SUMMARY') return key === ' ';
  if (tag !== 'INPUT') return false;
  if (target.type === 'checkbox' || target.type === 'radio') return key === ' ';
  return target.type !== 'range' || key.startsWith('Arrow') || key === 'Home' || key === 'End';
}

/* {name, number} of a key, or null. */
export function commandOf({ key, shiftKey }) {
  const plain = key === '=' ? '+' : key; /* the same key, without Shift */
  const found = KEYS.find(([k]) => k === plain || k === plain.toLowerCase());
  if (!found) return null;
  const [, , , name, number] = found;
  return { name, number: name === 'step' && shiftKey ? 10 * number : number };
}

function helpOf() {
  const close = make('button', { type: 'button', onclick: () => dialog.close() }, 'Close');
  const dialog = make('dialog', { class: 'keys', 'aria-label': 'Keys' }, make('h2', {}, 'Keys'),
    make('table', {}, make('tbody', {}, ...KEYS.map(([, shown, help]) => make('tr', {}, make('th', { scope: 'row' }, make('kbd', {}, shown)), make('td', {}, help))))),
    make('p', {}, 'Drag turns, the wheel or two fingers zoom, the right button moves. A click selects a body, a joint or a contact.'), close);
  document.body.append(dialog);
  return dialog;
}

/* commands: functions by name. */
export function listen(commands) {
  const dialog = helpOf(), all = { ...commands, help: () => (dialog.open ? dialog.close() : dialog.showModal()) };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || takesKey(event.target, event.key)) return;
    const command = commandOf(event);
    if (!command || (dialog.open && command.name !== 'help')) return;
    event.preventDefault();
    all[command.name](command.number);
  });
  return all.help;
}

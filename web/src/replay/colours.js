/* colours.js: colours of the page's style as three's, muted for bodies. */
import { Color } from 'three';

const NAMES = ['paper', 'ink', 'soft', 'line', 'panel', 'accent', 'stick', 'slip', 'roll', 'open', 'mixed', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'];

export function readColours() {
  const style = getComputedStyle(document.documentElement);
  const colours = { dark: document.documentElement.dataset.theme === 'dark' };
  for (const name of NAMES) colours[name] = new Color(style.getPropertyValue(`--${name}`).trim() || '#888888');
  return colours;
}

const TURN = ['c1', 'c5', 'c3', 'c2', 'c6', 'c4', 'c7'];

/* Fixed bodies grey, the others by turns; of many the same again, a little lighter or darker. */
export function bodyColour(colours, told, number) {
  const calm = new Color(colours.dark ? '#aab4bf' : '#c9cfd6');
  if (told.kind === 'fixed') return new Color(colours.dark ? '#6a747f' : '#b4bcc5');
  const round = Math.floor(number / TURN.length) % 5;
  const colour = colours[TURN[number % TURN.length]].clone().lerp(calm, 0.3);
  return colour.lerp(new Color(round % 2 ? '#ffffff' : '#000000'), 0.06 * round);
}

/* The colour of a recording beside others. */
export function recordingColour(colours, number) { return colours[`c${1 + number % 8}`]; }

export function modeColour(colours, mode) { return colours[['open', 'stick', 'slip', 'roll', 'mixed'][mode] ?? 'open']; }

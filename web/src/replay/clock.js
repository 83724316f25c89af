/* clock.js: how the replay's time goes on. Without a page: node can ask it too. */
import { roundIndex, roundNumber } from './extent.js';

/* Speeds to choose from: 1/100 to 10, and slower ones for a run so short that it would be over in less than two seconds. */
export function speedsFor(duration) {
  const slowest = duration > 0 ? Math.min(-6, roundIndex(duration / 2)) : -6, speeds = [];
  for (let index = slowest; index <= 3; index++) speeds.push(roundNumber(index));
  return speeds;
}

/* As it was, unless that is over before one has looked, or takes minutes. */
export function usualSpeed(duration) {
  if (!(duration > 0) || (duration >= 2 && duration <= 60)) return 1;
  const speeds = speedsFor(duration), wanted = duration < 2 ? duration / 4 : duration / 30;
  return speeds.filter((speed) => speed <= wanted).pop() ?? speeds[0];
}

export function speedText(speed) { return speed >= 1 ? `${speed}\u00d7` : `1/${Math.round(1 / speed)}\u00d7`; }

/* The moment after t, `passed` seconds of the recording later: {t, over: it has come to the end}. */
export function later(t, passed, first, last, loop) {
  const next = t + passed;
  if (next < last) return { t: next, over: false };
  return loop && last > first ? { t: first + (next - first) % (last - first), over: false } : { t: last, over: true };
}

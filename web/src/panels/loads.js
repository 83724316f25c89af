/* loads.js: what joints and motors bear, and how near to their limits they come: numbers for the table of joints. No DOM here. */
import { peakOf, statsOf } from './series.js';

/* Smallest, largest, RMS of a channel, from all recorded rows where bristle has told them: {stats, whole}. */
export function statsFor(recording, channel) {
  if (channel.stats) return { stats: channel.stats, whole: true };
  return { stats: statsOf(recording.time, channel.values, channel.width), whole: false };
}

/* Largest force and torque of each joint in its own axes: [{joint, type, whole, force: [{value, at, rms}] of x, y, z or null, torque: the same}]. */
export function jointLoads(recording) {
  return recording.joints.flatMap((joint) => {
    const told = { joint: joint.name, type: joint.type, whole: true, force: null, torque: null };
    for (const what of ['force', 'torque']) {
      const channel = recording.channel(`joints.${joint.name}.${what}_joint`);
      if (!channel) continue;
      const { stats, whole } = statsFor(recording, channel);
      told.whole &&= whole;
      told[what] = stats.map((one) => ({ ...peakOf(one), rms: one.rms }));
    }
    return told.force || told.torque ? [told] : [];
  });
}

/* What is left of a bound, in percent of it; negative beyond it. */
export const marginOf = (peak, bound) => (bound > 0 && peak !== null ? 100 * (1 - Math.abs(peak) / bound) : null);

/* Largest effort and power of each motor; `saturated` is 0 or 1 in a row, so that its mean square is the share of the time. */
export function motorLoads(recording) {
  return (recording.told.motors ?? []).flatMap((motor) => {
    const [effort, power, saturated] = ['effort', 'power', 'saturated'].map((what) => recording.channel(`motors.${motor.name}.${what}`));
    if (!effort) return [];
    const one = statsFor(recording, effort), peak = peakOf(one.stats[0]);
    const share = saturated ? statsFor(recording, saturated).stats[0].rms : null;
    return [{
      motor: motor.name, joint: recording.joints[motor.joint]?.name ?? '', unit: effort.unit, whole: one.whole,
      effort: { ...peak, rms: one.stats[0].rms }, limit: motor.max_effort, margin: marginOf(peak.value, motor.max_effort),
      saturated: share === null ? null : 100 * share * share, power: power ? statsFor(recording, power).stats[0] : null,
    }];
  });
}

/* Channels of a joint's coordinates, in the order of its limits. */
export function coordinatesOf(recording, joint) {
  const of = (what) => recording.channel(`joints.${joint.name}.${what}`), several = joint.coordinates.length > 1;
  return joint.coordinates.map((name) => (several ? of(`position_${name}`) : null) ?? of('position'));
}

/* How near coordinates come to their limits: margin in percent of the range, or of nothing where one side is open. */
export function limitLoads(recording) {
  return recording.joints.flatMap((joint) => {
    const channels = coordinatesOf(recording, joint);
    return (joint.limits ?? []).flatMap((limit, i) => {
      const channel = channels[i], [lower, upper] = limit ?? [null, null];
      if (!channel || channel.width !== 1 || (lower === null && upper === null)) return [];
      const { stats: [one], whole } = statsFor(recording, channel);
      const left = Math.min(lower === null ? Infinity : one.min - lower, upper === null ? Infinity : upper - one.max);
      const margin = lower !== null && upper !== null ? (100 * left) / (upper - lower) : null;
      return [{ joint: joint.name, unit: channel.unit, lower, upper, whole, ...one, left, margin }];
    });
  });
}

/* Angles that can be a crank's: coordinates in rad that go half round at least, the farthest first. */
export function cranksOf(recording) {
  const all = [];
  for (const joint of recording.joints) {
    for (const channel of coordinatesOf(recording, joint)) {
      if (!channel || channel.unit !== 'rad' || channel.width !== 1) continue;
      const { stats: [one] } = statsFor(recording, channel);
      const turns = (one.max - one.min) / (2 * Math.PI);
      if (turns >= 0.5) all.push({ joint: joint.name, channel, turns });
    }
  }
  return all.sort((a, b) => Math.round(10 * b.turns) - Math.round(10 * a.turns)); /* of equal ones the first of the scene */
}

/* panels.js: the list of panels below and beside the replay. Each is drawn when it comes near the screen, and decodes its numbers then. */
import { makeContext } from './context.js';
import { mountBody } from './body.js';
import { mountEnergy } from './energy.js';
import { mountJoints } from './joints.js';
import { mountNumerics } from './numerics.js';
import { mountPlots } from './plots.js';
import { mountTimeline } from './timeline.js';
import './panels.css';

/* Returns what tests and the browser's tools may ask: plots. */
export function mountPanels(parent, page, bus) {
  const context = makeContext(page, bus, parent);
  const plots = mountPlots(parent, context);
  for (const mount of [mountTimeline, mountEnergy, mountJoints, mountNumerics, mountBody]) mount(parent, context);
  return plots;
}

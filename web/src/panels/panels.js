/* panels.js: the list of panels below and beside the replay. */

export function mountPanels(parent, page, bus) {
  for (const mount of []) mount(parent, page, bus);
}

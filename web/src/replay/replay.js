/* replay.js: the machine as it moved. */

export function mountReplay() {}

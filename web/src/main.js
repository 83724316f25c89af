/* main.js: the page: head, replay, panels. */
import { makeBus } from './bus.js';
import { readPage } from './data.js';
import { make } from './elements.js';
import { fillNav, mountHead } from './head.js';
import { mountLive } from './live/live.js';
import { mountPanels } from './panels/panels.js';
import { mountReplay } from './replay/replay.js';
import './style.css';

function start() {
  const page = readPage(document);
  if (!page) {
    document.body.prepend(make('p', { class: 'broken' }, 'This page holds no recording: it is the empty form that `bristle report` fills.'));
    return;
  }
  document.title = page.title;
  const bus = makeBus(page.recordings[0].first);
  mountHead(document.getElementById('head'), page, bus);
  const replay = mountReplay(document.getElementById('replay'), page, bus);
  const plots = mountPanels(document.getElementById('panels'), page, bus);
  fillNav();
  const live = page.live ? mountLive(page, bus, replay) : null;
  window.bristle = { page, bus, plots, live, ...replay }; /* for tests, and for whoever looks with the browser's tools */
}

start();

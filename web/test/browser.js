/* browser.js: opens pages in Chromium, does with them what people do, and tells what it saw as JSON, for those who judge it
 * (tests/cli/test_report_page.py).
 *
 *     node test/browser.js < tasks.json
 *
 *     tasks: {chromium, folder: for pictures, pages: [{file, name, times: [s], channels: [names], body: name or null, themes}]}
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const SIZE = { width: 1280, height: 900 }, PHONE = { width: 390, height: 844 };
const ARGUMENTS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--force-color-profile=srgb'];

/* Counts the letters that are decoded, before anything of the page runs. */
function countLetters() {
  const decode = window.atob.bind(window);
  window.lettersDecoded = 0;
  window.atob = (text) => { window.lettersDecoded += text.length; return decode(text); };
}

/* What browsers complain of, and all they ask anybody for. */
function watch(page, file) {
  const seen = { errors: [], requests: [], dialogs: [] }, own = pathToFileURL(file).href;
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) seen.errors.push(message.text()); });
  page.on('pageerror', (error) => seen.errors.push(String(error)));
  page.on('dialog', (dialog) => { seen.dialogs.push(dialog.message()); dialog.dismiss(); });
  page.on('request', (request) => {
    const url = request.url();
    if (url.split('#')[0] !== own && !url.startsWith('data:') && !url.startsWith('blob:')) seen.requests.push(url);
  });
  return seen;
}

/* ---------------------------------------------------------------- within the page */

/* The picture of a moment with a body selected and without: the pixels that differ are the body's. */
async function drawBody(told) {
  const { bristle } = window, canvas = document.querySelector('#replay canvas');
  for (const box of document.querySelectorAll('#replay .legend input[type=checkbox]')) if (box.checked && !box.closest('label').title.startsWith('This')) box.click();
  const look = (selected) => {
    bristle.bus.selected.set(selected);
    bristle.frame(told.time);
    const copy = document.createElement('canvas');
    copy.width = canvas.width; copy.height = canvas.height;
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    return context.getImageData(0, 0, copy.width, copy.height);
  };
  look(null); /* what is not yet there comes with the first picture */
  const plain = look(null), marked = look({ kind: 'body', name: told.body }), camera = bristle.camera();
  const scale = canvas.width / camera.width;
  let count = 0, x = 0, y = 0, left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  const near = []; /* those in the middle of what differs are told one by one */
  for (let i = 0; i < plain.data.length; i += 4) {
    let far = 0;
    for (let k = 0; k < 3; k++) far += Math.abs(plain.data[i + k] - marked.data[i + k]);
    if (far < 40) continue;
    const column = (i / 4) % plain.width, row = Math.floor(i / 4 / plain.width);
    count++; x += column; y += row;
    left = Math.min(left, column); right = Math.max(right, column); top = Math.min(top, row); bottom = Math.max(bottom, row);
    near.push(column / scale, row / scale);
  }
  bristle.bus.selected.set(null);
  return { camera, count, pixels: near, box: [left / scale, right / scale, top / scale, bottom / scale] };
}

/* Texts whose colour is too near to what is behind them: ratio of luminances (WCAG 2.1), 3 for large ones. */
function poorContrast() {
  const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const light = (c) => { const v = c / 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(at).backgroundColor);
      if (a > 0.99) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, style = getComputedStyle(element);
    if (!node.textContent.trim() || !element.checkVisibility?.({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('script, style, noscript, [disabled], [aria-hidden=true], option')) continue;
    const colour = parse(element instanceof SVGElement ? style.fill : style.color);
    const [one, other] = [luminance(colour), luminance(behind(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5) - 0.005) poor.push({ text: node.textContent.trim().slice(0, 60), ratio, element: element.tagName, class: String(element.className?.baseVal ?? element.className) });
  }
  return poor;
}

/* Controls that a reader of screens could not name. */
function namelessControls() {
  const named = (element) => element.getAttribute('aria-label') || element.getAttribute('title') || element.textContent.trim() || element.closest('label')?.textContent.trim() ||
    (element.id && document.querySelector(`label[for="${CSS.escape(element.id)}"]`)?.textContent.trim()) || element.getAttribute('placeholder');
  return [...document.querySelectorAll('button, input, select, textarea, a[href], [role=button], [tabindex="0"]')].filter((element) => element.checkVisibility() && !named(element)).map((element) => element.outerHTML.slice(0, 200));
}

/* ---------------------------------------------------------------- what people do */

/* Until something holds there: a function of the page, and what it is given. */
async function until(page, holds, given) {
  for (const end = Date.now() + 120000; Date.now() < end;) {
    if (await page.evaluate(holds, given)) return;
    await new Promise((done) => setTimeout(done, 5));
  }
  throw new Error(`never came: ${holds}`);
}

const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const timeOf = (page) => page.evaluate(() => bristle.bus.time.value);

/* Brings all panels onto the screen once: they are drawn when they are seen. */
async function seeAll(page) {
  for (const section of await page.locator('#panels > section').all()) {
    await section.scrollIntoViewIfNeeded();
    await settle(page);
  }
  await page.evaluate(() => scrollTo(0, 0));
  await settle(page);
}

/* The slider of the replay, with the mouse: where it was put, and what all plots show there. */
async function scrub(page, task) {
  const shown = [];
  await page.evaluate((names) => bristle.plots.show(names), task.channels);
  for (const time of task.times) {
    const slider = page.locator('#replay input[type=range].scrub');
    const row = await page.evaluate((t) => bristle.page.recordings[0].rowNear(t), time);
    await slider.evaluate((element, value) => { element.value = value; element.dispatchEvent(new Event('input', { bubbles: true })); }, row);
    await settle(page);
    shown.push({ asked: time, row, time: await timeOf(page), values: await page.evaluate(() => bristle.plots.values()) });
  }
  return shown;
}

/* The mouse over a plot is its cursor: the moment there, and the values. */
async function point(page) {
  const plot = page.locator('#plots .timeplot').first();
  await plot.scrollIntoViewIfNeeded();
  await settle(page);
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.4 * box.height, { steps: 4 });
  await page.mouse.click(box.x + 0.6 * box.width, box.y + 0.4 * box.height);
  await settle(page);
  const legend = await page.locator('#plots figure table').allInnerTexts();
  return { time: await timeOf(page), values: await page.evaluate(() => bristle.plots.values()), legend };
}

/* Play for a while: does time go on, and does it stand still when it is paused? */
async function play(page) {
  await page.evaluate(() => { bristle.bus.time.set(bristle.page.recordings[0].first); document.activeElement?.blur(); });
  await page.keyboard.press('Space');
  const playing = await page.evaluate(() => bristle.bus.playing.value), before = await timeOf(page);
  await until(page, (t) => bristle.bus.time.value > t, before);
  await page.keyboard.press('Space');
  await settle(page);
  const paused = await timeOf(page);
  await settle(page);
  return { playing, moved: paused - before, stands: (await timeOf(page)) === paused, over: await page.evaluate(() => bristle.bus.playing.value) };
}

async function useKeys(page) {
  const press = async (key) => { await page.keyboard.press(key); await settle(page); return timeOf(page); };
  const end = await press('End'), home = await press('Home'), next = await press('ArrowRight'), back = await press('ArrowLeft');
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await press('d');
  const after = await theme();
  await press('d');
  await press('?');
  const helped = await page.locator('dialog[open]').count();
  await press('Escape');
  const closed = await page.locator('dialog[open]').count();
  const reached = new Set();
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120)));
  }
  await page.evaluate(() => document.activeElement.blur());
  return { end, home, next, back, themes: [before, after], helped, closed, reached: reached.size };
}

const picture = (page, folder, name) => page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });

async function visit(browser, task, folder) {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
  const seen = watch(page, task.file), started = Date.now();
  await page.addInitScript(countLetters);
  await page.goto(pathToFileURL(task.file).href);
  await until(page, () => Boolean(window.bristle?.frame));
  await settle(page);
  const told = { name: task.name, seconds: (Date.now() - started) / 1000, letters: await page.evaluate(() => [window.lettersDecoded, document.getElementById('bristle-numbers').textContent.length]) };
  told.title = await page.title();
  told.text = await page.evaluate(() => document.getElementById('head').innerText);
  told.images = await page.evaluate(() => document.querySelectorAll('img, [onerror], #head b[onclick]').length);
  told.scrubbed = await scrub(page, task);
  told.pointed = await point(page);
  told.played = await play(page);
  told.keys = await useKeys(page);
  await seeAll(page);
  told.nameless = await page.evaluate(namelessControls);
  told.sections = await page.locator('#panels > section').count();
  told.poor = { light: await page.evaluate(poorContrast) };
  await page.evaluate((t) => bristle.frame(t), task.times[1]);
  await picture(page, folder, `${task.name}-light`);
  await page.keyboard.press('d');
  await seeAll(page);
  told.poor.dark = await page.evaluate(poorContrast);
  await picture(page, folder, `${task.name}-dark`);
  await page.keyboard.press('d');
  await page.setViewportSize(PHONE);
  await settle(page);
  await seeAll(page);
  told.wide = await page.evaluate(() => document.documentElement.scrollWidth);
  await picture(page, folder, `${task.name}-phone`);
  await page.setViewportSize(SIZE);
  await settle(page);
  told.drawn = [];
  for (const time of task.body ? task.times : []) told.drawn.push({ time, ...await page.evaluate(drawBody, { time, body: task.body }) });
  await page.close();
  return { ...told, ...seen };
}

const tasks = JSON.parse(readFileSync(0, 'utf8'));
const browser = await chromium.launch({ executablePath: tasks.chromium, args: ARGUMENTS });
try {
  const told = [];
  for (const task of tasks.pages) told.push(await visit(browser, task, tasks.folder));
  process.stdout.write(JSON.stringify(told));
} finally {
  await browser.close();
}

/* view.js: a browser looks at a run and meddles with it: node test/view.js ADDRESS FOLDER. The scene is that of tests/cli/test_view_page.py: a block of
 * 2 kg without gravity, a motor on a hinge. Says what went wrong, and ends with 1 then. Waits for what can be seen, never for a time. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [address, folder, executablePath] = process.argv.slice(2);
const HANGS = Number(process.env.BRISTLE_HANGS ?? 600000); /* ms: nothing takes so long */
const ARGS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

const wrong = [];
async function open(browser, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1300, height: 950 }, ...options });
  page.setDefaultTimeout(HANGS);
  page.on('console', (message) => wrong.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => wrong.push(`error: ${error.stack}`));
  page.on('request', (request) => { if (!request.url().startsWith(address) && !/^(data|blob):/.test(request.url())) wrong.push(`request: ${request.url()}`); });
  await page.goto(address);
  await rowsCome(page);
  return page;
}
/* An expression of the page: live, bus, r (the recording), last(channel, component). By the debugger: the page itself evaluates no text. */
const look = (page, what) => page.evaluate(`(() => {
  const { live, bus } = window.bristle ?? {}, r = live?.recording, last = (name, i = 0) => { const c = r.channel(name); return c.values[(r.rows - 1) * c.width + i]; };
  return r ? (${what}) : null;
})()`);
async function wait(page, what) {
  const end = Date.now() + HANGS;
  for (;;) {
    try { if (await look(page, what)) return; } catch (error) { if (!/navigation|context/i.test(error.message)) throw error; } /* it is being loaded again */
    if (Date.now() > end) throw new Error(`never: ${what}; there is: ${await look(page, 'JSON.stringify([r.last, live.state.value, live.said.value, live.link.value])')}`);
    await new Promise((go) => { setTimeout(go, 30); });
  }
}
const rowsCome = (page) => wait(page, 'live.link.value === "there" && live.state.value && r.rows > 1');
const button = (page, name) => page.locator('#live').getByRole('button', { name, exact: true });
const picture = (page, name) => page.screenshot({ path: join(folder, `view-${name}.png`) });

async function runs(page) {
  const then = await look(page, 'r.last');
  await wait(page, `r.last > ${then} + 0.2 && bus.time.value > ${then} + 0.2`);
  await wait(page, '/running \u00b7 [0-9.]+ s/.test(document.querySelector("#live output").textContent)');
  await picture(page, 'runs');
}

async function pauses(page) {
  await button(page, 'Pause').click();
  await wait(page, 'live.state.value.paused');
  await wait(page, 'document.querySelector("#live output").textContent.startsWith("paused")');
  const then = await look(page, 'r.last'), dt = await look(page, 'live.state.value.dt');
  await button(page, 'Step').click();
  await wait(page, `r.last > ${then}`);
  await page.keyboard.press('s');
  await wait(page, `r.last > ${then} + 1.5 * ${dt}`);
  assert.ok(await look(page, `Math.abs(r.last - ${then} - 2 * ${dt}) < 1e-9`) || await look(page, 'r.last') > then + 2 * dt, 'steps are steps');
  assert.ok(await look(page, 'live.state.value.paused'));
  await page.keyboard.press('p');
  await wait(page, `!live.state.value.paused && r.last > ${then} + 0.1`);
}

/* A slider by keys: the motor's target, and so the hinge's speed. */
async function drives(page) {
  const slider = page.getByLabel('drive, slider');
  await slider.focus();
  await page.keyboard.press('End');
  await wait(page, 'Math.abs(last("joints.hinge.velocity") - 2) < 1e-5'); /* as far as twice 1 rad/s */
  const typed = page.getByLabel('drive, rad/s');
  await typed.fill('-3.5');
  await typed.press('Enter');
  await wait(page, 'Math.abs(last("joints.hinge.velocity") + 3.5) < 1e-5');
  await page.getByRole('button', { name: 'Give drive back to the scene' }).click();
  await wait(page, 'Math.abs(last("joints.hinge.velocity") - 1) < 1e-5');
  await typed.fill('fast');
  await typed.press('Enter');
  assert.equal(await typed.getAttribute('aria-invalid'), 'true');
}

/* The block is taken at its middle, and goes where the mouse draws it. */
async function pushes(page, withTool) {
  await button(page, 'Reset').click();
  await wait(page, 'last("bodies.block.position", 2) === 0.5');
  const at = await page.evaluate(() => { const { pick, project, frame, canvas, live } = window.bristle, p = [0, 0, 0]; frame(live.recording.last); live.recording.pose(1, live.recording.last, p, [0, 0, 0, 1]); const s = project(p), edge = canvas.getBoundingClientRect(); return { x: s.x + edge.left, y: s.y + edge.top, hit: pick(s.x, s.y) }; });
  assert.equal(at.hit?.body, 1, 'the block is where it is drawn');
  const camera = await page.evaluate(() => JSON.stringify(window.bristle.camera().view));
  if (withTool) await button(page, 'Push').click(); else await page.keyboard.down('Alt');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x, at.y - 60, { steps: 5 });
  await wait(page, 'Math.hypot(last("bodies.block.velocity", 0), last("bodies.block.velocity", 1), last("bodies.block.velocity", 2)) > 0.02');
  await wait(page, '/[0-9.]+ N/.test(document.querySelector(".rope text").textContent) && document.querySelector(".rope").style.display === ""');
  await picture(page, withTool ? 'push-tool' : 'push');
  await page.mouse.up();
  if (withTool) await button(page, 'Push').click(); else await page.keyboard.up('Alt');
  await wait(page, 'last("bodies.block.position", 2) > 0.51'); /* up the screen is up: it was at 0.5 m */
  assert.equal(await page.evaluate(() => document.querySelector('.rope').style.display), 'none');
  assert.equal(await page.evaluate(() => JSON.stringify(window.bristle.camera().view)), camera, 'the camera stands still');
  assert.equal(await look(page, 'bus.selected.value.name'), 'block');
  await wait(page, '(() => { const c = r.channel("bodies.block.velocity").values, n = c.length; return c[n - 1] === c[n - 4] && c[n - 1] === c[n - 13]; })()'); /* nothing pushes any longer */
}

/* The same for whoever has no mouse. */
async function nudges(page) {
  await page.getByLabel('Selected', { exact: true }).selectOption('body block');
  const before = await look(page, 'last("bodies.block.velocity", 0)');
  await button(page, 'Nudge block').focus();
  await page.keyboard.press('Enter');
  await wait(page, `last("bodies.block.velocity", 0) > ${before} + 0.5`);
}

/* Who flies out of the picture is followed: the block does, nudged at 1 m/s. */
async function keepsInView(page) {
  await wait(page, 'document.querySelector("#replay input[type=checkbox]") && [...document.querySelectorAll("#replay label")].some((one) => one.textContent.includes("follow") && one.querySelector("input").checked)');
  await wait(page, '(() => { const p = [0, 0, 0]; r.pose(1, bus.time.value, p, [0, 0, 0, 1]); window.bristle.frame(bus.time.value); const s = window.bristle.project(p), c = window.bristle.canvas; return s && s.x > 0 && s.x < c.clientWidth && s.y > 0 && s.y < c.clientHeight; })()');
}

async function follows(page) {
  await page.locator('.scrub').focus();
  await page.keyboard.press('Home');
  await wait(page, '!live.follows.value && bus.time.value < r.last');
  const then = await look(page, 'r.last');
  await wait(page, `r.last > ${then} + 0.1 && bus.time.value < ${then}`);
  await button(page, 'Live').click();
  await wait(page, 'live.follows.value && bus.time.value === r.last');
}

/* A mouse that passes over a plot shows that moment, and the newest again when it is gone; a click stays. */
async function hovers(page) {
  const plot = page.locator('.timeplot').first();
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox(), x = box.x + 0.4 * box.width, y = box.y + 0.5 * box.height;
  await page.mouse.move(x, y);
  await page.mouse.move(x + 3, y);
  await wait(page, '!live.follows.value');
  await page.mouse.move(20, 300);
  await wait(page, 'live.follows.value');
  await page.mouse.click(x, y);
  await wait(page, '!live.follows.value');
  await page.mouse.move(20, 300);
  await page.mouse.move(30, 300);
  const then = await look(page, 'r.last');
  await wait(page, `r.last > ${then} + 0.1`);
  assert.ok(await look(page, '!live.follows.value'));
  await button(page, 'Live').click();
}

async function changes(page) {
  const typed = page.getByLabel('m', { exact: true });
  await typed.fill('5');
  await typed.press('Enter');
  await wait(page, 'live.state.value.parameters.find((one) => one.name === "m").value === 5');
  await page.getByLabel('An assignment, as --set takes it').fill('bodies.nobody.mass = 3');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await wait(page, 'live.said.value.includes("nobody")');
  await picture(page, 'refused');
  await page.getByLabel('An assignment, as --set takes it').fill('parameters.size = 0.4');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await wait(page, 'live.page.live.form === 1 && r.rows > 1 && r.bodies[1].shapes[0].size[0] === 0.4'); /* the page came again, with another block */
}

async function twoTabs(browser, page) {
  const other = await open(browser, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  await button(page, 'Pause').click();
  for (const one of [page, other]) await wait(one, 'live.state.value.paused');
  await picture(other, 'phone');
  const wide = await other.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} px wide on a phone of 390`);
  await button(other, 'Play').click();
  for (const one of [page, other]) await wait(one, '!live.state.value.paused');
  await other.close();
  const then = await look(page, 'r.last');
  await wait(page, `r.last > ${then} + 0.1`);
}

async function reloads(page) {
  const then = await look(page, 'r.last');
  await page.reload();
  await rowsCome(page);
  assert.ok(await look(page, 'r.first') >= then - 1e-6, 'a page that comes again begins with what is now');
}

/* Everything of the bar can be reached by keys, has a name, and is legible: WCAG's 4.5. */
async function reachable(page) {
  const nameless = await page.evaluate(() => [...document.querySelectorAll('#live button, #live input, #live select')].filter((one) => !(one.textContent.trim() || one.getAttribute('aria-label') || one.closest('label')?.textContent.trim())).map((one) => one.outerHTML));
  assert.deepEqual(nameless, []);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((one) => window.bristle.bus.theme.set(one), theme);
    const poor = await page.evaluate(() => {
      const read = (text) => text.match(/[\d.]+/g).map(Number), light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = (one) => { for (let e = one; e; e = e.parentElement) { const c = read(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
      return [...document.querySelectorAll('#live *')].filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) && !one.disabled && one.checkVisibility()).filter((one) => {
        const [a, b] = [light(read(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05) < 4.5;
      }).map((one) => one.outerHTML);
    });
    assert.deepEqual(poor, [], theme);
  }
}

const browser = await chromium.launch({ executablePath, args: ARGS });
let failed = 0;
async function check(name, act) {
  try { await act(); } catch (error) { failed++; process.stdout.write(`${name}: ${error.stack}\n`); }
}
const page = await open(browser);
await check('time runs', () => runs(page));
await check('pause and step', () => pauses(page));
await check('scrub and follow', () => follows(page));
await check('hover', () => hovers(page));
await check('motor', () => drives(page));
await check('push with Alt', () => pushes(page, false));
await check('push with the tool', () => pushes(page, true));
await check('push by keys', () => nudges(page));
await check('keeps in view', () => keepsInView(page));
await check('reachable', () => reachable(page));
await check('two tabs', () => twoTabs(browser, page));
await check('numbers', () => changes(page));
await check('reload', () => reloads(page));
await check('nothing wrong in the console', () => assert.deepEqual(wrong.filter((line) => !/400 \(Bad Request\)/.test(line)), [])); /* the refused assignment is answered so */
await browser.close();
process.exit(failed ? 1 : 0);

// A browser, a server, and the requirements for every page.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { after, afterEach, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TARGET = process.env.CARGO_TARGET_DIR ?? `${ROOT}target`;
// The shipped binary, built with `cargo static`, unless GHI names another.
export const GHI = process.env.GHI ?? `${TARGET}/${execFileSync("rustc", ["--print", "host-tuple"], { encoding: "utf8" }).trim()}/release/ghi`;
export const SCREENSHOTS = `${TARGET}/screenshots`;
export const TODAY = "2026-11-15T12:00:00Z";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// The built-in inputs without their regions, and a region for them.
export const [NETWORK] = readFileSync(`${ROOT}crates/ghi-engine/inputs.toml`, "utf8").split("[[region]]");
export const region = (id, name, share, cost = 1) => `[[region]]
id = "${id}"
name = "${name}"
hashrate_share_pct = ${share}
efficiency_j_per_th = { best = ${18 * cost}, mean = ${20 * cost}, worst = ${22 * cost} }
electricity_usd_per_kwh = { low = 0.05, mean = 0.06, high = 0.07 }
`;

// Chromium's sandbox does not work for root, the user in containers.
export const CHROMIUM = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
};

// Starts a browser and a server for the tests of a file. Files run in parallel, so each has its own port.
export async function onFreePort() {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address();
  taken.close();
  const base = `http://127.0.0.1:${port}`;
  let browser;
  let server;

  async function serve(at, ...more) {
    if (server) await stop();
    server = spawn(GHI, ["--listen", `127.0.0.1:${port}`, "--at", at, ...more]);
    const [greeting] = await once(server.stderr, "data");
    assert.match(String(greeting), /listens on/);
  }

  async function stop() {
    server.kill("SIGINT");
    await once(server, "exit");
    server = undefined;
  }

  before(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    browser = await chromium.launch(CHROMIUM);
    await serve(TODAY);
  });

  // A test may have started another server instead.
  afterEach(async () => {
    if (!server || server.spawnargs.length > 5 || !server.spawnargs.includes(TODAY)) await serve(TODAY);
  });

  after(async () => {
    await browser.close();
    await stop();
  });

  const api = async (path) => (await fetch(base + path)).json();

  // Opens a page, runs a test on it, and asserts that there were no errors and no requests to other hosts.
  async function visit(path, { width = 1440, height = 900, ...options }, look, expected = []) {
    const context = await browser.newContext({ viewport: { width, height }, ...options });
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      const isOwn = origin === base || ["data:", "blob:"].includes(protocol);
      if (!isOwn) complaints.push(`asks ${request.url()}`);
    });
    await page.goto(new URL(path, base).href);
    await look(page, complaints);
    assert.deepEqual(complaints, expected, path);
    await context.close();
  }

  // The same at several widths. Resizing the window is faster than reopening it.
  // Only the first and the last width, unless `THOROUGH` is set.
  async function visitAtWidths(path, widths, options, look) {
    await visit(path, { ...options, width: widths[0] }, async (page) => {
      for (const width of process.env.THOROUGH ? widths : [widths[0], widths.at(-1)]) {
        await page.setViewportSize({ width, height: 900 });
        await look(page, width);
      }
    });
  }

  // Runs a function in a page from another origin: for a browser, localhost differs from 127.0.0.1.
  async function evaluateElsewhere(run, argument) {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${port}/healthz`);
    const result = await page.evaluate(run, argument);
    await page.close();
    return result;
  }

  return { base, serve, stop, api, visit, visitAtWidths, evaluateElsewhere };
}

// Checking contrast takes most of the time, and the result depends on the layout, not on every width.
export async function assertAccessible(page, { contrast = true } = {}) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  // Runs every rule. Reporting passed rules as well would double the time.
  const told = await page.evaluate(async (enabled) => {
    const { violations } = await axe.run({ resultTypes: ["violations"], rules: { "color-contrast": { enabled } } });
    return violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html.slice(0, 200))]);
  }, contrast);
  assert.deepEqual(told, []);
}

export async function assertFits(page) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${content} px in ${window} px`);
}

// Asserts that no visible chart has text beyond its edge or overlapping text.
export async function assertChartsLegible(page) {
  const told = await page.evaluate(() => {
    // A box is taller than the letters in it.
    const letters = ({ left, right, top, bottom, height }) => ({ left, right, top: top + height / 4, bottom: bottom - height / 4 });
    const boxes = (chart) => [...chart.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().width > 0).map((text) => [text.textContent, letters(text.getBoundingClientRect())]);
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    return [...document.querySelectorAll("svg")].filter((chart) => chart.checkVisibility()).flatMap((chart) => {
      const edge = chart.getBoundingClientRect();
      const texts = boxes(chart);
      const levels = [...chart.querySelectorAll("line[stroke-dasharray]")].map((line) => line.getBoundingClientRect());
      const isCrossed = (box) => chart.matches(".curve.wide") && levels.some(({ top, left, right }) => top > box.top && top < box.bottom && left < box.left && right > box.right);
      return texts.flatMap(([text, box], index) => [
        ...(isCrossed(box) ? [`${text} is crossed by a line`] : []),
        ...(box.left < edge.left - 1 || box.right > edge.right + 1 ? [`${text} leaves the chart`] : []),
        ...texts.slice(index + 1).filter(([, other]) => !apart(box, other)).map(([other]) => `${text} is over ${other}`),
      ]);
    });
  });
  assert.deepEqual(told, []);
}

// Asserts that the headers of tables are side by side.
async function assertHeadersApart(page) {
  const told = await page.evaluate(() =>
    [...document.querySelectorAll("thead")].flatMap((head) => {
      const boxes = [...head.querySelectorAll("th")].filter((header) => header.checkVisibility()).map((header) => {
        const range = new Range();
        range.selectNodeContents(header);
        return [header.textContent.trim(), range.getBoundingClientRect()];
      });
      const isOver = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
      return boxes.slice(1).flatMap(([text, box], at) => (isOver(box, boxes[at][1]) ? [`${text} is over ${boxes[at][0]}`] : []));
    }),
  );
  assert.deepEqual(told, []);
}

// Asserts that the text in charts has the normal size at any window width.
export async function assertChartTextSized(page) {
  const told = await page.evaluate(() =>
    [...document.querySelectorAll("svg text")].filter((text) => text.checkVisibility()).flatMap((text) => {
      const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d;
      return size < 11 || size > 15 ? [`${text.textContent}: ${size} px`] : [];
    }),
  );
  assert.deepEqual(told, []);
}

// Asserts that no number is wrapped or cut off. Lists of links may scroll.
export async function assertNumbersWhole(page) {
  const told = await page.evaluate(() => {
    const told = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const holder = node.parentElement;
      if (!holder.checkVisibility() || holder.closest("svg, script, select, code, .ranges, .unseen, footer.about")) continue;
      for (const { 0: number, index } of node.data.matchAll(/[$−+]?\d[\d,.]*\d%?/g)) {
        const range = new Range();
        range.setStart(node, index);
        range.setEnd(node, index + number.length);
        const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
        if (new Set(boxes.map(({ top }) => Math.round(top))).size > 1) told.push(`${number} is broken`);
        for (let box = holder; box; box = box.parentElement) {
          if (getComputedStyle(box).overflowX === "visible") continue;
          const { left, right } = box.getBoundingClientRect();
          if (boxes.some((part) => part.left < left - 1 || part.right > right + 1)) told.push(`${number} is clipped`);
        }
      }
    }
    return told;
  });
  assert.deepEqual(told, []);
}

// Asserts the visual requirements for a page with data.
export async function assertWhole(page) {
  await assertFits(page);
  await assertChartsLegible(page);
  await assertChartTextSized(page);
  await assertHeadersApart(page);
  await assertNumbersWhole(page);
}

// Asserts all requirements for a page with data at any width.
export async function assertBeautiful(page) {
  await assertWhole(page);
  await assertAccessible(page, { contrast: [320, 820, 1440].includes(page.viewportSize().width) });
}

// The pages in a real browser: every width and theme, without script, over a change of the day.
//
//     npm ci && npm test
//
// Needs Chromium and a release build. Screenshots go to target/screenshots: look at them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TARGET = process.env.CARGO_TARGET_DIR ?? `${ROOT}target`;
const SCREENSHOTS = `${TARGET}/screenshots`;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PORT = 18320;
const BASE = `http://127.0.0.1:${PORT}`;
const TODAY = "2026-11-15T12:00:00Z";
const TOMORROW = "2026-11-16T00:00:30Z";

let browser;
let server;

async function serve(at) {
  server = spawn(`${TARGET}/release/ghi`, ["--listen", `127.0.0.1:${PORT}`, "--at", at]);
  const [greeting] = await once(server.stderr, "data");
  assert.match(String(greeting), /listens on/);
}

async function stop() {
  server.kill("SIGINT");
  await once(server, "exit");
}

const api = async (path) => (await fetch(BASE + path)).json();

const grouped = (number) =>
  number.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

before(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // The sandbox of Chromium does not work for root, as whom containers run.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
  await serve(TODAY);
});

after(async () => {
  await browser.close();
  await stop();
});

// Opens a page, runs a test on it, and asserts that it was quiet: no error, no other host.
async function visit(path, { width = 1440, height = 900, ...options }, look) {
  const context = await browser.newContext({ viewport: { width, height }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    const isOwn = origin === BASE || ["data:", "blob:"].includes(protocol);
    if (!isOwn) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(BASE + path);
  await look(page, complaints);
  assert.deepEqual(complaints, [], path);
  await context.close();
}

async function assertAccessible(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => axe.run());
  const told = violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html.slice(0, 200))]);
  assert.deepEqual(told, []);
}

async function assertFits(page) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${content} px in ${window} px`);
}

for (const colorScheme of ["light", "dark"]) {
  for (const width of [390, 820, 1440]) {
    test(`the dashboard fits ${width} px in ${colorScheme} and anybody can use it`, async () => {
      await visit("/", { width, colorScheme }, async (page) => {
        await assertFits(page);
        await assertAccessible(page);
        const charts = await page.locator("figure svg:visible").all();
        assert.equal(charts.length, 2);
        for (const chart of charts) assert.ok((await chart.boundingBox()).width > 250);
        await page.screenshot({ path: `${SCREENSHOTS}/dashboard-${width}-${colorScheme}.png`, fullPage: true });
      });
    });

    test(`the reference and the problems fit ${width} px in ${colorScheme}`, async () => {
      await visit("/docs", { width, colorScheme }, async (page) => {
        await page.getByRole("heading", { name: /Global HashCost Index/ }).waitFor();
        await assertFits(page);
        await assertAccessible(page);
        await page.screenshot({ path: `${SCREENSHOTS}/docs-${width}-${colorScheme}.png` });
      });
      await visit("/problems/unknown_region", { width, colorScheme }, async (page) => {
        await assertFits(page);
        await assertAccessible(page);
        await page.screenshot({ path: `${SCREENSHOTS}/problem-${width}-${colorScheme}.png` });
      });
    });
  }

  test(`pictures stand alone in ${colorScheme}`, async () => {
    for (const name of ["history", "regions"]) {
      await visit(`/charts/${name}.svg`, { width: 680, height: 380, colorScheme }, async (page) => {
        await page.screenshot({ path: `${SCREENSHOTS}/chart-${name}-${colorScheme}.png` });
      });
    }
  });
}

for (const javaScriptEnabled of [true, false]) {
  test(`regions are switched ${javaScriptEnabled ? "with" : "without"} script`, async () => {
    const { points } = await api("/v1/ghi/history?region_id=cn");
    await visit("/", { javaScriptEnabled }, async (page) => {
      const average = page.locator(".history tbody tr:last-child td").nth(1);
      const before = await average.textContent();
      await page.getByRole("link", { name: "China" }).click();
      await page.getByRole("heading", { name: "The week: China" }).waitFor();
      assert.equal(page.url(), `${BASE}/?region_id=cn#history`);
      assert.equal(await average.textContent(), grouped(points.at(-1).avg_cost_usd));
      assert.notEqual(await average.textContent(), before);
      const current = page.locator(".scopes [aria-current]");
      assert.equal(await current.textContent(), "China");
    });
  });
}

test("the page refreshes itself, says when it cannot, and recovers", async () => {
  const shown = (page) => page.locator(".average .amount").textContent();
  const today = grouped((await api("/v1/ghi/snapshot")).global_avg_cost_usd);
  await visit("/?region_id=us", {}, async (page, complaints) => {
    await page.clock.install();
    await page.reload();
    assert.equal(await shown(page), today);
    await page.getByRole("link", { name: "Europe" }).focus();

    await stop();
    await page.clock.runFor(60_000);
    await page.getByText("The server does not answer").waitFor();
    assert.equal(await shown(page), today);
    assert.match(complaints.splice(0).join(), /ERR_CONNECTION_REFUSED/);

    await serve(TOMORROW);
    const tomorrow = grouped((await api("/v1/ghi/snapshot")).global_avg_cost_usd);
    assert.notEqual(tomorrow, today);
    await page.clock.runFor(60_000);
    await page.locator(".average .amount", { hasText: tomorrow }).waitFor();
    assert.match(await page.title(), /16 November 2026/);
    assert.equal(await page.locator("#status").textContent(), "");
    assert.equal(await page.getByRole("heading", { name: "The week: United States" }).count(), 1);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Europe");

    await stop();
    await serve(TODAY);
  });
});

test("the reference sends a request to the server that shows it", async () => {
  await visit("/docs", {}, async (page) => {
    const answered = page.waitForResponse((response) => response.url() === `${BASE}/v1/ghi/snapshot`);
    await page.getByRole("button", { name: /Test Request.*snapshot/ }).click();
    await page.getByRole("button", { name: /^Send/ }).first().click();
    assert.equal((await answered).status(), 200);
    const { global_avg_cost_usd } = await api("/v1/ghi/snapshot");
    await page.getByRole("dialog").getByText(String(global_avg_cost_usd)).first().waitFor();
    await page.screenshot({ path: `${SCREENSHOTS}/docs-request.png` });
  });
});

test("the page prints", async () => {
  await visit("/", { width: 794, height: 1123, colorScheme: "dark" }, async (page) => {
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".scopes").isVisible(), false);
    await page.screenshot({ path: `${SCREENSHOTS}/print.png`, fullPage: true });
    const pages = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type \/Page\b/g);
    assert.ok(pages.length <= 2, `${pages.length} sheets`);
  });
});

test("the first thing that a keyboard reaches skips to the content", async () => {
  await visit("/", {}, async (page) => {
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
    await page.screenshot({ path: `${SCREENSHOTS}/skip.png` });
  });
});

// The pages in a real browser: every width and theme, without script, over a change of the day.
//
//     npm ci && npm test
//
// Needs Chromium and a release build. Screenshots go to target/screenshots: look at them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
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

async function serve(at, ...more) {
  if (server) await stop();
  server = spawn(`${TARGET}/release/ghi`, ["--listen", `127.0.0.1:${PORT}`, "--at", at, ...more]);
  const [greeting] = await once(server.stderr, "data");
  assert.match(String(greeting), /listens on/);
}

async function stop() {
  server.kill("SIGINT");
  await once(server, "exit");
  server = undefined;
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

// A test may have put another server in its place.
afterEach(async () => {
  if (!server || server.spawnargs.length > 5 || !server.spawnargs.includes(TODAY)) await serve(TODAY);
});

after(async () => {
  await browser.close();
  await stop();
});

// Opens a page, runs a test on it, and asserts that it was quiet: no error, no other host.
async function visit(path, { width = 1440, height = 900, ...options }, look, expected = []) {
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
  assert.deepEqual(complaints, expected, path);
  await context.close();
}

const scope = (page, name) => page.getByRole("navigation", { name: "Region of the week" }).getByRole("link", { name });

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

// Asserts that no chart that is seen draws a text beyond its edge, or two over each other.
async function assertChartsLegible(page) {
  const told = await page.evaluate(() => {
    // A box is higher than the letters in it.
    const letters = ({ left, right, top, bottom, height }) => ({ left, right, top: top + height / 4, bottom: bottom - height / 4 });
    const boxes = (chart) => [...chart.querySelectorAll("text")].map((text) => [text.textContent, letters(text.getBoundingClientRect())]);
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    return [...document.querySelectorAll("svg")].filter((chart) => chart.checkVisibility()).flatMap((chart) => {
      const edge = chart.getBoundingClientRect();
      const texts = boxes(chart);
      return texts.flatMap(([text, box], index) => [
        ...(box.left < edge.left - 1 || box.right > edge.right + 1 ? [`${text} leaves the chart`] : []),
        ...texts.slice(index + 1).filter(([, other]) => !apart(box, other)).map(([other]) => `${text} is over ${other}`),
      ]);
    });
  });
  assert.deepEqual(told, []);
}

for (const colorScheme of ["light", "dark"]) {
  for (const width of [320, 390, 820, 1440]) {
    test(`the dashboard fits ${width} px in ${colorScheme} and anybody can use it`, async () => {
      await visit("/", { width, colorScheme }, async (page) => {
        await assertFits(page);
        await assertAccessible(page);
        const charts = await page.locator("figure svg:visible").all();
        assert.equal(charts.length, 2);
        for (const chart of charts) assert.ok((await chart.boundingBox()).width > 250);
        await assertChartsLegible(page);
        await page.screenshot({ path: `${SCREENSHOTS}/dashboard-${width}-${colorScheme}.png`, fullPage: true });
      });
    });

    test(`explanations fit ${width} px in ${colorScheme} and anybody can use them`, async () => {
      for (const [name, path] of [["world", "/explain"], ["region", "/explain?region_id=eu&date=2024-02-29"]]) {
        await visit(path, { width, colorScheme }, async (page) => {
          await assertFits(page);
          await assertAccessible(page);
          await page.screenshot({ path: `${SCREENSHOTS}/explain-${name}-${width}-${colorScheme}.png`, fullPage: true });
        });
      }
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

  test(`charts stand alone in ${colorScheme}`, async () => {
    for (const name of ["history", "regions"]) {
      await visit(`/charts/${name}.svg`, { width: 680, height: 380, colorScheme }, async (page) => {
        await assertChartsLegible(page);
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
      await scope(page, "China").click();
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
    await scope(page, "Europe").focus();

    await stop();
    await page.clock.runFor(60_000);
    await page.getByText("cannot be refreshed").waitFor();
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
    await page.getByRole("region", { name: "Costs by region" }).focus();
    await page.clock.runFor(60_000);
    await page.waitForFunction(() => document.activeElement.ariaLabel === "Costs by region");
  });
});

const [NETWORK] = readFileSync(`${ROOT}crates/ghi-engine/inputs.toml`, "utf8").split("[[region]]");

const region = (id, name, share, cost = 1) => `[[region]]
id = "${id}"
name = "${name}"
hashrate_share_pct = ${share}
efficiency_j_per_th = { best = ${18 * cost}, mean = ${20 * cost}, worst = ${22 * cost} }
electricity_usd_per_kwh = { low = 0.05, mean = 0.06, high = 0.07 }
`;

const flat = (price) => `[[region]]
id = "flat"
name = "Flat"
hashrate_share_pct = 100
efficiency_j_per_th = { best = 20, mean = 20, worst = 20 }
electricity_usd_per_kwh = { low = ${price}, mean = ${price}, high = ${price} }
`;

const NETWORKS = {
  "one region": [region("only", "Only", 100)],
  "thirteen regions": Array.from({ length: 13 }, (_, place) => region(`r${place}`, `Region ${place}`, place ? 1 : 88)),
  "long names": [
    region("a", "W".repeat(64), 50),
    region("b".repeat(32), "界".repeat(21), 25),
    region("c", "a name of many words ".repeat(3).trim(), 25),
  ],
  "names from right to left": [region("il", "ישראל", 60), region("ae", "الإمارات", 40)],
  "large costs": [region("a", "Dear", 60, 40), region("b", "Cheap", 40)],
  "small costs": [region("a", "Cheap", 100, 0.1)],
  "one cost": [flat(0.065)],
  "one large cost": [flat(10)],
};

// Puts a server of one of the networks in place.
async function serveNetwork(name) {
  const [hashrate, reward] = { "large costs": [10_000, 0.01], "one large cost": [10_000, 0.01], "small costs": [10, 50] }[name] ?? [850, 3.125];
  const network = NETWORK.replace("hashrate_eh = 850.0", `hashrate_eh = ${hashrate}`);
  const file = `${SCREENSHOTS}/${name}.toml`;
  const still = (text) => (name.startsWith("one ") && name.endsWith("cost") ? text.replace(/_pct = [\d.]+/g, "_pct = 0") : text);
  writeFileSync(file, still(network.replace("coins = 3.125", `coins = ${reward}`)) + NETWORKS[name].join(""));
  await serve(TODAY, "--inputs", file);
}

for (const name of Object.keys(NETWORKS)) {
  test(`a network of ${name} can be shown`, async () => {
    await serveNetwork(name);
    const { regions } = await api("/v1/ghi/regions");
    for (const width of [320, 390, 820, 1120, 1440]) {
      await visit(`/?region_id=${regions.at(-1).id}`, { width }, async (page) => {
        await assertFits(page);
        await assertAccessible(page);
        await assertChartsLegible(page);
        await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}.png`, fullPage: true });
      });
    }
    for (const path of ["/explain", `/explain?region_id=${regions.at(-1).id}`]) {
      for (const width of [320, 1440]) {
        await visit(path, { width }, async (page) => {
          await assertFits(page);
          await assertAccessible(page);
        });
      }
    }
    for (const path of [`/charts/history.svg?region_id=${regions[0].id}`, "/charts/regions.svg"]) {
      await visit(path, { width: 700, height: 700 }, assertChartsLegible);
    }
  });
}

test("a day and a region are chosen without script", async () => {
  await visit("/explain", { javaScriptEnabled: false }, async (page) => {
    await page.getByLabel("Region", { exact: true }).selectOption("Europe");
    await page.getByLabel("Date", { exact: true }).fill("2026-11-10");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("Europe on 10 November 2026").waitFor();
    assert.equal(page.url(), `${BASE}/explain?region_id=eu&date=2026-11-10`);
  });
});

test("what somebody types is not refreshed away", async () => {
  await serveNetwork("thirteen regions");
  await visit("/", {}, async (page) => {
    await page.clock.install();
    await page.reload();
    const input = page.getByLabel("Any region, by id");
    await input.fill("r1");
    await input.blur();
    const refreshed = page.waitForResponse(`${BASE}/`);
    await page.clock.runFor(60_000);
    await refreshed;
    assert.equal(await input.inputValue(), "r1");
    await input.press("Enter");
    await page.getByRole("heading", { name: "The week: Region 1" }).waitFor();
    await input.fill("nowhere");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("heading", { name: "There is no such region" }).waitFor();
    await page.screenshot({ path: `${SCREENSHOTS}/unknown-region.png` });
  }, ["Failed to load resource: the server responded with a status of 404 (Not Found)"]);
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

test("the browser reads compressed documents at any instant", async () => {
  const file = `${SCREENSHOTS}/fifty.toml`;
  writeFileSync(file, NETWORK + Array.from({ length: 50 }, (_, place) => region(`r${place}`, `Region ${place}`, 2)).join(""));
  for (const time of ["00:00:00.000000", "12:34:56.789012", "23:59:59.999999"]) {
    await serve(`2028-02-29T${time}Z`, "--inputs", file);
    await visit("/", {}, async (page) => {
      for (const path of ["/v1/ghi/snapshot", "/v1/ghi/regions"]) {
        const [encoding, { regions, timestamp_utc }] = await page.evaluate(async (path) => {
          const response = await fetch(path);
          return [response.headers.get("content-encoding"), await response.json()];
        }, path);
        assert.deepEqual([encoding, regions.length, timestamp_utc], ["gzip", 50, `2028-02-29T${time}Z`]);
      }
    });
  }
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

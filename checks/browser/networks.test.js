// The pages in a real browser, with networks other than the built-in one.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { assertAccessible, assertBeautiful, assertChartsLegible, assertFits, NETWORK, onFreePort, region, SCREENSHOTS, TODAY } from "./browser.js";

const { base, serve, api, visit, visitAtWidths } = await onFreePort();

const flat = (price) => `[[region]]
id = "flat"
name = "Flat"
hashrate_share_pct = 100
efficiency_j_per_th = { best = 20, mean = 20, worst = 20 }
electricity_usd_per_kwh = { low = ${price}, mean = ${price}, high = ${price} }
`;

const NETWORKS = {
  "one region": [region("only", "Only", 100)],
  "thirty regions": Array.from({ length: 30 }, (_, place) => region(`r${place}`, `Region ${place}`, place ? 1 : 71, 1 + place / 50)),
  "as many regions as possible": Array.from({ length: 256 }, (_, place) => region(`r${place}`, `Region ${place}`, place ? 0.3 : 23.5, 1 + place / 512)),
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

// Starts a server with one of the networks.
async function serveNetwork(name) {
  const [hashrate, reward] = { "large costs": [10_000, 0.01], "one large cost": [10_000, 0.01], "small costs": [10, 50] }[name] ?? [975, 3.125];
  const network = NETWORK.replace("hashrate_eh = 975.0", `hashrate_eh = ${hashrate}`);
  const file = `${SCREENSHOTS}/${name}.toml`;
  const still = (text) => (name.startsWith("one ") && name.endsWith("cost") ? text.replace(/_pct = [\d.]+/g, "_pct = 0") : text);
  writeFileSync(file, still(network.replace("coins = 3.125", `coins = ${reward}`)) + NETWORKS[name].join(""));
  await serve(TODAY, "--inputs", file);
}

// The networks that are checked unless `THOROUGH` is set.
const SHORT = ["as many regions as possible", "long names", "names from right to left", "small costs"];

for (const name of process.env.THOROUGH ? Object.keys(NETWORKS) : SHORT) {
  test(`a network of ${name} can be shown`, async () => {
    await serveNetwork(name);
    const { regions } = await api("/v1/ghi/regions");
    await visitAtWidths(`/?region_id=${regions.at(-1).id}`, [320, 390, 820, 1120, 1440], {}, async (page, width) => {
      await assertBeautiful(page);
      await page.locator(".daily").evaluate((details) => (details.open = true));
      const lines = await page.locator(".days tbody tr").evaluateAll((rows) => rows.map((row) => new Set([...row.cells].map(({ offsetTop }) => offsetTop)).size));
      if (width >= 1120) assert.deepEqual(new Set(lines), new Set([1]), "one line per day");
      await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}.png`, fullPage: true });
    });
    await visitAtWidths(`/regions/${regions.at(-1).id}?range=7d`, [320, 1440], {}, assertBeautiful);
    for (const path of ["/explain", `/explain?region_id=${regions.at(-1).id}`]) {
      await visitAtWidths(path, [320, 1440], {}, async (page) => {
        await assertFits(page);
        await assertAccessible(page);
      });
    }
    for (const path of [`/charts/history.svg?region_id=${regions[0].id}`, "/charts/regions.svg", "/charts/cost-curve.svg"]) {
      await visit(path, { width: 700, height: 700 }, assertChartsLegible);
    }
  });
}

test("thirty regions take at most six screens of a phone", async () => {
  await serveNetwork("thirty regions");
  await visit("/", { width: 390, height: 844 }, async (page) => {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(height <= 6 * 844, `${height} px`);
  });
});

test("the table of regions follows the reader's own cost", async () => {
  await serveNetwork("as many regions as possible");
  await visit("/?overhead=1.5&page=1", {}, async (page) => {
    const versus = async () => (await page.locator(".regions tbody .versus-yours").allTextContents()).map((text) => text.trim());
    const before = await versus();
    assert.equal(before.length, 256);
    await page.locator('[data-of="overhead"]').focus();
    await page.keyboard.press("End");
    await page.waitForURL((url) => url.searchParams.get("overhead") > 1.5);
    await page.waitForFunction((first) => document.querySelector(".versus-yours").textContent.trim() !== first, before[0]);
    const after = await versus();
    await page.reload();
    assert.deepEqual(await versus(), after);
  });
});

test("a refresh keeps typed text", async () => {
  await serveNetwork("thirteen regions");
  await visit("/", {}, async (page) => {
    await page.clock.install();
    await page.reload();
    const input = page.getByLabel("Find a region");
    await input.fill("region 1");
    await input.blur();
    const refreshed = page.waitForResponse(`${base}/`);
    await page.clock.runFor(60_000);
    await refreshed;
    assert.equal(await input.inputValue(), "region 1");
    await input.press("Enter");
    await page.waitForURL(/find=region/);
    const names = await page.locator(".regions tbody th a").allTextContents();
    assert.deepEqual(names.toSorted(), ["Region 1", "Region 10", "Region 11", "Region 12"]);
    await page.goto(`${base}/?region_id=nowhere`);
    await page.getByText(/No region has this region_id\./).first().waitFor();
    await page.screenshot({ path: `${SCREENSHOTS}/unknown-region.png` });
  }, ["Failed to load resource: the server responded with a status of 404 (Not Found)"]);
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

// The pages in a real browser: every width and theme, without script, over a change of the day.
//
//     npm ci && npm test
//
// Needs Chromium and a release build. Screenshots go to target/screenshots: look at them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertChartsLegible, assertFits, onPort, SCREENSHOTS } from "./browser.js";

const TOMORROW = "2026-11-16T00:00:30Z";

const { base, serve, stop, api, visit, visitAtWidths } = onPort(18320);

const grouped = (number) =>
  number.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

const scope = (page, name) => page.getByRole("navigation", { name: "Region of the week" }).getByRole("link", { name });

const WIDTHS = [320, 390, 820, 1440];

for (const colorScheme of ["light", "dark"]) {
  test(`the dashboard fits every width in ${colorScheme} and anybody can use it`, async () => {
    await visitAtWidths("/", WIDTHS, { colorScheme }, async (page, width) => {
      await assertFits(page);
      await assertAccessible(page);
      const charts = await page.locator("figure svg:visible").all();
      assert.equal(charts.length, 2);
      for (const chart of charts) assert.ok((await chart.boundingBox()).width > 250);
      await assertChartsLegible(page);
      await page.screenshot({ path: `${SCREENSHOTS}/dashboard-${width}-${colorScheme}.png`, fullPage: true });
    });
  });

  test(`explanations fit every width in ${colorScheme} and anybody can use them`, async () => {
    for (const [name, path] of [["worldwide", "/explain"], ["region", "/explain?region_id=eu&date=2024-02-29"]]) {
      await visitAtWidths(path, WIDTHS, { colorScheme }, async (page, width) => {
        await assertFits(page);
        await assertAccessible(page);
        await page.screenshot({ path: `${SCREENSHOTS}/explain-${name}-${width}-${colorScheme}.png`, fullPage: true });
      });
    }
  });

  test(`the reference and the problems fit every width in ${colorScheme}`, async () => {
    await visitAtWidths("/docs", WIDTHS, { colorScheme }, async (page, width) => {
      await page.getByRole("heading", { name: /Global HashCost Index/ }).waitFor();
      await assertFits(page);
      await assertAccessible(page);
      await page.screenshot({ path: `${SCREENSHOTS}/docs-${width}-${colorScheme}.png` });
    });
    await visitAtWidths("/problems/unknown_region", WIDTHS, { colorScheme }, async (page, width) => {
      await assertFits(page);
      await assertAccessible(page);
      await page.screenshot({ path: `${SCREENSHOTS}/problem-${width}-${colorScheme}.png` });
    });
  });

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
      assert.equal(page.url(), `${base}/?region_id=cn#history`);
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

test("a day and a region are chosen without script", async () => {
  await visit("/explain", { javaScriptEnabled: false }, async (page) => {
    await page.getByLabel("Region", { exact: true }).selectOption("Europe");
    await page.getByLabel("Date", { exact: true }).fill("2026-11-10");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("Europe on 10 November 2026").waitFor();
    assert.equal(page.url(), `${base}/explain?region_id=eu&date=2026-11-10`);
  });
});

test("the reference sends a request to the server that shows it", async () => {
  await visit("/docs", {}, async (page) => {
    const answered = page.waitForResponse((response) => response.url() === `${base}/v1/ghi/snapshot`);
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

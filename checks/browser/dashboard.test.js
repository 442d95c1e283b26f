// Interaction with the dashboard: with and without JavaScript, by pointer, touch and keyboard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, onFreePort, SCREENSHOTS } from "./browser.js";

const TOMORROW = "2026-11-16T00:00:30Z";

const { base, serve, stop, api, visit } = await onFreePort();

const dollars = (usd) => Math.round(usd).toLocaleString("en-US");

const rows = (page) => page.locator(".days tbody tr");
const cells = async (row) => (await row.locator("th, td").allTextContents()).map((text) => text.trim());
const chip = (page, name) => page.locator(".choices").getByRole("link", { name, exact: true });

// The position of the first chart's plot, without the labels next to it.
const place = (page) =>
  chart(page).locator(".chart:visible > .plot").evaluate((plot) => {
    const [axis] = [...plot.querySelectorAll("line")].filter((line) => line.getAttribute("x2") === "100%").map((line) => line.getBoundingClientRect());
    const left = plot.querySelector("svg use, svg path").getBoundingClientRect().left;
    return { x: left, width: axis.right - left, y: plot.ownerSVGElement.getBoundingClientRect().y, height: plot.height.baseVal.value };
  });

const chart = (page) => page.locator("figure.explorable").first();

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with" : "without";

  test(`ranges and regions can be chosen ${how} script, and the URL contains both`, async () => {
    const { points } = await api("/v1/ghi/history?region_id=cn");
    await visit("/", { javaScriptEnabled }, async (page) => {
      assert.equal(await rows(page).count(), 31);
      await chip(page, "7d").click();
      await page.locator('.ranges [aria-current]:has-text("7d")').waitFor();
      await chip(page, "China").click();
      await page.getByRole("heading", { name: /^China's average/ }).waitFor();
      assert.equal(page.url(), `${base}/?range=7d&region_id=cn#history`);
      const shown = await Promise.all((await rows(page).all()).map(cells));
      const expected = points.map((point) => ["min", "avg", "max"].map((name) => dollars(point[`${name}_cost_usd`])));
      // Starts a week ago, one day more than the history.
      assert.deepEqual(shown.map((row) => row.slice(1, 4)).reverse().slice(1), expected);
      await page.goBack();
      await page.getByRole("heading", { name: /^The worldwide average/ }).waitFor();
      assert.equal(await rows(page).count(), 8);
    });
  });

  test(`regions can be sorted, found and compared ${how} script`, async () => {
    await visit("/", { javaScriptEnabled }, async (page) => {
      const names = () => page.locator(".regions tbody th a").allTextContents();
      const { regions } = await api("/v1/ghi/snapshot");
      const byAverage = regions.toSorted((a, b) => b.avg_cost_usd - a.avg_cost_usd).map(({ name }) => name);
      await page.locator(".regions thead").getByRole("link", { name: "Average" }).click();
      await page.waitForURL(/sort=avg/);
      await page.locator('.regions [aria-sort="descending"]', { hasText: "Average" }).waitFor();
      assert.deepEqual(await names(), byAverage);
      await page.locator(".regions thead").getByRole("link", { name: "Average" }).click();
      await page.locator('.regions [aria-sort="ascending"]', { hasText: "Average" }).waitFor();
      assert.deepEqual(await names(), byAverage.toReversed());

      await page.locator("[name=compare]").selectOption("United States");
      await page.locator("[name=with]").selectOption("China");
      await page.getByRole("button", { name: "Compare" }).click();
      const [us, cn] = ["us", "cn"].map((id) => regions.find((region) => region.id === id).avg_cost_usd);
      await page.getByRole("heading", { name: `United States costs $${dollars(us - cn)} more than China` }).waitFor();
      assert.match(page.url(), /sort=-avg/);
      const marked = await page.locator(".compare dd data").evaluateAll((all) => all.map(({ value }) => Number(value)));
      assert.deepEqual(marked, [us, cn, Number((us - cn).toFixed(2))]);
      await page.screenshot({ path: `${SCREENSHOTS}/compare-${how}-script.png`, fullPage: true });
    });
  });
}

test("choosing a region keeps the scroll position and the focus", async () => {
  await visit("/", { width: 390 }, async (page) => {
    await page.evaluate(() => scrollTo(0, 300));
    const before = await page.evaluate(() => scrollY);
    assert.ok(before > 0);
    await chip(page, "China").click();
    await page.getByRole("heading", { name: /^China's average/ }).waitFor();
    assert.equal(await page.evaluate(() => scrollY), before);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "China");
  });
});

test("a chip and a link in the table lead to the same place", async () => {
  await visit("/?range=30d", {}, async (page) => {
    const link = page.locator(".regions tbody").getByRole("link", { name: "China", exact: true });
    assert.equal(await link.evaluate(({ href }) => href), await chip(page, "China").evaluate(({ href }) => href));
  });
});

test("pointing at a day shows its values", async () => {
  await visit("/?range=30d", {}, async (page) => {
    const plot = await place(page);
    const at = async (share) => {
      await page.mouse.move(plot.x + plot.width * share, plot.y + plot.height / 2);
      return page.locator("#readout").textContent();
    };
    const lit = page.locator(".days tr.lit");
    const [first] = await cells(rows(page).last());
    assert.match(await at(0.001), new RegExp(`^${first} `));
    const [day, min, avg, max, change] = await cells(lit);
    assert.equal(await page.locator("#readout").textContent(), `${day} minimum $${min} average $${avg} maximum $${max} ${change} from the day before`);
    assert.notEqual(await at(0.4), await at(0.6));
    assert.equal(await page.locator("#readout").getAttribute("aria-live"), "off");
    assert.equal(await chart(page).locator(".chart:visible .hairline.shown").count(), 1);
    await page.screenshot({ path: `${SCREENSHOTS}/readout.png` });
    // The table has scrolled to the row, but the page has not scrolled.
    assert.equal(await page.evaluate(() => scrollY), 0);
    await page.mouse.move(5, 5);
    assert.equal(await lit.count(), 0);
    const [last] = await cells(rows(page).first());
    assert.match(await page.locator("#readout").textContent(), new RegExp(`^${last} `));
  });
});

test("touching a day shows its values", async () => {
  await visit("/", { width: 390, hasTouch: true, isMobile: true }, async (page) => {
    await chart(page).scrollIntoViewIfNeeded();
    const plot = await place(page);
    await page.touchscreen.tap(plot.x + plot.width / 2, plot.y + plot.height / 2);
    assert.equal(await page.locator(".days tr.lit").count(), 1);
  });
});

test("arrow keys move from day to day, and changes are announced", async () => {
  await visit("/", {}, async (page) => {
    await chart(page).focus();
    for (const [key, place] of [["ArrowLeft", 1], ["ArrowLeft", 2], ["ArrowRight", 1], ["PageUp", 8], ["Home", 30], ["ArrowLeft", 30], ["End", 0]]) {
      await page.keyboard.press(key);
      const [day] = await cells(rows(page).nth(place));
      assert.match(await page.locator("#readout").textContent(), new RegExp(`^${day} `), `${key} to ${place}`);
      assert.ok(await rows(page).nth(place).evaluate((row) => row.classList.contains("lit")));
    }
    assert.equal(await page.locator("#readout").getAttribute("aria-live"), "polite");
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".days tr.lit").count(), 0);
  });
});

test("everything is reachable with the keyboard alone", async () => {
  await visit("/", {}, async (page) => {
    const reached = new Set();
    for (let key = 0; key < 150; key += 1) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => {
        const { tagName, textContent, id, name, ariaLabel } = document.activeElement;
        const seen = getComputedStyle(document.activeElement).outlineStyle !== "none";
        return tagName === "BODY" ? "" : `${seen ? "" : "unseen "}${ariaLabel || textContent.trim().slice(0, 30) || name || id}`;
      });
      if (!name) break;
      reached.add(name);
    }
    for (const name of ["Skip to content", "30d", "China", "Compare", "Costs by day", "Methodology", "Dark"]) assert.ok(reached.has(name), `${name} of ${[...reached].join(", ")}`);
    assert.deepEqual([...reached].filter((name) => name.startsWith("unseen")), []);
  });
});

test("the page refreshes itself, reports failures, and recovers", async () => {
  const shown = (page) => page.locator(".answer data").getAttribute("value").then(Number);
  const today = (await api("/v1/ghi/snapshot")).global_avg_cost_usd;
  await visit("/?region_id=us", { width: 390 }, async (page, complaints) => {
    await page.clock.install();
    await page.reload();
    assert.equal(await shown(page), today);
    await chip(page, "Europe").focus();
    const box = page.locator(".days");
    await box.evaluate((box) => box.scrollTo(0, 120));

    await stop();
    await page.clock.runFor(60_000);
    await page.getByText("Refresh failed").waitFor();
    assert.equal(await shown(page), today);
    assert.match(complaints.splice(0).join(), /ERR_CONNECTION_REFUSED/);

    await serve(TOMORROW);
    const tomorrow = (await api("/v1/ghi/snapshot")).global_avg_cost_usd;
    assert.notEqual(tomorrow, today);
    // The page neither changes nor announces anything while text is selected.
    await page.evaluate(() => getSelection().selectAllChildren(document.querySelector("h1")));
    const asked = page.waitForResponse((response) => response.url().startsWith(`${base}/`));
    await page.clock.runFor(60_000);
    await asked;
    await page.locator("#status", { hasText: /^$/ }).waitFor({ state: "attached" });
    assert.equal(await shown(page), today);
    await page.evaluate(() => getSelection().removeAllRanges());
    await page.clock.runFor(60_000);
    await page.locator(`.answer data[value="${tomorrow.toFixed(2)}"]`).waitFor();
    assert.match(await page.title(), /16 Nov 2026 · synthetic data · GHI sandbox/);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Europe");
    assert.equal(await box.evaluate((box) => box.scrollTop), 120);
  });
});

test("copied data is ready to paste", async () => {
  await visit("/?range=30d&region_id=cn", { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.locator(".history .get-data summary").click();
    const copied = {};
    for (const label of await page.locator(".history .get-data dt").all()) {
      await label.locator("+ dd").getByRole("button", { name: "Copy" }).click();
      copied[await label.textContent()] = await page.evaluate(() => navigator.clipboard.readText());
    }
    const url = `${base}/export/history.csv?range=30d&region_id=cn`;
    assert.deepEqual(copied, {
      curl: `curl "${url}"`,
      Python: `import pandas; data = pandas.read_csv("${url}")`,
      JavaScript: `const table = await (await fetch("${url}")).text()`,
      Spreadsheet: `=IMPORTDATA("${url}")`,
    });
    assert.equal((await (await fetch(url)).text()).trim().split("\n").length, 31);
    await page.screenshot({ path: `${SCREENSHOTS}/get-data.png` });
  });
});

test("the theme can be switched, and the choice is remembered", async () => {
  await visit("/", { colorScheme: "light" }, async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.getByRole("button", { name: "Dark" }).click();
    const dark = await paper();
    assert.notEqual(dark, light);
    await page.goto(`${base}/methodology`);
    assert.equal(await paper(), dark);
    await page.getByRole("button", { name: "Auto" }).click();
    assert.equal(await paper(), light);
  });
});

test("the calculator follows the slider, and agrees with the server without script", async () => {
  const trimmed = (texts) => texts.map((text) => text.trim());
  const answer = async (page) => [await page.locator(".yours data").getAttribute("value"), trimmed(await page.locator(".result td:last-child").allTextContents())];
  let url;
  let moved;
  await visit("/?region_id=cn", {}, async (page) => {
    const { avg_cost_usd } = await api("/v1/ghi/regions/cn");
    assert.equal(Number((await answer(page))[0]), avg_cost_usd);
    const slider = page.locator('[type="range"][data-of="electricity_usd_per_kwh"]');
    await slider.focus();
    for (let key = 0; key < 5; key += 1) await page.keyboard.press("ArrowRight");
    moved = await answer(page);
    assert.ok(Number(moved[0]) > avg_cost_usd);
    url = page.url();
    assert.match(url, /electricity_usd_per_kwh=/);
    await page.screenshot({ path: `${SCREENSHOTS}/calculator.png`, fullPage: true });
  });
  await visit(url.replace(base, ""), { javaScriptEnabled: false }, async (page) => {
    assert.deepEqual(await answer(page), moved);
    await page.locator("#block_reward_coins").fill("6.25");
    await page.getByRole("button", { name: "Calculate" }).click();
    await page.waitForURL(/block_reward_coins=6.25/);
    const [halved] = await answer(page);
    assert.ok(Math.abs(Number(halved) - Number(moved[0]) / 2) <= 0.01, `${halved} of ${moved[0]}`);
  });
});

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

// Points at the first chart, at a part of its width. Its script is loaded by the first event.
async function pointAt(page, share) {
  const plot = await place(page);
  await page.mouse.move(plot.x + plot.width * share, plot.y + plot.height / 2);
  await page.locator(".days tr.lit").waitFor({ state: "attached" });
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with" : "without";

  test(`ranges and regions can be chosen ${how} script, and the URL contains both`, async () => {
    const { points } = await api("/v1/ghi/history?region_id=cn");
    await visit("/", { javaScriptEnabled }, async (page) => {
      assert.equal(await rows(page).count(), 30);
      await chip(page, "7 days").click();
      await page.locator('.ranges [aria-current]:has-text("7 days")').waitFor();
      await chip(page, "China").click();
      await page.getByRole("heading", { name: /^China.s average is/ }).waitFor();
      assert.equal(page.url(), `${base}/?range=7d&region_id=cn#history`);
      const shown = await Promise.all((await rows(page).all()).map(cells));
      const expected = points.map((point) => ["min", "avg", "max"].map((name) => dollars(point[`${name}_cost_usd`])));
      assert.deepEqual(shown.map((row) => row.slice(1, 4)).reverse(), expected);
      await page.goBack();
      await page.getByRole("heading", { name: /^The worldwide average/ }).waitFor();
      assert.equal(await rows(page).count(), 7);
    });
  });

  test(`the history can show the change since its start ${how} script`, async () => {
    const { points } = await api("/v1/ghi/history");
    const table = await (await fetch(`${base}/export/history.csv?from=2026-11-08`)).text();
    const before = Number(table.split("\n")[1].split(",")[4]);
    const change = 100 * (points.at(-1).avg_cost_usd / before - 1);
    const written = `${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(1)}%`;
    await visit("/?range=7d", { javaScriptEnabled }, async (page) => {
      await chip(page, "Change since start, %").click();
      await page.locator(".history .chart.wide", { hasText: `Worldwide ${written}` }).waitFor();
      await chip(page, "Change since start, %").click();
      await page.locator(".history .chart.wide", { hasText: `Worldwide ${dollars(points.at(-1).avg_cost_usd)}` }).waitFor();
      assert.equal(page.url(), `${base}/?range=7d#history`);
    });
  });

  test(`regions can be sorted, found and compared ${how} script`, async () => {
    await visit("/", { javaScriptEnabled }, async (page) => {
      const names = () => page.locator(".regions tbody th a").allTextContents();
      const { regions } = await api("/v1/ghi/snapshot");
      const byAverage = regions.toSorted((a, b) => b.avg_cost_usd - a.avg_cost_usd).map(({ name }) => name);
      assert.deepEqual(await names(), byAverage.toReversed());
      await page.locator(".regions thead").getByRole("link", { name: "Average" }).click();
      await page.waitForURL(/sort=avg/);
      await page.locator('.regions [aria-sort="descending"]', { hasText: "Average" }).waitFor();
      assert.deepEqual(await names(), byAverage);
      await page.locator(".regions thead").getByRole("link", { name: "Average" }).click();
      await page.locator('.regions [aria-sort="ascending"]', { hasText: "Average" }).waitFor();
      assert.deepEqual(await names(), byAverage.toReversed());

      await page.locator(".regions thead").getByRole("link", { name: "Region" }).click();
      await page.waitForURL(/sort=name/);
      await page.locator(".compare summary").click();
      await page.locator("[name=compare]").selectOption("United States");
      await page.locator("[name=with]").selectOption("China");
      await page.getByRole("button", { name: "Compare" }).click();
      const [us, cn] = ["us", "cn"].map((id) => regions.find((region) => region.id === id).avg_cost_usd);
      await page.getByRole("heading", { name: `United States: $${dollars(us - cn)} more than China` }).waitFor();
      assert.match(page.url(), /sort=name/);
      const marked = await page.locator(".compare dd data").evaluateAll((all) => all.map(({ value }) => Number(value)));
      assert.deepEqual(marked, [us, cn, Number((us - cn).toFixed(2))]);
      await page.screenshot({ path: `${SCREENSHOTS}/compare-${how}-script.png`, fullPage: true });
    });
  });
}

test("on a slow network, the page is complete before its script, clicks show that they work, and the last one wins", async () => {
  await visit("about:blank", {}, async (page) => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route("**/assets/dashboard.js", async (route) => (await held, route.continue()));
    await page.goto(`${base}/`, { waitUntil: "commit" });
    await page.getByRole("heading", { name: /^The worldwide average/ }).waitFor();
    assert.equal(await page.locator(".curve.wide a").count(), 3);
    release();
    await page.locator("figure.explorable[tabindex]").first().waitFor();
    await page.route("**/?range=*", async (route) => (await new Promise((wait) => setTimeout(wait, 800)), route.continue()));
    await chip(page, "90 days").click();
    assert.equal(await page.locator("main").getAttribute("aria-busy"), "true");
    await chip(page, "7 days").click();
    await page.locator('.ranges [aria-current]:has-text("7 days")').waitFor();
    assert.equal(await page.locator("main").getAttribute("aria-busy"), null);
    assert.equal(page.url(), `${base}/?range=7d#history`);
    assert.equal(await rows(page).count(), 7);
  });
});

test("choosing a region keeps the scroll position and the focus", async () => {
  await visit("/", { width: 390 }, async (page) => {
    await chip(page, "China").scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => scrollY);
    assert.ok(before > 0);
    await chip(page, "China").click();
    await page.getByRole("heading", { name: /^China.s average is/ }).waitFor();
    assert.equal(await page.evaluate(() => scrollY), before);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "China");
  });
});

test("a block of the curve and a name in the table lead to the region's page", async () => {
  for (const [width, selector] of [[1280, ".curve.wide a"], [390, ".curve.narrow a"], [1280, ".regions tbody th a"]]) {
    await visit("/", { width }, async (page) => {
      await page.locator(selector).first().click();
      await page.getByRole("heading", { name: "China", exact: true }).waitFor();
      assert.equal(page.url(), `${base}/regions/cn`);
    });
  }
});

test("pointing at, touching or focusing a block shows its name, with a link to its region", async () => {
  const { regions } = await api("/v1/ghi/snapshot");
  const china = regions.find(({ id }) => id === "cn");
  const [min, avg, max] = ["min", "avg", "max"].map((cost) => dollars(china[`${cost}_cost_usd`]));
  const name = `China: average $${avg} ($${min} to $${max}), 27% of hashrate`;
  const tip = (page) => page.locator(".tip");
  await visit("/", {}, async (page) => {
    const box = await page.locator(".curve.wide a").first().boundingBox();
    // Below the plot, where there is no link.
    await page.mouse.move(box.x + 20, box.y + box.height + 20);
    await tip(page).waitFor();
    assert.equal(await tip(page).textContent(), name);
    await page.mouse.move(5, 5);
    assert.equal(await tip(page).count(), 0);
    await page.locator(".curve.wide a").nth(2).focus();
    await page.getByText(/^Europe: average \$/).waitFor();
    await assertAccessible(page);
  });
  await visit("/", { width: 390, hasTouch: true, isMobile: true }, async (page) => {
    const links = page.locator(".curve.narrow a");
    await links.first().tap();
    await tip(page).waitFor();
    assert.equal(page.url(), `${base}/`, "the first touch names the row");
    // With many regions, rows are not links.
    await links.evaluateAll((links) => links.forEach((link) => link.replaceWith(...link.childNodes)));
    const box = await page.locator(".curve.narrow .rows rect").first().boundingBox();
    await page.touchscreen.tap(box.x + 100, box.y + 10);
    await tip(page).waitFor();
    assert.equal(await tip(page).textContent(), name);
    await tip(page).tap();
    await page.waitForURL(/\/regions\/cn$/);
  });
});

test("on a narrow screen, lines separate regions, not the parts of a region", async () => {
  await visit("/", { width: 768 }, async (page) => {
    const cells = page.locator(".regions tbody tr > *");
    const widths = await cells.evaluateAll((cells) => cells.flatMap((cell) => [getComputedStyle(cell).borderTopWidth, getComputedStyle(cell).borderBottomWidth]));
    assert.deepEqual(new Set(widths), new Set(["0px"]));
  });
});

test("on a phone, a comparison is shown without Show all, and the curve has bands and a link for every row", async () => {
  await visit("/?compare=us,cn", { width: 390 }, async (page) => {
    assert.ok(await page.locator(".compare .chart.narrow").isVisible());
    assert.ok(!(await page.locator(".network").isVisible()));
    assert.equal(await page.locator(".curve.narrow a").count(), 3);
    const picture = (await page.locator(".curve.narrow").screenshot()).toString("base64");
    const isBlueOrOrange = await page.evaluate(async (picture) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(picture), (byte) => byte.charCodeAt(0))]));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const { data } = canvas.getImageData(0, 0, image.width, image.height);
      const pixels = Array.from({ length: data.length / 4 }, (_, at) => data[4 * at] - data[4 * at + 2]);
      return [pixels.some((redder) => redder < -60), pixels.some((redder) => redder > 60)];
    }, picture);
    assert.deepEqual(isBlueOrOrange, [true, true], "bands are drawn below and above the price");
  });
});

test("targets have at least 24 pixels", async () => {
  for (const width of [1280, 390]) {
    await visit("/", { width }, async (page) => {
      const small = await page.evaluate(() =>
        [...document.querySelectorAll("main :is(a, button, input, select, summary)")]
          // Links in sentences and blocks of charts have the size of their text and data.
          .filter((target) => target.checkVisibility() && !target.closest("p, figcaption, svg") && target.type !== "hidden")
          .map((target) => [target.textContent || target.name, target.getBoundingClientRect()])
          .flatMap(([name, { width, height }]) => (Math.min(width, height) < 24 ? [`${name}: ${width} x ${height}`] : [])),
      );
      assert.deepEqual(small, []);
    });
  }
});

test("the curve is above the fold", async () => {
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    await visit("/", { width, height }, async (page) => {
      const box = await page.locator(".curve:visible").boundingBox();
      assert.ok(box.y + box.height <= height, `${box.y + box.height} of ${height}`);
      if (width > 1000) assert.ok(box.height >= 360);
    });
  }
});

test("pointing at a day shows its costs in every chart", async () => {
  await visit("/?range=30d&region_id=cn&compare=us,cn", {}, async (page) => {
    await chart(page).scrollIntoViewIfNeeded();
    const scrolled = await page.evaluate(() => scrollY);
    const at = async (share) => {
      await pointAt(page, share);
      return page.locator("#readout").textContent();
    };
    const labels = async () => (await page.locator(".explorable .chart:visible [data-name]").allTextContents());
    const before = await labels();
    assert.equal(before.length, 4);
    const compared = () => page.locator(".compare dd").allTextContents();
    const today = await compared();
    const [first] = await cells(rows(page).last());
    assert.match(await at(0.001), new RegExp(`^${first} `));
    const [day, min, avg, max, change] = await cells(page.locator(".days tr.lit"));
    const shown = await labels();
    const worldwide = shown.find((label) => label.startsWith("Worldwide")).replace(" ", " $");
    assert.equal(await page.locator("#readout").textContent(), `${day} minimum $${min} average $${avg} maximum $${max} ${change} from the day before ${worldwide}`);
    assert.equal(await page.getByText("Gap $", { exact: false }).locator("visible=true").count(), 0, "today's gap is not that day's");
    assert.ok(shown.includes(`China ${avg}`), shown.join());
    const states = shown.find((label) => label.startsWith("United States")).split(" ").at(-1);
    const [us, china] = [states, avg].map((cost) => Number(cost.replace(",", "")));
    assert.deepEqual(await compared(), [day, `$${states}`, `$${avg}`, `$${dollars(us - china)}`]);
    shown.forEach((label, at) => assert.notEqual(label, before[at]));
    assert.notEqual(await at(0.4), await at(0.6));
    assert.equal(await page.locator("#readout").getAttribute("aria-live"), "off");
    assert.equal(await page.locator(".chart:visible .hairline.shown").count(), 2);
    assert.equal(await page.locator(".chart:visible .at-day:visible").count(), 4);
    await page.screenshot({ path: `${SCREENSHOTS}/readout.png` });
    assert.equal(await page.evaluate(() => scrollY), scrolled);
    await page.mouse.move(5, 5);
    assert.equal(await page.locator(".days tr.lit, .at-day").count(), 0);
    assert.deepEqual(await labels(), before);
    assert.deepEqual(await compared(), today);
    const [last] = await cells(rows(page).first());
    assert.match(await page.locator("#readout").textContent(), new RegExp(`^${last} `));
  });
});

test("the read-out has the seven-day average of long ranges, and the changes in percent", async () => {
  for (const range of ["90d", "5y"]) {
    await visit(`/?range=${range}`, {}, async (page) => {
      await chart(page).scrollIntoViewIfNeeded();
      await pointAt(page, 0.4);
      const [day, , average, , , mean] = await cells(page.locator(".days tr.lit"));
      assert.notEqual(mean, average);
      assert.match(await page.locator("#readout").textContent(), new RegExp(`^${day} .* 7-day average \\$${mean}$`));
      assert.equal(await page.locator(".chart:visible .at-day:visible").count(), range === "90d" ? 2 : 1, "dots on each line");
      assert.equal(await page.locator(".chart:visible [data-name]").textContent(), `Worldwide ${mean}`);
      const written = new Date(`${day} ${range === "5y" ? "" : 2026} UTC`).toISOString().slice(0, 10);
      const from = new Date(Date.parse(written) - 6 * 86_400_000).toISOString().slice(0, 10);
      const table = await (await fetch(`${base}/export/history.csv?from=${from}&to=${written}`)).text();
      const week = table.trim().split("\r\n").slice(1).map((row) => Number(row.split(",")[4]));
      assert.equal(week.length, 7);
      assert.equal(mean, dollars(week.reduce((sum, cost) => sum + cost) / 7));
    });
  }
  await visit("/?range=30d&unit=percent&region_id=cn", {}, async (page) => {
    await chart(page).scrollIntoViewIfNeeded();
    await pointAt(page, 0.4);
    assert.match(await page.locator("#readout").textContent(), /^\d+ \w+ Worldwide [+−]\d+\.\d% China [+−]\d+\.\d%$/);
  });
});

test("touching a day shows its values", async () => {
  await visit("/", { width: 390, hasTouch: true, isMobile: true }, async (page) => {
    await chart(page).scrollIntoViewIfNeeded();
    const plot = await place(page);
    await page.touchscreen.tap(plot.x + plot.width / 2, plot.y + plot.height / 2);
    await page.locator(".days tr.lit").waitFor({ state: "attached" });
  });
});

test("arrow keys move from day to day, and changes are announced", async () => {
  await visit("/", {}, async (page) => {
    const loaded = page.waitForResponse(/readout\.js$/);
    await chart(page).focus();
    await (await loaded).finished();
    await page.evaluate(() => import("/assets/readout.js"));
    for (const [key, place] of [["ArrowLeft", 1], ["ArrowLeft", 2], ["ArrowRight", 1], ["PageUp", 8], ["Home", 29], ["ArrowLeft", 29], ["End", 0]]) {
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
    for (let key = 0; key < 200; key += 1) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => {
        const { tagName, textContent, id, name, ariaLabel } = document.activeElement;
        const seen = getComputedStyle(document.activeElement).outlineStyle !== "none";
        return tagName === "BODY" ? "" : `${seen ? "" : "unseen "}${ariaLabel || textContent.trim().slice(0, 30) || name || id}`;
      });
      if (!name) break;
      reached.add(name);
    }
    for (const name of ["Skip to content", "30 days", "China", "price", "Compare two regions", "Methodology", "Dark"]) assert.ok(reached.has(name), `${name} of ${[...reached].join(", ")}`);
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
    await page.locator(".daily").evaluate((details) => (details.open = true));
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

test("typed text, a dragged slider and the focus are kept while a change is loading", async () => {
  await visit("/", {}, async (page) => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route(/electricity/, async (route) => {
      await held;
      await route.continue();
    });
    await page.locator("#electricity_usd_per_kwh").fill("0.05");
    await page.locator("#efficiency_j_per_th").click();
    await page.keyboard.type("17");
    release();
    await page.waitForURL(/electricity_usd_per_kwh=0.05/);
    await page.locator("#yours output").waitFor();
    assert.equal(await page.locator("#efficiency_j_per_th").inputValue(), "17");
    assert.equal(await page.evaluate(() => document.activeElement.id), "efficiency_j_per_th");
    // Enter applies the values, like leaving the field.
    await page.keyboard.press("Enter");
    await page.waitForURL(/electricity_usd_per_kwh=0.05&efficiency_j_per_th=17#curve$/);
  });
  await visit("/?price=70000", {}, async (page) => {
    const slider = page.locator('[data-of="price"]');
    const { x, y, width, height } = await slider.boundingBox();
    const to = (share) => page.mouse.move(x + width * share, y + height / 2);
    let release;
    const held = new Promise((resolve) => (release = resolve));
    let loads = 0;
    await page.route(/price=/, async (route) => {
      loads += 1;
      if (loads > 1) await held;
      await route.continue();
    });
    await to(0.3);
    await page.mouse.down();
    await page.mouse.up();
    await to(0.6);
    await page.mouse.down();
    release();
    await page.waitForURL((url) => url.searchParams.get("price") !== "70000");
    await to(0.9);
    await page.mouse.up();
    const dragged = await slider.inputValue();
    await page.waitForURL((url) => url.searchParams.get("price") === dragged);
    assert.ok(Math.abs(dragged / (await slider.getAttribute("max")) - 0.96) < 0.04, dragged);
  });
});

test("an invalid number is explained next to its field, and the previous result disappears", async () => {
  for (const [text, message] of [["50", / must be a number from /], ["0,05", / must be a number from /], ["x", / must be a number from /]]) {
    await visit("/?electricity_usd_per_kwh=0.03", {}, async (page) => {
      await page.getByText("At $0.03/kWh").waitFor();
      await page.locator("#electricity_usd_per_kwh").fill(text);
      await page.locator("#invalid-electricity_usd_per_kwh").getByText(message).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.searchParams.get("electricity_usd_per_kwh") === text);
      await page.waitForFunction(() => !document.querySelector("main").ariaBusy);
      await page.locator("#invalid-electricity_usd_per_kwh").getByText(message).waitFor();
      assert.equal(await page.locator("#electricity_usd_per_kwh").inputValue(), text);
      assert.equal(await page.getByText("At $").count(), 0);
    }, Array(3).fill("Failed to load resource: the server responded with a status of 400 (Bad Request)"));
  }
});

test("a number that was just typed is kept when a link is followed", async () => {
  await visit("/", {}, async (page) => {
    await page.locator("#electricity_usd_per_kwh").fill("0.05");
    await page.getByRole("link", { name: "S21 XP" }).click();
    await page.waitForURL(/efficiency_j_per_th=13.5/);
    assert.match(page.url(), /electricity_usd_per_kwh=0.05/);
    await page.locator("#price").fill("60000");
    await page.getByRole("heading", { name: /for less than \$60,000$/ }).waitFor();
    await page.getByRole("link", { name: "Reset", exact: true }).click();
    await page.waitForURL((url) => !url.search.includes("per_th"));
  });
  // Also if the number has been loaded while the link is pressed.
  await visit("/", {}, async (page) => {
    await page.locator("#electricity_usd_per_kwh").fill("0.05");
    await page.getByRole("link", { name: "S21 XP" }).hover();
    await page.mouse.down();
    await page.waitForURL(/electricity_usd_per_kwh=0.05/);
    await page.mouse.up();
    await page.waitForURL(/efficiency_j_per_th=13.5&electricity_usd_per_kwh=0.05/);
  });
});

test("a refresh that arrives late does not replace a newer view", async () => {
  await visit("/", {}, async (page) => {
    await page.clock.install();
    await page.reload();
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route(`${base}/`, async (route) => {
      await held;
      await route.continue();
    });
    const refreshed = page.waitForResponse(`${base}/`);
    await page.clock.runFor(60_000);
    await chip(page, "90 days").click();
    await page.locator('.ranges [aria-current]:has-text("90 days")').waitFor();
    release();
    await (await refreshed).finished();
    await page.waitForFunction(() => !document.querySelector("main").ariaBusy);
    assert.equal(await rows(page).count(), 90);
  });
});

test("a refresh does not swallow a click", async () => {
  await visit("/", {}, async (page) => {
    await page.clock.install();
    await page.reload();
    await chip(page, "90 days").hover();
    await page.mouse.down();
    const refreshed = page.waitForResponse(`${base}/`);
    await page.clock.runFor(60_000);
    await (await refreshed).finished();
    // What reads the response runs first.
    await page.evaluate(() => fetch("/").then((response) => response.text()));
    await page.mouse.up();
    await page.locator('.ranges [aria-current]:has-text("90 days")').waitFor();
  });
});

test("Get data closes with Escape and with a click elsewhere", async () => {
  await visit("/", {}, async (page) => {
    for (const close of [() => page.keyboard.press("Escape"), () => page.getByRole("heading", { level: 1 }).click()]) {
      await page.getByText("Get data").first().click();
      // The script that closes it also adds the buttons.
      await page.locator(".get-data[open]").getByRole("button", { name: "Copy" }).first().waitFor();
      await close();
      assert.equal(await page.locator(".get-data[open]").count(), 0);
    }
  });
});

test("a chart uses almost the whole width of a phone, and nothing is cut off", async () => {
  await visit("/?compare=us,cn", { width: 390 }, async (page) => {
    for (const figure of await page.locator(".explorable").all()) {
      const [outer, plot] = await Promise.all([figure.boundingBox(), figure.locator(".chart:visible > .plot > svg").evaluate((svg) => svg.getBoundingClientRect().toJSON())]);
      assert.ok(plot.width > outer.width - 64, `${plot.width} of ${outer.width}`);
      for (const text of await figure.locator(".chart:visible text").all()) {
        const box = await text.boundingBox();
        // The box includes the outline of the text.
        assert.ok(box.x >= outer.x - 3 && box.x + box.width <= outer.x + outer.width + 3, await text.textContent());
      }
    }
  });
});

test("arrow keys in an empty field start from today's value, and typed values show their result at once", async () => {
  await visit("/", {}, async (page) => {
    const price = page.locator("#price");
    const [today, step] = await price.evaluate(({ placeholder, dataset }) => [placeholder, dataset.slider.split(" ")[2]].map(Number));
    await price.focus();
    await page.keyboard.press("ArrowUp");
    assert.ok(Math.abs((await price.inputValue()) - today) <= 2 * step, await price.inputValue());
    await page.waitForURL(/price=/);
    await price.fill("60000");
    await page.getByRole("heading", { name: /for less than \$60,000$/ }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "price");
  });
});

test("a hidden field with an invalid value is shown with its message", async () => {
  for (const query of ["overhead=99", "block_reward_coins=0"]) {
    await visit(`/?${query}`, { javaScriptEnabled: false }, async (page) => {
      await page.locator(`#invalid-${query.split("=")[0]}`).waitFor();
    }, ["Failed to load resource: the server responded with a status of 400 (Bad Request)"]);
  }
});

test("a block of the curve is one link over its full height, with one tab stop", async () => {
  for (const share of [0.1, 0.5, 0.95]) {
    await visit("/", {}, async (page) => {
      const column = await page.locator(".columns a").first().boundingBox();
      await page.mouse.click(column.x + column.width / 2, column.y + column.height * share);
      await page.waitForURL(`${base}/regions/cn`);
    });
  }
  for (const width of [1280, 390]) {
    await visit("/", { width }, async (page) => {
      await page.locator("#price").focus();
      const reached = [];
      for (let stop = 0; stop < 7; stop += 1) {
        await page.keyboard.press("Tab");
        reached.push(await page.evaluate(() => document.activeElement.href?.baseVal ?? ""));
      }
      assert.deepEqual(reached.filter(Boolean), ["/regions/cn", "/regions/us", "/regions/eu"]);
    });
  }
});

test("the price and your cost follow their sliders, and agree with the server without script", async () => {
  const state = async (page) => [await page.locator("#curve").textContent(), await page.locator("#yours output").textContent()];
  let url;
  let moved;
  await visit("/", {}, async (page) => {
    const before = await page.locator("#curve").textContent();
    const place = () => page.locator('[data-of="price"]').boundingBox();
    const first = await place();
    for (const name of ["price", "electricity_usd_per_kwh"]) {
      const slider = page.locator(`[type="range"][data-of="${name}"]`);
      await slider.focus();
      for (let key = 0; key < 5; key += 1) await page.keyboard.press("ArrowLeft");
      await page.waitForFunction((name) => new URL(location).searchParams.get(name) === document.querySelector(`[data-of=${name}]`).value, name);
      await page.locator('main:not([aria-busy="true"])').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.dataset.of), name);
    }
    await page.locator("#yours output").waitFor();
    assert.deepEqual(await place(), first, "nothing moves below the pointer");
    moved = await state(page);
    assert.notEqual(moved[0], before);
    assert.match(moved[1], /^At \$0\.\d+\/kWh and 17.87 J\/TH: \$[\d,]+, cheaper than \d+% of the hashrate; margin \d+%$/);
    url = page.url();
    await page.screenshot({ path: `${SCREENSHOTS}/your-cost.png`, fullPage: true });
  });
  await visit(url.replace(base, ""), { javaScriptEnabled: false }, async (page) => {
    assert.deepEqual(await state(page), moved);
    await page.getByRole("link", { name: /^S21 XP/ }).click();
    await page.getByText("and 13.5 J/TH:").waitFor();
    await page.locator("#price").fill("1");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByRole("heading", { name: "None of the hashrate mines a bitcoin for less than $1" }).waitFor();
    assert.match(page.url(), /price=1&.*efficiency_j_per_th=13.5/);
    await page.getByRole("link", { name: "Reset price" }).click();
    await page.getByRole("heading", { name: /for less than \$\d\d,\d{3}$/ }).waitFor();
    assert.match(page.url(), /\?electricity.*efficiency_j_per_th=13.5/);
  });
});

test("wrong values are reported beside their fields, and the page stays", async () => {
  const failed = (status) => [`Failed to load resource: the server responded with a status of ${status}`];
  await visit("/?price=-1&compare=us,zz&range=7d", { javaScriptEnabled: false }, async (page) => {
    await page.locator(".finding .invalid", { hasText: "must be a number from" }).waitFor();
    await page.screenshot({ path: `${SCREENSHOTS}/wrong-values.png`, fullPage: true });
    assert.equal(await rows(page).count(), 7);
  }, failed("400 (Bad Request)"));
  await visit("/?compare=us&with=zz", {}, async (page) => {
    await assertAccessible(page);
    await page.locator(".compare .invalid", { hasText: "No region has this id in compare." }).waitFor();
  }, failed("404 (Not Found)"));
});

test("a phone shows three regions on three screens, and the rest after Show all", async () => {
  await visit("/", { width: 390, height: 844 }, async (page) => {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(height <= 3 * 844, `${height} px`);
    assert.equal(await page.locator("#network").isVisible(), false);
    await page.getByRole("link", { name: "Show all" }).click();
    await page.locator("#network").waitFor();
  });
});

// The pages in a real browser: several widths, every theme, without script, across midnight.
//
//     npm ci && npm test
//
// With THOROUGH=1, it checks more widths and networks. Needs Chromium and a release build. Look at the
// screenshots in target/screenshots.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertBeautiful, assertChartsLegible, assertFits, assertWhole, onFreePort, SCREENSHOTS } from "./browser.js";

const { base, serve, api, visit, visitAtWidths, evaluateElsewhere } = await onFreePort();

const WIDTHS = [320, 390, 545, 820, 1119, 1121, 1440, 1920];

// Text pages need fewer widths.
const WIDTHS_OF_TEXT = [320, 390, 820, 1440];

const LOOKS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "forced colours": { colorScheme: "dark", forcedColors: "active" },
  "no script": { javaScriptEnabled: false },
};

for (const [look, options] of Object.entries(LOOKS)) {
  test(`pages with data meet all requirements: ${look}`, async () => {
    const pages = [["dashboard", "/", WIDTHS], ["choices", "/?range=90d&region_id=cn&compare=us,cn&efficiency_j_per_th=17.5&unit=percent", [320, 1440]], ["region", "/regions/us", [320, 1440]]];
    for (const [name, path, widths] of pages) {
      await visitAtWidths(path, widths, options, async (page, width) => {
        // The accessibility rules need JavaScript.
        await (options.javaScriptEnabled === false ? assertWhole : assertBeautiful)(page);
        await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}-${look.replace(" ", "-")}.png`, fullPage: true });
      });
    }
  });
}

test("forced colours show the selection", async () => {
  await visit("/", { forcedColors: "active" }, async (page) => {
    const outline = (selector) => page.locator(selector).first().evaluate((element) => getComputedStyle(element).outlineStyle);
    assert.equal(await outline(".ranges [aria-current]"), "solid");
    assert.equal(await outline(".ranges a:not([aria-current])"), "none");
    assert.equal(await outline('.theme [aria-pressed="true"]'), "solid");
    assert.equal(await outline('.theme [aria-pressed="false"]'), "none");
    const background = (selector) => page.locator(selector).first().evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.equal(await background('.theme [aria-pressed="true"]'), await background(".ranges [aria-current]"));
  });
});

test("pages with data meet all requirements at 200%", async () => {
  for (const path of ["/?range=1y", "/regions/us"]) {
    await visit(path, { width: 720, height: 450, deviceScaleFactor: 2 }, async (page) => {
      await assertBeautiful(page);
      await page.screenshot({ path: `${SCREENSHOTS}/zoom-${path.length}.png`, fullPage: true });
    });
  }
});

test("pages with data do not scroll sideways with text of twice the size", async () => {
  for (const path of ["/", "/?range=90d&region_id=cn&compare=us,cn&efficiency_j_per_th=17.5&price=60000", "/regions/us", "/explain"]) {
    await visitAtWidths(path, [1280, 768], {}, async (page) => {
      await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
      await assertFits(page);
      await page.screenshot({ path: `${SCREENSHOTS}/large-text-${path.length}-${page.viewportSize().width}.png`, fullPage: true });
    });
  }
});

test("nothing moves for readers who prefer reduced motion", async () => {
  for (const [reducedMotion, duration] of [["no-preference", "0.2s"], ["reduce", "0s"]]) {
    await visit("/", { reducedMotion }, async (page) => {
      await page.locator("main").evaluate((main) => (main.ariaBusy = "true"));
      assert.equal(await page.locator("main").evaluate((main) => getComputedStyle(main).transitionDuration), duration);
      if (duration === "0s") assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
    });
  }
});

for (const colorScheme of ["light", "dark"]) {
  test(`explanations fit every width in ${colorScheme} and are accessible`, async () => {
    for (const [name, path] of [["worldwide", "/explain"], ["region", "/explain?region_id=eu&date=2024-02-29"]]) {
      await visitAtWidths(path, WIDTHS_OF_TEXT, { colorScheme }, async (page, width) => {
        await assertFits(page);
        await assertAccessible(page);
        await page.screenshot({ path: `${SCREENSHOTS}/explain-${name}-${width}-${colorScheme}.png`, fullPage: true });
      });
    }
  });

  test(`the API reference and the problems fit every width in ${colorScheme}`, async () => {
    await visitAtWidths("/docs", WIDTHS_OF_TEXT, { colorScheme }, async (page, width) => {
      await page.getByRole("heading", { name: /Global HashCost Index/ }).waitFor();
      await assertFits(page);
      await assertAccessible(page);
      await page.screenshot({ path: `${SCREENSHOTS}/docs-${width}-${colorScheme}.png` });
    });
    await visitAtWidths("/problems/unknown_region", WIDTHS_OF_TEXT, { colorScheme }, async (page, width) => {
      await assertFits(page);
      await assertAccessible(page);
      await page.screenshot({ path: `${SCREENSHOTS}/problem-${width}-${colorScheme}.png` });
    });
  });

  test(`charts work as images in ${colorScheme}`, async () => {
    for (const [name, query] of [["history", "?range=7d"], ["history", "?range=1y&region_id=cn"], ["history", "?range=all"], ["regions", ""], ["cost-curve", "?price=60000"]]) {
      await visit(`/charts/${name}.svg${query}`, { width: 900, height: 600, colorScheme }, async (page) => {
        await assertChartsLegible(page);
        await page.screenshot({ path: `${SCREENSHOTS}/chart-${name}${query.length}-${colorScheme}.png` });
      });
    }
  });
}

test("a day and a region can be chosen without script", async () => {
  await visit("/explain", { javaScriptEnabled: false }, async (page) => {
    await page.getByLabel("Region", { exact: true }).selectOption("Europe");
    await page.getByLabel("Date", { exact: true }).fill("2026-11-10");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("Europe on 10 November 2026").waitFor();
    assert.equal(page.url(), `${base}/explain?region_id=eu&date=2026-11-10&since=2026-10-16`);
  });
});

test("the API reference sends requests to its own server", async () => {
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

test("each operation of the API reference succeeds as it opens", { timeout: 600_000 }, async () => {
  const { paths } = await api("/openapi.json");
  await visit("/docs", {}, async (page) => {
    await page.locator("button.show-api-client-button").first().waitFor();
    for (const [path, { get }] of Object.entries(paths)) {
      // The reference renders operations when the reader gets to them.
      await page.evaluate((operation) => (location.hash = operation), `tag/${get.tags[0].toLowerCase().replaceAll(" ", "-")}/GET${path}`);
      await page.locator("button.show-api-client-button", { hasText: `(get ${path})` }).dispatchEvent("click");
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path.replace("{id}", "us"));
      await page.getByRole("dialog").getByRole("button", { name: /^Send/ }).first().dispatchEvent("click");
      const response = await answered;
      assert.deepEqual([response.status(), response.request().headers().prefer], [200, undefined], response.url());
      // Closing the dialog earlier would cancel the request.
      await page.getByRole("dialog").getByText("200 OK").first().waitFor();
      await page.keyboard.press("Escape");
    }
  });
});

test("the bar of the site is whole or out of the way in the API reference", async () => {
  await visitAtWidths("/docs", [390, 1440], {}, async (page) => {
    await page.locator("button.show-api-client-button").first().evaluate((button) => button.scrollIntoView());
    // Whatever is at the edge of the bar belongs to it.
    const hidden = await page.evaluate(() => {
      const links = document.querySelector(".site .links").getBoundingClientRect();
      return links.bottom > 0 && !document.elementFromPoint(links.left + 5, links.bottom - 5)?.closest(".site");
    });
    assert.equal(hidden, false, String(page.viewportSize().width));
  });
});

test("a what-if prints with its numbers, and legends with their colours", async () => {
  const print = (path, look) => visit(path, { width: 794, height: 1123 }, async (page) => {
    await page.emulateMedia({ media: "print" });
    await look(page);
    await page.screenshot({ path: `${SCREENSHOTS}/print-${path.length}.png`, fullPage: true });
  });
  await print("/?electricity_usd_per_kwh=0.08&overhead=1.3", async (page) => {
    assert.match(await page.locator("#yours").innerText(), /^At \$0\.08\/kWh and 17\.\d+ J\/TH: \$\d/);
    for (const [name, value] of [["electricity_usd_per_kwh", "0.08"], ["overhead", "1.3"]]) {
      assert.ok(await page.locator(`#${name}`).isVisible(), name);
      assert.equal(await page.locator(`#${name}`).inputValue(), value);
    }
    for (const control of ["Show my cost", "Reset"]) assert.equal(await page.getByText(control, { exact: true }).isVisible(), false);
    const adjust = await page.locator(".key").evaluateAll((keys) => keys.map((key) => getComputedStyle(key, "::before").printColorAdjust));
    assert.deepEqual(adjust, ["exact", "exact"]);
  });
  await print("/", async (page) => assert.equal(await page.locator(".you").isVisible(), false));
});

test("the page prints on one or two sheets, with its address and time", async () => {
  await visit("/", { width: 794, height: 1123, colorScheme: "dark" }, async (page) => {
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".choices").isVisible(), false);
    assert.ok((await page.locator(".printed").textContent()).includes(`${base}/`));
    await page.screenshot({ path: `${SCREENSHOTS}/print.png`, fullPage: true });
    const pdf = await page.pdf({ format: "A4", path: `${SCREENSHOTS}/print.pdf` });
    const sheets = pdf.toString("latin1").match(/\/Type \/Page\b/g);
    assert.ok(sheets.length <= 2, `${sheets.length} sheets`);
  });
});

test("a chart is an image on a page from another origin", async () => {
  const [width, height] = await evaluateElsewhere(async (base) => {
    document.body.innerHTML = `<img src="${base}/charts/history.svg?range=90d">`;
    const image = document.body.firstChild;
    await new Promise((loaded) => image.addEventListener("load", loaded));
    return [image.naturalWidth, image.naturalHeight];
  }, base);
  assert.deepEqual([width > 800, height > 400], [true, true]);
});

test("an unknown path and the list of operations are pages, even without script", async () => {
  await visit("/nowhere", {}, async (page) => {
    await page.getByRole("heading", { name: /no such|not found|nothing/i }).waitFor();
    await assertAccessible(page);
    await page.screenshot({ path: `${SCREENSHOTS}/not-found.png` });
  }, ["Failed to load resource: the server responded with a status of 404 (Not Found)"]);
  await visit("/docs", { javaScriptEnabled: false }, async (page) => {
    await page.getByRole("heading", { name: "GET /v1/ghi/snapshot" }).waitFor();
    const answers = (path) => page.locator(`h3:has-text("GET ${path}") ~ p:has-text("Responses:")`).first().textContent();
    assert.match(await answers("/v1/ghi/snapshot"), /404 Unknown region \(only if requested with Prefer: code=404\)/);
    assert.match(await answers("/v1/ghi/history"), /404 Unknown region ·/);
    await page.screenshot({ path: `${SCREENSHOTS}/docs-without-script.png` });
  });
});

test("the first keyboard stop skips to the content", async () => {
  await visit("/", {}, async (page) => {
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to content");
    await page.screenshot({ path: `${SCREENSHOTS}/skip.png` });
  });
});

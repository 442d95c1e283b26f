// Takes the pictures in docs/, and with `--review` one of every network, width and colour scheme, in target/screenshots/review.
//
//     npm --prefix checks/browser run pictures [-- --review]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { CHROMIUM, GHI, NETWORK, region, ROOT, SCREENSHOTS, TODAY } from "./browser.js";

const REVIEW = `${SCREENSHOTS}/review`;
mkdirSync(REVIEW, { recursive: true });

// Name, share of the hashrate in percent, and cost as a multiple of the lowest.
const TWELVE = [
  ["United States", 21.5, 1], ["Ethiopia", 4.5, 1.25], ["Kazakhstan", 13.7, 1.35], ["Norway", 2.9, 1.6], ["Canada", 8.8, 1.8],
  ["Iceland", 1.8, 2.05], ["United Arab Emirates", 5.6, 2.25], ["Oman", 2.3, 2.4], ["China", 17.2, 2.42], ["Paraguay", 7, 2.6],
  ["Malaysia", 3.7, 2.75], ["Russia", 11, 2.85],
];

function write(name, regions) {
  const file = `${REVIEW}/${name}.toml`;
  writeFileSync(file, NETWORK + regions.join(""));
  return ["--inputs", file];
}

const NETWORKS = {
  three: ["--at", TODAY],
  twelve: ["--at", TODAY, ...write("twelve", TWELVE.map(([name, share, cost], place) => region(`r${place}`, name, share, cost * 0.5)))],
  thirty: ["--at", TODAY, ...write("thirty", Array.from({ length: 30 }, (_, place) => region(`r${place}`, `Region ${place + 1}`, place ? 1 + (place % 5) : 11, 0.8 + place / 20)))],
  monero: ["--at", TODAY, "--inputs", `${ROOT}examples/monero.toml`],
  bitcoin: ["--at", "2026-05-01T12:00:00Z", "--inputs", `${ROOT}examples/bitcoin/inputs.toml`],
};

// File, network, path, width, colour scheme, and the element to show; without one, the first screen.
const DOCS = [
  ["dashboard", "twelve", "/?price=75000&electricity_usd_per_kwh=0.05&efficiency_j_per_th=17.5", 1280, "light"],
  ["dashboard-on-a-phone", "twelve", "/?price=75000&electricity_usd_per_kwh=0.05&efficiency_j_per_th=17.5", 390, "light"],
  ["history", "three", "/?range=1y&region_id=eu", 1280, "dark", ".history"],
  ["ten-years", "bitcoin", "/?range=all", 1280, "light", ".history"],
  ["comparison", "three", "/?range=90d&compare=us,cn", 1280, "light", ".compare"],
  ["region-on-a-phone", "three", "/regions/eu", 390, "dark"],
];

async function take(path, network, url, width, colorScheme, element) {
  const server = spawn(GHI, ["--listen", "127.0.0.1:0", "--print-url", "--drain", "0", ...NETWORKS[network]], { stdio: ["ignore", "pipe", "inherit"] });
  const [base] = await once(server.stdout, "data");
  const page = await browser.newPage({ viewport: { width, height: width < 500 ? 844 : 800 }, colorScheme });
  await page.goto(new URL(url, String(base).trim()).href);
  await (element ? page.locator(element) : page).screenshot({ path, fullPage: path.startsWith(REVIEW) });
  await page.close();
  server.kill();
  await once(server, "exit");
}

const browser = await chromium.launch(CHROMIUM);
if (process.argv.includes("--review")) {
  for (const network of Object.keys(NETWORKS)) {
    for (const width of [360, 768, 1280, 1600]) {
      for (const scheme of ["light", "dark"]) await take(`${REVIEW}/${network}-${width}-${scheme}.png`, network, "/", width, scheme);
    }
  }
} else {
  for (const [name, ...view] of DOCS) await take(`${ROOT}docs/${name}.png`, ...view);
}
await browser.close();

// Makes the dashboard interactive and refreshes it. Without this script, the page is complete but static.

const REFRESH_EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
const REACHED_BY_KEYBOARD = "a, input, select, button, summary, [tabindex]";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const main = () => document.querySelector("main");

// The URL that the server assumes for itself, if its operator has not set a public one.
const base = document.querySelector("[rel=canonical]") ? location.origin : new URL(document.querySelector(".printed").textContent).origin;

// Puts the URL of this server, as the browser knows it, into the code to copy, and adds copy buttons.
function prepare() {
  document.querySelector(".printed").textContent = location.href;
  for (const code of all(".get-data code")) {
    code.textContent = code.textContent.replaceAll(base, location.origin);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.onclick = async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    };
    code.after(button);
  }
  for (const figure of figures()) explore(figure);
  for (const input of all("[data-slider]")) addSlider(input);
  for (const button of all(".curve-form button")) button.hidden = true;
}

// The points of a line: its day and its height in pixels, with the cost as written in the wide chart.
function points(path) {
  const costs = path.dataset.costs.split(" ");
  const steps = path.getAttribute("d").match(/-?\d+/g).map(Number);
  let [day, y] = [0, 0];
  return Array.from({ length: steps.length / 2 }, (_, at) => ({ day: (day += steps[2 * at]), y: (y += steps[2 * at + 1]) / 2, cost: costs[at] }));
}

const figures = () => all("figure.explorable");
const lines = (within) => all("[data-costs]", within);
// The days with data, counted from the first.
const days = () => (lines(document)[0] ? points(lines(document)[0]).map(({ day }) => day) : []);
const lengthOf = ({ dataset: { first, last } }) => (Date.parse(last) - Date.parse(first)) / DAY_MS;

// Moves the hairline of all charts to a day, with a dot and the cost of each line. Without a day, shows the last one,
// without a hairline.
let chosen;
function choose(day, isByKey) {
  chosen = day;
  for (const mark of all(".at-day")) mark.remove();
  // The gap is today's.
  for (const gap of all('.compare [fill="var(--ink)"]')) gap.style.visibility = day === undefined ? "" : "hidden";
  for (const plot of all(".explorable .plot")) {
    const x = `${(100 * (day ?? 0)) / lengthOf(plot)}%`;
    const hairline = plot.querySelector(".hairline");
    hairline.classList.toggle("shown", day !== undefined);
    for (const name of ["x1", "x2"]) hairline.setAttribute(name, x);
    const labels = all("[data-name]", plot);
    lines(plot).forEach((path, at) => {
      const known = points(path);
      const point = known.find((point) => point.day === day);
      if (labels[at]) labels[at].textContent = `${labels[at].dataset.name} ${(point ?? known.at(-1)).cost}`;
      if (!point) return;
      const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      for (const [name, value] of Object.entries({ class: "at-day", cx: x, cy: point.y, r: 4.5, fill: path.getAttribute("stroke") })) dot.setAttribute(name, value);
      plot.append(dot);
    });
  }
  read(day, isByKey);
}

// Shows the costs of a day as text, and highlights its row.
function read(day, isByKey) {
  // One for each day, the newest first.
  const rows = all(".days tbody tr").reverse();
  const row = rows.at(day === undefined ? -1 : days().indexOf(day));
  for (const other of rows) other.classList.toggle("lit", other === row && day !== undefined);
  const readout = document.getElementById("readout");
  // Announced only for the keyboard: a pointer passes many days.
  readout.setAttribute("aria-live", isByKey ? "polite" : "off");
  const [date, min, avg, max, change] = [...row.cells].map((cell) => cell.textContent.trim());
  const element = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
  readout.replaceChildren(element("strong", date));
  const parts = [`minimum $${min}`, `average $${avg}`, `maximum $${max}`, change && `${change} from the ${readout.dataset.step}`];
  // The worldwide line next to a region's, as its label in the wide chart shows it.
  const labels = all(".history [data-name]");
  if (labels.length > 1) parts.push(labels.find((label) => label.hasAttribute("font-weight"))?.textContent);
  for (const part of parts.filter(Boolean)) readout.append(" ", element("span", part));
}

function explore(figure) {
  const move = ({ clientX }) => {
    const plot = all(".plot", figure).find((plot) => plot.checkVisibility());
    // The drawing extends beyond the plot.
    const left = plot.ownerSVGElement.getBoundingClientRect().left + plot.x.baseVal.value;
    const at = ((clientX - left) / plot.width.baseVal.value) * lengthOf(plot);
    const nearest = days().reduce((best, day) => (Math.abs(day - at) < Math.abs(best - at) ? day : best), Infinity);
    if (nearest !== Infinity && nearest !== chosen) choose(nearest);
  };
  figure.addEventListener("pointermove", move);
  figure.addEventListener("pointerdown", move);
  figure.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && choose());
  figure.tabIndex = 0;
  figure.setAttribute("aria-describedby", "keys");
  figure.addEventListener("keydown", (event) => {
    const known = days();
    const at = chosen === undefined ? known.length - 1 : known.indexOf(chosen);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 7, PageDown: at + 7, Home: 0, End: known.length - 1 }[event.key];
    if (event.key === "Escape") choose();
    if (to === undefined) return;
    event.preventDefault();
    choose(known[Math.min(Math.max(to, 0), known.length - 1)], true);
  });
}

// The price and the reader's numbers: a slider for each, which would be useless without this script.
function addSlider(input) {
  const slider = document.createElement("input");
  const [min, max, step] = input.dataset.slider.split(" ");
  Object.assign(slider, { type: "range", min, max, step, value: input.value || input.placeholder, ariaLabel: input.labels[0].textContent });
  slider.dataset.of = input.name;
  input.after(slider);
}

// The URL of the view with the values of the form.
function urlOf(form) {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) if (value) url.searchParams.set(name, value);
  return url;
}

// Shows the result while a slider moves: one request at a time, the last values last.
let isLoading = false;
let isOutdated = false;
async function update(form) {
  isOutdated = isLoading;
  if (isLoading) return;
  isLoading = true;
  try {
    const fresh = await load(urlOf(form));
    // A newer page may have replaced the form.
    for (const part of form.isConnected ? all("[data-live]") : []) {
      const other = fresh.getElementById(part.id);
      if (other) part.replaceChildren(...document.adoptNode(other).childNodes);
    }
  } catch {
    // The final value is loaded as a page, which reports errors.
  }
  isLoading = false;
  if (isOutdated && form.isConnected) update(form);
}

document.addEventListener("input", ({ target }) => {
  if (!target.form?.matches(".curve-form")) return;
  const other = target.dataset.of ? target.form.elements[target.dataset.of] : target.parentElement.querySelector(`[data-of="${target.name}"]`);
  if (other) other.value = target.value;
  if (target.dataset.of) update(target.form);
});
document.addEventListener("change", ({ target: { form } }) => form?.matches(".curve-form") && form.reportValidity() && follow(urlOf(form), false));

// Replaces the page with a fresh one, and preserves the focus, open details, the chosen day and scroll positions.
function replace(fresh) {
  const reached = () => all(REACHED_BY_KEYBOARD, main());
  const focus = document.activeElement;
  const [place, href, text] = [reached().indexOf(focus), focus?.href, focus?.textContent];
  const scrolled = all(".table").map((box) => [box.scrollLeft, box.scrollTop]);
  const [open, hasAll] = [all("details").map((details) => details.open), main().classList.contains("all")];
  main().replaceWith(document.adoptNode(fresh.querySelector("main")));
  document.title = fresh.title;
  main().classList.toggle("all", hasAll);
  prepare();
  all("details").forEach((details, at) => (details.open = open[at] ?? false));
  all(".table").forEach((box, at) => scrolled[at] && box.scrollTo(...scrolled[at]));
  const same = reached().find((other) => href && other.href === href && other.textContent === text);
  if (place >= 0) (same ?? reached()[place])?.focus({ preventScroll: true });
  if (chosen !== undefined && days().includes(chosen)) choose(chosen);
}

async function load(url, cache) {
  const response = await fetch(url, { cache, headers: { accept: "text/html" } });
  if (!response.ok) throw new Error(response.statusText);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

// Whether the reader has changed a field. The values of sliders are in the URL, and so survive a refresh.
const isChanged = (field) =>
  !field.dataset.of &&
  (field.options ? [...field.options].some((option) => option.selected !== option.defaultSelected) : field.value !== field.defaultValue);

// The page is not replaced while the reader types, chooses or selects something.
const isInUse = () =>
  !getSelection().isCollapsed ||
  all("main :is(input, select)").some((field) => field === document.activeElement || isChanged(field));

async function refresh() {
  const status = document.getElementById("status");
  try {
    const fresh = await load(location.href, "no-cache");
    status.textContent = "";
    if (!isInUse()) replace(fresh);
  } catch {
    status.textContent = "Refresh failed. Showing the last data received.";
  }
}

// Follows a link within the dashboard without leaving the page, so that the reader keeps their place. The last one wins.
let turns = 0;
async function follow(url, isNew) {
  const turn = (turns += 1);
  main().ariaBusy = "true";
  try {
    const fresh = await load(url);
    if (turn !== turns) return;
    if (isNew !== undefined) history[isNew ? "pushState" : "replaceState"](null, "", url);
    chosen = undefined;
    replace(fresh);
    // Only a page load selects the target of a URL.
    if (document.querySelector(`.later ${new URL(url).hash || "#none"}`)) main().classList.add("all");
  } catch {
    location.href = url;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("main a");
  const isPlain = !event.defaultPrevented && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  if (!link || !isPlain || link.origin !== location.origin || link.pathname !== location.pathname || !link.search && !location.search) return;
  event.preventDefault();
  follow(link.href, true);
});
addEventListener("popstate", () => follow(location.href));

prepare();
setInterval(() => document.hidden || refresh(), REFRESH_EVERY_MS);
document.addEventListener("visibilitychange", () => document.hidden || refresh());

// Makes the dashboard interactive and refreshes it. Without this script, the page is complete but static.

const REFRESH_EVERY_MS = 60_000;
const REACHED_BY_KEYBOARD = "a, input, select, button, summary, [tabindex]";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const main = () => document.querySelector("main");

// Makes a page interactive, also after it has been replaced.
function prepare() {
  document.querySelector(".printed").textContent = location.href;
  for (const figure of all(".explorable")) {
    figure.tabIndex = 0;
    figure.setAttribute("aria-describedby", "keys");
  }
  readout?.prepare?.();
  for (const input of all("[data-slider]")) addSlider(input);
  for (const button of all(".curve-form button")) button.hidden = true;
}

// Shows the costs of a day, with a script that is loaded when the reader first reaches a chart.
let readout;
async function reach(event) {
  if (readout || !event.target.closest?.(".explorable")) return;
  readout = {};
  readout = await import("./readout.js").catch(() => undefined);
  readout?.prepare();
  // Replays the event that arrived before the script was loaded.
  if ("clientX" in event) event.target.dispatchEvent(new PointerEvent("pointermove", event));
}
for (const type of ["pointermove", "pointerdown", "focusin"]) document.addEventListener(type, reach);

// Loads, on first use, the script that names the block of the cost curve that the reader points at or focuses.
let curve;
async function nameBlock(event) {
  if (event.target.closest?.(".curve")) curve ??= import("./curve.js");
  (await curve)?.nameBlock(event);
}
for (const type of ["pointermove", "pointerdown", "focusin"]) document.addEventListener(type, nameBlock);

const isNumber = (text) => text && !isNaN(text);

// The price and the reader's numbers: a slider for each, which would be useless without this script.
function addSlider(input) {
  const slider = document.createElement("input");
  const [min, max, step] = input.dataset.slider.split(" ");
  Object.assign(slider, { type: "range", min, max, step, value: isNumber(input.value) ? input.value : input.placeholder, ariaLabel: input.labels[0].textContent });
  slider.dataset.of = input.name;
  input.after(slider);
  // Arrow keys would start from the minimum if the field is empty.
  const press = (event) => {
    const isUp = event.key === "ArrowUp";
    if (!isUp && event.key !== "ArrowDown") return;
    event.preventDefault();
    if (event.type === "keydown") slider[isUp ? "stepUp" : "stepDown"]();
    slider.dispatchEvent(new Event(event.type === "keydown" ? "input" : "change", { bubbles: true }));
  };
  input.addEventListener("keydown", press);
  input.addEventListener("keyup", press);
}

// The URL of the view with the values of the form.
function urlOf(form) {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) if (value) url.searchParams.set(name, value);
  return url;
}

// Shows the result while the reader types a number or drags a slider.
document.addEventListener("input", async ({ target }) => {
  if (!target.form?.matches(".curve-form")) return;
  const other = target.dataset.of ? target.form.elements[target.dataset.of] : target.parentElement.querySelector(`[data-of="${target.name}"]`);
  if (other && isNumber(target.value)) other.value = target.value;
  // The message about the previous value.
  document.getElementById(`invalid-${target.dataset.of ?? target.name}`)?.remove();
  const { form } = target;
  (await import("./live.js")).update(form, () => load(urlOf(form)));
});
document.addEventListener("change", ({ target: { form } }) => form?.matches(".curve-form") && follow(urlOf(form), false));
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".curve-form")) return;
  event.preventDefault();
  follow(urlOf(event.target), false);
});

// A selector for a field, on this page and on the next.
const keyOf = ({ id, name, dataset }) => (id ? `#${id}` : dataset?.of ? `[data-of="${dataset.of}"]` : name ? `[name="${name}"]:not([type="hidden"])` : "");
const fields = () => all(':is(input, select):not([type="hidden"])', main());

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
  const same = keyOf(focus) ? main().querySelector(keyOf(focus)) : reached().find((other) => href && other.href === href && other.textContent === text);
  if (place >= 0) (same ?? reached()[place])?.focus({ preventScroll: true });
  readout?.restore?.();
}

async function load(url, cache) {
  const response = await fetch(url, { cache, headers: { accept: "text/html" } });
  // A page with an invalid value says what is allowed.
  if (response.status === 429 || response.status >= 500) throw new Error(response.statusText);
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
  const turn = turns;
  try {
    const fresh = await load(location.href, "no-cache");
    status.textContent = "";
    await released;
    if (turn === turns && !isInUse()) replace(fresh);
  } catch {
    status.textContent = "Refresh failed. Showing the last data received.";
  }
}

// Resolves when no button or finger is pressed. The page is not replaced earlier, so that a click or a change can follow.
let released;
document.addEventListener("pointerdown", ({ button }) => {
  if (button) return;
  released = new Promise((resolve) => {
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => setTimeout(resolve), { once: true });
  });
});

// Follows a link within the dashboard without leaving the page, so that the reader keeps their place. The last one wins.
let turns = 0;
async function follow(url, isNew) {
  const turn = (turns += 1);
  main().ariaBusy = "true";
  const before = fields().map((field) => field.value);
  try {
    const fresh = await load(url);
    if (turn !== turns) return;
    if (isNew !== undefined) history[isNew ? "pushState" : "replaceState"](null, "", url);
    await released;
    if (turn !== turns) return;
    // Text that the reader has typed in the meantime.
    const typed = fields().filter((field, at) => field.value !== before[at]).map((field) => [keyOf(field), field.value]);
    readout?.forget?.();
    replace(fresh);
    for (const [key, value] of typed) {
      const field = main().querySelector(key);
      if (field) field.value = value;
    }
    // Only a page load selects the target of a URL.
    if (document.querySelector(`.later ${new URL(url).hash || "#none"}`)) main().classList.add("all");
  } catch {
    location.href = url;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("main a");
  // A tap only shows the name of a block, which is itself a link.
  if (event.pointerType === "touch" && link?.closest(".curve")) event.preventDefault();
  const isPlain = !event.defaultPrevented && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  if (!link || !isPlain || link.origin !== location.origin || link.pathname !== location.pathname || !link.search && !location.search) return;
  event.preventDefault();
  // Keeps numbers that the reader has just typed, except those that the link itself changes.
  const url = new URL(link.href);
  for (const { name, value, defaultValue } of link.matches(".reset") ? [] : all(".curve-form input:not([type])").filter(isChanged)) {
    if ((url.searchParams.get(name) ?? "") === defaultValue) url.searchParams[value ? "set" : "delete"](name, value);
  }
  follow(url, true);
});
document.addEventListener("toggle", async ({ target }) => target.matches(".get-data[open]") && (await import("./get-data.js")).open(target), true);
addEventListener("popstate", () => follow(location.href));

prepare();
setInterval(() => document.hidden || refresh(), REFRESH_EVERY_MS);
document.addEventListener("visibilitychange", () => document.hidden || refresh());

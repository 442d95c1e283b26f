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
  for (const figure of all("figure.explorable")) explore(figure);
}

// The rows of the daily table, the oldest first: one for each day up to the last.
const rows = () => all(".days tbody tr").reverse();
const dateOf = (ms) => new Date(ms).toISOString().slice(0, 10);
// The first day of all charts, the last day with data, and the day on which their axis ends.
const axis = () => ["first", "last", "end"].map((name) => Date.parse(document.querySelector(".plot").dataset[name]));
const dates = () => {
  const [, last] = axis();
  return rows().map((_, place, { length }) => dateOf(last - (length - 1 - place) * DAY_MS));
};

// Moves the hairline of all charts to a day, shows its costs, and highlights its row. Without a day, shows the last one,
// without a hairline.
let chosen;
function choose(date, isByKey) {
  const place = date ? dates().indexOf(date) : -1;
  const row = rows().at(place);
  if (!row) return;
  chosen = date;
  const [first, , end] = axis();
  const x = place >= 0 && end > first ? (100 * (Date.parse(date) - first)) / (end - first) : 0;
  for (const hairline of all("figure.explorable .hairline")) {
    hairline.classList.toggle("shown", place >= 0);
    for (const name of ["x1", "x2"]) hairline.setAttribute(name, `${x}%`);
  }
  for (const other of rows()) other.classList.toggle("lit", place >= 0 && other === row);
  const [day, min, avg, max, change] = [...row.cells].map((cell) => cell.textContent.trim());
  const readout = document.getElementById("readout");
  // Announced only for the keyboard: a pointer passes many days.
  readout.setAttribute("aria-live", isByKey ? "polite" : "off");
  const element = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
  readout.replaceChildren(element("strong", day));
  const parts = [`minimum $${min}`, `average $${avg}`, `maximum $${max}`, change && `${change} from the day before`];
  for (const part of parts.filter(Boolean)) readout.append(" ", element("span", part));
  if (place < 0) return;
  // Scrolls only the table, not the page.
  const box = row.closest(".table");
  const head = box.querySelector("thead").offsetHeight;
  const [top, bottom] = [row.offsetTop - head, row.offsetTop + row.offsetHeight - box.clientHeight];
  box.scrollTop = Math.min(Math.max(box.scrollTop, bottom), top);
}

function explore(figure) {
  const move = ({ clientX }) => {
    const plot = all(".plot", figure).find((plot) => plot.checkVisibility());
    // The drawing extends beyond the plot.
    const left = plot.ownerSVGElement.getBoundingClientRect().left + plot.x.baseVal.value;
    const width = plot.width.baseVal.value;
    const [first, last, end] = axis();
    const at = first + ((clientX - left) / width) * (end - first);
    const day = Math.min(Math.max(Math.round(at / DAY_MS) * DAY_MS, first), last);
    choose(dateOf(day));
  };
  figure.addEventListener("pointermove", move);
  figure.addEventListener("pointerdown", move);
  figure.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && choose());
  figure.tabIndex = 0;
  figure.setAttribute("aria-label", "Use the arrow keys to move between days");
  figure.addEventListener("keydown", (event) => {
    const days = dates();
    const at = chosen ? days.indexOf(chosen) : days.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 7, PageDown: at + 7, Home: 0, End: days.length - 1 }[event.key];
    if (event.key === "Escape") choose();
    if (to === undefined) return;
    event.preventDefault();
    choose(days[Math.min(Math.max(to, 0), days.length - 1)], true);
  });
}

// Replaces the page with a fresh one, and preserves the focus, open details, the chosen day and scroll positions.
function replace(fresh) {
  const reached = () => all(REACHED_BY_KEYBOARD, main());
  const focus = document.activeElement;
  const [place, href, text] = [reached().indexOf(focus), focus?.href, focus?.textContent];
  const scrolled = all(".table").map((box) => [box.scrollLeft, box.scrollTop]);
  const open = all("details").map((details) => details.open);
  main().replaceWith(document.adoptNode(fresh.querySelector("main")));
  document.title = fresh.title;
  prepare();
  dispatchEvent(new Event("replaced"));
  all("details").forEach((details, at) => (details.open = open[at] ?? false));
  all(".table").forEach((box, at) => scrolled[at] && box.scrollTo(...scrolled[at]));
  const same = reached().find((other) => href && other.href === href && other.textContent === text);
  if (place >= 0) (same ?? reached()[place])?.focus({ preventScroll: true });
  if (chosen) choose(chosen);
}

async function load(url, cache) {
  const response = await fetch(url, { cache, headers: { accept: "text/html" } });
  if (!response.ok) throw new Error(response.statusText);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

// Whether the reader has changed a field. The values of the calculator are in the URL, and so survive a refresh.
const isChanged = (field) =>
  !field.closest(".what-if") &&
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

// Follows a link within the dashboard without leaving the page, so that the reader keeps their place.
async function follow(url, isNew) {
  try {
    const fresh = await load(url);
    if (isNew) history.pushState(null, "", url);
    chosen = undefined;
    replace(fresh);
  } catch {
    location.href = url;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("main a:not(.more-link)");
  const isPlain = !event.defaultPrevented && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  if (!link || !isPlain || link.origin !== location.origin || link.pathname !== location.pathname || !link.search && !location.search) return;
  event.preventDefault();
  follow(link.href, true);
});
addEventListener("popstate", () => follow(location.href));

prepare();
setInterval(() => document.hidden || refresh(), REFRESH_EVERY_MS);
document.addEventListener("visibilitychange", () => document.hidden || refresh());

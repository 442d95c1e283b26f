// Shows the costs of a day in the charts of the history and of the comparison, and as text.

const DAY_MS = 86_400_000;

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// The points of a line: its day and its height in pixels, with the cost as written in the wide chart. A line starts at the
// day before the range, which has no row in the table.
function points(path) {
  const costs = path.dataset.costs.split(" ");
  const steps = path.getAttribute("d").match(/-?\d+/g).map(Number);
  let [day, y] = [0, 0];
  const length = steps.length / 2;
  return Array.from({ length }, (_, at) => ({ day: (day += steps[2 * at]), y: (y += steps[2 * at + 1]) / 2, cost: costs[at - length + costs.length] }));
}

const figures = () => all("figure.explorable");
const lines = (within) => all("[data-costs]:not(.mean)", within);
// The line of seven-day averages in front of a faint one.
const meanOf = ({ nextElementSibling: next }) => (next?.matches(".mean") ? next : undefined);
// The days of the range, counted from the day before it.
const days = () => (lines(document)[0] ? points(lines(document)[0]).filter(({ cost }) => cost).map(({ day }) => day) : []);
const lengthOf = ({ dataset: { first, last } }) => (Date.parse(last) - Date.parse(first)) / DAY_MS;

// Moves the hairline of all charts to a day, with a dot and the cost of each line. Without a day, shows the last one,
// without a hairline.
let chosen;
let from;
function choose(day, isByKey) {
  chosen = day;
  from = figures()[0].querySelector(".plot").dataset.first;
  read(day, isByKey);
  for (const mark of all(".at-day")) mark.remove();
  // The gap is that of the last day.
  for (const note of all('.compare [fill="var(--ink)"]')) note.style.visibility = day === undefined ? "" : "hidden";
  compare(day);
  for (const plot of all(".explorable .plot")) {
    const x = `${(100 * (day ?? 0)) / lengthOf(plot)}%`;
    const hairline = plot.querySelector(".hairline");
    hairline.classList.toggle("shown", day !== undefined);
    for (const name of ["x1", "x2"]) hairline.setAttribute(name, x);
    const labels = all("[data-name]", plot);
    const heights = new Map();
    lines(plot).forEach((path, at) => {
      if (!labels[at]) return;
      const front = meanOf(path) ?? path;
      labels[at].textContent = `${labels[at].dataset.name} ${costOn(front, day)}`;
      const point = points(front).find((point) => point.day === day);
      if (point) heights.set(labels[at], point.y);
    });
    const note = plot.querySelector('.history text[fill="var(--ink)"]');
    if (note && heights.size) heights.set(note, Math.min(...heights.values()) - 1);
    placeLabels(all("text", labels[0]?.parentNode ?? hairline).filter((label) => label.style.visibility !== "hidden"), heights);
    // The dots at the ends belong to the last day.
    for (const dot of all(":scope > circle", plot)) dot.style.visibility = day === undefined ? "" : "hidden";
    for (const path of all("[data-costs]", plot)) {
      const point = points(path).find((point) => point.day === day);
      if (!point) continue;
      const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      const stroke = path.getAttribute("stroke");
      const [r, fill] = meanOf(path) ? [3, "var(--card)"] : [4.5, stroke];
      for (const [name, value] of Object.entries({ class: "at-day", cx: x, cy: point.y, r, fill, stroke })) dot.setAttribute(name, value);
      plot.append(dot);
    }
  }
}

// Moves the labels at the end of lines to these heights without overlaps, or back.
function placeLabels(labels, heights) {
  for (const label of labels) label.dataset.at ??= label.getAttribute("y");
  const at = (label) => heights.get(label) ?? Number(label.dataset.at);
  let lowest = -Infinity;
  for (const label of labels.toSorted((a, b) => at(a) - at(b))) {
    lowest = heights.size ? Math.max(at(label), lowest + 16) : at(label);
    label.setAttribute("y", lowest);
  }
}

// The cost of a line on a day, or on its last one.
function costOn(path, day) {
  const known = points(path);
  return (known.find((point) => point.day === day) ?? known.at(-1)).cost;
}

// Shows the averages of the compared regions on a day, and their gap. Today's are exact, others have the digits of the chart.
function compare(day) {
  const cells = all(".compare dd");
  const pair = lines(document).filter((path) => path.closest(".compare .wide"));
  if (!pair.length) return;
  const costs = pair.map((path) => costOn(path, day));
  const [[, one, unit], [, other, same]] = costs.map((cost) => /([\d,.]+)(.*)/.exec(cost));
  const digits = one.split(".")[1]?.length ?? 0;
  const gap = Math.abs(one.replaceAll(",", "") - other.replaceAll(",", "")).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const texts = [document.querySelector("#readout strong").textContent, ...costs.map((cost) => `$${cost}`), unit === same ? `$${gap}${unit}` : ""];
  cells.forEach((cell, at) => {
    cell.dataset.latest ??= cell.textContent;
    cell.textContent = day === undefined ? cell.dataset.latest : texts[at];
  });
}

// Shows the costs of a day as text, and highlights its row.
function read(day, isByKey) {
  // One row per point, reversed to start with the oldest.
  const rows = all(".days tbody tr").reverse();
  const row = rows.at(day === undefined ? -1 : days().indexOf(day));
  for (const other of rows) other.classList.toggle("lit", other === row && day !== undefined);
  const readout = document.getElementById("readout");
  // Announced only for the keyboard: a pointer passes many days.
  readout.setAttribute("aria-live", isByKey ? "polite" : "off");
  const [date, min, avg, max, change, mean] = [...row.cells].map((cell) => cell.textContent.trim());
  const element = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
  readout.replaceChildren(element("strong", date));
  const { step } = readout.dataset;
  const parts = step ? [`minimum $${min}`, `average $${avg}`, `maximum $${max}`, change && `${change} from the ${step}`] : [];
  // Adds the worldwide cost next to a region's, or the change of every line.
  const drawn = lines(document.querySelector(".history .wide"));
  let means = `7-day average $${mean}`;
  all(".history [data-name]").forEach(({ dataset: { name }, attributes }, at) => {
    if (step && attributes["font-weight"]) return;
    const average = meanOf(drawn[at]);
    // On long ranges, only averages are drawn.
    if (!step || !mean || average) parts.push(`${name} ${step ? "$" : ""}${costOn(drawn[at], day)}`);
    means += ` (${name} $${costOn(average ?? drawn[at], day)})`;
  });
  if (step && mean) parts.push(means);
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

// Makes the charts of the page interactive.
export const prepare = () => figures().forEach(explore);

// Shows the chosen day again after a refresh, or forgets it.
export function restore() {
  if (chosen === undefined) return;
  const first = figures()[0]?.querySelector(".plot").dataset.first;
  const day = chosen - (Date.parse(first) - Date.parse(from)) / DAY_MS;
  if (days().includes(day)) choose(day);
}

export function forget() {
  chosen = undefined;
}

// Recalculates while a slider moves, in the same order of operations as the server, so that all digits agree.

const ten = (power) => Number(`1e${power}`);
const given = (input) => input.value || input.dataset.today;
const inputs = (form) => [...form.querySelectorAll("[type=number]")];

// Formats a count of units of the last decimal.
const written = (count, decimals) => {
  const whole = Math.floor(count / ten(decimals)).toLocaleString("en");
  return decimals ? `${whole}.${String(count % ten(decimals)).padStart(decimals, 0)}` : whole;
};

// Whole dollars from 1,000, cents from 1, four digits below.
const rounded = (count, decimals) => {
  const usd = count / ten(decimals);
  const cut = usd >= 1000 ? decimals : usd >= 1 ? decimals - 2 : Math.min(String(count).length - 4, decimals);
  return cut > 0 ? rounded(Math.floor(count / ten(cut) + 0.5), decimals - cut) : written(count, decimals);
};

const versus = (yours, other) => {
  if (yours === other) return "the same";
  const tenths = Math.floor(((100 * Math.abs(yours - other)) / yours) * 10 + 0.5);
  const by = yours ? `${tenths ? written(tenths, 1) : "<0.1"}% ` : "";
  return by + (other < yours ? "below" : "above");
};

// Adds a slider below a number. It would be useless without this script.
function sliderOf(input) {
  const slider = document.createElement("input");
  const [min, max, step] = input.dataset.slider.split(" ");
  Object.assign(slider, { type: "range", min, max, step, ariaLabel: input.labels[0].textContent });
  slider.dataset.of = input.name;
  input.after(slider);
  return slider;
}

// Shows the result, and returns whether it can be displayed.
function calculate(form) {
  const part = (selector) => form.querySelector(selector);
  const { difficulty, hashesPerDifficulty, decimals } = form.dataset;
  const [electricity, efficiency, overhead, reward] = inputs(form).map(given);
  const hashes = (difficulty * hashesPerDifficulty) / reward;
  const units = ((hashes * efficiency) / 1e12 / 3.6e6) * electricity * overhead * ten(decimals);
  const cost = Math.floor(units + 0.5);
  const wrong = inputs(form).find((input) => !input.validity.valid);
  const isCost = !wrong && units < 1e15;
  const problem = part(".problem");
  problem.dataset.large ??= problem.textContent;
  problem.textContent = wrong ? `${wrong.labels[0].textContent}: ${wrong.validationMessage}` : problem.dataset.large;
  problem.hidden = isCost;
  const output = part("output data");
  output.value = isCost ? written(cost, +decimals).replaceAll(",", "") : "";
  output.textContent = isCost ? `$${rounded(cost, +decimals)}` : "–";
  // Including the table of regions.
  for (const cell of document.querySelectorAll(".result td:last-child, .versus-yours")) {
    const other = +cell.previousSibling.firstChild.value.replace(".", "");
    cell.textContent = isCost ? versus(cost, other) : "";
  }
  for (const input of inputs(form)) {
    const slider = part(`[data-of=${input.name}]`) ?? sliderOf(input);
    slider.value = given(input);
    slider.ariaValueText = `${given(input)}, cost ${output.textContent}`;
    if (given(input) !== input.dataset.today) part(".reset").hidden = false;
  }
  part("button").hidden = true;
  return isCost;
}

// Adds the values to the parameters of a URL or form: those that it already has, and those that differ from today's.
function addValues(form, parameters) {
  for (const input of inputs(form)) {
    if (parameters.has(input.name) || given(input) !== input.dataset.today) parameters.set(input.name, given(input));
  }
}

for (const type of ["input", "change"]) {
  document.addEventListener(type, ({ target: { form, dataset, value } }) => {
    if (!form?.matches(".what-if")) return;
    if (dataset.of) form.elements[dataset.of].value = value;
    // Browsers don't allow a new URL at each step of a slider.
    if (!calculate(form) || type === "input") return;
    const url = new URL(location);
    addValues(form, url.searchParams);
    history.replaceState(history.state, "", url);
  });
}

// Links and forms that change the rest of the view keep the values.
document.addEventListener("click", ({ target }) => {
  const [link, form] = [target.closest?.("main a:not(.reset)"), document.querySelector(".what-if")];
  if (!form || link?.pathname !== location.pathname || link.origin !== location.origin) return;
  const url = new URL(link);
  addValues(form, url.searchParams);
  link.href = url;
}, true);
document.addEventListener("formdata", ({ formData }) => {
  const form = document.querySelector(".what-if");
  if (form) addValues(form, formData);
});

const show = () => document.querySelectorAll(".what-if").forEach(calculate);
addEventListener("replaced", show);
show();

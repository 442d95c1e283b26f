// Calculates as one slides, in the order of the server's operations, so that all digits agree.

const ten = (power) => Number(`1e${power}`);
const given = (input) => input.value || input.dataset.today;

// So many units of the last decimal.
const written = (count, decimals) => {
  const whole = Math.floor(count / ten(decimals)).toLocaleString("en");
  return decimals ? `${whole}.${String(count % ten(decimals)).padStart(decimals, 0)}` : whole;
};

// Whole dollars from 1,000 up, cents from 1, four digits below.
const rounded = (count, decimals) => {
  const usd = count / ten(decimals);
  const cut = usd >= 1000 ? decimals : usd >= 1 ? decimals - 2 : Math.min(String(count).length - 4, decimals);
  return cut > 0 ? rounded(Math.floor(count / ten(cut) + 0.5), decimals - cut) : written(count, decimals);
};

const beside = (yours, other) => {
  if (yours === other) return "the same as your cost";
  const tenths = Math.floor(((100 * Math.abs(yours - other)) / yours) * 10 + 0.5);
  const by = yours ? `${tenths ? written(tenths, 1) : "< 0.1"} % ` : "";
  return `${by}${other < yours ? "below" : "above"} your cost`;
};

// Shows the result, and returns the URL that holds it.
function calculate(form) {
  const part = (selector) => form.querySelector(selector);
  const inputs = [...form.querySelectorAll("[type=number]")];
  const { difficulty, hashesPerDifficulty, decimals } = form.dataset;
  const [electricity, efficiency, overhead, reward] = inputs.map(given);
  const hashes = (difficulty * hashesPerDifficulty) / reward;
  const units = ((hashes * efficiency) / 1e12 / 3.6e6) * electricity * overhead * ten(decimals);
  const cost = Math.floor(units + 0.5);
  const isCost = form.checkValidity() && units < 1e15;
  const output = part("output data");
  output.value = isCost ? written(cost, +decimals).replaceAll(",", "") : "";
  output.textContent = isCost ? `$${rounded(cost, +decimals)}` : "–";
  part(".problem").hidden = isCost;
  for (const cell of form.querySelectorAll(".beside")) {
    const other = +cell.previousSibling.firstChild.value.replace(".", "");
    cell.textContent = isCost ? beside(cost, other) : "";
  }
  const url = new URL(location);
  for (const input of inputs) {
    const slider = part(`[data-of=${input.name}]`);
    slider.hidden = false;
    slider.value = given(input);
    slider.ariaValueText = `${given(input)}, cost ${output.textContent}`;
    url.searchParams.delete(input.name);
    if (given(input) === input.dataset.today) continue;
    url.searchParams.set(input.name, input.value);
    part(".reset").hidden = false;
  }
  part("button").hidden = true;
  return isCost && url;
}

for (const type of ["input", "change"]) {
  document.addEventListener(type, ({ target: { form, dataset, value } }) => {
    if (!form?.matches(".what-if")) return;
    if (dataset.of) form.elements[dataset.of].value = value;
    const url = calculate(form);
    // Browsers refuse a new URL at each step of a slider.
    if (url && type === "change") history.replaceState(history.state, "", url);
  });
}

const show = () => document.querySelectorAll(".what-if").forEach(calculate);
addEventListener("replaced", show);
show();

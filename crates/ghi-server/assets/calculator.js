// Calculates as one slides: the server's formula in the order of its operations, so that all digits
// agree. Without this script, the form asks the server.
{
  const form = () => document.querySelector(".what-if");
  const part = (selector) => form().querySelector(selector);
  const inputs = () => [...form().querySelectorAll("[type=number]")];
  const given = (input) => input.value || input.dataset.today;
  const isToday = (input) => given(input) === input.dataset.today;
  const ten = (power) => Number(`1e${power}`);

  // So many units of the last decimal.
  const written = (count, decimals, locale) => {
    const whole = Math.floor(count / ten(decimals));
    const fraction = decimals ? `.${String(count % ten(decimals)).padStart(decimals, 0)}` : "";
    return (locale ? whole.toLocaleString(locale) : whole) + fraction;
  };

  // Whole dollars from 1,000 up, cents from 1, four digits below.
  const rounded = (count, decimals) => {
    const usd = count / ten(decimals);
    const most = usd >= 1000 ? 0 : usd >= 1 ? 2 : decimals - Math.max(String(count).length - 4, 0);
    const kept = Math.max(Math.min(decimals, most), 0);
    if (kept === decimals) return `$${written(count, decimals, "en")}`;
    return rounded(Math.floor(count / ten(decimals - kept) + 0.5), kept);
  };

  const beside = (yours, other) => {
    if (yours === other) return "the same as your cost";
    const tenths = Math.floor(((100 * Math.abs(yours - other)) / yours) * 10 + 0.5);
    const by = yours ? `${tenths ? written(tenths, 1, "en") : "< 0.1"} % ` : "";
    return `${by}${other < yours ? "below" : "above"} your cost`;
  };

  const calculate = () => {
    const { difficulty, hashesPerDifficulty, decimals } = form().dataset;
    const [electricity, efficiency, overhead, reward] = inputs().map((input) => Number(given(input)));
    const hashes = (difficulty * hashesPerDifficulty) / reward;
    const units = ((hashes * efficiency) / 1e12 / 3.6e6) * electricity * overhead * ten(decimals);
    const isCost = form().checkValidity() && units < 1e15;
    const cost = Math.floor(units + 0.5);
    const output = part("output data");
    output.value = isCost ? written(cost, +decimals) : "";
    output.textContent = isCost ? rounded(cost, +decimals) : "–";
    part(".problem").hidden = isCost;
    for (const cell of form().querySelectorAll(".beside")) {
      const other = Number(cell.previousSibling.firstChild.value.replace(".", ""));
      cell.textContent = isCost ? beside(cost, other) : "";
    }
    for (const input of inputs()) {
      const slider = part(`[data-of=${input.name}]`);
      slider.hidden = false;
      slider.value = given(input);
      slider.ariaValueText = `${given(input)}, cost ${output.textContent}`;
    }
    part("button").hidden = true;
    part(".reset").hidden = inputs().every(isToday);
  };

  const on = (type, react) =>
    document.addEventListener(type, ({ target }) => form()?.contains(target) && react(target));

  on("input", (target) => {
    if (target.dataset.of) form().elements[target.dataset.of].value = target.value;
    calculate();
  });

  on("change", () => {
    const url = new URL(location);
    for (const input of inputs()) {
      url.searchParams.delete(input.name);
      if (!isToday(input)) url.searchParams.set(input.name, input.value);
    }
    if (form().checkValidity()) history.replaceState(history.state, "", url);
  });

  // A refresh of the page replaces the form.
  new MutationObserver(() => form() && calculate()).observe(document.body, { childList: true });
  if (form()) calculate();
}

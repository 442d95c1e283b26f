// Names the blocks of the cost curve.

const all = (selector) => [...document.querySelectorAll(selector)];

// Shows the name, the cost and the share of the block that the reader points at or focuses, and hides those of other blocks.
// On a phone, the chart is rotated.
export function nameBlock({ target, type, clientX, clientY }) {
  const chart = target.closest?.(".curve");
  if (target.closest?.(".tip")) return;
  for (const lit of all(".curve .lit")) lit.classList.remove("lit");
  for (const tip of all(".tip")) tip.remove();
  if (!chart?.isConnected) return;
  const isNarrow = chart.matches(".narrow");
  const area = chart.querySelector("#curve-blocks, use").getBoundingClientRect();
  const at = isNarrow ? (clientY - area.y) / area.height : (clientX - area.x) / area.width;
  // Where a block begins and how wide it is, in parts of the hashrate.
  const places = all(".curve.wide a").map((block) => {
    const [start, , width] = block.lastChild.getAttribute("d").match(/\d+/g);
    return { block, start: start / 1e4, width: width / 1e4 };
  });
  const place = type === "focusin" ? places.find(({ block }) => (isNarrow ? block.href.baseVal === target.href?.baseVal : block === target)) : places.findLast(({ start }) => start <= at);
  if (!place || at > 1) return;
  const { block, start, width } = place;
  block.classList.add("lit");
  all(".rows a").find((row) => row.href.baseVal === block.href.baseVal)?.classList.add("lit");
  // Otherwise, the browser shows its own tooltip as well.
  const title = block.querySelector("title");
  if (title) block.ariaLabel = title.textContent;
  title?.remove();
  const tip = Object.assign(document.createElement("a"), { className: "tip", href: block.href.baseVal, textContent: block.ariaLabel, tabIndex: -1, ariaHidden: "true" });
  const figure = chart.parentElement;
  figure.append(tip);
  const origin = figure.getBoundingClientRect();
  const middle = start + width / 2;
  const x = area.x + area.width * (isNarrow ? 0.5 : middle) - origin.x - tip.offsetWidth / 2;
  tip.style.left = `${Math.max(0, Math.min(x, origin.width - tip.offsetWidth))}px`;
  // Next to a row, it would cover other rows, so it goes below the numbers of the axis.
  tip.style.top = `${isNarrow ? area.bottom - origin.y + 20 : area.y - origin.y}px`;
}

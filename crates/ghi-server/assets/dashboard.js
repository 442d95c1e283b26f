// Keeps the page as fresh as the server's figures. Without it the page is complete, but stands still.

const REFRESH_EVERY_MS = 60_000;
const REACHED_BY_KEYBOARD = "a, input, button, [tabindex]";

const isInUse = () =>
  !getSelection().isCollapsed ||
  [...document.querySelectorAll("main input")].some((input) => input.value || input === document.activeElement);

async function refresh() {
  const status = document.getElementById("status");
  try {
    const response = await fetch(location.href, { cache: "no-cache" });
    if (!response.ok) throw new Error(response.statusText);
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    // Not under the hands of somebody who types or selects.
    status.textContent = isInUse() ? "The page is refreshed when nothing is typed or selected." : "";
    if (isInUse()) return;
    const reached = (main) => [...main.querySelectorAll(REACHED_BY_KEYBOARD)];
    const main = document.querySelector("main");
    const focus = reached(main).indexOf(document.activeElement);
    main.replaceWith(document.adoptNode(fresh.querySelector("main")));
    reached(document.querySelector("main"))[focus]?.focus({ preventScroll: true });
    document.title = fresh.title;
  } catch {
    status.textContent = "The page cannot be refreshed; these are the last figures received.";
  }
}

setInterval(() => document.hidden || refresh(), REFRESH_EVERY_MS);
document.addEventListener("visibilitychange", () => document.hidden || refresh());

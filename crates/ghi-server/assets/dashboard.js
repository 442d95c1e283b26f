// Keeps the page as fresh as the server's figures. Without it the page is complete, but stands still.

const REFRESH_EVERY_MS = 60_000;

async function refresh() {
  const main = document.querySelector("main");
  const active = main.querySelectorAll("a, input, button");
  const focus = [...active].indexOf(document.activeElement);
  // Not under the hands of somebody who types or selects.
  if (document.activeElement?.matches("input") || !getSelection().isCollapsed) return;
  const status = document.getElementById("status");
  try {
    const response = await fetch(location.href, { cache: "no-cache" });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    document.title = fresh.title;
    main.replaceWith(document.adoptNode(fresh.querySelector("main")));
    document.querySelector("main").querySelectorAll("a, input, button")[focus]?.focus({ preventScroll: true });
    status.textContent = "";
  } catch {
    status.textContent = "The server does not answer; these are the last figures that came.";
  }
}

setInterval(() => document.hidden || refresh(), REFRESH_EVERY_MS);
document.addEventListener("visibilitychange", () => document.hidden || refresh());

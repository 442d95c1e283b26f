// The commands under "Get data".

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// Puts the URL of this server, as the browser knows it, into the commands, unless its operator has set one, and adds copy
// buttons.
export function open(details) {
  if (details.querySelector("button")) return;
  for (const code of all("code", details)) {
    if (!document.querySelector("[rel=canonical]")) code.textContent = code.textContent.replace(/https?:\/\/[^/"]+/, location.origin);
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
}

// It covers other content.
const close = (target) => all(".get-data[open]").forEach((details) => details.contains(target) || (details.open = false));
document.addEventListener("click", ({ target }) => close(target));
document.addEventListener("keydown", ({ key }) => key === "Escape" && close());

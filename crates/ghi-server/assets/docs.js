// The interactive reference of the server that sent this page. It sends no requests to other hosts.

// The reference replaces the list of operations.
document.querySelector("#main").replaceChildren();

const chosen = document.documentElement.dataset;

Scalar.createApiReference("#main", {
  url: document.querySelector("link[rel=service-desc]").href,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "none",
  forceDarkModeState: chosen.theme,
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
});

// The reference reads the theme only once; this applies later changes.
new MutationObserver(() => {
  const isDark = chosen.theme ? chosen.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.body.classList.toggle("dark-mode", isDark);
  document.body.classList.toggle("light-mode", !isDark);
}).observe(document.documentElement, { attributeFilter: ["data-theme"] });

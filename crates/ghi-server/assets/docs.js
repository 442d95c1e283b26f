// The interactive reference of the very server that sent this page. Nothing in it asks another host.

// It takes what is there for its own.
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

// It asks for the theme once; later choices are followed here.
new MutationObserver(() => {
  const isDark = chosen.theme ? chosen.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.body.classList.toggle("dark-mode", isDark);
  document.body.classList.toggle("light-mode", !isDark);
}).observe(document.documentElement, { attributeFilter: ["data-theme"] });

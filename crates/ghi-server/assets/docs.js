// The interactive reference of the very server that sent this page. Nothing in it asks another host.

Scalar.createApiReference("#main", {
  url: document.querySelector("link[rel=service-desc]").href,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "none",
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
});

// The interactive reference of the server that sent this page. It sends no requests to other hosts.

const chosen = document.documentElement.dataset;

// Fills in an example of each optional parameter, but sends only those that the reader ticks: some exclude each other.
function untickExamples(parameter) {
  const [value] = parameter.schema.examples ?? [parameter.schema.default];
  parameter.examples ??= value === undefined ? undefined : { example: { value } };
  for (const example of Object.values(parameter.examples ?? {})) example["x-disabled"] = !parameter.required;
}

async function show() {
  const response = await fetch(document.querySelector("link[rel=service-desc]").href);
  const content = await response.json();
  const shared = Object.values(content.components.parameters);
  const own = Object.values(content.paths).flatMap(({ get }) => get.parameters ?? []);
  for (const parameter of [...shared, ...own]) if (parameter.schema) untickExamples(parameter);
  // The reference replaces the list of operations.
  document.querySelector("#main").replaceChildren();
  Scalar.createApiReference("#main", {
    content,
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
}

// The reference reads the theme only once; this applies later changes.
new MutationObserver(() => {
  const isDark = chosen.theme ? chosen.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.body.classList.toggle("dark-mode", isDark);
  document.body.classList.toggle("light-mode", !isDark);
}).observe(document.documentElement, { attributeFilter: ["data-theme"] });

show();

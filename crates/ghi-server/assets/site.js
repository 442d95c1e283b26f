// Applies the theme that the reader chose, before the page is painted. Without this script, the system's theme applies.

const THEME = "theme";
const root = document.documentElement;

// Local storage may be disabled.
const storedTheme = () => {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
};
const storeTheme = (theme) => {
  try {
    localStorage.setItem(THEME, theme);
  } catch {}
};

function choose(theme) {
  if (["light", "dark"].includes(theme)) root.dataset.theme = theme;
  else delete root.dataset.theme;
  for (const button of document.querySelectorAll(".theme button")) {
    button.setAttribute("aria-pressed", button.value === (root.dataset.theme ?? "auto"));
  }
}

choose(storedTheme());

document.addEventListener("DOMContentLoaded", () => {
  const group = document.querySelector(".theme");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Theme");
  for (const name of ["Auto", "Light", "Dark"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.value = name.toLowerCase();
    button.addEventListener("click", () => {
      storeTheme(button.value);
      choose(button.value);
    });
    group.append(button);
  }
  group.hidden = false;
  choose(storedTheme());
});

// The theme was chosen in another window.
addEventListener("storage", ({ key }) => key === THEME && choose(storedTheme()));

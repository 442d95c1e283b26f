// The theme that the reader chose. Runs before anything is painted; without it, the system's theme holds.

const THEME = "theme";
const root = document.documentElement;

// A browser may keep nothing for this site.
const kept = () => {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
};
const keep = (theme) => {
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

choose(kept());

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
      keep(button.value);
      choose(button.value);
    });
    group.append(button);
  }
  group.hidden = false;
  choose(kept());
});

// Chosen in another window.
addEventListener("storage", ({ key }) => key === THEME && choose(kept()));

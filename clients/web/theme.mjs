// Theme: light, dark, or the system's; kept in this browser.

const KEY = "proofd.theme";
const ORDER = ["auto", "light", "dark"];
const NAME = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };

function stored() {
  const theme = localStorage.getItem(KEY);
  return ORDER.includes(theme) ? theme : "auto";
}

function apply(button) {
  const theme = stored();
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
  button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme];
  button.setAttribute("aria-label", NAME[theme]);
  button.title = NAME[theme];
}

/** The next theme. @param {HTMLElement} button */
export function turn(button) {
  localStorage.setItem(KEY, ORDER[(ORDER.indexOf(stored()) + 1) % ORDER.length]);
  apply(button);
  return NAME[stored()];
}

/** @param {HTMLElement} button that turns it */
export function start(button) {
  apply(button);
  button.addEventListener("click", () => turn(button));
}

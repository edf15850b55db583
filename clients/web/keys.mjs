// Keys: single-key shortcuts. A page adds its own while it is shown. Text fields and dialogs ignore them. They can be
// turned off, which some assistive software requires.

import { h } from "./dom.mjs";
import { dialog } from "./dialogs.mjs";

const OFF = "proofd.keys-off";

/** @typedef {{key: string, text: string, action: () => void}} Shortcut */
/** @type {{name: string, shortcuts: Shortcut[]}[]} */
const groups = [];

const NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
const typing = (node) =>
  node.closest?.("input, textarea, select") !== null || document.querySelector("dialog[open]") !== null;

/** Adds shortcuts under a heading; returns a function that removes them. */
export function shortcuts(name, list) {
  const group = { name, shortcuts: list };
  groups.push(group);
  return () => groups.splice(groups.indexOf(group), 1);
}

/** Lists the shortcuts. */
export function help() {
  const off = h("input", { type: "checkbox", id: "keys-on", checked: !localStorage.getItem(OFF) });
  off.addEventListener("change", () => (off.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1")));
  const table = (group) => [
    h("h3", {}, group.name),
    h("dl", { class: "keys" },
      group.shortcuts.map(({ key, text }) => [h("dt", {}, h("kbd", {}, NAMES[key] ?? key)), h("dd", {}, text)]),
    ),
  ];
  const always = {
    name: "Always",
    shortcuts: [
      { key: "Tab", text: "next control; lists, boards and trees are one stop each" },
      { key: "ArrowDown", text: "and the other arrow keys: move within a list, a board or a tree" },
      { key: "Enter", text: "open, or play" },
      { key: "Esc", text: "close a dialog" },
    ],
  };
  dialog("Keyboard shortcuts", [
    [always, ...groups].map(table),
    h("p", {}, h("label", { class: "check" }, off, "Enable single-key shortcuts")),
  ]);
}

export function start() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
    if (event.key !== "?" && localStorage.getItem(OFF)) return;
    if (event.key === " " && event.target.closest("button, a, summary, [role=button]")) return;
    for (const group of [...groups].reverse())
      for (const { key, action } of group.shortcuts)
        if (key === event.key) {
          event.preventDefault();
          action();
          return;
        }
  });
}

// Dialogs: modal windows by <dialog>, which keeps the focus inside and restores it afterwards.

import { button, field, h } from "./dom.mjs";

/**
 * Opens a dialog. It also closes when another page is shown, because its actions belong to this one.
 * @param {string} title
 * @param {any[]} body
 * @param {any[]} [buttons] none: a button "Close"
 * @returns {HTMLDialogElement}
 */
export function dialog(title, body, buttons = []) {
  const head = h("h2", { id: "dialog-title" }, title);
  const box = h("dialog", { "aria-labelledby": "dialog-title" });
  const row = buttons.length ? buttons : [button("Close", () => box.close(), { class: "main" })];
  box.append(head, h("div", { class: "dialog-body" }, body), h("div", { class: "row end" }, row));
  const leave = () => box.close();
  addEventListener("hashchange", leave);
  box.addEventListener("close", () => {
    removeEventListener("hashchange", leave);
    box.remove();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

/** Asks whether to proceed. @returns {Promise<boolean>} */
export function confirm(title, text, action) {
  return new Promise((resolve) => {
    let yes = false;
    const proceed = () => {
      yes = true;
      box.close();
    };
    const keep = button("Keep unchanged", () => box.close(), { autofocus: true });
    const box = dialog(title, [h("p", {}, text)], [keep, button(action, proceed, { class: "danger" })]);
    box.addEventListener("close", () => resolve(yes));
  });
}

/** Asks which of the moves is meant, if there are several. @returns {Promise<string | null>} null: none */
export function chooseMove(moves) {
  if (moves.length === 1) return Promise.resolve(moves[0].move);
  return new Promise((resolve) => {
    let chosen = null;
    const pick = (move) => () => {
      chosen = move;
      box.close();
    };
    const buttons = [...moves.map(({ move }) => button(move, pick(move))), button("None", pick(null))];
    const box = dialog("Which move?", [], buttons);
    box.addEventListener("close", () => resolve(chosen));
  });
}

/**
 * The form for a token. It stays until the server accepts one.
 * @param {{refused: string, unlock: (token: string) => void}} rpc
 */
export function askToken(rpc) {
  const input = h("input", { type: "password", autocomplete: "off", required: true, maxlength: 256, autofocus: true });
  const problem = h("p", { class: "problem", role: "alert" }, rpc.refused);
  const unlock = (event) => {
    event.preventDefault();
    problem.textContent = "";
    if (input.value) rpc.unlock(input.value);
    input.value = "";
    input.focus();
  };
  const form = h("form", { method: "dialog", onsubmit: unlock },
    field("Token", input, "A token from the server's token file. This tab keeps it until you close it."),
    problem,
    h("div", { class: "row end" }, h("button", { class: "main" }, "Log in")),
  );
  const box = h("dialog", { "aria-labelledby": "token-title", class: "token" },
    h("h2", { id: "token-title" }, "This server requires a token"),
    form,
  );
  box.addEventListener("cancel", (event) => event.preventDefault());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return { close: () => box.close(), refuse: (text) => (problem.textContent = text) };
}

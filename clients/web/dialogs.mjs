// Dialogs: modal windows by <dialog>, which keeps the focus inside and gives it back.

import { button, field, h } from "./dom.mjs";

/**
 * Opens a dialog. It goes when it is closed, and when another page is shown: what it changes is of this one.
 * @param {string} title
 * @param {any[]} body
 * @param {any[]} [buttons] without any there is "Close"
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

/** Asks whether to go on. @returns {Promise<boolean>} */
export function confirm(title, text, action) {
  return new Promise((resolve) => {
    let yes = false;
    const box = dialog(
      title,
      [h("p", {}, text)],
      [
        button("Keep unchanged", () => box.close(), { autofocus: true }),
        button(
          action,
          () => {
            yes = true;
            box.close();
          },
          { class: "danger" },
        ),
      ],
    );
    box.addEventListener("close", () => resolve(yes));
  });
}

/** Asks for a choice among buttons. @returns {Promise<number>} the index, or -1 */
export function choose(title, options) {
  return new Promise((resolve) => {
    let chosen = -1;
    const pick = (i) => () => {
      chosen = i;
      box.close();
    };
    const box = dialog(title, [], [...options.map((text, i) => button(text, pick(i))), button("None", pick(-1))]);
    box.addEventListener("close", () => resolve(chosen));
  });
}

/**
 * The form for a token. It stays until the server has taken one.
 * @param {{refused: string, unlock: (token: string) => void}} rpc
 */
export function askToken(rpc) {
  const input = h("input", { type: "password", autocomplete: "off", required: true, maxlength: 256, autofocus: true });
  const problem = h("p", { class: "problem", role: "alert" }, rpc.refused);
  const form = h(
    "form",
    {
      method: "dialog",
      onsubmit: (event) => {
        event.preventDefault();
        problem.textContent = "";
        if (input.value) rpc.unlock(input.value);
        input.value = "";
        input.focus();
      },
    },
    field("Token", input, "A token from the server's token file. This tab keeps it until you close it."),
    problem,
    h("div", { class: "row end" }, h("button", { class: "main" }, "Log in")),
  );
  const box = h(
    "dialog",
    { "aria-labelledby": "token-title", class: "token" },
    h("h2", { id: "token-title" }, "This server requires a token"),
    form,
  );
  box.addEventListener("cancel", (event) => event.preventDefault());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return { close: () => box.close(), refuse: (text) => (problem.textContent = text) };
}

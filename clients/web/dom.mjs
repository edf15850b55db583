// DOM: elements made in one expression, announcements to screen readers, and notes about errors.
//
// Text always becomes a text node: nothing from the server is parsed as HTML.

import { upper } from "./format.mjs";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */

function put(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

function add(node, children) {
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false)
      node.append(child instanceof Node ? child : String(child));
}

/**
 * An HTML element. Of the properties, `onNAME` is a listener, `style` an object of CSS properties; null and false are
 * left out.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  put(node, props);
  add(node, children);
  return node;
}

/** The same for an SVG element. @returns {any} */
export function s(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  put(node, props);
  add(node, children);
  return node;
}

/** Replaces the children of a node. */
export function fill(node, ...children) {
  node.replaceChildren();
  add(node, children);
  return node;
}

/** Sets the text of a node if it has changed, so that screen readers do not repeat unchanged text. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Has a screen reader say a text when it is idle. */
export function announce(text) {
  say(document.getElementById("live"), text);
}

/**
 * A note that stays until it is closed, or for `seconds`. Errors are read out at once.
 * @param {string | Error} what
 * @param {{kind?: "bad" | "good", seconds?: number}} [how]
 */
export function note(what, { kind = "bad", seconds = 0 } = {}) {
  const notes = document.getElementById("notes");
  const text = what instanceof Error ? sentence(what) : what;
  for (const old of notes.children) if (old.dataset.text === text) old.remove();
  const box = h("div", { class: `note ${kind}`, "data-text": text }, h("span", {}, text));
  const close = h("button", { type: "button", class: "quiet", "aria-label": "Close this note" }, "✕");
  close.addEventListener("click", () => box.remove());
  box.append(close);
  notes.append(box);
  while (notes.children.length > 4) notes.firstChild.remove();
  if (seconds) setTimeout(() => box.remove(), seconds * 1000);
}

/** The message of an error as a sentence, with the parameter at fault. */
export function sentence(error) {
  const text = error.message || String(error);
  const plain = ["position", "game", "moves"].includes(error.field); // the message says as much
  const field = error.field && !plain && !text.includes(error.field) ? ` (${error.field})` : "";
  const whole = upper(text) + field;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

let ids = 0;

/**
 * A labelled control: the label, the control, and a line of help that screen readers read with it.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [help]
 */
export function field(label, control, help = "") {
  control.id ||= `f${++ids}`;
  const hint = h("span", { class: "hint", id: `${control.id}-hint` }, help);
  control.setAttribute("aria-describedby", hint.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, hint);
}

/** The hint of a control that `field` made. */
export function hintOf(control) {
  return document.getElementById(`${control.id}-hint`);
}

/** A button. */
export function button(text, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props }, text);
}

/** An input for text that is not prose. */
export function textInput(props = {}) {
  return h("input", { type: "text", spellcheck: "false", ...props });
}

/** A labelled radio button. */
export function radio(name, text, props) {
  return h("label", { class: "check" }, h("input", { type: "radio", name, ...props }), text);
}

/** A figure with its name; `title` explains it. */
export function figure(name, value, title = null) {
  return h("div", { title }, h("dt", {}, name), h("dd", {}, value));
}

/** Has the browser save a file. */
export function save(name, parts, type) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = h("a", { href: url, download: name.replace(/[^\w.,=-]+/g, "_") });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/**
 * Calls `ask` now, every `ms` milliseconds, and when the page is visible or connected again; only while it is visible
 * and connected, and never before the last call has ended. What fails is noted, and what goes on failing is so once.
 * @param {EventTarget & {state: string}} rpc
 * @param {number} ms
 * @param {() => Promise<void>} ask
 * @returns {() => void} ends it
 */
export function poll(rpc, ms, ask) {
  let asking = false;
  let failed = "";
  const turn = async () => {
    if (asking || rpc.state !== "ready" || document.hidden) return;
    asking = true;
    const fault = await ask().then(() => "", (error) => error);
    if (fault && String(fault) !== failed) note(fault);
    failed = String(fault);
    asking = false;
  };
  const timer = setInterval(turn, ms);
  rpc.addEventListener("state", turn);
  document.addEventListener("visibilitychange", turn);
  turn();
  return () => {
    clearInterval(timer);
    rpc.removeEventListener("state", turn);
    document.removeEventListener("visibilitychange", turn);
  };
}

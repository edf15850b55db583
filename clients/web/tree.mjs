// Tree: items whose children are fetched when an item is opened. One item is in the tab order; up and down move through
// the items shown, right opens or enters, left closes or leaves, Enter chooses.

import { fill, h, note } from "./dom.mjs";

/**
 * @template T
 * @typedef {object} How
 * @property {string} label for screen readers
 * @property {(item: T) => any[]} draw the text of an item
 * @property {(item: T) => boolean} leaf it has no children
 * @property {(item: T) => Promise<{items: T[], rest?: string}>} children `rest`: a text about those left out
 * @property {(item: T) => void} [choose]
 */

/** @template T */
export class Tree {
  /** @param {How<T>} how */
  constructor(how) {
    this.how = how;
    this.items = new WeakMap();
    this.node = h("ul", { class: "tree", role: "tree", "aria-label": how.label });
    this.node.addEventListener("keydown", (event) => this.#key(event));
    this.node.addEventListener("click", (event) => this.#click(event));
  }

  /** @param {T[]} roots @param {boolean} [open] the first is opened */
  show(roots, open = false) {
    fill(this.node, roots.map((item) => this.#branch(item, 1)));
    const first = this.node.firstElementChild;
    if (!first) return;
    first.tabIndex = 0;
    if (open) this.#open(first);
  }

  #branch(item, level) {
    const leaf = this.how.leaf(item);
    const node = h("li",
      { role: "treeitem", tabindex: -1, "aria-level": level, "aria-expanded": leaf ? null : "false" },
      h("span", { class: "branch" },
        h("span", { class: "twist", "aria-hidden": "true" }, leaf ? "" : "▸"),
        this.how.draw(item),
      ),
    );
    const words = [...node.firstElementChild.children].slice(1).flatMap((part) => [...part.childNodes]);
    node.setAttribute("aria-label", words.map((word) => word.textContent.trim()).filter(Boolean).join(" "));
    this.items.set(node, item);
    return node;
  }

  async #open(node) {
    if (node.getAttribute("aria-expanded") !== "false" || node.dataset.asking) return;
    node.dataset.asking = "1";
    try {
      const { items, rest } = await this.how.children(this.items.get(node));
      const level = Number(node.getAttribute("aria-level")) + 1;
      const group = h("ul", { role: "group" },
        items.map((item) => this.#branch(item, level)),
        rest || !items.length ? h("li", { class: "rest", role: "none" }, rest || "nothing is known below") : null,
      );
      node.append(group);
      node.setAttribute("aria-expanded", "true");
      node.querySelector(".twist").textContent = "▾";
    } catch (error) {
      note(error);
    }
    delete node.dataset.asking;
  }

  #close(node) {
    if (node.getAttribute("aria-expanded") !== "true") return;
    node.setAttribute("aria-expanded", "false");
    node.querySelector(".twist").textContent = "▸";
    const group = node.querySelector("[role=group]");
    if (group.querySelector("[tabindex='0']")) this.#focus(node, false);
    group.remove();
  }

  #focus(node, really = true) {
    for (const old of this.node.querySelectorAll("[role=treeitem][tabindex='0']")) old.tabIndex = -1;
    node.tabIndex = 0;
    if (!really) return;
    node.focus({ preventScroll: true });
    node.firstElementChild.scrollIntoView({ block: "nearest" });
  }

  #click(event) {
    const node = event.target.closest("[role=treeitem]");
    if (!node || event.target.closest("a, .rest")) return;
    this.#focus(node);
    if (event.target.closest(".twist") || !this.how.choose) this.#turn(node);
    else this.how.choose(this.items.get(node));
  }

  #turn(node) {
    if (node.getAttribute("aria-expanded") === "true") this.#close(node);
    else this.#open(node);
  }

  #key(event) {
    const node = event.target.closest("[role=treeitem]");
    if (!node || event.ctrlKey || event.altKey || event.metaKey) return;
    const shown = [...this.node.querySelectorAll("[role=treeitem]")];
    const at = shown.indexOf(node);
    const go = (to) => shown[to] && this.#focus(shown[to]);
    const open = node.getAttribute("aria-expanded");
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(shown.length - 1);
    else if (event.key === "ArrowRight" && open === "false") this.#open(node);
    else if (event.key === "ArrowRight") go(open === "true" ? at + 1 : at);
    else if (event.key === "ArrowLeft" && open === "true") this.#close(node);
    else if (event.key === "ArrowLeft") go(shown.indexOf(node.parentElement.closest("[role=treeitem]")));
    else if (event.key === " ") this.#turn(node);
    else if (event.key === "Enter") this.how.choose ? this.how.choose(this.items.get(node)) : this.#turn(node);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

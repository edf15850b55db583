// List: rows, of which only those in view are in the document. One row is in the tab order; arrows, Page Up, Page Down,
// Home and End move through the rows, Enter opens one.

import { h } from "./dom.mjs";

const MORE = 6; // rows drawn above and below those in view

/** @template T */
export class List {
  /**
   * @param {object} how
   * @param {string} how.label for screen readers
   * @param {string[]} how.columns heads
   * @param {() => number} how.height of a row, in pixels
   * @param {(item: T) => string | number} how.key
   * @param {(item: T) => {cells: any[], label: string, className?: string}} how.draw
   * @param {(item: T) => void} how.open
   * @param {(item: T) => void} [how.focus] called when a row gets the focus
   * @param {() => void} how.near called when the end is in view, to load more
   */
  constructor(how) {
    this.how = how;
    this.items = [];
    this.at = 0;
    this.drawn = new Map();
    this.space = h("div", { class: "list-space", role: "rowgroup" });
    const head = h("div", { class: "list-row list-head", role: "row", "aria-rowindex": 1 },
      how.columns.map((name) => h("span", { role: "columnheader" }, name)),
    );
    this.head = h("div", { role: "rowgroup", class: "list-heads" }, head);
    this.node = h("div", { class: "list", role: "grid", "aria-label": how.label, "aria-readonly": "true" },
      this.head, this.space,
    );
    this.node.addEventListener("scroll", () => this.#ask());
    this.node.addEventListener("keydown", (event) => this.#key(event));
    this.observer = new ResizeObserver(() => this.#ask());
    this.observer.observe(this.node);
  }

  close() {
    this.observer.disconnect();
  }

  /** @param {T[]} items the rows in order; unchanged objects are not drawn again */
  show(items) {
    const current = this.items[this.at];
    this.items = items;
    if (current) {
      const key = this.how.key(current);
      const found =
        items[this.at] && this.how.key(items[this.at]) === key
          ? this.at
          : items.findIndex((item) => this.how.key(item) === key);
      this.at = Math.max(0, found >= 0 ? found : Math.min(this.at, items.length - 1));
    }
    this.node.setAttribute("aria-rowcount", String(items.length + 1));
    this.#draw();
  }

  /** The items in view. */
  visible() {
    const [from, to] = this.#window(0);
    return this.items.slice(from, to);
  }

  #window(more) {
    const height = this.how.height();
    const from = Math.max(0, Math.floor(this.node.scrollTop / height) - more);
    const to = Math.ceil((this.node.scrollTop + this.node.clientHeight) / height) + more;
    return [from, Math.min(this.items.length, to)];
  }

  #ask() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.#draw();
    });
  }

  #draw() {
    const height = this.how.height();
    const focused = this.space.contains(document.activeElement);
    const [from, to] = this.#window(MORE);
    this.space.style.height = `${this.items.length * height}px`;
    const wanted = new Set();
    for (let i = from; i < to; i++) wanted.add(i);
    if (this.items.length) wanted.add(this.at);
    const kept = new Map();
    for (const [key, row] of this.drawn) {
      if (wanted.has(row.index) && row.item === this.items[row.index] && row.height === height)
        kept.set(row.index, row);
      else row.node.remove();
      this.drawn.delete(key);
    }
    for (const i of wanted) {
      const row = kept.get(i) ?? this.#row(i, height);
      row.node.tabIndex = i === this.at ? 0 : -1;
      this.drawn.set(i, row);
    }
    if (focused) this.drawn.get(this.at)?.node.focus({ preventScroll: true });
    if (to >= this.items.length - MORE) this.how.near();
  }

  #row(index, height) {
    const item = this.items[index];
    const { cells, label, className = "" } = this.how.draw(item);
    const node = h("div",
      {
        class: `list-row ${className}`,
        role: "row",
        "aria-rowindex": index + 2,
        "aria-label": label,
        style: { transform: `translateY(${index * height}px)`, height: `${height}px` },
        onclick: () => this.how.open(item),
        onfocus: () => this.#focus(index),
      },
      cells.map((cell) => h("span", { role: "gridcell" }, cell)),
    );
    const next = [...this.space.children].find((row) => Number(row.getAttribute("aria-rowindex")) > index + 2);
    this.space.insertBefore(node, next ?? null); // in order, for screen readers
    return { node, index, item, height };
  }

  #focus(index) {
    this.how.focus?.(this.items[index]);
    if (index === this.at) return;
    const before = this.drawn.get(this.at);
    if (before) before.node.tabIndex = -1;
    this.at = index;
    const now = this.drawn.get(index);
    if (now) now.node.tabIndex = 0;
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.items.length) return;
    const page = Math.max(1, Math.floor(this.node.clientHeight / this.how.height()) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key === "Enter") {
      this.how.open(this.items[this.at]);
    } else if (event.key in steps) {
      this.#go(Math.max(0, Math.min(this.items.length - 1, this.at + steps[event.key])));
    } else return;
    event.preventDefault();
  }

  #go(index) {
    const height = this.how.height();
    const room = this.node.clientHeight - this.head.offsetHeight;
    this.at = index;
    if (index * height < this.node.scrollTop) this.node.scrollTop = index * height;
    else if ((index + 1) * height > this.node.scrollTop + room) this.node.scrollTop = (index + 1) * height - room;
    this.#draw();
    this.drawn.get(index)?.node.focus({ preventScroll: true });
  }
}

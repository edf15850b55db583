// Matrix: the jobs of a campaign as a map, where their names have two parts: sizes of games, the squares of a board, or
// a line and the move that follows it. One cell is in the tab order; arrow keys move through them, Enter chooses one.

import { h, s } from "./dom.mjs";

const MOST = 40; // lines, and columns
const GAP = 2;
const LETTER = 6.7; // width of one, of a name
const [BAR, TOTAL] = [44, 76]; // widths: of a line's bar, and of that with its number
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

const lastWord = (text) => {
  const found = /^(.*)\s(\S+)$/.exec(text);
  return found && [text, found[2], found[1]];
};
const byNumber = (a, b) => a - b;

/** The ways to split the name of a row into column and line. */
const SPLITS = [
  { of: ({ game }) => /^.*?(\d+)x(\d+)$/.exec(game), rows: byNumber, columns: byNumber, games: true },
  { of: ({ label }) => /^([a-z]+)(\d+)$/.exec(label), rows: byNumber, columns: (a, b) => a.localeCompare(b) },
  { of: ({ label }) => lastWord(label), totals: true },
];

/**
 * Rows of campaign.table as a map.
 * @returns {{lines: string[], columns: string[], at: Map<string, any>, totals?: boolean} | null} at: rows by
 *   "line column"; totals: lines are moves, and what has come of each is told; null: names do not have two parts, or
 *   the map would be too large or mostly empty
 */
export function matrixOf(rows) {
  if (rows.length < 4 || rows.length > MOST * MOST) return null;
  const same = rows.every(({ game }) => game === rows[0].game);
  for (const { of, rows: inLines, columns: inColumns, games, totals } of SPLITS) {
    if (same === Boolean(games)) continue;
    const names = rows.map((row) => of({ game: row.game, label: row.label ?? row.position }));
    if (!names.every(Boolean)) continue;
    const all = (i, order) => {
      const found = [...new Set(names.map((name) => name[i]))];
      return order ? found.sort(order) : found;
    };
    const [columns, lines] = [all(1, inColumns), all(2, inLines)];
    const at = new Map(names.map((name, i) => [`${name[2]} ${name[1]}`, rows[i]]));
    const fits = [columns, lines].every(({ length }) => length > 1 && length <= MOST);
    if (fits && at.size === rows.length && 3 * rows.length >= columns.length * lines.length)
      return { lines, columns, at, totals };
  }
  return null;
}

export class Matrix {
  /**
   * @param {(row: any) => {kind: string, letter: string, colour: string, text: string, outcome: Outcome}} look of a row
   * @typedef {{name: string, colour: string, i: number, decided: boolean}} Outcome i: its place in the bar of a line
   * @param {(row: any) => void} choose
   */
  constructor(look, choose) {
    Object.assign(this, { look, choose, map: null, chosen: null, drawn: "" });
    this.picture = s("svg", { class: "matrix", role: "group", "aria-label": "Map of the positions" });
    this.node = h("div", { class: "scroll" }, this.picture);
    this.picture.addEventListener("click", (event) => this.#pick(event.target.closest("[data-at]")));
    this.picture.addEventListener("keydown", (event) => this.#key(event));
    this.observer = new ResizeObserver(() => this.#draw());
    this.observer.observe(this.node);
  }

  close() {
    this.observer.disconnect();
  }

  /** @param map of `matrixOf` @param chosen the row whose cell is marked */
  show(map, chosen) {
    Object.assign(this, { map, chosen });
    this.#draw();
  }

  #pick(cell) {
    if (cell) this.choose(this.map.at.get(cell.dataset.at));
  }

  #key(event) {
    const cell = event.target.closest("[data-at]");
    if (!cell || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") this.#pick(cell);
    else if (event.key in ARROWS) this.#next(cell, ...ARROWS[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the focus to the next cell in a direction that is there. */
  #next({ dataset }, down, right) {
    const { lines, columns, at } = this.map;
    let [i, j] = [Number(dataset.line), Number(dataset.column)];
    do [i, j] = [i + down, j + right];
    while (lines[i] !== undefined && columns[j] !== undefined && !at.has(`${lines[i]} ${columns[j]}`));
    const next = this.picture.querySelector(`[data-line="${i}"][data-column="${j}"]`);
    if (!next) return;
    this.picture.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }

  /** Draws what has changed, which is nothing most of the time. */
  #draw() {
    const width = this.node.clientWidth;
    if (!this.map || !width) return;
    const cells = [...this.map.at].map(([at, row]) => ({ at, row, look: this.look(row) }));
    const drawn = JSON.stringify([width, this.chosen?.job, cells.map(({ at, look }) => [at, look])]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const focused = this.picture.contains(document.activeElement) && document.activeElement.dataset.at;
    this.#picture(width, new Map(cells.map((cell) => [cell.at, cell])));
    if (focused) this.picture.querySelector(`[data-at="${CSS.escape(focused)}"]`)?.focus();
  }

  #picture(width, cells) {
    const { lines, columns } = this.map;
    const longest = (names) => LETTER * Math.max(...names.map(({ length }) => length));
    const slant = longest(columns) > 3 * LETTER;
    const left = longest(lines) + 8;
    const top = slant ? 0.75 * longest(columns) + 12 : 18;
    const right = Math.max(this.map.totals ? TOTAL : 4, slant ? 0.75 * LETTER * columns.at(-1).length : 0);
    const step = Math.max(12, Math.min(44, Math.floor((width - left - right) / columns.length)));
    const [x, y] = [(j) => left + j * step, (i) => top + i * step];
    const middle = step / 2;
    const [wide, high] = [Math.max(width, x(columns.length) + right), y(lines.length) + 2];
    this.picture.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    this.picture.setAttribute("width", wide);
    this.picture.setAttribute("height", high);
    const names = [
      ...lines.map((name, i) => s("text", { x: left - 6, y: y(i) + middle + 4, "text-anchor": "end" }, name)),
      ...columns.map((name, j) => {
        const at = { x: x(j) + middle - (slant ? 3 : 0), y: top - 6 };
        const turn = slant ? { transform: `rotate(-45 ${at.x} ${at.y})` } : { "text-anchor": "middle" };
        return s("text", { ...at, ...turn }, name);
      }),
    ];
    let first = true;
    const found = lines.flatMap((line, i) => columns.map((column, j) => {
      const cell = cells.get(`${line} ${column}`);
      if (!cell) return null;
      const tabindex = this.chosen ? (cell.row === this.chosen ? 0 : -1) : first ? 0 : -1;
      first = false;
      return this.#cell(cell, { tabindex, "data-line": i, "data-column": j }, x(j), y(i), step - GAP);
    }));
    const total = (line, i) =>
      this.#total(line, columns.map((column) => cells.get(`${line} ${column}`)), x(columns.length) + 8, y(i) + middle);
    const totals = this.map.totals ? lines.map(total) : [];
    this.picture.replaceChildren(...names, ...found.filter(Boolean), ...totals);
  }

  /** What has come of a line: a bar of its cells' outcomes, and how many are decided. */
  #total(line, cells, x, y) {
    const all = cells.filter(Boolean).map(({ look }) => look.outcome).sort((a, b) => a.i - b.i);
    const parts = [...new Map(all.map((outcome) => [outcome.i, outcome])).values()]
      .map((outcome) => ({ ...outcome, n: all.filter(({ i }) => i === outcome.i).length }));
    const words = `${line}: ${parts.map(({ n, name }) => `${n} ${name}`).join(", ")}`;
    let at = x;
    return s("g", { class: "total", role: "img", "aria-label": words },
      s("title", {}, words),
      parts.map(({ n, colour }) => {
        const width = (BAR * n) / all.length;
        at += width;
        return s("rect", { x: at - width, y: y - 3, width, height: 6, style: { fill: colour } });
      }),
      s("text", { x: x + BAR + 5, y: y + 4 }, all.filter(({ decided }) => decided).length),
    );
  }

  #cell({ at, row, look: { kind, letter, colour, text } }, props, x, y, size) {
    const inset = kind === "loss" ? 0.1 * size : 0;
    const box = { x: x + inset, y: y + inset, width: size - 2 * inset, height: size - 2 * inset, rx: 2 };
    const chosen = row === this.chosen;
    const cell = { role: "button", class: kind + (chosen ? " chosen" : ""), "aria-pressed": String(chosen) };
    return s("g", { ...cell, "data-at": at, "aria-label": text, ...props },
      s("title", {}, text),
      s("rect", { x, y, width: size, height: size, rx: 2, class: "back" }),
      s("rect", { ...box, style: { fill: colour } }),
      letter && s("text", { class: "letter", x: x + size / 2, y: y + size / 2 + 4, "text-anchor": "middle" }, letter),
    );
  }
}

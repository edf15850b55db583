// Overlay: what the explorer draws on its board, results, the work of a search or nothing, and the switch that chooses
// it. A move to an empty place has a mark there; one from place to place has an arrow.

import { h, radio, s } from "./dom.mjs";
import { chip, legendOf, marksOf, workMarks } from "./status.mjs";

const MODES = { result: "Result", effort: "Effort", off: "Off" };
const MODE = "proofd.overlay"; // in sessionStorage: for the tab
const ARROWS = 6;
const LEAST = 0.01; // of the work: moves with less have no arrow
const HEAD = 3.2; // length of an arrow's head

/** An arrow through points: the paths of its line, of this width, and of its head. */
function arrowPath(points, width) {
  const [from, to] = points.slice(-2);
  const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [x, y] = [(to.x - from.x) / far, (to.y - from.y) / far];
  const neck = { x: to.x - HEAD * x, y: to.y - HEAD * y };
  const half = 1.2 + width / 2;
  return {
    line: `M${[...points.slice(0, -1), neck].map((point) => `${point.x} ${point.y}`).join("L")}`,
    head: `M${to.x} ${to.y}L${neck.x - half * y} ${neck.y + half * x}L${neck.x + half * y} ${neck.y - half * x}Z`,
  };
}

export class Overlay {
  /** @param {() => void} changed is called when another mode is chosen */
  constructor(changed) {
    const mode = sessionStorage.getItem(MODE);
    this.mode = mode in MODES ? mode : "result";
    this.legend = h("p", { class: "legend" });
    this.choice = h("fieldset", { class: "segments" }, h("legend", { class: "hidden" }, "Marks on the board"),
      Object.entries(MODES).map(([mode, text]) => radio("overlay", text, {
        checked: mode === this.mode,
        onclick: ({ detail, target }) => detail && target.blur(), // by pointer: the arrow keys step through the moves
        onchange: () => {
          sessionStorage.setItem(MODE, (this.mode = mode));
          changed();
        },
      })));
    this.node = h("div", { class: "row spread overlay" }, this.legend, this.choice);
  }

  /**
   * The marks and arrows of a position, and their legend.
   * @param {any} shown of position.show, with a board
   * @param {number[]} picked
   * @param {any[]} list of `ranked`
   * @param {Map<string, import("./live.mjs").Numbers>} numbers what jobs say of the moves
   * @returns {{marks: Map<number, import("./board.mjs").Mark>, over: (rows: number) => any[]}}
   */
  at({ legal, geometry }, picked, list, first, numbers) {
    const results = marksOf(legal, picked, list, first);
    const work = workMarks(legal, picked, numbers);
    const places = new Map(legal.map((move) => [move.move, move.places]));
    const arrow = ({ move }) => !picked.length && places.get(move)?.length > 1;
    const best = list.slice(0, 1).filter((move) => move.status.kind !== "open" && arrow(move));
    const share = ({ move }) => numbers.get(move)?.share ?? 0;
    const busy = list.filter((move) => arrow(move) && share(move) >= LEAST).sort((a, b) => share(b) - share(a));
    this.node.hidden = ![results, work].some(({ size }) => size) && !best.length && !busy.length && !picked.length;
    const { mode } = this;
    const arrows = [
      ...(mode === "off" ? [] : busy.filter(({ status }) => mode === "effort" || status.kind === "open"))
        .slice(0, ARROWS).map((move) => [move, "work", 0.7 + 3 * share(move)]),
      ...(mode === "result" ? best : []).map((move) => [move, move.status.kind, 1.6]),
    ];
    const marks = { result: new Map([...work, ...results]), effort: work, off: new Map() }[mode];
    this.#tell(marks, arrows, mode);
    return { marks, over: (rows) => arrows.map(([{ move }, kind, width]) => {
      const points = places.get(move).map((at) => ({ x: geometry.places[at].x, y: geometry.places[at].y * rows }));
      const { line, head } = arrowPath(points, width);
      return s("g", { class: `mark arrow ${kind}`, "aria-hidden": "true" },
        s("path", { d: line, fill: "none", "stroke-width": width }), s("path", { d: head, stroke: "none" }));
    }) };
  }

  /** What is drawn, in words. */
  #tell(marks, arrows, mode) {
    const works = [...marks.values()].some(({ kind }) => kind === "work");
    const swatch = h("i", { class: "swatch work", "aria-hidden": "true" });
    this.legend.replaceChildren(...[
      legendOf(marks),
      arrows.filter(([, kind]) => kind !== "work")
        .map(([{ status }]) => chip({ ...status, word: "the best move known" })),
      works && h("span", {}, swatch, "percent of the work"),
      arrows.some(([, kind]) => kind === "work") && h("span", {}, swatch, "where the work goes"),
      mode === "effort" && !works && !arrows.length && h("span", { class: "dim" }, "no search is at work here"),
    ].flat(2).filter(Boolean));
  }
}

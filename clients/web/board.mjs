// Board: a position drawn from `geometry` and `diagram` of position.show, much as the server draws it
// (solver/games/board_svg.c); its colours are those of style.css. Units are twelfths of a cell. Places are chosen with
// the pointer or the keyboard: one place is in the tab order, and arrow keys move to the nearest place in their
// direction.

import { MEN, TILDE } from "./chessmen.mjs";
import { s } from "./dom.mjs";

const HALF = 6;
const LIGHT = "var(--cell)";
const DARK = "var(--cell-dark)";
const WOOD = "var(--wood)";
const BORDER = "var(--cell-line)";
const INK = "#2b2722";
const MARK = "#f2c94c"; // under what moved last
const POINT = "#d6452b"; // on a stone that was placed last
const PLAY = "#7cb342";
const CORNERS = [[0, -8], [6, -4], [6, 4], [0, 8], [-6, 4], [-6, -4]];
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const WEDGE = "M0-5.4 3.4-3.8 4.8 5h-9.6l1.4-8.8z"; // a man of shogi; the tip is towards the opponent
const WOODEN = { fill: "#ecd09a", stroke: INK, "stroke-width": 0.4 };

/** @typedef {{letter: string, kind: string, text: string, rank?: number | null, shade?: number}} Mark a letter on a
 *    disc, and the text that explains it; where there is a rank, the mark fills an empty place, and shows the rank as
 *    well. shade: 0 to 4, darker */
/** @typedef {{label?: string, marks?: Map<number, Mark>, picked?: number[], active?: Set<number> | null,
 *    small?: boolean, over?: (rows: number) => any[]}} Look  active: places that can be chosen; null: all. small:
 *    without coordinates. over: what is drawn over the marks; its y are multiplied by `rows` */

const isEdge = (place) => place.shape.startsWith("edge");
const round = (x, y, r, props) => s("ellipse", { cx: x, cy: y, rx: r, ry: r, ...props });

/** Colours of a side's stones, and of lines and letters, which need contrast to paper. */
function stone(geometry, side) {
  return geometry.sides[side]?.colour ?? ["#23211e", "#fdfdfb"][side] ?? "#9a948a";
}
function ink(geometry, side) {
  return geometry.sides[side]?.colour ?? ["var(--ink0)", "var(--ink1)"][side] ?? INK;
}

export class Board {
  /** @param {(place: number) => void} [onPlace] without it the board is only a picture */
  constructor(onPlace) {
    this.onPlace = onPlace;
    this.node = s("svg", { class: "board", role: onPlace ? "group" : "img" });
    this.at = 0;
    this.geometry = null;
    if (!onPlace) return;
    const chosen = (event) => event.target.closest?.("[data-place]")?.getAttribute("data-place") ?? null;
    this.node.addEventListener("click", (event) => {
      const place = chosen(event);
      if (place !== null && this.#allowed(Number(place))) {
        this.at = Number(place);
        this.onPlace(Number(place));
      }
    });
    this.node.addEventListener("keydown", (event) => this.#key(event));
    this.node.addEventListener("focusin", (event) => {
      if (chosen(event) !== null) this.#rove(Number(chosen(event)));
    });
  }

  #allowed(place) {
    return !this.look.active || this.look.active.has(place);
  }

  /** @param {{geometry: any, diagram: any}} shown of position.show @param {Look} look */
  show({ geometry, diagram }, look = {}) {
    const focused = this.node.contains(document.activeElement);
    Object.assign(this, { geometry, diagram, look });
    this.rows = geometry.places.some((place) => place.shape === "hexagon") ? Math.sqrt(3) / 2 : 1;
    this.chequered = geometry.places.some((place) => place.shape === "square" && place.shade);
    this.shogi = geometry.pieces.some(({ name }) => / lance$/.test(name));
    this.labels = look.small ? [] : geometry.labels;
    this.#measure();
    this.node.setAttribute("aria-label", look.label ?? "Board");
    this.node.replaceChildren(...this.#picture());
    if (!this.onPlace) return;
    this.targets = geometry.places.map((place, i) => this.#target(place, i));
    this.node.append(...this.targets.filter(Boolean));
    if (!this.targets[this.at]) this.at = Math.max(0, this.targets.findIndex(Boolean));
    this.#rove(this.at);
    if (focused) this.focus();
  }

  focus() {
    this.targets?.[this.at]?.focus();
  }

  // --- extent

  #measure() {
    const box = [1e9, 1e9, -1e9, -1e9];
    const reach = (x, y, far) => {
      y *= this.rows;
      box[0] = Math.min(box[0], x - far);
      box[1] = Math.min(box[1], y - far);
      box[2] = Math.max(box[2], x + far);
      box[3] = Math.max(box[3], y + far);
    };
    const { places, strokes } = this.geometry;
    for (const place of places) reach(place.x, place.y, HALF + 1);
    for (const label of this.labels) reach(label.x, label.y, 4);
    for (const line of strokes) {
      reach(line.x1, line.y1, 1);
      reach(line.x2, line.y2, 1);
    }
    this.box = [box[0] - 2, box[1] - 2, box[2] - box[0] + 4, box[3] - box[1] + 4];
    this.node.setAttribute("viewBox", this.box.join(" "));
    this.node.style.setProperty("--ratio", String(this.box[2] / this.box[3]));
  }

  // --- places, lines, pieces

  /** The area of a place that is not an edge. */
  #area(place, props) {
    const y = place.y * this.rows;
    if (place.shape === "hexagon") {
      const points = CORNERS.map(([dx, dy]) => `${place.x + dx},${((place.y + dy) * this.rows).toFixed(2)}`);
      return s("polygon", { points: points.join(" "), ...props });
    }
    if (place.shape === "point") return round(place.x, y, 5, props);
    return s("rect", { x: place.x - HALF, y: place.y - HALF, width: 12, height: 12, ...props });
  }

  #line(x1, y1, x2, y2, colour, width, props = {}) {
    const at = { x1, y1: y1 * this.rows, x2, y2: y2 * this.rows };
    return s("line", { ...at, stroke: colour, "stroke-width": width, "stroke-linecap": "round", ...props });
  }

  #edge(place, colour, width, props) {
    const [dx, dy] = place.shape === "edge-across" ? [HALF, 0] : [0, HALF];
    return this.#line(place.x - dx, place.y - dy, place.x + dx, place.y + dy, colour, width, props);
  }

  #picture() {
    const { places } = this.geometry;
    const [left, top, width, height] = this.box;
    const paper = places.some(isEdge); // lines and dots need it; boards of cells stand on the page
    const out = [paper && s("rect", { x: left, y: top, width, height, rx: 2, fill: "var(--paper)" })];
    const points = places.filter((place) => place.shape === "point");
    if (points.length) {
      const xs = points.map((place) => place.x);
      const ys = points.map((place) => place.y);
      const [x, y] = [Math.min(...xs) - 7, Math.min(...ys) - 7];
      out.push(s("rect", { x, y, width: Math.max(...xs) + 7 - x, height: Math.max(...ys) + 7 - y, fill: WOOD }));
    }
    for (const place of places) out.push(this.#empty(place));
    for (const i of this.diagram.playable)
      if (!isEdge(places[i])) out.push(this.#area(places[i], { fill: PLAY, "fill-opacity": 0.3 }));
    for (const i of this.diagram.last) out.push(this.#lastBelow(places[i]));
    for (const i of this.look.picked ?? [])
      out.push(
        isEdge(places[i]) ? this.#edge(places[i], PLAY, 4) : this.#area(places[i], { fill: PLAY, "fill-opacity": 0.6 }),
      );
    out.push(...this.#strokes());
    places.forEach((place, i) => {
      const piece = this.#pieceOn(i);
      if (piece) out.push(...this.#piece(place, piece));
    });
    out.push(...this.#ends());
    for (const i of this.diagram.last) out.push(this.#lastAbove(i));
    for (const [i, mark] of this.look.marks ?? []) out.push(...this.#mark(i, mark));
    out.push(...(this.look.over?.(this.rows) ?? []));
    const fill = paper ? "var(--paper-text)" : "currentColor";
    for (const label of this.labels) out.push(this.#text(label.x, label.y, 4.5, label.text, { fill }));
    return out.filter(Boolean);
  }

  #empty(place) {
    if (isEdge(place)) return this.#edge(place, "var(--faint)", 0.5);
    if (place.shape === "point") return null;
    const flat = this.chequered && place.shape === "square";
    const frame = { stroke: BORDER, "stroke-width": flat ? 0.25 : 0.4 };
    return this.#area(place, { fill: flat && place.shade ? DARK : LIGHT, ...frame });
  }

  /** Strokes in a side's colour get an outline, so that they show on any ground. All outlines come first. */
  #strokes() {
    const { strokes } = this.geometry;
    const sided = strokes.filter((line) => line.side !== null);
    const draw = (line, colour, width) => this.#line(line.x1, line.y1, line.x2, line.y2, colour, width);
    return [
      ...sided.map((line) => draw(line, "var(--rim)", line.heavy ? 2.6 : 1.2)),
      ...strokes.map((line) =>
        line.side === null
          ? draw(line, INK, line.heavy ? 1.2 : 0.5)
          : draw(line, stone(this.geometry, line.side), line.heavy ? 1.9 : 0.8),
      ),
    ];
  }

  #pieceOn(i) {
    const letter = this.diagram.on[i];
    return letter === "." ? null : this.geometry.pieces.find((piece) => piece.letter === letter);
  }

  #text(x, y, size, text, props) {
    const at = { x, y: y * this.rows + size * 0.36, "font-size": size, "text-anchor": "middle" };
    return s("text", { ...at, "aria-hidden": "true", ...props }, text);
  }

  #piece(place, piece) {
    const [x, y] = [place.x, place.y * this.rows];
    const colour = ink(this.geometry, piece.side);
    const body = stone(this.geometry, piece.side);
    const line = { stroke: colour, "stroke-width": 1.5, "stroke-linecap": "round" };
    switch (piece.look) {
      case "disc":
        return [round(x, y, place.shape === "point" ? 5.3 : 4.6, { fill: body, stroke: INK, "stroke-width": 0.5 })];
      case "cross":
        return [
          s("line", { x1: x - 3.5, y1: y - 3.5, x2: x + 3.5, y2: y + 3.5, ...line }),
          s("line", { x1: x - 3.5, y1: y + 3.5, x2: x + 3.5, y2: y - 3.5, ...line }),
        ];
      case "ring":
        return [round(x, y, 3.7, { fill: "none", stroke: colour, "stroke-width": 1.5 })];
      case "glyph":
        return this.#glyph(place, piece, body);
      case "fill":
        if (isEdge(place)) return [this.#edge(place, colour, 1.8)];
        return [this.#area(place, { fill: colour, stroke: BORDER, "stroke-width": 0.4 })];
      default:
        if (this.shogi) return this.#wedge(x, y, piece);
        return [this.#text(place.x, place.y, 8, piece.letter, { fill: colour })];
    }
  }

  /** A chessman, or the crown on a man of checkers; other glyphs as text. What is promoted has a tilde below. */
  #glyph(place, piece, body) {
    const [x, y] = [place.x, place.y * this.rows];
    const code = piece.glyph.codePointAt(0) - 0x2654;
    if (!(code >= 0 && code < 12)) return [this.#text(place.x, place.y, 11, piece.glyph, { fill: body })];
    const [white, black] = [{ fill: "#f7f4ec", stroke: INK }, { fill: "#1b1a18", stroke: "#0b0b0a" }];
    const man = (look, scale) => s("path", {
      d: MEN[code % 6] + (piece.glyph.length > 1 ? TILDE : ""),
      transform: `translate(${x} ${y + 0.5}) scale(${scale})`,
      ...look,
      "stroke-width": 0.5,
      "stroke-linejoin": "round",
    });
    const [own, other] = code < 6 ? [white, black] : [black, white];
    const disc = this.geometry.pieces.some(({ look, side }) => look === "disc" && side === piece.side);
    if (!disc) return [man(own, 1.05)];
    const stone = round(x, y, 4.6, { fill: body, stroke: INK, "stroke-width": 0.5 });
    return [stone, man({ ...other, stroke: "none" }, 0.65)];
  }

  /** A man of shogi. T to D are what P, L, N, S, B and R are promoted to. */
  #wedge(x, y, { letter, side }) {
    const promoted = "TUVWHD".indexOf(letter.toUpperCase());
    const text = promoted < 0 ? letter.toUpperCase() : `+${"PLNSBR"[promoted]}`;
    const turn = side ? " rotate(180)" : "";
    return [
      s("path", { d: WEDGE, transform: `translate(${x} ${y})${turn}`, ...WOODEN }),
      this.#text(x, (y + (side ? -0.6 : 0.6)) / this.rows, 5, text,
        { fill: promoted < 0 ? INK : "var(--ink1)", "font-weight": 700 }),
    ];
  }

  /** Dots where edges meet. */
  #ends() {
    return this.geometry.places.filter(isEdge).flatMap((place) => {
      const [dx, dy] = place.shape === "edge-across" ? [HALF, 0] : [0, HALF];
      return [-1, 1].map((end) => round(place.x + end * dx, place.y + end * dy, 1.3, { fill: INK }));
    });
  }

  #lastBelow(place) {
    if (isEdge(place)) return this.#edge(place, MARK, 4);
    return place.shape === "point" ? null : this.#area(place, { fill: MARK, "fill-opacity": 0.6 });
  }

  #lastAbove(i) {
    const place = this.geometry.places[i];
    const piece = this.#pieceOn(i);
    if (!piece || isEdge(place) || !["disc", "fill"].includes(piece.look)) return null;
    const colour = this.geometry.sides[piece.side]?.colour ?? null;
    const plain = piece.look === "disc" && (!colour || colour === "black" || colour === "white");
    const look = plain ? { fill: POINT, stroke: "#ffffff" } : { fill: "#ffffff", stroke: INK };
    return round(place.x, place.y * this.rows, 1.5, { ...look, "stroke-width": 0.4 });
  }

  #mark(i, mark) {
    const place = this.geometry.places[i];
    const edge = isEdge(place);
    const look = { class: `mark-text ${mark.kind}` };
    if (mark.rank && !edge && !this.#pieceOn(i))
      return [
        this.#area(place, { class: `mark whole ${mark.kind} shade${mark.shade ?? 0}` }),
        this.#text(place.x, place.y - 3, 3, mark.letter, look),
        this.#text(place.x, place.y + 2, 5, mark.rank, look),
      ];
    return [
      round(place.x, place.y * this.rows, edge ? 2.2 : 3.1, { class: `mark ${mark.kind} shade${mark.shade ?? 0}` }),
      this.#text(place.x, place.y, edge ? 3.2 : 4, mark.letter, look),
    ];
  }

  // --- places to choose

  #target(place, i) {
    if (this.look.active && !this.look.active.has(i)) return null;
    const piece = this.#pieceOn(i);
    const mark = this.look.marks?.get(i);
    const words = [place.name || `place ${i + 1}`, piece?.name ?? "empty", mark?.text];
    if (this.look.picked?.includes(i)) words.push("chosen");
    const props = { class: "target", role: "button", tabindex: -1, "data-place": i };
    const area = isEdge(place)
      ? this.#edge(place, "transparent", 5)
      : this.#area(place, { fill: "transparent", stroke: "transparent", "stroke-width": 0.8 });
    for (const [name, value] of Object.entries({ ...props, "aria-label": words.filter(Boolean).join(", ") }))
      area.setAttribute(name, String(value));
    return area;
  }

  #rove(i) {
    this.targets?.[this.at]?.setAttribute("tabindex", "-1");
    this.at = i;
    this.targets?.[i]?.setAttribute("tabindex", "0");
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.targets) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.onPlace(this.at);
      return;
    }
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.#nearest(arrow);
    if (next < 0) return;
    this.#rove(next);
    this.focus();
  }

  /** The nearest place in a direction; those straight ahead are preferred. -1: none. */
  #nearest([dx, dy]) {
    const from = this.geometry.places[this.at];
    let best = -1;
    let least = Infinity;
    this.geometry.places.forEach((place, i) => {
      if (i === this.at || !this.targets[i]) return;
      const [x, y] = [place.x - from.x, place.y - from.y];
      const ahead = x * dx + y * dy;
      const aside = Math.abs(x * dy - y * dx);
      if (ahead <= 0 || aside > 2 * ahead) return;
      const far = ahead + 2 * aside;
      if (far < least) [least, best] = [far, i];
    });
    return best;
  }
}

/** What a board does not show, as lines of text: whose turn it is, pieces in hand, the game's note. */
export function aside({ geometry, diagram, text }) {
  const lines = [];
  if (diagram.side !== null) lines.push(`${geometry.sides[diagram.side].name} to move`);
  else if (text) lines.push(`The game is over: ${text}`);
  const glyph = (letter) => geometry.pieces.find((piece) => piece.letter === letter)?.glyph ?? letter;
  if (geometry.hands)
    diagram.hands.split("/").forEach((hand, side) => {
      const several = (letter) => hand.split(letter).length - 1;
      const pieces = [...new Set(hand)].map((letter) => (several(letter) > 1 ? several(letter) : "") + glyph(letter));
      lines.push(`${geometry.sides[side].name} in hand: ${pieces.join(" ") || "none"}`);
    });
  if (diagram.note) lines.push(diagram.note);
  return lines;
}

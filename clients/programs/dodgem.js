// Dodgem (Vout 1973) on 3x3: First has two cars that drive up or sideways and leave at the top; Second has two that
// drive right or sideways (up, down) and leave at the right. A car drives one square onto an empty one. Who has no cars
// left wins; who cannot move wins too, because blocking loses. Positions come back; a game without end is a draw.
//
// A position is nine squares, row by row from the top left, `f` First's, `s` Second's, `.` empty, then who moves:
// `s..s...ff 1`. First begins with its cars on b1 and c1, Second on a2 and a3. A move is the square of the car and the
// direction: b1u, b1l; u, d, l, r. Leaving is u from the top row for First, r from the right column for Second.
"use strict";
const {run} = require("./proofd_game.js");

const STEP = {u: [0, -1], d: [0, 1], l: [-1, 0], r: [1, 0]};
const WAYS = {f: "ulr", s: "rud"};

class Dodgem {
  constructor(parameters) {
    if (parameters) throw new Error("dodgem takes no parameters");
    Object.assign(this, {title: "Dodgem", parameters: "none; the board is 3x3", example: "dodgem",
      notation: "a position is nine squares from the top left and the side to move, as in s..s...ff 1; " +
                "a move is a square and a direction, as in b1u",
      author: "the proofd project", version: 1, values: [-1, 1], step: 1, repeats: true, infinite: 0,
      moves: 6, plies: 0, size: 11});
  }
  start() { return {at: [..."s..s...ff"], side: "f"}; }
  read(text) {
    const count = (c) => text.slice(0, 9).split(c).length - 1;
    if (!/^[fs.]{9} [12]$/.test(text) || count("f") > 2 || count("s") > 2 || count("f") + count("s") === 0)
      throw new Error("nine of f, s and ., at most two cars a side and at least one car, and 1 or 2");
    return {at: [...text.slice(0, 9)], side: text[10] === "1" ? "f" : "s"};
  }
  write(p) { return p.at.join("") + (p.side === "f" ? " 1" : " 2"); }
  over(p) {
    if (!p.at.includes("f")) return 1;
    if (!p.at.includes("s")) return -1;
    return this.list(p).length ? null : p.side === "f" ? 1 : -1;
  }
  first(p) { return p.side === "f"; }
  // Where a car goes: a square, -1 off the board as it may leave, null not at all.
  target(p, square, way) {
    const x = square % 3 + STEP[way][0], y = Math.floor(square / 3) + STEP[way][1];
    if (x >= 0 && x < 3 && y >= 0 && y < 3) return p.at[3 * y + x] === "." ? 3 * y + x : null;
    return (p.side === "f" ? y < 0 : x > 2) ? -1 : null;
  }
  list(p) {
    const out = [];
    p.at.forEach((car, square) => {
      for (const way of car === p.side ? WAYS[car] : "")
        if (this.target(p, square, way) !== null)
          out.push("abc"[square % 3] + (3 - Math.floor(square / 3)) + way);
    });
    return out;
  }
  play(p, move) {
    const square = "abc".indexOf(move[0]) + 3 * (3 - Number(move[1])), to = this.target(p, square, move[2]);
    const at = [...p.at];
    at[square] = ".";
    if (to >= 0) at[to] = p.side;
    return {at, side: p.side === "f" ? "s" : "f"};
  }
  picture(p) { return [0, 3, 6].map((i) => p.at.slice(i, i + 3).join(" ")).join("\n"); }
}

run(Dodgem);

// Rules of the games that the page of a proof plays (play.mjs).

import { ALL, Grid, HALF_TURN, MIRROR, MIRRORS, Rows, winOf } from "./play_grid.mjs";

const AROUND = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const HEX_AROUND = [...AROUND, [-1, 1], [1, -1]];
const WIDE = 64; // a move of breakthrough or nim: this many times one number, plus another

class ConnectFour extends Rows {
  constructor(width, height) {
    super(width, height, 4, { symmetries: MIRROR });
  }

  moves(p) {
    if (p.end !== null) return [];
    const columns = Array.from({ length: this.width }, (_, i) => i);
    return columns.filter((column) => !p.at[this.square(column, this.height - 1)]);
  }

  target(p, column) {
    let square = column;
    while (p.at[square]) square += this.width;
    return square;
  }

  put(p, column, side) {
    p.at[this.target(p, column)] = side + 1;
    p.left--;
  }

  movesAt(p, square) {
    return this.moves(p).filter((column) => column === square % this.width);
  }

  name(p, column) {
    return column < 9 ? String(column + 1) : String.fromCharCode(88 + column);
  }

  /** All stones plus those of the side to move, as numbers with a column in height + 1 bits. */
  #sum(at, turn) {
    const bits = [];
    for (let column = 0; column < this.width; column++) {
      let carry = 0;
      for (let row = 0; row <= this.height; row++, carry >>= 1) {
        const stone = row < this.height ? at[this.square(column, row)] : 0;
        carry += Number(stone > 0) + Number(stone === turn + 1);
        bits.push(carry & 1);
      }
    }
    return bits;
  }

  key(p) {
    let [bits, map] = [this.#sum(p.at, p.turn), this.maps[0]];
    const other = this.#sum(this.image(p.at, this.maps[1]), p.turn);
    let top = bits.length - 1;
    while (top > 0 && bits[top] === other[top]) top--;
    if (other[top] < bits[top]) [bits, map] = [other, this.maps[1]];
    const out = new Uint8Array(Math.ceil(bits.length / 8));
    bits.forEach((bit, i) => (out[i >> 3] |= bit << (i & 7)));
    return { key: String.fromCharCode(...out), map };
  }
}

class Hex extends Grid {
  constructor(width, height) {
    super(width, height, HALF_TURN);
  }

  isEdge(square, side, far) {
    const along = side ? square % this.width : Math.floor(square / this.width);
    return along === (far ? (side ? this.width : this.height) - 1 : 0);
  }

  around(square) {
    return HEX_AROUND.map((way) => this.next(square, way)).filter((other) => other >= 0);
  }

  /** Whether the chain of a stone joins both edges of its side. */
  ending(p, square, side) {
    const reached = new Set([square]);
    for (const from of reached)
      for (const other of this.around(from)) if (p.at[other] === side + 1) reached.add(other);
    const cells = [...reached];
    const joins = [false, true].every((far) => cells.some((cell) => this.isEdge(cell, side, far)));
    return joins ? winOf(side) : null;
  }

  outcome(p, move) {
    p.at[move] = p.turn + 1;
    const end = this.ending(p, move, p.turn);
    p.at[move] = 0;
    return end;
  }
}

/** Games in which a side that cannot move loses. */
class Stuck extends Grid {
  constructor(width, height, symmetries, letters, bits) {
    super(width, height, symmetries, letters, bits);
    this.turnBit = true;
  }

  ending(p, square, side) {
    return this.moves(p).length ? null : winOf(side);
  }
}

class Domineering extends Stuck {
  constructor(width, height) {
    super(width, height, MIRRORS, ".#", 1);
  }

  /** The second square of a domino of a side, if both are free; else -1. */
  second(at, square, side) {
    const other = this.next(square, side ? [1, 0] : [0, 1]);
    return !at[square] && other >= 0 && !at[other] ? other : -1;
  }

  allows(p, square) {
    return this.second(p.at, square, p.turn) >= 0;
  }

  places(p, move) {
    return [move, this.next(move, p.turn ? [1, 0] : [0, 1])];
  }

  put(p, move, side) {
    p.at[this.second(p.at, move, side)] = 1;
    p.at[move] = 1;
    p.left -= 2;
  }

  /** The key holds the free squares that have a free neighbour. */
  keyed(p) {
    const free = (square) => square >= 0 && !p.at[square];
    return p.at.map((piece, square) => Number(!piece && AROUND.some((way) => free(this.next(square, way)))));
  }

  /** A domino's first square is the one with the smaller number, also after a mirror. */
  back(map, code, p) {
    const [a, b] = this.places(p, code).map((square) => map.indexOf(square));
    return Math.min(a, b);
  }
}

/** Atari Go, and NoGo, where nothing may be captured. */
class Liberties extends Stuck {
  constructor(width, height, captures) {
    super(width, height, ALL, ".xo#");
    this.captures = captures;
  }

  /** Whether the block of a stone has a free point next to it. */
  #breathes(at, square) {
    const block = new Set([square]);
    for (const from of block)
      for (const way of AROUND) {
        const other = this.next(from, way);
        if (other >= 0 && !at[other]) return true;
        if (other >= 0 && at[other] === at[square]) block.add(other);
      }
    return false;
  }

  /** Whether the stone on a square leaves a block of the other side without liberties. */
  #takes(at, square) {
    const others = AROUND.map((way) => this.next(square, way)).filter((i) => i >= 0 && at[i] === 3 - at[square]);
    return others.some((other) => !this.#breathes(at, other));
  }

  allows(p, square) {
    if (p.at[square]) return false;
    const at = p.at.slice();
    at[square] = p.turn + 1;
    const takes = this.#takes(at, square);
    return this.captures ? takes || this.#breathes(at, square) : !takes && this.#breathes(at, square);
  }

  ending(p, square, side) {
    return this.captures && this.#takes(p.at, square) ? winOf(side) : super.ending(p, square, side);
  }
}

class Breakthrough extends Grid {
  constructor(width, height) {
    super(width, height, MIRROR, ".Pp");
    this.turnBit = true;
  }

  moves(p) {
    if (p.end !== null) return [];
    const goes = (from, way) => {
      const to = this.next(from, [way - 1, p.turn ? -1 : 1]);
      return p.at[from] === p.turn + 1 && to >= 0 && (!p.at[to] || (way !== 1 && p.at[to] !== p.at[from]));
    };
    const squares = [...p.at.keys()];
    return [0, 1, 2].flatMap((way) => squares.filter((from) => goes(from, way)).map((from) => from + WIDE * way));
  }

  target(p, move) {
    return this.next(move % WIDE, [Math.floor(move / WIDE) - 1, p.turn ? -1 : 1]);
  }

  places(p, move) {
    return [move % WIDE, this.target(p, move)];
  }

  put(p, move, side) {
    p.at[this.target({ ...p, turn: side }, move)] = side + 1;
    p.at[move % WIDE] = 0;
  }

  ending(p, square, side) {
    const row = Math.floor(square / this.width);
    return row === (side ? 0 : this.height - 1) || !p.at.includes(2 - side) ? winOf(side) : null;
  }

  back(map, code) {
    const way = Math.floor(code / WIDE);
    return map.indexOf(code % WIDE) + WIDE * (map[0] ? 2 - way : way);
  }
}

/** at: the counters of each heap. Places of the board are the counters of the start, heap by heap. */
class Nim extends Stuck {
  constructor(heaps) {
    super(heaps.length, 1, [0]);
    this.start = heaps.sort((a, b) => a - b);
  }

  #first(heap) {
    return this.start.slice(0, heap).reduce((sum, size) => sum + size, 0);
  }

  begin(on, turn) {
    const size = (heap) => [...on.slice(this.#first(heap), this.#first(heap + 1))].filter((x) => x !== ".").length;
    return { at: Uint8Array.from(this.start, (_, heap) => size(heap)), turn, left: 0, end: null };
  }

  diagram(p) {
    return this.start.map((size, heap) => "o".repeat(p.at[heap]) + ".".repeat(size - p.at[heap])).join("");
  }

  moves(p) {
    if (p.end !== null) return [];
    return [...p.at].flatMap((size, heap) => Array.from({ length: size }, (_, left) => WIDE * heap + left));
  }

  put(p, move) {
    p.at[Math.floor(move / WIDE)] = move % WIDE;
  }

  places(p, move) {
    const heap = Math.floor(move / WIDE);
    const taken = p.at[heap] - (move % WIDE);
    return Array.from({ length: taken }, (_, i) => this.#first(heap) + (move % WIDE) + i);
  }

  /** The move that takes a counter and all above it. */
  movesAt(p, place) {
    return this.moves(p).filter((move) => this.places(p, move)[0] === place);
  }

  name(p, move) {
    return String.fromCharCode(97 + Math.floor(move / WIDE)) + (move % WIDE);
  }

  key(p) {
    const order = [...p.at.keys()].sort((a, b) => p.at[a] - p.at[b]);
    return { key: String.fromCharCode(...order.map((heap) => p.at[heap]), p.turn), map: order };
  }

  /** Here a map lists the heaps in ascending order. */
  back(order, code) {
    return WIDE * order[Math.floor(code / WIDE)] + (code % WIDE);
  }
}

const size = (text) => {
  const [width, height = width] = text.split("x").map(Number);
  return [width, height];
};

const OPEN = {
  connect4: (text) => new ConnectFour(...size(text)),
  hex: (text) => new Hex(...size(text)),
  mnk: (text) => {
    const [width, height, k, turn, opening] = text.replace(",exact", "").split(",").map(Number);
    return new Rows(width, height, k, { turn, opening, exact: text.endsWith(",exact") });
  },
  domineering: (text) => new Domineering(...size(text)),
  breakthrough: (text) => new Breakthrough(...size(text)),
  "atari-go": (text) => new Liberties(...size(text), true),
  nogo: (text) => new Liberties(...size(text), false),
  nim: (text) => new Nim(text.split(",").map(Number)),
};

/** The rules of a game by its full name; null when this page does not know them. */
export function open(name) {
  const [rules, params = ""] = name.split(/:(.*)/);
  return Object.hasOwn(OPEN, rules) && /^\d{1,3}([x,]\d{1,3})*(,exact)?$/.test(params) ? OPEN[rules](params) : null;
}

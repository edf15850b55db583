// Rules of the games that the page of a proof plays (play.mjs). Squares are numbered as in witnesses of theorems;
// moves, keys and symmetries are those of certificates (proto/CERTIFICATE.md, the tops of solver/games/*.h).
//
// A position is { at, turn, left, end }: what stands on each square (0: nothing), the side to move (0 First, 1 Second),
// the number of empty squares, and the value of a game that is over, or null. Positions are never changed.

/** @typedef {{at: Uint8Array, turn: number, left: number, end: number | null}} Position */

const WAYS = [[1, 0], [0, 1], [1, 1], [-1, 1]];
const AROUND = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const HEX_AROUND = [...AROUND, [-1, 1], [1, -1]];
const MIRROR = [0, 1];
const HALF_TURN = [0, 3];
const MIRRORS = [0, 1, 2, 3];
const ALL = [0, 1, 2, 3, 4, 5, 6, 7];
const WIDE = 64; // a move of breakthrough or nim: this many times one number, plus another

export const winOf = (side) => (side ? -1 : 1);

/** What games on boards of columns and rows share: by default, a stone is put on any empty square. */
class Grid {
  /** @param {number[]} symmetries bit 0 mirrors columns, bit 1 rows, bit 2 then swaps both, on square boards */
  constructor(width, height, symmetries, letters = ".xo", bits = 2) {
    Object.assign(this, { width, height, letters, bits, squares: width * height, turnBit: false, turnByte: false });
    this.maps = symmetries.filter((s) => s < 4 || width === height).map((s) => this.#map(s));
  }

  /** For each square, its image. */
  #map(symmetry) {
    return Array.from({ length: this.squares }, (_, square) => {
      const [column, row] = [square % this.width, Math.floor(square / this.width)];
      const x = symmetry & 1 ? this.width - 1 - column : column;
      const y = symmetry & 2 ? this.height - 1 - row : row;
      return symmetry & 4 ? x * this.width + y : y * this.width + x;
    });
  }

  /** The square in that column and row; -1 off the board. */
  square(column, row) {
    return column >= 0 && row >= 0 && column < this.width && row < this.height ? row * this.width + column : -1;
  }

  /** The square next to another one; -1 off the board. */
  next(square, [right, up]) {
    return this.square((square % this.width) + right, Math.floor(square / this.width) + up);
  }

  /** The position of a diagram (position.show), with the side to move and the number of bytes of its key. */
  begin(on, turn, bytes) {
    const at = Uint8Array.from(on, (letter) => this.letters.indexOf(letter));
    this.turnByte = bytes > Math.ceil((this.bits * this.squares + Number(this.turnBit)) / 8);
    return { at, turn, left: at.filter((piece) => !piece).length, end: null };
  }

  /** Letters of the pieces, as in a diagram. */
  diagram(p) {
    return Array.from(p.at, (piece) => this.letters[piece]).join("");
  }

  /** Codes of the legal moves, ascending. @returns {number[]} */
  moves(p) {
    return p.end === null ? [...p.at.keys()].filter((square) => this.allows(p, square)) : [];
  }

  allows(p, square) {
    return !p.at[square];
  }

  /** The position after a move. @returns {Position} */
  play(p, move) {
    const next = { at: p.at.slice(), turn: 1 - p.turn, left: p.left, end: null };
    this.put(next, move, p.turn);
    next.end = this.ending(next, this.target(p, move), p.turn);
    return next;
  }

  /** The value with which a move ends the game, or null. */
  outcome(p, move) {
    return this.play(p, move).end;
  }

  put(p, move, side) {
    p.at[move] = side + 1;
    p.left--;
  }

  /** The square of a move, for the weights of a strategy. */
  target(p, move) {
    return move;
  }

  /** The squares that a move changes or comes from. */
  places(p, move) {
    return [this.target(p, move)];
  }

  /** The moves that somebody may mean who chooses a square. */
  movesAt(p, square) {
    return this.moves(p).filter((move) => this.places(p, move).includes(square));
  }

  /** @param {string[]} names of the squares */
  name(p, move, names) {
    return this.places(p, move).map((square) => names[square]).join("");
  }

  /** What the key encodes on each square. */
  keyed(p) {
    return p.at;
  }

  /** The exact key as a string of bytes, and the map of squares that leads to the position which it describes. */
  key(p) {
    const at = this.keyed(p);
    let [best, map] = [at, this.maps[0]];
    for (const other of this.maps.slice(1)) {
      const image = this.image(at, other);
      if (this.#isSmaller(image, best)) [best, map] = [image, other];
    }
    const bits = this.bits * this.squares + Number(this.turnBit);
    const out = new Uint8Array(Math.ceil(bits / 8) + Number(this.turnByte));
    const set = (bit) => (out[bit >> 3] |= 1 << (bit & 7));
    for (let plane = 0; plane < this.bits; plane++)
      best.forEach((piece, square) => (piece >> plane) & 1 && set(plane * this.squares + square));
    if (this.turnBit && p.turn) set(this.bits * this.squares);
    if (this.turnByte) out[out.length - 1] = p.turn;
    return { key: String.fromCharCode(...out), map };
  }

  /** The first sets decide, then the second ones; within a set the highest square that differs. */
  #isSmaller(a, b) {
    for (let plane = 0; plane < this.bits; plane++)
      for (let i = this.squares - 1; i >= 0; i--) if (((a[i] ^ b[i]) >> plane) & 1) return Boolean((b[i] >> plane) & 1);
    return false;
  }

  image(at, map) {
    const out = new Uint8Array(at.length);
    at.forEach((piece, square) => (out[map[square]] = piece));
    return out;
  }

  /** The move whose image under the map is `code`. */
  back(map, code) {
    return map.indexOf(code);
  }
}

/** m,n,k,p,q; also what Connect Four is won by. */
class Rows extends Grid {
  constructor(width, height, k, { turn = 1, opening = 1, exact = false, symmetries = ALL } = {}) {
    super(width, height, symmetries);
    Object.assign(this, { k, turn, opening, exact, alternates: turn === 1 && opening === 1 });
  }

  /** The side that puts a stone when there are `before` stones. */
  sideAfter(before) {
    return before < this.opening ? 0 : 1 - (Math.floor((before - this.opening) / this.turn) % 2);
  }

  /** Stones that the side to move has left in its turn. */
  stonesLeft(p) {
    const before = this.squares - p.left;
    let left = 1;
    while (!this.alternates && this.sideAfter(before + left) === p.turn) left++;
    return left;
  }

  /** Stones of that kind from a square on, in one direction. */
  #run(at, square, right, up, kind) {
    let n = 0;
    let next = this.next(square, [right, up]);
    for (; next >= 0 && at[next] === kind; next = this.next(next, [right, up])) n++;
    return n;
  }

  /** Whether a side that puts a stone on the square completes a line. */
  completes(at, square, side) {
    return WAYS.some(([right, up]) => {
      const run = 1 + this.#run(at, square, right, up, side + 1) + this.#run(at, square, -right, -up, side + 1);
      return run === this.k || (run > this.k && !this.exact);
    });
  }

  outcome(p, move) {
    return this.completes(p.at, this.target(p, move), p.turn) ? winOf(p.turn) : p.left === 1 ? 0 : null;
  }

  play(p, move) {
    const end = this.outcome(p, move);
    const next = { at: p.at.slice(), turn: 1 - p.turn, left: p.left, end };
    this.put(next, move, p.turn);
    if (!this.alternates) next.turn = this.sideAfter(this.squares - next.left);
    return next;
  }

  /** All lines: their squares, and the squares (or -1) before and behind them. */
  lines() {
    const out = [];
    for (let first = 0; first < this.squares; first++)
      for (const [right, up] of WAYS) {
        const line = [first];
        while (line.length < this.k && line.at(-1) >= 0) line.push(this.next(line.at(-1), [right, up]));
        if (line.at(-1) < 0) continue;
        out.push({ line, ends: [this.next(first, [-right, -up]), this.next(line.at(-1), [right, up])] });
      }
    return out;
  }
}

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

/** Games that a side loses which cannot move. */
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

// Grids: what the games of the page of a proof share (play_rules.mjs). Squares are numbered as in witnesses of
// theorems; moves, keys and symmetries are those of certificates (proto/CERTIFICATE.md, the tops of solver/games/*.h).
//
// A position is { at, turn, left, end }: what stands on each square (0: nothing), the side to move (0 First, 1 Second),
// the number of empty squares, and the value of a game that is over, or null. Positions are never changed.

/** @typedef {{at: Uint8Array, turn: number, left: number, end: number | null}} Position */

const WAYS = [[1, 0], [0, 1], [1, 1], [-1, 1]];
export const MIRROR = [0, 1]; // symmetries by their numbers, for the constructor of Grid
export const HALF_TURN = [0, 3];
export const MIRRORS = [0, 1, 2, 3];
export const ALL = [0, 1, 2, 3, 4, 5, 6, 7];

export const winOf = (side) => (side ? -1 : 1);

/** What games on boards of columns and rows share: by default, a stone is put on any empty square. */
export class Grid {
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

  /** The moves that choosing a square may mean. */
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
export class Rows extends Grid {
  constructor(width, height, k, { turn = 1, opening = 1, exact = false, symmetries = ALL } = {}) {
    super(width, height, symmetries);
    Object.assign(this, { k, turn, opening, exact, alternates: turn === 1 && opening === 1 });
  }

  /** The side that puts a stone when there are `before` stones. */
  sideAfter(before) {
    return before < this.opening ? 0 : 1 - (Math.floor((before - this.opening) / this.turn) % 2);
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

// The proof as an opponent: what answers each move of the visitor, by record, by a win at once, by the card of a
// theorem (solver/games/THEOREMS.md) or by a strategy (proto/CERTIFICATE.md). Where the certificate has no answer, or
// the game ends otherwise than it says, that is an error (Broken).
//
// W is the side that the bound favours, which the proof plays; the visitor plays the other side, M. A node is a
// position with what the proof says of it. Nodes are never changed.

import { Broken } from "./play_certificate.mjs";

const STRATEGY = 100; // the number of its theorem
const COUNTED = 5e5; // limit of the positions played out in a turn, each counted as the square of its number of moves

/** @typedef {{upper: boolean, bound: number}} Bound
 *  @typedef {import("./play_grid.mjs").Position} Position
 *  @typedef {{p: Position, kind: "end" | "win" | "record" | "card", plies: number | null, guide?: any, move?: number,
 *    wins?: boolean}} Node
 *  kind: what gives the bound; plies: until the game is decided, null: not counted; guide: what a card says;
 *  move: of W, where it is to move; wins: that move ends the game */

const holds = (bound, value) => (bound.upper ? value <= bound.bound : value >= bound.bound);
const atLeast = (bound, reason) => reason.upper === bound.upper && holds(bound, reason.bound);

/** The groups of a witness as lists of squares; null when the witness does not consist of groups. */
function groupsOf(witness) {
  const out = [];
  for (let at = 0; at < witness.length; at += 1 + 2 * witness[at]) {
    if (!witness[at] || at + 2 * witness[at] >= witness.length) return null;
    const square = (i) => witness[at + 1 + 2 * i] + 256 * witness[at + 2 + 2 * i];
    out.push(Array.from({ length: witness[at] }, (_, i) => square(i)));
  }
  return out;
}

// --- cards: each gives a function (p, last) => the move of W at p, after M's move `last`; undefined: none

/** T1 and T2: pairs, else the square above. */
function followUp(game, base, groups, { single }) {
  const pairs = groups.slice(single);
  return (p, last) => {
    const square = topOf(game, p, last);
    const pair = pairs.find((group) => group.includes(square));
    return pair ? pair.find((other) => other !== square) % game.width : last;
  };
}

/** The highest stone of a column. */
function topOf(game, p, column) {
  let square = column;
  while (p.at[square + game.width]) square += game.width;
  return square;
}

/** T5 and T11: first squares, groups, and the heaviest square of the lines that are left. W stops the other side. */
function hold(game, base, groups, { theorem, side }) {
  const begins = theorem === 11 && base.turn === side;
  const first = begins ? (groups[0] ?? []) : [];
  const answered = begins ? groups.slice(1) : groups;
  const open = ({ line, ends }) =>
    line.every((i) => base.at[i] !== side + 1) && !(game.exact && ends.some((i) => base.at[i] === 2 - side));
  const served = ({ line }) =>
    line.some((i) => first.includes(i)) || answered.some((group) => group.every((i) => line.includes(i)));
  const taken = new Set([...first, ...answered.flat()]);
  const left = game.lines().filter((line) => open(line) && !served(line)).map(({ line }) => line);
  const rest = (p, line) => line.filter((i) => !p.at[i] && !taken.has(i));
  return (p) => {
    const free = (group) => group.find((i) => !p.at[i]);
    const due = first.find((i) => !p.at[i]) ?? answered
      .filter((group) => group.some((i) => p.at[i] === 2 - side) && group.every((i) => p.at[i] !== side + 1))
      .map(free).find((i) => i !== undefined);
    if (due !== undefined) return due;
    const weight = new Float64Array(game.squares);
    for (const line of left)
      if (line.every((i) => p.at[i] !== side + 1)) {
        const squares = rest(p, line);
        for (const i of squares) weight[i] += 2 ** -squares.length;
      }
    return game.moves(p).reduce((best, move) => (weight[move] > weight[best] ? move : best), game.moves(p)[0]);
  };
}

/** T12: the squares in order. (A line is completed as soon as it can be.) */
function forced(game, base, groups) {
  return (p) => groups.flat().find((square) => !p.at[square]);
}

/** T8: the single cell, then the other cell of each pair that M has played in, else any open pair. */
function bridges(game, base, groups, { side }) {
  return (p) => {
    const one = groups.find((group) => group.length === 1 && !p.at[group[0]]);
    const pairs = groups.filter((group) => group.length === 2);
    const cut = pairs.find((pair) => pair.some((i) => p.at[i] === 2 - side) && pair.every((i) => p.at[i] !== side + 1));
    const pair = cut ?? pairs.find((other) => other.every((i) => !p.at[i]));
    return one?.[0] ?? pair?.find((i) => !p.at[i]) ?? game.moves(p)[0];
  };
}

/** T9: dominoes that M can touch, then those that it cannot. */
function certain(game, base, groups, { side }) {
  const exposed = new Set(game.moves({ ...base, turn: 1 - side }).flatMap((i) => game.places({ turn: 1 - side }, i)));
  const own = groups.slice(1).map((domino) => Math.min(...domino));
  const isSafe = (i) => game.places({ turn: side }, i).every((square) => !exposed.has(square));
  return (p) => {
    const left = own.filter((i) => game.second(p.at, i, side) >= 0);
    return left.find((i) => !isSafe(i)) ?? left[0] ?? game.moves(p)[0];
  };
}

/** T10: a runner goes straight ahead, and aslant if need be on its last step; the step that makes one comes first. */
function runner(game, base, [group], { side }) {
  const step = side ? -game.width : game.width;
  const makes = base.turn === side;
  const start = makes ? group[1] : group[0];
  return (p) => {
    const moves = game.moves(p);
    if (p === base) return moves.find((move) => game.places(p, move).join() === group.join());
    let at = start;
    while (p.at[at] !== side + 1 && at >= 0 && at < game.squares) at += step;
    return moves.find((move) => game.places(p, move).join() === `${at},${at + step}`);
  };
}

/** By the rules of the game, then by the theorem's number. */
const CARDS = {
  connect4: { 1: [followUp, { single: 0 }], 2: [followUp, { single: 1 }] },
  mnk: { 5: [hold], 11: [hold], 12: [forced] },
  hex: { 8: [bridges] },
  domineering: { 9: [certain] },
  breakthrough: { 10: [runner] },
};

// --- strategies

/** Policy 1 with its weights, in the frame of the card. */
class Strategy {
  /** @param {Int8Array} weights @param {Bound} bound */
  constructor(game, weights, bound) {
    Object.assign(this, { game, weights, bound, side: Number(bound.upper), longest: new Map() });
    this.rest();
  }

  /** Positions may be played out again, as many as take about a second. */
  rest() {
    this.left = COUNTED;
  }

  #reached(end) {
    return end !== null && holds(this.bound, end);
  }

  #lost(end) {
    return end !== null && !holds(this.bound, end);
  }

  /** Whether each reply of M lets W end the game within the bound. */
  #threatensTwice(after) {
    const { game } = this;
    if (after.end !== null || after.turn === this.side) return false;
    return game.moves(after).every((reply) => {
      const next = game.play(after, reply);
      if (next.end !== null) return holds(this.bound, next.end);
      return next.turn === this.side && game.moves(next).some((move) => this.#reached(game.outcome(next, move)));
    });
  }

  /** The move of W; undefined when the strategy fails. */
  move(p) {
    const { game } = this;
    const moves = game.moves(p);
    const now = moves.find((move) => this.#reached(game.outcome(p, move)));
    if (now !== undefined) return now;
    const plays = moves.map((move) => ({ move, after: game.play(p, move) }));
    const safe = plays.filter(({ after }) => {
      if (after.end !== null) return false;
      return after.turn === this.side || !game.moves(after).some((reply) => this.#lost(game.outcome(after, reply)));
    });
    const twice = safe.filter(({ after }) => this.#threatensTwice(after));
    const weight = ({ move }) => this.weights[game.target(p, move)];
    const left = twice.length ? twice : safe;
    return left.reduce((best, play) => (!best || weight(play) > weight(best) ? play : best), null)?.move;
  }

  /** The plies of the longest line from a position; null when that takes too long. */
  plies(p) {
    if (p.end !== null) {
      if (this.#lost(p.end)) throw new Broken("The strategy fails: a line of its play ends with another result.");
      return 0;
    }
    const name = String.fromCharCode(...p.at, p.turn);
    if (this.longest.has(name)) return this.longest.get(name);
    const theirs = p.turn !== this.side;
    const moves = theirs ? this.game.moves(p) : [this.move(p)];
    if (theirs && (this.left -= moves.length ** 2) < 0) return null;
    if (moves.includes(undefined)) throw new Broken("The strategy fails: it has no safe move.");
    let most = 0;
    for (const next of moves) {
      const plies = this.plies(this.game.play(p, next));
      if (plies === null) return null;
      most = Math.max(most, plies + 1);
    }
    this.longest.set(name, most);
    return most;
  }
}

export class Proof {
  /** @param {import("./play_certificate.mjs").Certificate} certificate @param {Bound} bound that the proof shows */
  constructor(certificate, game, bound) {
    Object.assign(this, { certificate, game, bound, side: Number(bound.upper), strategies: new Map() });
  }

  /** The node of the root. @param {Position} p @returns {Node} */
  root(p) {
    if (p.at.length !== this.game.squares || bytesOf(this.game.key(p).key) !== this.certificate.header.root)
      throw new Broken("The certificate is for another position than the one that is shown.");
    return this.#enter(p, Infinity);
  }

  /** The node after a move of either side. @param {Node} node @returns {Node} */
  after(node, move) {
    const p = this.game.play(node.p, move);
    if (p.end !== null) {
      if (holds(this.bound, p.end)) return { p, kind: "end", plies: 0 };
      throw new Broken("The game is over, and the result is not what the certificate says: it is false.");
    }
    if (node.kind === "card") return this.#follow(p, node.guide, move, node.plies);
    return this.#enter(p, node.plies);
  }

  /** The moves of the visitor, each with the node behind it. @param {Node} node */
  replies(node) {
    for (const strategy of this.strategies.values()) strategy.rest();
    return this.game.moves(node.p).map((move) => ({ move, node: this.after(node, move) }));
  }

  /** @param {number} limit ranks are below it */
  #enter(p, limit) {
    const win = p.turn === this.side && limit > 1 ? this.#winning(p) : undefined;
    if (win !== undefined) return { p, kind: "win", wins: true, plies: 1, move: win };
    const { key, map } = this.game.key(p);
    const reasons = (this.certificate.reasons(key) ?? []).filter((r) => atLeast(this.bound, r) && r.rank < limit);
    const reason = reasons.reduce((best, r) => (best && best.rank <= r.rank ? best : r), null);
    if (!reason) throw new Broken("The certificate has no answer here: it is damaged or false.");
    if (reason.effort) throw new Broken("The certificate leaves this position to a search, but the page has none.");
    if (reason.theorem) {
      const node = this.#follow(p, this.#guide(p, map, reason), undefined, reason.rank);
      if (node.plies > reason.rank) throw new Broken("The certificate is false: a rank is too small for its strategy.");
      return node;
    }
    const node = { p, kind: "record", plies: reason.rank };
    if (p.turn !== this.side) return node;
    const move = reason.move === undefined ? -1 : this.game.back(map, reason.move, p);
    if (!this.game.moves(p).includes(move)) throw new Broken("The certificate is false: its move is not legal here.");
    return { ...node, move };
  }

  /** The smallest move that ends the game within the bound. */
  #winning(p) {
    return this.game.moves(p).find((move) => {
      const end = this.game.outcome(p, move);
      return end !== null && holds(this.bound, end);
    });
  }

  /** What a card says from here on. Its squares are those of this board. */
  #guide(p, map, { theorem, witness, rank }) {
    const { game, side } = this;
    if (theorem === STRATEGY) {
      if (witness.length !== 1 + game.squares || witness[0] !== 1)
        throw new Broken("The certificate is false: the weights of a strategy do not fit the board.");
      const weights = Int8Array.from(witness.subarray(1), (byte) => (byte << 24) >> 24);
      const name = weights.join();
      if (!this.strategies.has(name)) this.strategies.set(name, new Strategy(game, weights, this.bound));
      return { theorem, map, weights, strategy: this.strategies.get(name), groups: [] };
    }
    const [make, more] = CARDS[this.certificate.header.game.split(":")[0]]?.[theorem] ?? [];
    const groups = groupsOf(witness)?.map((group) => group.map((square) => map.indexOf(square)));
    if (!groups || groups.flat().some((square) => square < 0))
      throw new Broken("The certificate is false: the witness of a theorem does not fit the board.");
    return { theorem, rank, groups, answer: make?.(game, p, groups, { theorem, side, ...more }) };
  }

  #follow(p, guide, last, plies) {
    const node = { p, kind: "card", guide, plies };
    if (guide.strategy) node.plies = guide.strategy.plies(this.#framed(p, guide));
    else if (last !== undefined && --node.plies < 1)
      throw new Broken("The card fails here: the game takes longer than its rank says.");
    if (p.turn !== this.side) return node;
    const win = this.#winning(p);
    if (win !== undefined) return { ...node, move: win, wins: true, plies: 1 };
    return { ...node, move: this.#answer(p, guide, last) };
  }

  #framed(p, guide) {
    return { ...p, at: this.game.image(p.at, guide.map) };
  }

  #answer(p, guide, last) {
    const { game } = this;
    let move;
    if (guide.strategy) {
      const framed = this.#framed(p, guide);
      move = guide.strategy.move(framed);
      if (move !== undefined) move = game.back(guide.map, move, framed);
    } else if (guide.answer) move = guide.answer(p, last);
    else throw new Broken(`This page cannot play theorem ${guide.theorem}; proofcheck can verify it.`);
    if (!game.moves(p).includes(move)) throw new Broken("The card fails here: the certificate is false.");
    return move;
  }
}

function bytesOf(key) {
  return Array.from(key, (letter) => letter.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

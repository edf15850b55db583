// Positions: the board of a position and what is proved of it, from the server. Games and boards are cached.

const KEEP = 300; // positions

/** @typedef {{game: string, position: string, moves: string[]}} Place */

export class Positions {
  #rpc;
  #games = new Map();
  #boards = new Map();

  constructor(rpc) {
    this.#rpc = rpc;
  }

  /** The reply of game.describe, cached. */
  game(game) {
    if (!this.#games.has(game)) {
      const asked = this.#rpc.call("game.describe", { game });
      this.#games.set(game, asked);
      asked.catch(() => this.#games.delete(game));
    }
    return this.#games.get(game);
  }

  /** The reply of position.show, cached, with the board as data where the game has one. @param {Place} place */
  board(place) {
    const key = JSON.stringify(place);
    if (!this.#boards.has(key)) {
      const asked = this.#show(place);
      this.#boards.set(key, asked);
      asked.catch(() => this.#boards.delete(key));
      if (this.#boards.size > KEEP) this.#boards.delete(this.#boards.keys().next().value);
    }
    return this.#boards.get(key);
  }

  async #show({ game, position, moves }) {
    const params = { game, position, moves };
    try {
      return await this.#rpc.call("position.show", { ...params, data: true });
    } catch (error) {
      if (error.slug !== "unsupported") throw error;
      return this.#rpc.call("position.show", params);
    }
  }

  /** The moves of a place as players write them. @param {Place} place @param {any} shown a position of the game */
  async names({ game, position, moves }, shown) {
    if (!hasMen(shown)) return moves;
    return Promise.all(moves.map(async (move, i) =>
      namesOf(await this.board({ game, position, moves: moves.slice(0, i) })).get(move) ?? move));
  }

  /** What is proved of a position and of each move, with efforts; not cached. @param {Place} place */
  async fact(place) {
    const [{ facts }, { answers }] = await Promise.all([
      this.#rpc.call("fact.query", { ...place, depth: 1 }),
      this.#rpc.call("fact.probe", { positions: [place] }),
    ]);
    return { ...facts[0], moves: answers[0].moves };
  }

  /** Game, board and fact of a position, fetched together. @param {Place} place */
  async all(place) {
    const [game, shown, fact] = await Promise.all([this.game(place.game), this.board(place), this.fact(place)]);
    return { game, shown, fact };
  }
}

const MEN = "KQRBNP"; // in the order of their characters

const hasMen = ({ geometry }) => geometry?.pieces.some(({ name }) => name === "white knight");

/** The chessman on a place as its letter; undefined: there is none. */
function manOn({ geometry, diagram }, place) {
  const piece = geometry.pieces.find(({ letter }) => letter === diagram.on[place]);
  const code = piece?.look === "glyph" ? piece.glyph.codePointAt(0) - 0x2654 : -1;
  return MEN[code % MEN.length];
}

/**
 * Moves of chessmen as players write them, without check marks: b5 for b7b5, Nbd2 where two knights can go there.
 * @param {any} shown of position.show @returns {Map<string, string>} by move; a move that is not there has one name
 */
export function namesOf(shown) {
  const { diagram, legal } = shown;
  if (!hasMen(shown)) return new Map();
  const men = legal.filter(({ move, places }) => /^[a-h]\d[a-h]\d/.test(move) && places.length === 2)
    .map(({ move, places: [from, to] }) => ({ move, from, to, man: manOn(shown, from) }));
  return new Map(men.map(({ move, from, to, man }) => {
    const [start, end, turned] = [move.slice(0, 2), move.slice(2, 4), move.slice(4).toUpperCase()];
    const aside = start[0] !== end[0];
    const takes = diagram.on[to] !== "." || (man === "P" && aside) ? "x" : "";
    if (man === "P") return [move, `${takes && start[0]}${takes}${end}${turned && `=${turned}`}`];
    const castles = man === "K" && Math.abs(start.charCodeAt(0) - end.charCodeAt(0)) > 1;
    if (castles) return [move, end < "e" ? "O-O-O" : "O-O"];
    const others = men.filter((other) => other.man === man && other.to === to && other.from !== from);
    const meets = (i) => others.some((other) => other.move[i] === start[i]);
    const which = !others.length ? "" : !meets(0) ? start[0] : !meets(1) ? start[1] : start;
    return [move, `${man}${which}${takes}${end}`];
  }));
}

/**
 * The moves that begin with these places, in this order.
 * @param {{move: string, places: number[]}[]} legal
 * @param {number[]} picked
 */
export function candidates(legal, picked) {
  return legal.filter(({ places }) => places.length && picked.every((place, i) => places[i] === place));
}

/** The places that can be chosen next. @returns {Set<number>} */
export function choices(legal, picked) {
  return new Set(
    candidates(legal, picked).map(({ places }) => places[picked.length]).filter((place) => place !== undefined),
  );
}

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

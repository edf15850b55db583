// Positions: what the server says of a position, its board and what is proved; remembered, as both are asked for again
// when one goes back.

const KEEP = 300; // positions

/** @typedef {{game: string, position: string, moves: string[]}} Place */

export class Positions {
  #rpc;
  #games = new Map();
  #boards = new Map();

  constructor(rpc) {
    this.#rpc = rpc;
  }

  /** What game.describe says; asked once a game. */
  game(game) {
    if (!this.#games.has(game)) {
      const asked = this.#rpc.call("game.describe", { game });
      this.#games.set(game, asked);
      asked.catch(() => this.#games.delete(game));
    }
    return this.#games.get(game);
  }

  /** position.show, with the board as data where the game has one. Boards do not change. @param {Place} place */
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

  /** What is proved of a position (*fact*), and of each move with its effort: the newest that the server has.
   *  @param {Place} place */
  async fact(place) {
    const [{ facts }, { answers }] = await Promise.all([
      this.#rpc.call("fact.query", { ...place, depth: 1 }),
      this.#rpc.call("fact.probe", { positions: [place] }),
    ]);
    return { ...facts[0], moves: answers[0].moves };
  }

  /** Board, fact and scale of a position, asked for at once. @param {Place} place */
  async all(place) {
    const [game, shown, fact] = await Promise.all([this.game(place.game), this.board(place), this.fact(place)]);
    return { game, shown, fact };
  }
}

/**
 * The moves that a player may mean who has pointed at these places, one after the other.
 * @param {{move: string, places: number[]}[]} legal
 * @param {number[]} picked
 */
export function candidates(legal, picked) {
  return legal.filter(({ places }) => places.length && picked.every((place, i) => places[i] === place));
}

/** The places that can be pointed at next. @returns {Set<number>} */
export function choices(legal, picked) {
  return new Set(
    candidates(legal, picked)
      .map(({ places }) => places[picked.length])
      .filter((place) => place !== undefined),
  );
}

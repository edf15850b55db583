// Finder: what a text names that was typed or pasted: the number of a job, or a game and a position of it, as text, by
// moves or by a record.

import { fill, h } from "./dom.mjs";
import { explore } from "./route.mjs";

/** A chess position, or what begins with one. */
export const FEN = /^([pnbrqk\d]+\/){7}[pnbrqk\d]+ [wb]\b/i;

/** The games that the fields suggest. */
export function suggest(games) {
  fill(document.getElementById("games"), games.map(({ example, title }) => h("option", { value: example }, title)));
}

/** A chess position is one of chess-mate unless a game is named. */
function split(text) {
  const whole = FEN.test(text) ? `chess-mate ${text}` : text;
  return /^(\S*)\s*(.*)$/s.exec(whole).slice(1);
}

/** The address of a text, which may name nothing: its page says what is wrong. */
export function addressOf(text) {
  return /^\d+$/.test(text) ? `#/job/${text}` : explore(...split(text));
}

/**
 * Asks the server what a text names. Fails with its error about the position.
 * @returns {Promise<{address: string, words: string}>}
 */
export async function find(text, rpc) {
  if (/^\d+$/.test(text)) {
    const job = await rpc.call("job.get", { job: Number(text) });
    return { address: addressOf(text), words: `Job ${text}: ${job.game}, ${job.state}` };
  }
  const [game, rest] = split(text);
  const told = (address, { first_to_move: first, text: over }) => ({
    address,
    words: `${game}${rest ? ", a position" : ""}: ${first === null ? over : `${first ? "First" : "Second"} to move`}`,
  });
  const show = (place) => rpc.call("position.show", { game, ...place });
  try {
    return told(explore(game, rest), await show({ position: rest }));
  } catch (error) {
    if (error.field !== "position" || !rest) throw error;
    const moves = rest.replace(/\d+\.+/g, " ").trim().split(/\s+/);
    const lines = /[[(]/.test(rest) ? [] : [moves, ...(moves.length === 1 ? [[...moves[0]]] : [])];
    for (const line of lines) {
      const shown = await show({ moves: line }).catch(() => null);
      if (shown) return told(explore(game, "", line), shown);
    }
    const shown = await show({ moves: rest }).catch(() => null); // a record
    if (shown) return told(explore(game, shown.position), shown);
    throw error;
  }
}

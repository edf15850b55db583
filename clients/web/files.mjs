// Files: what a file is that was dropped on the first page or chosen there: a certificate, the record of a game, or
// positions, one a line.

import { FEN } from "./finder.mjs";
import { bytes, count, counted } from "./format.mjs";
import { explore } from "./route.mjs";

const CERTIFICATE = /^proofd certificate \d+\n/;
const RECORD_MAX = 1 << 20;
const CPU = 10; // seconds of each position of a campaign
const BATCH = 250; // questions of one call

const writes = (rpc) => ["submit", "admin"].includes(rpc.hello?.role);
const positionsOf = (n) => counted(n, "position", count(n));

/** Games that may have a record, the likeliest first; the server refuses those of others. */
function gamesOf(text, games) {
  const [, size] = /\bSZ\[(\d+)\]/.exec(text) ?? [];
  if (!/^\s*\(;/.test(text)) return ["chess-mate", ...games.map(({ example }) => example)];
  const square = size ? [`hex:${size}`, `othello:${size}`, `loa:${size}`] : [];
  const wide = size ? [`atari-go:${size}x${size}`, `nogo:${size}x${size}`, `mnk:${size},${size},5`] : [];
  return [...square, ...wide, "othello:8", ...games.map(({ example }) => example)];
}

/** The first of several games in which the server reads a record; its error about the only or the likeliest one. */
async function gameOf(text, games, rpc) {
  let fault;
  for (const game of games)
    try {
      return [game, await rpc.call("position.show", { game, moves: text })];
    } catch (error) {
      fault ??= error;
    }
  throw games.length > 1 ? new Error(`the record of no game known here; for ${games[0]}: ${fault.message}`) : fault;
}

async function certificate(file, rpc) {
  const { Certificate, sha256 } = await import("./play_certificate.mjs");
  const raw = new Uint8Array(await file.arrayBuffer());
  const { header } = new Certificate(raw);
  const position = header.position ?? "";
  await rpc.call("position.show", { game: header.game, position });
  const words = [`${file.name}: a certificate of ${header.game}`, header.claim, positionsOf(Number(header.positions)),
    bytes(raw.length), `SHA-256 ${sha256(raw)}. It is not verified yet: proofcheck ${file.name} does that.`];
  return { words: words.join(", "), address: explore(header.game, position) };
}

async function record(text, file, rpc, games) {
  const [game, { position }] = await gameOf(text, games, rpc);
  if (!writes(rpc) || !rpc.hello.features.includes("studies"))
    return { words: `${file.name}: a game of ${game}`, address: explore(game, position) };
  const { study } = await rpc.call("study.put", { game, title: file.name.slice(0, 40), moves: text, once: true });
  const { position: from } = await rpc.call("study.get", { study });
  const words = `${file.name}: a game of ${game}. It is kept with its variations in the notes.`;
  return { words, address: `${explore(game, from)}?study=${study}` };
}

/** A campaign of positions, each on a line of its own; for a reader, the first of them. */
async function positions(lines, file, rpc, games) {
  const [game] = games;
  await rpc.call("position.show", { game, position: lines[0] });
  const what = `${file.name}: ${positionsOf(lines.length)} of ${game}`;
  if (!writes(rpc)) return { words: `${what}. This is the first.`, address: explore(game, lines[0]) };
  const name = file.name.replace(/\.\w*$/, "").replace(/[^\w.-]+/g, "-").slice(0, 32);
  const tag = name.replace(/^[.-]+|[.-]+$/g, "") || "positions";
  const submit = async () => {
    for (let at = 0; at < lines.length; at += BATCH) {
      const questions = lines.slice(at, at + BATCH).map((position) => ({ position }));
      const params = { game, tags: [tag], memory: "64M", once: true, budget: { cpu: CPU }, questions };
      await rpc.call("campaign.submit", params).catch((error) => {
        const [, i] = /^questions\[(\d+)/.exec(error.field) ?? [];
        throw i === undefined ? error : new Error(`"${questions[i].position}": ${error.message}`);
      });
    }
  };
  const words = `${what}. The campaign ${tag} would spend up to ${CPU} seconds of processor time on each.`;
  return { words, submit, address: `#/campaign/${encodeURIComponent(tag)}` };
}

/**
 * What a file is. `submit`: what there is to be done before its address shows something; ask first.
 * @param {File} file @param {string} typed a game that was typed; "": none @param {{example: string}[]} games
 * @returns {Promise<{words: string, address: string, submit?: () => Promise<void>}>}
 */
export async function read(file, rpc, typed, games) {
  if (CERTIFICATE.test(await file.slice(0, 40).text())) return certificate(file, rpc);
  if (file.size > RECORD_MAX) throw new Error(`more than ${bytes(RECORD_MAX)}; proofctl submit takes larger files`);
  const text = await file.text();
  const all = text.split("\n").map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
  const lines = [...new Set(all)];
  if (!lines.length) throw new Error("the file is empty");
  const isRecord = /^\s*(\[|\(;|1\.)/.test(text);
  if (!isRecord && /[\0\ufffd]/.test(text)) throw new Error("this is neither text (UTF-8) nor a certificate");
  const fens = lines.every((line) => FEN.test(line));
  const some = typed ? [typed] : isRecord ? gamesOf(text, games) : fens ? ["chess-mate"] : [];
  if (!some.length) throw new Error("type the game of its positions in the field above, then drop it again");
  return isRecord ? record(text, file, rpc, some) : positions(lines, file, rpc, some);
}

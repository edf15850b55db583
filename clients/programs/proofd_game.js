// A game for proofd in JavaScript: `run(Game)` answers the server's questions on stdin (README.md has the messages).
//
// A game is a class. Positions are any values that `write` can turn into text; a position's text is also its key, so it
// must say everything that the rules can tell apart, the side to move included, and nothing else: write symmetric
// positions the same way, and the search takes them for one.
//
//   class Game {
//     constructor(parameters) {}   // throw new Error(why) to refuse them. It sets, for people and for the search:
//       title, parameters, notation, example, author; version (of the rules), values ([worst, best] for First), step,
//       repeats and infinite (where positions can come back), moves (the most), plies (the most; 0: unbounded),
//       size (bytes of the longest position), params (optional: the parameters in canonical form)
//     start() {}                   // the initial position
//     read(text) {}                // a position; throw new Error(why) unless it is one
//     write(position) {}           // its text, in canonical form
//     over(position) {}            // null, or the value for First
//     first(position) {}           // whether First is to move
//     list(position) {}            // names of the legal moves: texts without spaces, each once
//     play(position, move) {}      // the position after a move; `position` stays as it is
//     picture(position) {}         // optional: lines for people
//   }
//
// All methods are functions of their arguments alone: no clock, no chance, no memory between calls.
"use strict";
const fs = require("fs");

const TERMS = ["title", "parameters", "notation", "example", "author", "params", "version", "values", "step",
               "infinite", "repeats", "moves", "plies", "size"];

// What `open` is answered with.
function terms(game) {
  const out = {start: game.write(game.start())};
  for (const name of TERMS)
    if (game[name] !== undefined) out[name] = game[name];
  return out;
}

// What the rules say of one position.
function look(game, text) {
  let position;
  try {
    position = game.read(text);
  } catch (why) {
    return {error: why.message || "not a position of this game"};
  }
  const out = {}, written = game.write(position);
  if (written !== text) {
    out.position = written;
    position = game.read(written); // the moves are those of the position as it is written
  }
  const value = game.over(position);
  if (value !== null) {
    out.over = value;
  } else {
    out.first = game.first(position);
    out.moves = game.list(position).map((move) => [move, game.write(game.play(position, move))]);
  }
  return out;
}

// Answers until stdin is closed. `Game` is a class, whose constructor takes the parameters.
function run(Game) {
  let game = null;
  const answer = (question) => {
    if (question.open !== undefined) {
      try {
        game = new Game(question.open);
      } catch (why) {
        return {error: why.message || "no such parameters"};
      }
      return terms(game);
    }
    if (question.positions) return {positions: question.positions.map((text) => look(game, text))};
    if (question.picture !== undefined)
      return {picture: game.picture ? game.picture(game.read(question.picture)) : ""};
    return {error: "no such question"};
  };
  const room = Buffer.alloc(1 << 16);
  let rest = "";
  const decoder = new (require("string_decoder").StringDecoder)("utf8");
  for (let size; (size = fs.readSync(0, room, 0, room.length, null)) > 0;) {
    const lines = (rest + decoder.write(room.subarray(0, size))).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const question = JSON.parse(line);
      const text = Buffer.from(JSON.stringify({...answer(question), n: question.n}) + "\n");
      for (let done = 0; done < text.length;) done += fs.writeSync(1, text, done);
    }
  }
}

module.exports = {run};

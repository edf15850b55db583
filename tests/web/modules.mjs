// Modules of the page without a browser: the connection on sockets that are made up, statuses, marks, lines of plots.
// Run by test_modules.py, which writes {web, methods, answers, legal, places} to the standard input.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";

const given = JSON.parse(readFileSync(0, "utf8"));
const load = (name) => import(pathToFileURL(`${given.web}/${name}.mjs`));

// --- a world around rpc.mjs

const sockets = [];
const timers = new Map();
const kept = new Map();
let timer = 0;

class FakeSocket {
  constructor() {
    this.readyState = 0;
    this.sent = [];
    sockets.push(this);
  }

  send(text) {
    assert.equal(this.readyState, 1, "something is sent on a socket that is not open");
    this.sent.push({ ...JSON.parse(text), answered: false });
  }

  close() {
    this.readyState = 3;
  }

  open() {
    this.readyState = 1;
    this.onopen();
  }

  cut() {
    this.readyState = 3;
    this.onclose();
  }

  /** Calls of a method, or of all but the greeting. */
  calls(method) {
    return this.sent.filter((call) => (method ? call.method === method : call.method !== "server.hello"));
  }

  /** Answers the oldest call of a method that waits: an Error with a slug and a field is an error reply. */
  async answer(method, what) {
    const call = this.calls(method).find(({ answered }) => !answered);
    assert.ok(call, `${method} has not been called`);
    call.answered = true;
    const error = what instanceof Error && { code: 1, message: what.message, data: { ...what } };
    this.hear(error ? { id: call.id, error } : { id: call.id, result: what });
    await settled();
    return call;
  }

  hear(message) {
    if (this.readyState === 1) this.onmessage({ data: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  }
}

const settled = () => new Promise((done) => setImmediate(done));
const failure = (slug, field = "", message = slug) => Object.assign(new Error(message), { slug, field });
const forbidden = () => failure("forbidden", "method");
const hello = (role, inflight = 64) => ({ role, limits: { inflight } });

globalThis.WebSocket = FakeSocket;
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.addEventListener = () => {};
globalThis.setInterval = () => 0;
globalThis.setTimeout = (action) => (timers.set(++timer, action), timer);
globalThis.clearTimeout = (number) => timers.delete(number);
globalThis.sessionStorage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => kept.set(name, value),
  removeItem: (name) => kept.delete(name),
};

const { Rpc, roleOf, isRepeatable } = await load("rpc");

/** What waits for a time to come is done; the socket that is opened by it. */
function later() {
  const before = sockets.length;
  for (const [number, action] of [...timers]) {
    timers.delete(number);
    action();
  }
  assert.equal(sockets.length, before + 1, "one socket is opened");
  return sockets.at(-1);
}

/** A connection that greets. */
function greeting(token) {
  sockets.length = 0;
  timers.clear();
  kept.clear();
  if (token) kept.set("proofd.token", token);
  const rpc = new Rpc("ws://server/rpc");
  rpc.open();
  sockets[0].open();
  return { rpc, socket: sockets[0] };
}

async function ready(role = "submit", inflight = 64, token = "") {
  const made = greeting(token);
  await made.socket.answer("server.hello", hello(role, inflight));
  assert.equal(made.rpc.state, "ready");
  return made;
}

const token = () => kept.get("proofd.token");

// --- methods

test("numbers are written as the browser's formatter writes them", async () => {
  const { count } = await load("format");
  const written = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
  const numbers = [0, 7, 999.4, 1234567.89, Number.MAX_SAFE_INTEGER];
  for (let digits = 1; digits <= 15; digits++) numbers.push(10 ** digits - 1, 10 ** digits, 10 ** digits + 1);
  for (const number of numbers) {
    assert.equal(count(number), written.format(number));
    if (number) assert.equal(count(-number), written.format(-number));
  }
});

test("the page knows the role that each method needs", () => {
  const wanted = given.methods.map(([method, role]) => [method, ["none", "public"].includes(role) ? "query" : role]);
  assert.deepEqual(given.methods.map(([method]) => [method, roleOf(method)]), wanted);
  const known = new Set(["job.progress", "position.analysis", ...given.methods.map(([method]) => method)]);
  const source = readFileSync(`${given.web}/rpc.mjs`, "utf8");
  const named = source.match(/"(?:job|group|proof|server|fact|game|position|certificate)\.\w+"/g);
  assert.deepEqual(named.filter((name) => !known.has(name.slice(1, -1))), []);
});

test("what changes something is not made again when its answer was lost", async () => {
  for (const [method, role] of given.methods) {
    const harmless = ["none", "public", "query"].includes(role) || method === "proof.verify";
    assert.equal(isRepeatable(method), harmless, method);
  }
  const { rpc, socket } = await ready();
  const lost = [rpc.call("proof.remove", { proof: "a" }), rpc.call("job.submit", { game: "hex:4" })];
  const again = [rpc.call("job.list"), rpc.call("job.submit", { game: "hex:4", key: "k" })];
  socket.cut();
  for (const call of lost) await assert.rejects(call, /look whether it was done/);
  const next = later();
  next.open();
  await next.answer("server.hello", hello("submit"));
  assert.deepEqual(
    next.calls().map(({ method, params }) => [method, params]),
    [["job.list", {}], ["job.submit", { game: "hex:4", key: "k" }]],
  );
  await next.answer("job.list", "jobs");
  await next.answer("job.submit", "job");
  assert.deepEqual(await Promise.all(again), ["jobs", "job"]);
});

test("what a server that stops has refused waits for the next one", async () => {
  const { rpc, socket } = await ready();
  const list = rpc.call("job.list");
  const pause = rpc.call("job.pause", { job: 1 });
  await socket.answer("job.list", failure("shutting-down"));
  pause.catch(() => {});
  await socket.answer("job.pause", failure("shutting-down"));
  await assert.rejects(pause, /shutting-down/);
  socket.cut();
  const next = later();
  next.open();
  await next.answer("server.hello", hello("submit"));
  await next.answer("job.list", 7);
  assert.equal(await list, 7);
});

// --- watches

test("a watch is asked for once, whenever it was begun", async () => {
  const { rpc, socket } = greeting();
  const told = [];
  rpc.watch(1, (state) => told.push(state));
  await socket.answer("server.hello", hello("query"));
  assert.equal(socket.calls("job.watch").length, 1);
  await socket.answer("job.watch", { job: 1, state: "running" });
  socket.hear({ method: "job.progress", params: { job: 1, state: "solved" } });
  assert.deepEqual(told.map(({ state }) => state), ["running", "solved"]);
  socket.cut();
  rpc.watch(2, () => {});
  const next = later();
  rpc.watch(3, () => {});
  next.open();
  rpc.watch(4, () => {});
  await next.answer("server.hello", hello("query"));
  rpc.watch(5, () => {});
  assert.deepEqual(
    next.calls().map(({ method, params }) => [method, params.job]),
    [1, 2, 3, 4, 5].map((job) => ["job.watch", job]),
  );
});

test("a watch that is stopped before it was asked for is not asked for", async () => {
  const { rpc, socket } = greeting();
  rpc.watch(1, () => assert.fail("it was stopped"))();
  await socket.answer("server.hello", hello("query", 5)); // one call at a time
  rpc.call("job.list");
  const stop = rpc.watch(2, () => assert.fail("it was stopped"));
  stop();
  await socket.answer("job.list", {});
  rpc.watch(3, () => {});
  rpc.watch(4, () => {});
  socket.cut();
  const next = later();
  next.open();
  await next.answer("server.hello", hello("query"));
  for (const each of [socket, next])
    assert.deepEqual(
      each.calls().map(({ method, params }) => [method, params.job]),
      each === socket
        ? [["job.list", undefined], ["job.watch", 3]]
        : [["job.watch", 3], ["job.watch", 4]],
    );
});

test("the server hears of each watch that was asked for and is stopped", async () => {
  for (const greeted of [false, true]) {
    const { rpc, socket } = greeted ? await ready("query") : greeting();
    const stop = rpc.watch(1, () => assert.fail("it was stopped"));
    if (!greeted) await socket.answer("server.hello", hello("query"));
    stop();
    await socket.answer("job.watch", { job: 1 }); // late
    assert.deepEqual(socket.calls().map(({ method }) => method), ["job.watch", "job.unwatch"]);
    socket.cut();
    const next = later();
    next.open();
    await next.answer("server.hello", hello("query"));
    assert.deepEqual(next.calls(), []);
  }
  const { rpc, socket } = await ready("query");
  const stop = rpc.watch(1, () => {});
  await socket.answer("job.watch", { job: 1 });
  socket.cut();
  stop();
  const next = later();
  next.open();
  await next.answer("server.hello", hello("query"));
  assert.deepEqual(next.calls(), [], "this connection has watched nothing");
});

test("two watches of one job are one of the server's, as often as one of them wants", async () => {
  const { rpc, socket } = await ready("query");
  const told = [];
  const stops = [1, 2].map((interval) => rpc.watch(1, () => told.push(interval), interval));
  assert.deepEqual(socket.calls("job.watch").map(({ params }) => params.interval), [1, 1]);
  await socket.answer("job.watch", {});
  stops[0]();
  await socket.answer("job.watch", {});
  socket.hear({ method: "job.progress", params: { job: 1 } });
  assert.deepEqual(told, [1, 2, 2]);
  assert.equal(socket.calls("job.unwatch").length, 0);
  stops[1]();
  assert.equal(socket.calls("job.unwatch").length, 1);
});

// --- roles and tokens

test("a role that is gone is noticed, and what only reads waits for the next one", async () => {
  const { rpc, socket } = await ready("query", 64, "old token");
  rpc.watch(1, () => {});
  const stats = rpc.call("server.stats");
  await socket.answer("server.stats", forbidden());
  assert.equal(rpc.state, "lost");
  assert.equal(socket.readyState, 3);
  const next = later();
  next.open();
  assert.equal(next.sent[0].params.token, "old token");
  await next.answer("server.hello", failure("invalid-params", "token", "that is not a token"));
  assert.deepEqual([rpc.state, rpc.refused, token()], ["locked", "that is not a token", undefined]);
  rpc.unlock("new token");
  await next.answer("server.hello", hello("query"));
  assert.equal(next.calls("job.watch").length, 1);
  await next.answer("server.stats", 5);
  assert.equal(await stats, 5);
});

test("what the role never allowed is refused, and that is all", async () => {
  const { rpc, socket } = await ready("query");
  const submit = rpc.call("job.submit", { game: "hex:4" });
  submit.catch(() => {});
  await socket.answer("job.submit", forbidden());
  await assert.rejects(submit, { slug: "forbidden" });
  assert.equal(rpc.state, "ready");
});

test("a change that a lesser role forbids fails as what it is", async () => {
  const { rpc, socket } = await ready("submit");
  const pause = rpc.call("job.pause", { job: 1 });
  pause.catch(() => {});
  await socket.answer("job.pause", forbidden());
  await assert.rejects(pause, { slug: "forbidden" });
  const next = later();
  next.open();
  await next.answer("server.hello", hello("query"));
  assert.deepEqual(next.calls(), []);
});

test("a token that is given without a connection is tried on the next one", async () => {
  const { rpc, socket } = greeting();
  await socket.answer("server.hello", hello("none"));
  assert.deepEqual([rpc.state, rpc.refused], ["locked", ""]);
  socket.cut();
  rpc.unlock("token A"); // tries at once
  assert.equal(rpc.state, "connecting");
  rpc.unlock("token B");
  const next = sockets.at(-1);
  next.open();
  assert.equal(next.sent[0].params.token, "token B");
  await next.answer("server.hello", hello("submit"));
  assert.deepEqual([rpc.state, token()], ["ready", "token B"]);
});

test("a token that is given while another one is tried comes next", async () => {
  const { rpc, socket } = greeting();
  await socket.answer("server.hello", hello("none"));
  rpc.unlock("token A");
  rpc.unlock("token B");
  assert.equal(socket.calls("server.hello").length, 2, "one greeting at a time");
  await socket.answer("server.hello", failure("invalid-params", "token"));
  assert.equal(token(), "token B");
  const { params } = await socket.answer("server.hello", hello("query"));
  assert.deepEqual([params.token, rpc.state], ["token B", "ready"]);
});

test("only a wrong token is forgotten, and no other is said to be wrong", async () => {
  const { rpc, socket } = greeting("good token");
  await socket.answer("server.hello", failure("limit"));
  assert.deepEqual([rpc.state, token()], ["lost", "good token"]);
  const next = later();
  next.open();
  await next.answer("server.hello", failure("invalid-params", "token", "wrong"));
  assert.deepEqual([rpc.state, rpc.refused, token()], ["locked", "wrong", undefined]);
  next.cut();
  const third = later();
  third.open();
  await third.answer("server.hello", hello("none"));
  assert.deepEqual([rpc.state, rpc.refused], ["locked", ""], "none was tried");
});

// --- statuses and marks

const { statusOf, ranked, marksOf } = await load("status");
const WORDS = {
  win: "wins",
  "win-or-draw": "does not lose",
  unknown: "bounded",
  draw: "draws",
  "draw-or-loss": "does not win",
  loss: "loses",
};
const OTHERS = { win: "loss", "win-or-draw": "draw-or-loss", "draw-or-loss": "win-or-draw", loss: "win" };

test("statuses are the server's categories, on every scale", () => {
  const seen = new Set();
  for (const { first_to_move: first, moves, ...answer } of given.answers) {
    const say = (what, side) => statusOf(what, side).word;
    const wanted = ({ source, category }) => (source === "none" ? "open" : WORDS[category]);
    assert.equal(say(answer, first !== false), wanted(answer), JSON.stringify(answer));
    for (const move of moves) {
      const { source, category } = move;
      assert.equal(say(move, !first), wanted(move), JSON.stringify(move));
      assert.equal(say(move, first), wanted({ source, category: OTHERS[category] ?? category }), JSON.stringify(move));
      seen.add(category);
    }
  }
  assert.deepEqual([...seen].sort(), Object.keys(WORDS).sort());
});

/** Marks for the pawn on e7 of a position, from First's view or Second's: letters and texts by place. */
function marks(known, first, picked = ["e7"]) {
  const place = (name) => given.places.indexOf(name);
  const moves = given.legal.map(({ move }) => {
    const [lo, hi, rank = null] = known[move] ?? [];
    const bounds = first ? { lo, hi } : { lo: -hi, hi: -lo };
    return lo === undefined ? { move, lo: -9, hi: 9, source: "none", rank } : { move, ...bounds, source: "fact", rank };
  });
  const found = marksOf(given.legal, picked.map(place), ranked(moves, first), first);
  return Object.fromEntries([...found].map(([at, { letter, text }]) => [given.places[at], `${letter} ${text}`]));
}

test("a mark is true of the best move that goes to its place", () => {
  const to = given.legal.filter(({ move }) => move.startsWith("e7e8")).map(({ move }) => move);
  assert.ok(to.length >= 4, "promotions go to one place");
  const all = (...bounds) => Object.fromEntries(to.map((move, i) => [move, bounds[i % bounds.length]]));
  for (const first of [true, false]) {
    const lost = all([-1, -1, 4], [-1, -1, 8]);
    assert.deepEqual(marks(lost, first), { e8: "L loses within 8 plies" });
    assert.deepEqual(marks(lost, first, []), {}, "a move from one place to another is marked when the first is picked");
    for (const open of to) {
      const rest = { ...lost, [open]: undefined };
      assert.deepEqual(marks(rest, first), {}, `${open} may be better`);
      const won = { ...rest, [to.find((move) => move !== open)]: [1, 1, 3] };
      assert.deepEqual(marks(won, first), { e8: "W wins within 3 plies" });
    }
    assert.deepEqual(marks(all([0, 0], undefined), first), {});
    assert.deepEqual(marks(all([0, 0, 6], [-1, -1, 4]), first), { e8: "D draws within 6 plies" });
    assert.deepEqual(marks(all([0, 0, 6], [-1, 1, 4]), first), { e8: "≥ does not lose" });
    assert.deepEqual(marks(all([-1, 0, 6], [-1, -1, 4]), first), { e8: "≤ does not win within 6 plies" });
    assert.deepEqual(marks(all([-1, 1], [-1, -1]), first), { e8: "~ bounded" });
    assert.deepEqual(marks(all([2, 2, 9], [1, 1, 3]), first), { e8: "W wins within 9 plies" });
  }
});

test("a move that the server's list lacks is an open one", () => {
  const [one, ...rest] = given.legal.filter(({ move }) => move.startsWith("e7e8"));
  const place = given.places.indexOf("e7");
  const list = ranked(rest.map(({ move }) => ({ move, lo: -1, hi: -1, source: "fact", rank: 2 })), true);
  assert.equal(marksOf(given.legal, [place], list, true).size, 0);
  assert.equal(marksOf(rest, [place], list, true).size, 1, one.move);
});

test("a mark is darker the sooner the game ends", () => {
  const places = given.legal.filter(({ places: [from, to] }) => from !== to).map(({ move }) => move).slice(0, 3);
  const legal = places.map((move, i) => ({ move, places: [i] }));
  const list = (...ranks) =>
    ranked(places.map((move, i) => ({ move, lo: 1, hi: 1, source: "fact", rank: ranks[i] })), true);
  const shades = (...ranks) => [...marksOf(legal, [], list(...ranks), true)].sort().map(([, { shade = 0 }]) => shade);
  assert.deepEqual(shades(3, 9, 15), [4, 2, 0]);
  assert.deepEqual(shades(5, 5, 5), [0, 0, 0]);
});

// --- a job: its command, its trend

const { commandOf } = await load("copy");
const { trendOf } = await load("job_plots");

test("the command of a job names its settings, and a shell reads them as they are", () => {
  const odd = "it's $HOME `x` \\ \"y\" *\n#";
  const { stdout } = spawnSync("sh", ["-c", commandOf({
    game: "andor:odd", position: odd, claim: "first-at-least--1", algorithm: "df-pn", detail: "full", seed: 0,
    memory: 2 ** 25, options: { epsilon: 0.5, knowledge: false },
    budget: { nodes: 1000, seconds: null, cpu: 0.5, disk: 1000 },
    threads: 2, shorten: 0, priority: -3, group: null, tags: ["a", "b"], after: [1, 2], first: ["a1 b2", "-c"],
  }).replace("proofctl", "printf '%s\\0'")], { encoding: "utf8" });
  assert.deepEqual(stdout.split("\0").slice(0, -1), [
    "submit", "andor:odd", "--position", odd, "--claim", "first-at-least--1", "--algorithm", "df-pn",
    "--option", "epsilon=0.5", "--option", "knowledge=no", "--detail", "full", "--nodes", "1000", "--cpu", "0.5",
    "--disk", "1000", "--memory", "32M", "--threads", "2", "--priority", "-3", "--tag", "a,b", "--after", "1,2",
    "--first", "a1 b2", "--first", "-c",
  ]);
});

test("a trend is told of the longest time that is half of what is known", () => {
  const minute = 60e3;
  const points = (...all) => all.map(([at, pn, dn]) => ({ t: 1.8e12 + at * minute, pn, dn }));
  assert.equal(trendOf([]), "");
  assert.equal(trendOf(points([0, 1, 1], [19, 8, 8])), "", "too young");
  assert.equal(trendOf(points([0, 1, 1], [10, 100, 20], [20, 101, 240])),
    "in the last 10 minutes pn has hardly changed and dn has grown by a factor of 12");
  assert.equal(trendOf(points([0, 1, 1], [60, 200, 400], [110, 1, 1], [120, 100, 600])),
    "in the last hour pn has fallen by a factor of 2 and dn has grown by 50 %");
  assert.equal(trendOf(points([0, 1, 1], [60, 100, 600], [120, 104, 590])),
    "in the last hour pn and dn have hardly changed");
  assert.equal(trendOf(points([0, 1, 1], [120, 100, 600])), "", "nothing was noted an hour ago");
  assert.equal(trendOf(points([0, 1, 1], [60, Infinity, 0], [120, 100, 600])), "");
});

// --- names of moves

const { namesOf } = await load("positions");
const { moveNumber } = await load("format");

test("moves of chessmen have short names, which differ", () => {
  const files = "abcdefgh";
  const place = (name) => 8 * (name[1] - 1) + files.indexOf(name[0]);
  const men = [["N", "white knight", "♘"], ["P", "white pawn", "♙"], ["K", "white king", "♔"],
    ["p", "black pawn", "♟"]];
  const pieces = men.map(([letter, name, glyph]) => ({ letter, name, glyph, look: "glyph" }));
  const on = [..." ".repeat(64)].map(() => ".");
  for (const [name, letter] of Object.entries({ b1: "N", f3: "N", e5: "P", a7: "P", e1: "K", d4: "p" }))
    on[place(name)] = letter;
  const moves = ["b1d2", "f3d2", "f3d4", "e5e6", "e5d6", "a7a8q", "e1g1", "e1c1", "e1e2"];
  const legal = moves.map((move) => ({ move, places: [place(move.slice(0, 2)), place(move.slice(2, 4))] }));
  const names = namesOf({ geometry: { pieces }, diagram: { on: on.join("") }, legal });
  assert.deepEqual([...names.values()], ["Nbd2", "Nfd2", "Nxd4", "e6", "exd6", "a8=Q", "O-O", "O-O-O", "Ke2"]);
  assert.equal(namesOf({ geometry: { pieces: [] }, diagram: { on: "" }, legal }).size, 0, "of other games");
  assert.equal(namesOf({}).size, 0, "of games without a board");
  assert.deepEqual([0, 1, 2, 3].map((ply) => moveNumber(ply, ply === 3)), ["1.", "", "2.", "2…"]);
});

// --- studies

const { besides, linesOf, listOf, nodeAt, removeAt, treeOf } = await load("study");

test("a study is a tree and a list of moves", () => {
  const given = {
    text: "start",
    nodes: [
      { depth: 1, move: "a", mark: "!" },
      { depth: 2, move: "b", text: "x" },
      { depth: 2, move: "c" },
      { depth: 3, move: "d" },
      { depth: 1, move: "e" },
    ],
  };
  const tree = treeOf(given);
  assert.deepEqual(listOf(tree), given);
  assert.equal(nodeAt(tree, ["a", "c", "d"]).move, "d");
  assert.equal(nodeAt(tree, ["b"]), undefined);
  assert.deepEqual(besides(tree, ["a", "b"], 1), ["a", "c"]);
  assert.equal(besides(tree, ["a", "b"], -1), null);
  assert.equal(besides(tree, [], 1), null);
  const shown = linesOf(tree).map(({ depth, moves }) => `${depth}:${moves.map(({ path }) => path.join("")).join(" ")}`);
  assert.deepEqual(shown, ["0:a", "1:e", "0:ab", "1:ac acd"]);
  nodeAt(tree, ["a", "b", "f"], true).text = "new";
  assert.deepEqual(listOf(tree).nodes[2], { depth: 3, move: "f", text: "new" });
  assert.equal(removeAt(tree, ["a"]), true);
  assert.equal(removeAt(tree, ["a"]), false);
  assert.deepEqual(listOf(tree).nodes, [{ depth: 1, move: "e" }]);
});

// --- what is asked for again and again

const { poll } = await load("dom");

test("what is polled is asked for once the page is connected, one call at a time, until it is stopped", async () => {
  const rpc = Object.assign(new EventTarget(), { state: "connecting" });
  const become = (state) => {
    rpc.state = state;
    rpc.dispatchEvent(new Event("state"));
  };
  const asked = [];
  const stop = poll(rpc, 60e3, () => new Promise((done) => asked.push(done)));
  assert.equal(asked.length, 0);
  become("ready");
  assert.equal(asked.length, 1);
  become("lost");
  become("ready");
  assert.equal(asked.length, 1, "the first call is repeated by the connection");
  asked[0]();
  await settled();
  become("ready");
  assert.equal(asked.length, 2);
  stop();
  asked[1]();
  await settled();
  become("ready");
  assert.equal(asked.length, 2);
});

// --- plots

const { linePath } = await load("plot");
const scales = { from: 0, x: (t) => t, y: (value) => value };
const path = (...points) =>
  linePath(points.map(([t, ...v]) => ({ t, v })), 0, scales);

test("a line has one point a pixel, and a gap cuts nothing off", () => {
  assert.equal(path([1, 1], [2, 2], [3, 3]), "M1,1.0L2,2.0L3,3.0");
  assert.equal(path([1, 1], [2, 2], [2.1, 3], [2.2, 4], [5, 5]), "M1,1.0L2,4.0L5,5.0");
  assert.equal(path([1, 1], [2, 2], [3, null], [4, 4], [4.1, 5], [4.2, 6], [7, 7]), "M1,1.0L2,2.0M4,4.0L4,6.0L7,7.0");
  assert.equal(path([1, 1], [2, 2], [2.1, null], [2.2, 4], [2.3, 5]), "M1,1.0L2,2.0M2,4.0L2,5.0");
  assert.equal(path([1, 1], [1.1, undefined], [2, 2]), "M1,1.0L2,2.0", "a point of other lines");
});

// --- campaigns, the field of the home page

const { matrixOf } = await load("matrix");
const rowsOf = (names, game = () => "g") =>
  names.map((label, i) => ({ job: i + 1, label, game: game(i), position: "" }));

test("a campaign is a map where its names have two parts", () => {
  const squares = matrixOf(rowsOf(["b1", "a2", "a10", "b2", "a1"]));
  assert.deepEqual([squares.columns, squares.lines], [["a", "b"], ["1", "2", "10"]]);
  assert.equal(squares.at.get("10 a").job, 3);
  const lines = matrixOf(rowsOf(["e4 b5", "e4 c5", "d4 b5", "d4 c5"]));
  assert.deepEqual([lines.lines, lines.columns, lines.at.get("d4 b5").job], [["e4", "d4"], ["b5", "c5"], 3]);
  const sizes = matrixOf(rowsOf(["", "", "", ""], (i) => `connect4:${4 + (i % 2)}x${10 - (i >> 1)}`));
  assert.deepEqual([sizes.columns, sizes.lines], [["4", "5"], ["9", "10"]]);
  assert.equal(matrixOf(rowsOf(["a", "b", "c", "d"])), null, "one part");
  assert.equal(matrixOf(rowsOf(["a1", "b2", "c3", "d4", "e5"])), null, "mostly empty");
  assert.equal(matrixOf(rowsOf(["a1", "a1", "b1", "b2"])), null, "one place twice");
  assert.equal(matrixOf(rowsOf(["a1", "a2", "b1", "b2"], (i) => `hex:${i}`)), null, "of several games");
});

const { csv, gameWords, ordered, titleOf } = await load("campaign_rows");

test("a campaign is told in words, decided positions first", () => {
  const shown = { geometry: { places: Array(25) } };
  assert.equal(gameWords("hex:5", "Hex", shown), "Hex 5×5");
  assert.equal(gameWords("connect4:7x6", "Connect Four", {}), "Connect Four 7×6");
  assert.equal(gameWords("antichess", "Antichess (losing chess)", {}), "Antichess");
  const title = (names, moves = ["a1", "b2"]) => titleOf(rowsOf(names), "Hex 5×5", moves);
  assert.equal(title(["b2", "a1"]), "Every opening of Hex 5×5");
  assert.equal(title(["b2"]), "Openings of Hex 5×5");
  assert.equal(title(["a1 b2", "b2 c3"]), "Replies to every opening of Hex 5×5");
  assert.equal(title(["a1 b2", "c4"]), "2 positions of Hex 5×5");
  assert.equal(titleOf(rowsOf(["", ""], (i) => `hex:${i}`), "", []), "2 positions of 2 games");
  const row = (job, state, more) => ({ job, state, nodes: 1, lo: -1, hi: 1, pn: 9, dn: 9, ...more });
  const rows = [row(1, "queued"), row(2, "exhausted"), row(3, "solved", { lo: 1 }), row(4, "exhausted", { dn: 9000 }),
    row(5, "solved", { hi: -1, nodes: 7 }), row(6, "running"), row(7, "failed")];
  assert.deepEqual(ordered(rows).map(({ job }) => job), [5, 3, 4, 2, 6, 1, 7]);
  assert.match(csv([{ job: 1, label: "=1" }])[1], /^"1","",.*"'=1"/);
});

const { read } = await load("files");

test("a file is a record, positions or a certificate", async () => {
  const calls = [];
  const rpc = { hello: { role: "submit", features: ["studies"] }, call: async (method, params) => {
    calls.push([method, params.game]);
    if (method === "position.show" && params.moves && params.game !== "hex:5") throw new Error(`not ${params.game}`);
    return { position: "", study: 7, jobs: [] };
  } };
  const open = (text, typed = "") => read(new File([text], "my file.txt"), rpc, typed, [{ example: "nim:3" }]);
  assert.equal((await open("(;GM[11]SZ[5];B[c3])")).address, "#/g/hex:5?study=7");
  assert.deepEqual(calls.map(([method]) => method), ["position.show", "study.put", "study.get"]);
  await assert.rejects(open('[Event "x"]\n1. e4'), /no game known here; for chess-mate: not chess-mate/);
  await assert.rejects(open('[Event "x"]\n1. e4', "nim:3"), /^Error: not nim:3/);
  const mates = await open("# two\n8/8/8/8/8/2k5/8/K7 w - -\n8/8/8/8/8/2k5/8/K6q w - -\n");
  assert.equal(mates.address, "#/campaign/my-file");
  assert.match(mates.words, /2 positions of chess-mate/);
  calls.length = 0;
  await mates.submit();
  assert.deepEqual(calls, [["campaign.submit", "chess-mate"]]);
  await assert.rejects(open("1\n12\n"), /type the game/);
  assert.match((await open("1\n12\n", "connect4:7x6")).words, /2 positions of connect4:7x6/);
  assert.match((await open("1\n1\n", "connect4:7x6")).words, /: 1 position of/);
  await assert.rejects(open("4k4/9/4P4/9/9/9/9/9/9 b G 1\n"), /type the game/); // of shogi
  await assert.rejects(open("  \n"), /empty/);
  await assert.rejects(open("a\0b"), /neither text/);
  await assert.rejects(open(new Uint8Array([0x89, 0x50])), /neither text/);
  await assert.rejects(open("proofd certificate 4\ngame: hex:5\n\n"), /damaged/);
  const proof = await open(new Uint8Array(given.certificate));
  assert.equal(proof.address, "#/g/connect4:5x4/p/5%2F5%2F5%2F5");
  assert.match(proof.words, /a certificate of connect4:5x4, .* 1 position, .*SHA-256 [0-9a-f]{64}\. It is not/);
  rpc.call = async (method) => {
    if (method === "campaign.submit") throw Object.assign(new Error("bad"), { field: "questions[1].position" });
  };
  await assert.rejects((await open("1\n12\n", "nim:3")).submit(), /^Error: "12": bad/);
  for (const [name, tag] of [["局面.txt", "positions"], [".txt", "positions"], ["<a b>.txt", "a-b"]])
    assert.equal((await read(new File(["1"], name), rpc, "nim:3", [])).address, `#/campaign/${tag}`);
  rpc.hello.role = "query"; // may not submit: sees the first position
  const reader = await open("1\n12\n", "nim:3");
  assert.deepEqual([reader.submit, reader.address], [undefined, "#/g/nim:3/p/1"]);
});

const { counted, within } = await load("format");

test("a noun has the number of its figure", () => {
  assert.deepEqual([0, 1, 1.2, 7, 12345678].map((n) => counted(n, "node")),
    ["0 nodes", "1 node", "1 node", "7 nodes", "12.3 M nodes"]);
  assert.deepEqual([1, 2, 12345].map(within), ["within 1 ply", "within 2 plies", "within 12,345 plies"]);
});

const { addressOf, find } = await load("finder");

test("what is typed is a job, a position, moves or a record", async () => {
  const known = { "hex:4": ["", "b2"], "chess-mate": ["8/8/8/8/8/2k5/8/K7 w - -"] };
  const call = async (method, { game, position, moves, job }) => {
    if (method === "job.get") return { game: "hex:4", state: "running", job };
    if (!known[game]) throw Object.assign(new Error("no such game"), { field: "game" });
    if (moves === undefined && !known[game].includes(position))
      throw Object.assign(new Error("no such position"), { field: "position" });
    const line = typeof moves === "string" ? (moves === "(;B[b2])" ? ["b2"] : ["x"]) : (moves ?? []);
    if (!line.every((move) => ["a", "b", "b2"].includes(move))) throw new Error("no such move");
    return { position: position ?? line.join(" "), first_to_move: true };
  };
  const at = async (text) => (await find(text, { call })).address;
  assert.equal(await at("12"), "#/job/12");
  assert.equal(await at("hex:4"), "#/g/hex:4");
  assert.equal(await at("hex:4 b2"), "#/g/hex:4/p/b2");
  assert.equal(await at("hex:4 1. b2 a 2. b"), "#/g/hex:4/m/b2/a/b");
  assert.equal(await at("hex:4 ab"), "#/g/hex:4/m/a/b");
  assert.equal(await at("hex:4 (;B[b2])"), "#/g/hex:4/p/b2");
  assert.equal(await at("8/8/8/8/8/2k5/8/K7 w - -"), addressOf("chess-mate 8/8/8/8/8/2k5/8/K7 w - -"));
  await assert.rejects(at("hex:4 z9"), /no such position/);
  await assert.rejects(at("chaos"), /no such game/);
});

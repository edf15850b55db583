// Core: requests, replies and watches, without sockets.
//
// A request waits in a queue, is sent while fewer than `limits.inflight` are unanswered (the server reads no
// more), and is answered in any order. When the connection ends, requests that only read, and submissions with a key,
// return to the queue and are sent again on the next connection; the others fail with UnknownFate. Watches are renewed.

"use strict";

const { NotProofd, ProofdError, ServerError, UnknownFate } = require("./errors.js");
const { READS } = require("./methods.js");

/** The states in which a job has ended. */
const OVER = ["solved", "exhausted", "cancelled", "failed"];
/** Positions of one request of `query`. */
const POSITIONS_MAX = 1000;
const LIMITS = { line: 1 << 20, reply: 16 << 20, inflight: 64, positions: 10000, rate: 0 };

/** A request and, once it is `done`, its `value` or `error`. */
class Call {
  constructor(method, params, onDone = () => {}) {
    this.method = method;
    this.params = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
    this.repeatable = READS.has(method) || (method === "job.submit" && "key" in this.params);
    this.onDone = onDone;
    this.internal = false; // made by the core for its watches
    this.id = 0;
    this.line = "";
    this.done = false;
    this.value = undefined;
    this.error = null;
  }

  finish(value, error = null) {
    if (this.done) return;
    Object.assign(this, { done: true, value, error });
    this.onDone(this);
  }
}

/** The newest state of a job that has not been taken. A slow reader misses states, but never the last one. */
class Watch {
  #wake = () => {};

  constructor(job, interval) {
    Object.assign(this, { job, interval, state: null, ended: false, error: null });
  }

  push(state) {
    if (this.ended) return;
    this.state = state;
    this.ended = OVER.includes(state.state);
    this.#wake();
  }

  fail(error) {
    if (this.ended) return;
    Object.assign(this, { error, ended: true });
    this.#wake();
  }

  get ready() {
    return this.state !== null || this.ended;
  }

  /** Resolves when there is a state to take, or after that many milliseconds. */
  change(ms) {
    if (this.ready) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The newest state; null if there will be no more. Throws the error that ended the watch. */
  take() {
    const { state } = this;
    this.state = null;
    if (state === null && this.error) throw this.error;
    return state;
  }
}

class Core {
  limits = { ...LIMITS };
  /** The reply to server.hello; null while there is none on this connection. */
  hello = null;
  /** Why the server refuses this connection. */
  refusal = null;
  #token;
  #ids = 0;
  #greeting = null;
  #queue = [];
  #sent = new Map();
  #again = []; // for the next connection: the server stops
  #watches = new Map();
  #input = []; // pieces of a line that is not complete
  #size = 0; // bytes of them

  constructor(token) {
    this.#token = token;
  }

  // --- calls

  #line(call) {
    call.id = ++this.#ids;
    call.line = JSON.stringify({ jsonrpc: "2.0", id: call.id, method: call.method, params: call.params }) + "\n";
  }

  add(call) {
    this.#line(call);
    const size = Buffer.byteLength(call.line);
    if (size > this.limits.line) {
      const text = `the request has ${size} bytes; limits.line of the server is ${this.limits.line}`;
      throw new ProofdError("limit", 8, null, text);
    }
    this.#queue.push(call);
    return call;
  }

  /** Drops the call: if it has not been sent it will not be, else its reply is dropped. */
  forget(call) {
    call.done = true;
    const at = this.#queue.indexOf(call);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  /** True if no call or watch is open. */
  get idle() {
    const calls = [...this.#queue, ...this.#sent.values(), ...this.#again];
    return calls.every((call) => call.done) && !this.#watches.size;
  }

  // --- watches

  watch(watch) {
    const watches = this.#watches.get(watch.job);
    if (watches) watches.push(watch);
    else this.#watches.set(watch.job, [watch]);
    this.askAgain(watch.job);
  }

  /** Subscribes to the job, on this connection as well. */
  askAgain(job) {
    const watches = this.#watches.get(job);
    if (!watches) return;
    const interval = Math.min(...watches.map((watch) => watch.interval));
    const call = new Call("job.watch", { job, interval }, () => this.#watched(call));
    call.internal = true;
    this.add(call);
  }

  unwatch(watch) {
    const watches = this.#watches.get(watch.job) ?? [];
    const at = watches.indexOf(watch);
    if (at < 0) return;
    watches.splice(at, 1);
    if (watches.length) return;
    this.#watches.delete(watch.job);
    if (this.hello) this.add(new Call("job.unwatch", { job: watch.job }));
  }

  #watched(call) {
    if (!call.error) return this.#progress(call.value);
    const watches = this.#watches.get(call.params.job) ?? [];
    this.#watches.delete(call.params.job);
    for (const watch of watches) watch.fail(call.error);
  }

  #progress(state) {
    for (const watch of this.#watches.get(state.job) ?? []) watch.push(state);
    if (OVER.includes(state.state)) this.#watches.delete(state.job);
  }

  // --- the connection

  /** Begins a connection: the greeting goes first, with the token, and everything else after its reply. */
  connected() {
    this.#input = [];
    this.#size = 0;
    this.hello = this.refusal = null;
    this.#greeting = new Call("server.hello", { token: this.#token });
    this.#line(this.#greeting);
  }

  /** The next line that may be sent now, or an empty text. */
  output() {
    if (this.#greeting?.line) {
      const { line } = this.#greeting;
      this.#greeting.line = "";
      return line;
    }
    if (!this.hello || !this.#queue.length || this.#sent.size >= this.limits.inflight) return "";
    const call = this.#queue.shift();
    this.#sent.set(call.id, call);
    return call.line;
  }

  /** Handles received bytes, a Buffer. Throws NotProofd if they are not the protocol. */
  feed(data) {
    let begin = 0;
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, begin)) {
      this.#input.push(data.subarray(begin, end));
      const line = this.#input.length === 1 ? this.#input[0] : Buffer.concat(this.#input);
      this.#input = [];
      this.#size = 0;
      begin = end + 1;
      this.#message(line);
    }
    if (begin < data.length) {
      this.#input.push(data.subarray(begin));
      this.#size += data.length - begin;
    }
    if (this.#size > this.limits.reply + (1 << 20))
      throw new NotProofd(`the server sent a line of more than ${this.limits.reply} bytes`);
  }

  #message(line) {
    let message;
    try {
      message = JSON.parse(line.toString());
    } catch {
      message = null;
    }
    if (message === null || typeof message !== "object" || !("method" in message || "id" in message))
      throw new NotProofd(`the peer does not speak the protocol: ${line.toString("latin1", 0, 60)}`);
    if ("method" in message) {
      if (message.method === "job.progress") this.#progress(message.params);
      return;
    }
    const error = message.error ? ServerError.of(message.error) : null;
    if (this.#greeting && message.id === this.#greeting.id) {
      this.#greeted(message, error);
    } else if (message.id === null) {
      this.refusal = error;
    } else {
      const call = this.#sent.get(message.id);
      this.#sent.delete(message.id);
      this.#answered(call, message, error);
    }
  }

  #greeted(message, error) {
    this.#greeting = null;
    if (error) {
      this.refusal = error;
      return;
    }
    this.hello = message.result;
    for (const name of Object.keys(LIMITS)) this.limits[name] = this.hello.limits[name] ?? LIMITS[name];
    const waiting = this.#queue.filter((call) => !call.internal);
    this.#queue = [];
    for (const job of this.#watches.keys()) this.askAgain(job);
    this.#queue.push(...waiting);
  }

  #answered(call, message, error) {
    if (!call || call.done) return;
    if (error?.slug === "shutting-down" && call.repeatable) this.#again.push(call);
    else call.finish(message.result, error);
  }

  /** Ends the connection. Calls that may be repeated wait for the next one. */
  lost(why) {
    const again = [...this.#again, ...this.#sent.values()].sort((a, b) => a.id - b.id);
    this.#sent.clear();
    this.#again = [];
    this.#greeting = this.hello = null;
    this.#queue.unshift(...again.filter((call) => call.repeatable && !call.done));
    for (const call of again) if (!call.repeatable) call.finish(undefined, new UnknownFate(call.method, why));
  }

  /** Makes all waiting calls fail, because there will be no connection. */
  fail(error) {
    const calls = [...this.#queue, ...this.#again, ...this.#sent.values()];
    const watches = [...this.#watches.values()].flat();
    this.#queue = [];
    this.#again = [];
    this.#sent.clear();
    this.#watches.clear();
    for (const call of calls) call.finish(undefined, error);
    for (const watch of watches) watch.fail(error);
  }
}

// --- queries of many positions

/** Cuts positions into pieces that fit into a request. */
function* pieces(positions, limits) {
  const most = Math.min(POSITIONS_MAX, limits.positions);
  const room = limits.line - (32 << 10);
  let piece = [];
  let size = 0;
  for (const position of positions) {
    const bytes = Buffer.byteLength(JSON.stringify(position)) + 1;
    if (piece.length && (piece.length >= most || size + bytes > room)) {
      yield piece;
      piece = [];
      size = 0;
    }
    piece.push(position);
    size += bytes;
  }
  if (piece.length) yield piece;
}

/** The reply would be too long; half of the piece may be short enough. */
function tooLong(error, piece, limits) {
  return error?.slug === "limit" && piece.length > 1 && !limits.rate;
}

/** The facts of a piece. A refused single position gets an entry, as in a longer list. */
function factsOf(piece, { value, error }) {
  if (error && piece.length === 1 && ["bad-position", "bad-move"].includes(error.slug))
    return [{ error: { code: error.code, message: error.message } }];
  if (error) throw error;
  return value.facts;
}

module.exports = { Call, Core, OVER, POSITIONS_MAX, Watch, factsOf, pieces, tooLong };

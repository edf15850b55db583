// The client: a connection to a proofd that is made again when it is lost.

"use strict";

const { randomUUID } = require("node:crypto");
const { setMaxListeners } = require("node:events");
const { Call, Core, OVER, Watch, factsOf, pieces, tooLong } = require("./core.js");
const { CallTimeout, ClientClosed, NotProofd, Unreachable } = require("./errors.js");
const { METHODS } = require("./methods.js");
const { parse, socketTransport } = require("./transport.js");

const WINDOW = 128; // requests of `many` that are under way: twice what the server takes at a time
const SILENCE_MS = 30000; // a watch that hears nothing for so long is asked for again
const DELAY_MS = 50; // between the first two tries to connect; doubled each time
const DELAY_MAX_MS = 5000;
const RETRYABLE = ["unreachable", "limit", "busy", "shutting-down", "no-memory"]; // another try to connect may succeed

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Connects, and sends the token. */
async function connect(address, options) {
  return new Client(address, options).connect();
}

class Client {
  #core;
  #where;
  #transport;
  #options;
  #link = null;
  #opening = false;
  #closed = false;

  constructor(address, options = {}) {
    this.#options = { timeout: 0, connectTimeout: 10000, reconnect: 60000, ...options };
    this.#where = options.transport ? { text: String(address ?? "the transport") } : parse(address);
    this.#transport = options.transport ?? socketTransport(this.#where, options.tls);
    this.#core = new Core(options.token);
    for (const [space, words] of Object.entries(METHODS)) {
      this[space] = {};
      for (const word of words)
        this[space][word] = (params, callOptions) => this.call(`${space}.${word}`, params, callOptions);
    }
  }

  async connect() {
    if (!this.#link) await this.#open();
    return this;
  }

  /** The reply to server.hello on this connection; null while there is no connection. */
  get hello() {
    return this.#core.hello;
  }

  /** Ends the connection; waiting calls fail with ClientClosed. */
  close() {
    this.#closed = true;
    this.#drop();
    this.#core.fail(new ClientClosed());
  }

  // --- calls

  async call(method, params = {}, options = {}) {
    const call = await this.#settled(new Call(method, params), options);
    if (call.error) throw call.error;
    return call.value;
  }

  async *many(calls, options = {}) {
    const source = calls[Symbol.iterator]();
    const window = [];
    const stop = follower(options.signal);
    const more = { ...options, signal: stop.signal };
    const ask = ([method, params]) => this.#settled(new Call(method, params ?? {}), more);
    try {
      for (;;) {
        for (let next; window.length < WINDOW && !(next = source.next()).done; ) window.push(guarded(ask(next.value)));
        if (!window.length) return;
        const call = await window.shift();
        yield call.error ?? call.value;
      }
    } finally {
      stop.end();
    }
  }

  async *query(game, positions, { each_move, notation, ...options } = {}) {
    const source = pieces(typeof positions === "string" ? [positions] : positions, this.#core.limits);
    const window = [];
    const stop = follower(options.signal);
    const ask = (piece) => ({
      piece,
      answer: guarded(
        this.#settled(new Call("fact.query", { game, positions: piece, each_move, notation }), {
          ...options,
          signal: stop.signal,
        }),
      ),
    });
    try {
      for (;;) {
        for (let next; window.length < 4 && !(next = source.next()).done; ) window.push(ask(next.value));
        if (!window.length) return;
        const { piece, answer } = window.shift();
        const call = await answer;
        const half = piece.length >> 1;
        if (tooLong(call.error, piece, this.#core.limits))
          window.unshift(ask(piece.slice(0, half)), ask(piece.slice(half)));
        else yield* factsOf(piece, call);
      }
    } finally {
      stop.end();
    }
  }

  // --- jobs

  async solve(params, { progress, ...options } = {}) {
    const { job } = await this.call("job.submit", { key: randomUUID(), ...params }, options);
    return this.wait(job, { progress, ...options });
  }

  async *watch(job, { interval = 1, signal, timeout } = {}) {
    if (this.#closed) throw new ClientClosed();
    const watch = new Watch(job, interval);
    const end = timeout ? Date.now() + timeout : Infinity;
    const abort = () => watch.fail(new ClientClosed("the watch was cancelled", { cause: signal.reason }));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    this.#core.watch(watch);
    this.#goOn();
    try {
      for (;;) {
        while (!watch.ready) {
          await watch.change(Math.max(0, Math.min(SILENCE_MS, end - Date.now())));
          if (!watch.ready && Date.now() >= end) throw new CallTimeout("job.watch", timeout);
          if (!watch.ready) this.#core.askAgain(job);
          this.#goOn();
        }
        const state = watch.take();
        if (state === null) return;
        yield state;
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#core.unwatch(watch);
      this.#flush();
    }
  }

  async wait(job, { progress, until = OVER, ...options } = {}) {
    for await (const state of this.watch(job, options)) {
      if (until.includes(state.state) || OVER.includes(state.state)) return state;
      progress?.(state);
    }
    throw new Unreachable(`the watch of job ${job} ended without a last state`);
  }

  async *jobs(state, options) {
    let before;
    do {
      const page = await this.call("job.list", { state, before }, options);
      yield* page.jobs;
      before = page.next;
    } while (before !== undefined);
  }

  async *certificate(params, options) {
    const { proof, bytes } = await this.call("proof.export", params, options);
    for (let offset = 0; offset < bytes; ) {
      const piece = await this.call("proof.read", { proof, offset }, options);
      offset += piece.size;
      yield Buffer.from(piece.data, "base64");
    }
  }

  // --- the connection

  /** Makes the call and waits until it is done; resolves with it. */
  #settled(call, { signal, timeout = this.#options.timeout }) {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new ClientClosed());
      if (signal?.aborted) return reject(new ClientClosed(`${call.method} was cancelled`, { cause: signal.reason }));
      let timer = null;
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      const giveUp = (error) => {
        leave();
        this.#core.forget(call);
        reject(error);
      };
      const abort = () => giveUp(new ClientClosed(`${call.method} was cancelled`, { cause: signal?.reason }));
      call.onDone = () => {
        leave();
        resolve(call);
      };
      try {
        this.#core.add(call);
      } catch (error) {
        return reject(error);
      }
      if (timeout) timer = setTimeout(() => giveUp(new CallTimeout(call.method, timeout)), timeout);
      signal?.addEventListener("abort", abort);
      this.#goOn();
    });
  }

  /** Sends what may be sent; reconnects if the connection was lost while idle. */
  #goOn() {
    if (!this.#link && !this.#closed) this.#openAgain();
    else this.#flush();
  }

  #flush() {
    while (this.#link && !this.#link.full) {
      const line = this.#core.output();
      if (!line) return;
      this.#link.send(line);
    }
  }

  #drop() {
    this.#link?.close();
    this.#link = null;
  }

  /** One attempt to connect, greeting included. Fails with Unreachable, or the server's refusal. */
  #open() {
    return new Promise((resolve, reject) => {
      const core = this.#core;
      const end = (error) => {
        clearTimeout(timer);
        link.close();
        core.lost(error.message);
        this.#link = null;
        reject(error);
      };
      const timer = setTimeout(
        () => end(new Unreachable(`the server at ${this.#where.text} does not answer`)),
        this.#options.connectTimeout,
      );
      let greeted = false;
      const link = this.#transport({
        open: () => {
          if (this.#closed) return end(new ClientClosed());
          core.connected();
          link.send(core.output());
        },
        data: (data) => {
          try {
            core.feed(data);
          } catch (error) {
            return greeted ? this.#lost(error) : end(error);
          }
          if (greeted) return this.#flush();
          if (core.refusal) return end(core.refusal);
          if (!core.hello) return;
          greeted = true;
          clearTimeout(timer);
          this.#link = link;
          this.#flush();
          resolve();
        },
        drain: () => this.#flush(),
        end: (error) => {
          if (greeted) this.#lost(error);
          else end(new Unreachable(`no server answers at ${this.#where.text}: ${error.message}`));
        },
      });
    });
  }

  /** After the end of the connection: reconnects if anything waits. */
  #lost(error) {
    const core = this.#core;
    const why = core.refusal ?? error;
    this.#drop();
    core.lost(why.message);
    if (error instanceof NotProofd || !this.#options.reconnect)
      core.fail(core.refusal ?? (error instanceof NotProofd ? error : new Unreachable(error.message)));
    if (!core.idle && !this.#closed) this.#openAgain();
  }

  /** Reconnects until it succeeds, or `reconnect` milliseconds have passed and all waiting calls fail. */
  async #openAgain() {
    if (this.#opening) return;
    this.#opening = true;
    const giveUp = Date.now() + this.#options.reconnect;
    for (let delay = DELAY_MS; !this.#closed; delay = Math.min(2 * delay, DELAY_MAX_MS)) {
      const pause = delay * (0.5 + Math.random() / 2);
      try {
        await this.#open();
        break;
      } catch (error) {
        if (Date.now() + pause >= giveUp || !RETRYABLE.includes(error.slug)) {
          this.#core.fail(error);
          break;
        }
      }
      await sleep(pause);
    }
    this.#opening = false;
  }
}

if (Symbol.asyncDispose)
  Client.prototype[Symbol.asyncDispose] = async function () {
    this.close();
  };

/** A signal for many calls, aborted by another one or by end(). */
function follower(signal) {
  const own = new AbortController();
  setMaxListeners(0, own.signal);
  const abort = () => own.abort(signal.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  const end = () => {
    signal?.removeEventListener("abort", abort);
    own.abort();
  };
  return { signal: own.signal, end };
}

/** A promise whose failure may be handled later, or never. */
function guarded(promise) {
  promise.catch(() => {});
  return promise;
}

module.exports = { Client, connect };

// RPC: JSON-RPC 2.0 over one WebSocket, which is opened again when it is lost.
//
// Calls wait until the server has greeted, and while as many are unanswered as the server reads. When the connection is
// lost, calls that only read, and submits with a key, are made again on the next one; of other changes it is unknown
// what became of them, and they fail so. Watches are asked for again.

const TOKEN = "proofd.token"; // in sessionStorage: gone with the tab
const DELAY_MS = 250; // before the first try to connect again; doubled each time
const DELAY_MAX_MS = 10000;
const BEAT_MS = 15000; // a connection that is silent for so long is asked for a sign of life
const CHANGES = /^(job\.(submit|pause|resume|cancel|set|remove)|group\.set|server\.(shutdown|backup)|certificate\.)/;

/** An error reply of the server. */
class ServerError extends Error {
  constructor({ code, message, data }) {
    super(message);
    Object.assign(this, { code, slug: data?.slug ?? "", field: data?.field ?? "" });
  }
}

/** @typedef {{method: string, params: object, resolve: (value: any) => void, reject: (error: Error) => void}} Call */

export class Rpc extends EventTarget {
  /** "connecting"; "ready"; "locked": a token is needed; "lost": it will be tried again at `retryAt`. */
  state = "connecting";
  hello = null;
  /** Why a token was refused, as text. */
  refused = "";
  retryAt = 0;
  #url;
  #socket = null;
  #ids = 0;
  #room = 48;
  #queue = [];
  #sent = new Map();
  #watches = new Map();
  #tries = 0;
  #timer = 0;
  #heard = 0;

  /** @param {string} url */
  constructor(url) {
    super();
    this.#url = url;
    setInterval(() => this.#beat(), BEAT_MS / 3);
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => !document.hidden && this.retry());
  }

  /** Connects, now. */
  retry() {
    if (this.state === "lost") this.open();
  }

  open() {
    clearTimeout(this.#timer);
    this.#become("connecting");
    const socket = new WebSocket(this.#url, "jsonrpc");
    this.#socket = socket;
    socket.onopen = () => socket === this.#socket && this.#greet();
    socket.onmessage = (event) => socket === this.#socket && this.#message(event.data);
    socket.onclose = () => socket === this.#socket && this.#lost();
  }

  #become(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  // --- calls

  /**
   * Calls a method. Fails with a ServerError, or an Error that says what became of the call.
   * @param {string} method
   * @param {object} [params] members that are undefined are left out
   * @returns {Promise<any>}
   */
  call(method, params = {}) {
    return new Promise((resolve, reject) => {
      this.#queue.push({ method, params, resolve, reject });
      this.#flush();
    });
  }

  /**
   * The newest states of a job, until it is over or the returned function is called.
   * @param {number} job
   * @param {(job: object | null, error?: Error) => void} then null: the job cannot be watched, see the error
   * @returns {() => void}
   */
  watch(job, then, interval = 1) {
    const watch = { job, then, interval };
    const watches = this.#watches.get(job) ?? [];
    this.#watches.set(job, [...watches, watch]);
    this.#subscribe(job, [watch]);
    return () => {
      const left = (this.#watches.get(job) ?? []).filter((other) => other !== watch);
      if (left.length) this.#watches.set(job, left);
      else if (this.#watches.delete(job) && this.state === "ready") this.call("job.unwatch", { job }).catch(() => {});
    };
  }

  #subscribe(job, watches) {
    const interval = Math.min(...watches.map((watch) => watch.interval));
    this.call("job.watch", { job, interval }).then(
      (state) => watches.forEach((watch) => watch.then(state)),
      (error) => watches.forEach((watch) => watch.then(null, error)),
    );
  }

  /** Gives a token, and keeps it for this tab if the server takes it. */
  async unlock(token) {
    sessionStorage.setItem(TOKEN, token);
    this.#greet();
  }

  get hasToken() {
    return Boolean(sessionStorage.getItem(TOKEN));
  }

  /** Forgets the token, and begins again without it. */
  lock() {
    sessionStorage.removeItem(TOKEN);
    this.#socket?.close();
  }

  // --- the connection

  #write(method, params, done) {
    const id = ++this.#ids;
    this.#sent.set(id, { method, params, ...done });
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  }

  #greet() {
    const token = sessionStorage.getItem(TOKEN) ?? undefined;
    const again = this.#ids > 0;
    this.#write(
      "server.hello",
      { token },
      {
        greeting: true,
        resolve: (hello) => {
          this.hello = hello;
          this.refused = "";
          this.#tries = 0;
          this.#room = Math.max(1, Math.min(48, (hello.limits?.inflight ?? 64) - 4));
          if (hello.role === "none") return this.#become("locked");
          if (again) for (const [job, watches] of this.#watches) this.#subscribe(job, watches);
          this.#become("ready");
          this.#flush();
        },
        reject: (error) => {
          sessionStorage.removeItem(TOKEN);
          this.refused = error.message;
          this.#become("locked");
        },
      },
    );
  }

  #flush() {
    while (this.state === "ready" && this.#queue.length && this.#sent.size < this.#room) {
      const call = this.#queue.shift();
      this.#write(call.method, call.params, call);
    }
  }

  #message(data) {
    const message = JSON.parse(data);
    this.#heard = performance.now();
    if (message.method === "job.progress") {
      for (const watch of this.#watches.get(message.params.job) ?? []) watch.then(message.params);
      return;
    }
    const call = this.#sent.get(message.id);
    this.#sent.delete(message.id);
    if (call && message.error) call.reject(new ServerError(message.error));
    else if (call) call.resolve(message.result);
    this.#flush();
  }

  #lost() {
    const sent = [...this.#sent.values()].filter((call) => !call.greeting);
    this.#sent.clear();
    this.#socket = null;
    this.hello = null;
    const again = [];
    for (const call of sent) {
      if (call.method === "job.watch" || call.method === "job.unwatch") continue;
      if (!CHANGES.test(call.method) || (call.method === "job.submit" && call.params.key)) again.push(call);
      else
        call.reject(
          new Error(`the connection was lost before the server answered ${call.method}: look whether it was done`),
        );
    }
    this.#queue = [...again, ...this.#queue.filter((call) => call.method !== "job.watch")];
    const delay = Math.min(DELAY_MS * 2 ** this.#tries++, DELAY_MAX_MS) * (0.75 + Math.random() / 4);
    this.retryAt = Date.now() + delay;
    this.#timer = setTimeout(() => this.open(), delay);
    this.#become("lost");
  }

  /** A connection that has ended without a word is noticed here. */
  #beat() {
    if (this.state !== "ready" || document.hidden) return;
    const silent = performance.now() - this.#heard;
    if (silent > 2 * BEAT_MS) {
      const socket = this.#socket;
      this.#lost();
      socket?.close();
    } else if (silent > BEAT_MS) {
      this.call("server.stats").catch(() => {});
    }
  }
}

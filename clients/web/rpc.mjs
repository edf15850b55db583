// RPC: JSON-RPC 2.0 over one WebSocket, which is opened again when it is lost.
//
// Calls wait for the greeting, and while the server's limit of unanswered calls is reached. After a lost connection,
// reading calls and submits with a key are repeated on the next one; other calls fail, because their outcome is
// unknown. Each greeting renews the watches. When the role of the token changes, the connection is dropped, and the
// next greeting finds the new role.

const TOKEN = "proofd.token"; // in sessionStorage: gone with the tab
const DELAY_MS = 250; // before the first reconnection; doubled each time
const DELAY_MAX_MS = 10000;
const BEAT_MS = 15000; // after this silence a call tests the connection

const ROLES = ["none", "public", "query", "submit", "admin"]; // each may do what those before it may

/** The methods that need more than the role `query`. All except proof.verify change something. */
const ABOVE_QUERY = {
  submit: new RegExp(
    "^(job\\.(submit|pause|resume|cancel|set|remove)|group\\.set|study\\.(put|remove)|" +
      "campaign\\.(submit|change)|experiment\\.(start|stop|resume|remove)|proof\\.(remove|verify)|" +
      "table\\.(build|cancel))$",
  ),
  admin: /^server\.(shutdown|backup)$/,
};

/** The least role that may call a method (proto/methods.def); `query` also where no role is needed. */
export function roleOf(method) {
  return Object.keys(ABOVE_QUERY).find((role) => ABOVE_QUERY[role].test(method)) ?? "query";
}

/** Whether a call can be repeated without harm. */
export function isRepeatable(method, params = {}) {
  return roleOf(method) === "query" || method === "proof.verify" || Boolean(method === "job.submit" && params.key);
}

/** An error reply of the server. */
class ServerError extends Error {
  constructor({ code, message, data }) {
    super(message);
    Object.assign(this, { code, slug: data?.slug ?? "", field: data?.field ?? "" });
  }
}

/** @typedef {{method: string, params: object, resolve: (value: any) => void, reject: (error: Error) => void}} Call */

export class Rpc extends EventTarget {
  /** "connecting"; "ready"; "locked": a token is required; "lost": it is opened again by itself. */
  state = "connecting";
  hello = null;
  /** Why a token was refused, as text. */
  refused = "";
  #url;
  #socket = null;
  #ids = 0;
  #room = 48;
  #queue = [];
  #sent = new Map();
  #watches = new Map(); // by job: all open watches
  #asked = new Set(); // jobs that this connection watches
  #position = null; // the watch of a position; null: none
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
    this.#watches.set(job, [...(this.#watches.get(job) ?? []), watch]);
    if (this.state === "ready") this.#subscribe(job, [watch]); // else the greeting does
    return () => this.#unwatch(watch);
  }

  /** Calls job.watch for these watches of a job. Watches stopped before the reply receive nothing. */
  #subscribe(job, watches) {
    const interval = Math.min(...this.#watches.get(job).map((watch) => watch.interval));
    const tell = (state, error) => {
      const wanted = this.#watches.get(job) ?? [];
      for (const watch of watches) if (wanted.includes(watch)) watch.then(state, error);
    };
    this.call("job.watch", { job, interval }).then(tell, (error) => tell(null, error));
  }

  /** After the last watch of a job, removes its waiting call or tells the server. */
  #unwatch(watch) {
    const { job } = watch;
    const left = (this.#watches.get(job) ?? []).filter((other) => other !== watch);
    if (left.length) return void this.#watches.set(job, left);
    this.#watches.delete(job);
    this.#queue = this.#queue.filter(({ method, params }) => method !== "job.watch" || params.job !== job);
    if (this.#asked.delete(job)) this.call("job.unwatch", { job }).catch(() => {});
  }

  /**
   * What searches and facts say of a position, as it changes, until the returned function is called or another position
   * is watched: the server watches one for each connection.
   * @param {(tree: object) => void} then
   * @returns {() => void}
   */
  watchPosition({ game, position, moves }, then) {
    const watch = { params: { game, position, moves, depth: 4, interval: 0.5 }, then, begun: false };
    this.#position = watch;
    if (this.state === "ready") this.#follow(watch); // else the greeting does
    return () => {
      if (this.#position !== watch) return;
      this.#position = null;
      if (watch.begun) this.call("position.unwatch").catch(() => {});
    };
  }

  /** Until the reply, notifications may be of the position before. */
  #follow(watch) {
    watch.begun = false;
    this.call("position.watch", watch.params).then(() => (watch.begun = true), () => {});
  }

  /** Logs in with a token, which is kept for this tab unless the server refuses it. */
  unlock(token) {
    sessionStorage.setItem(TOKEN, token);
    if (this.state === "locked") {
      this.#become("connecting");
      this.#greet();
    } else this.retry();
  }

  get hasToken() {
    return Boolean(sessionStorage.getItem(TOKEN));
  }

  /** Forgets the token and reconnects without it. */
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
    this.#write(
      "server.hello",
      { token },
      {
        greeting: true,
        resolve: (hello) => this.#welcome(hello, token),
        reject: (error) => this.#refuse(error, token),
      },
    );
  }

  #welcome(hello, token) {
    this.hello = hello;
    this.#tries = 0;
    this.#room = Math.max(1, Math.min(48, (hello.limits?.inflight ?? 64) - 4));
    if (hello.role === "none") return this.#lockOut(token, "");
    this.refused = "";
    for (const [job, watches] of this.#watches) this.#subscribe(job, watches);
    if (this.#position) this.#follow(this.#position);
    this.#become("ready");
    this.#flush();
  }

  /** Forgets a wrong token. After other errors the token is kept. */
  #refuse(error, token) {
    if (error.field !== "token") return this.#drop();
    if (sessionStorage.getItem(TOKEN) === token) sessionStorage.removeItem(TOKEN);
    this.#lockOut(token, error.message);
  }

  /** Asks for a token. A token given after the greeting was sent is tried at once. */
  #lockOut(tried, why) {
    const token = sessionStorage.getItem(TOKEN) ?? undefined;
    if (token !== undefined && token !== tried) return this.#greet();
    this.refused = why;
    this.#become("locked");
  }

  #flush() {
    while (this.state === "ready" && this.#queue.length && this.#sent.size < this.#room) {
      const call = this.#queue.shift();
      if (call.method === "job.watch") this.#asked.add(call.params.job);
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
    if (message.method === "position.analysis") {
      if (this.#position?.begun) this.#position.then(message.params);
      return;
    }
    const call = this.#sent.get(message.id);
    const error = message.error && new ServerError(message.error);
    if (call && error && !call.greeting) {
      if (error.slug === "shutting-down" && isRepeatable(call.method, call.params)) return; // for the next connection
      if (error.slug === "forbidden" && this.may(call.method)) return this.#demote(message.id, call, error);
    }
    this.#sent.delete(message.id);
    if (call && error) call.reject(error);
    else if (call) call.resolve(message.result);
    this.#flush();
  }

  /** Whether the role of the greeting allows a method. */
  may(method) {
    return ROLES.indexOf(roleOf(method)) <= ROLES.indexOf(this.hello?.role);
  }

  /** The role has changed: the token was withdrawn or has another role. The next greeting finds the role; reading
   *  calls wait for it. */
  #demote(id, call, error) {
    if (!isRepeatable(call.method)) {
      this.#sent.delete(id);
      call.reject(error);
    }
    this.#drop();
  }

  #lost() {
    const sent = [...this.#sent.values()].filter((call) => !call.greeting);
    this.#sent.clear();
    this.#asked.clear();
    this.#socket = null;
    this.hello = null;
    const again = [];
    const isWatch = ({ method }) => method.endsWith("watch");
    for (const call of sent) {
      if (isWatch(call)) continue;
      if (isRepeatable(call.method, call.params)) again.push(call);
      else
        call.reject(
          new Error(`the connection was lost before the server answered ${call.method}: look whether it was done`),
        );
    }
    this.#queue = [...again, ...this.#queue.filter((call) => !isWatch(call))];
    const delay = Math.min(DELAY_MS * 2 ** this.#tries++, DELAY_MAX_MS) * (0.75 + Math.random() / 4);
    this.#timer = setTimeout(() => this.open(), delay);
    this.#become("lost");
  }

  /** Ends the connection and reconnects soon. */
  #drop() {
    const socket = this.#socket;
    this.#lost();
    socket?.close();
  }

  /** Detects a connection that died silently. */
  #beat() {
    if (this.state !== "ready" || document.hidden) return;
    const silent = performance.now() - this.#heard;
    if (silent > 2 * BEAT_MS) this.#drop();
    else if (silent > BEAT_MS) this.call("server.stats").catch(() => {});
  }
}

// Tell: ways to learn that a job has ended: from the browser, as long as this page is open, whatever it shows; in a
// shell; from Prometheus.

import { button, h, note } from "./dom.mjs";

const GOES_ON = ["queued", "running"];
const waiting = new Map(); // by job: ends the watch

/** Browsers of phones refuse notifications that no service worker makes: there it is a note on the page. */
function notify(title, body, tag) {
  try {
    new Notification(title, { body, tag });
  } catch {
    note(`${title}: ${body}`, { kind: "good" });
  }
}

/** Has the browser say once that a job has ended or stopped, or cannot be followed any more. */
function wait(rpc, job) {
  const stop = rpc.watch(job, (state, error) => {
    if (state && GOES_ON.includes(state.state)) return;
    stop();
    waiting.delete(job);
    if (!state) return note(error);
    const why = state.reason || state.value?.text || "";
    notify(`Job ${job} is ${state.state}`, `${state.game} ${why}`.trim(), `proofd-${job}`);
  });
  waiting.set(job, stop);
}

export class Tell {
  constructor(rpc, job) {
    Object.assign(this, { rpc, job });
    this.browser = button("In this browser", () => this.#turn(), { "aria-pressed": String(waiting.has(job)) });
    const can = "Notification" in window && isSecureContext;
    this.node = h("section", { class: "card tell", "aria-label": "Tell me" },
      h("h2", {}, "Tell me"),
      h("p", { class: "dim" }, "when this job ends:"),
      h("dl", { class: "keys" },
        can && [h("dt", {}, this.browser), h("dd", {}, "while this page is open; also when the job is paused")],
        h("dt", {}, h("code", {}, `proofctl wait ${job}`)),
        h("dd", {}, "in a shell; the exit code says how the job ended"),
        h("dt", {}, h("code", {}, "/metrics")),
        h("dd", {}, "for Prometheus; the package contains alert rules"),
      ),
    );
  }

  /** A job that is over has nothing more to tell. */
  live({ state }) {
    this.node.hidden = !GOES_ON.includes(state);
    this.#show();
  }

  #show() {
    this.browser.setAttribute("aria-pressed", String(waiting.has(this.job)));
  }

  async #turn() {
    const { job, rpc } = this;
    if (waiting.has(job)) {
      waiting.get(job)();
      waiting.delete(job);
    } else if ((await Notification.requestPermission()) === "granted") wait(rpc, job);
    else note("The browser does not allow notifications from this page.");
    this.#show();
  }
}

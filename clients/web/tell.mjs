// Tell: how to hear that a job is over or has stopped: by the browser, while the page is open, whatever it shows; in a
// shell; from Prometheus.

import { button, h, note } from "./dom.mjs";

const GOES_ON = ["queued", "running"];
const waiting = new Map(); // by job: ends the watch

/** Has the browser say so once. */
function wait(rpc, job) {
  const stop = rpc.watch(job, (state) => {
    if (!state || GOES_ON.includes(state.state)) return;
    stop();
    waiting.delete(job);
    const why = state.reason || state.value?.text || "";
    new Notification(`Job ${job} is ${state.state}`, { body: `${state.game} ${why}`.trim(), tag: `proofd-${job}` });
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
      h("p", { class: "dim" }, "when it is over, or stops by itself:"),
      h("dl", { class: "keys" },
        can ? [h("dt", {}, this.browser), h("dd", {}, "while a page of this server is open")] : null,
        h("dt", {}, h("code", {}, `proofctl wait ${job}`)), h("dd", {}, "in a shell; its exit code tells how it ended"),
        h("dt", {}, h("code", {}, "/metrics")),
        h("dd", {}, "for Prometheus; the package has alert rules"),
      ),
    );
  }

  /** A job that is over has nothing more to tell. */
  live({ state }) {
    this.node.hidden = !GOES_ON.includes(state);
  }

  async #turn() {
    const { job, rpc } = this;
    if (waiting.has(job)) {
      waiting.get(job)();
      waiting.delete(job);
    } else if ((await Notification.requestPermission()) === "granted") wait(rpc, job);
    else note("The browser does not allow notifications from this page.");
    this.browser.setAttribute("aria-pressed", String(waiting.has(job)));
  }
}

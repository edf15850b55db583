// Home: a field for what one has, running jobs and recent results as boards, and the games as pictures: the ways into
// the explorer. What runs and what was solved is looked at again every few seconds.

import { fillBar, newBar, partsOf } from "./bar.mjs";
import { Board } from "./board.mjs";
import { confirm } from "./dialogs.mjs";
import { button, fill, h, note, poll, say, sentence } from "./dom.mjs";
import { read } from "./files.mjs";
import { find, suggest } from "./finder.mjs";
import { answer, bytes, counted, duration, named, nodesOf, proofNumber, short, upper } from "./format.mjs";
import { headline } from "./jobs.mjs";
import { namesOf } from "./positions.mjs";
import { explore, go } from "./route.mjs";
import { Spark } from "./spark.mjs";
import { chip, statusOf } from "./status.mjs";

const RUNNING = 4;
const SOLVED = 8;
const LOOK = 200; // solved jobs that are looked at; the last of each game is shown
const EASY = "hex:5"; // is solved in a second
const PLIES = 5; // of a picture of a game that begins with an empty board
const EVERY_MS = 3000;
const WAIT_MS = 250; // after the last keystroke, before the server is asked
const MATE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -";
/** What can be typed, and where it leads. */
const EXAMPLES = [
  ["hex:5", explore("hex:5")], ["antichess 1. e3", explore("antichess", "", ["e3"])],
  ["connect4:7x6 4453", explore("connect4:7x6", "", [..."4453"])], [MATE, explore("chess-mate", MATE)],
];

export class Home {
  /** @param {import("./positions.mjs").Positions} positions */
  constructor(rpc, positions) {
    this.rpc = rpc;
    this.positions = positions;
    this.stops = new Map(); // by key of a tile: ends its watch
    this.tiles = new Map();
    this.round = 0;
    this.input = h("input", {
      type: "text",
      list: "games",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "Game and position, or number of a job",
      placeholder: "Paste a game, position or job",
      oninput: () => this.#later(),
    });
    this.found = h("p", { class: "hint", role: "status" });
    this.form = h("form", { class: "search open", role: "search", onsubmit: (event) => this.#open(event) },
      this.input, h("kbd", { "aria-hidden": "true" }, "/"), h("button", { class: "main" }, "Open"));
    this.file = h("input", { type: "file", "aria-label": "File", hidden: true, onchange: () => this.#take(this.file) });
    this.tries = h("p", { class: "tries" }, h("span", { class: "dim" }, "Try"),
      EXAMPLES.map(([text, address]) => h("a", { class: "chip", href: address }, text)),
      h("span", { class: "dim" }, "or drop a file: PGN, SGF, positions, a certificate"),
      button("Choose a file", () => this.file.click(), { class: "quiet" }), this.file);
    this.drag = {
      dragover: (event) => this.#over(event),
      dragleave: (event) => !event.relatedTarget && this.#over(null),
      drop: (event) => this.#drop(event),
    };
    this.running = h("section", { "aria-label": "Running" });
    this.use = h("span", { class: "use" });
    this.solved = h("section", { "aria-label": "Solved lately" });
    this.games = h("section", { "aria-label": "Games" });
    this.node = h("div", { class: "home" },
      this.form, this.found, this.tries, this.running, this.solved, this.games);
  }

  close() {
    this.round++;
    this.stop?.();
    clearTimeout(this.timer);
    for (const [name, listener] of Object.entries(this.drag)) document.removeEventListener(name, listener);
    this.#forget(() => true);
    this.shown = this.input.value = "";
    say(this.found, "");
    this.node.remove();
  }

  /** @param {any[]} games of game.list */
  async show(games) {
    const mine = ++this.round;
    this.known = games;
    for (const [name, listener] of Object.entries(this.drag)) document.addEventListener(name, listener);
    suggest(games);
    this.stop?.();
    this.shown = "";
    await this.#refresh();
    if (mine !== this.round) return;
    fill(this.games,
      this.#heading("Games", "press one to play, explore and solve it", "#/submit",
        this.rpc.hello?.role === "query" ? "" : "Submit a job"),
      h("ul", { class: "tiles" }, games.map((game) => h("li", {}, this.#game(game)))));
    this.stop = poll(this.rpc, EVERY_MS, () => this.#refresh());
  }

  // --- the field

  #later() {
    clearTimeout(this.timer);
    say(this.found, "");
    this.timer = setTimeout(() => this.#look(), WAIT_MS);
  }

  /** Says what the text names, if it names something yet. */
  async #look() {
    const text = this.input.value.trim();
    this.found.className = "hint";
    const words = text && (await find(text, this.rpc).then((found) => found.words, () => ""));
    if (text === this.input.value.trim()) say(this.found, words);
  }

  async #open(event) {
    event.preventDefault();
    clearTimeout(this.timer);
    const text = this.input.value.trim();
    if (!text) return this.input.focus();
    const found = await find(text, this.rpc).catch((error) => error);
    if (text !== this.input.value.trim() || !this.node.isConnected) return;
    this.found.className = found instanceof Error ? "problem" : "hint";
    say(this.found, found instanceof Error ? sentence(found) : found.words);
    if (!(found instanceof Error)) go(found.address);
  }

  // --- files

  /** A file is held over the page; null: it is gone. */
  #over(event) {
    const file = event?.dataTransfer.types.includes("Files");
    if (file) event.preventDefault();
    this.node.classList.toggle("dropping", Boolean(file));
  }

  #drop(event) {
    this.#over(event);
    this.#over(null);
    this.#take(event.dataTransfer);
  }

  /** Opens the file of a choice or a drop. */
  async #take({ files: [file, ...others] }) {
    if (!file) return;
    const typed = this.input.value.trim();
    this.file.value = "";
    this.found.className = others.length ? "problem" : "hint";
    say(this.found, others.length ? `Drop one file at a time, not ${others.length + 1}.` : `Reading ${file.name}`);
    if (others.length) return;
    const found = await read(file, this.rpc, typed, this.known).catch((error) => error);
    if (!this.node.isConnected) return;
    this.found.className = found instanceof Error ? "problem" : "hint";
    say(this.found, found instanceof Error ? `${file.name}: ${sentence(found)}` : found.words);
    if (found instanceof Error) return;
    if (found.submit) say(this.found, "");
    if (found.submit && !(await confirm("Submit these positions?", found.words, "Submit them"))) return;
    await found.submit?.().then(() => go(found.address), note);
    if (found.submit) return;
    go(found.address);
    note(found.words, { kind: "good" });
  }

  // --- what runs and what was solved

  async #refresh() {
    const mine = this.round;
    const list = (state, limit) => this.rpc.call("job.list", { state, limit });
    const [stats, { campaigns }] = await Promise.all([this.rpc.call("server.stats"), this.#campaigns()]);
    const { jobs: counts, quota, busy, threads } = stats;
    say(this.use, quota.text ?? `${busy} of ${threads} threads busy, ${bytes(stats.disk_free)} of disk free`);
    const shown = JSON.stringify([counts, campaigns, quota, this.rpc.hello?.role]);
    if (mine !== this.round || shown === this.shown) return;
    const [running, solved] = await Promise.all([list("running", RUNNING), list("solved", LOOK)]);
    if (mine !== this.round) return;
    this.shown = shown;
    const lately = solved.jobs.filter(({ game }, i) => i === solved.jobs.findIndex((job) => job.game === game));
    const tiles = [
      ...running.jobs.map((job) => ["running", `run ${job.job}`, () => this.#running(job)]),
      ...campaigns.map((campaign) => ["running", `tag ${campaign.name}`, () => this.#campaign(campaign)]),
      ...lately.slice(0, SOLVED).map((job) => ["solved", `job ${job.job}`, () => this.#solved(job)]),
    ];
    this.#forget((key) => !tiles.some(([, other]) => other === key));
    for (const [, key, make] of tiles) if (!this.tiles.has(key)) this.tiles.set(key, h("li", {}, make()));
    for (const { name, states } of campaigns)
      fillBar(this.tiles.get(`tag ${name}`).querySelector("[role=img]"), partsOf(states));
    const of = (name) => tiles.filter(([row]) => row === name).map(([, key]) => this.tiles.get(key));
    this.#row(this.running, of("running"), "runs", () => this.#heading("Running", this.use, "#/", "All jobs"));
    if (quota.text) this.running.hidden = false; // jobs are paused for it
    if (lately.length)
      this.#row(this.solved, of("solved"), "",
        () => this.#heading("Solved lately", "where best play ends", "#/?state=solved", "All solved"));
    else if (!this.solved.querySelector(".card")) fill(this.solved, this.#empty());
  }

  /** Campaigns that are not done. */
  async #campaigns() {
    const none = { campaigns: [] };
    const { campaigns } = this.rpc.hello?.features?.includes("campaigns") ? await this.rpc.call("campaign.list") : none;
    return { campaigns: campaigns.filter(({ states }) => states.running + states.queued).slice(0, RUNNING) };
  }

  /** Removes tiles with these keys, and their watches. */
  #forget(over) {
    for (const key of [...this.tiles.keys()].filter(over)) {
      this.tiles.delete(key);
      this.stops.get(key)?.();
      this.stops.delete(key);
    }
  }

  #heading(text, more, address, link) {
    return h("div", { class: "row spread" },
      h("h2", {}, text, " ", h("small", { class: "dim" }, more)), link && h("a", { href: address }, link));
  }

  /** A row of tiles under its heading. Those that stay there are not moved, so that they keep the focus. */
  #row(section, tiles, kind, heading) {
    section.hidden = !tiles.length;
    if (!section.querySelector("ul")) fill(section, heading(), h("ul", { class: `tiles ${kind}` }));
    const row = section.querySelector("ul");
    for (const old of [...row.children]) if (!tiles.includes(old)) old.remove();
    tiles.forEach((tile, i) => row.children[i] !== tile && row.insertBefore(tile, row.children[i] ?? null));
  }

  /** What to do where nothing is solved. */
  #empty() {
    const begin = async ({ target }) => {
      target.disabled = true; // a second press would be a second job
      await this.rpc.call("job.submit", { game: EASY, detail: "full" }).then(() => go(explore(EASY)), note);
      target.disabled = false;
    };
    return h("div", { class: "card row spread" },
      h("p", {}, h("strong", {}, "Nothing is solved yet. "), "Hex 5×5 takes a second; or choose a game below."),
      this.rpc.hello?.role === "query" ? null : button("Solve Hex 5×5", begin, { class: "main" }));
  }

  /** A link with a picture, which is drawn when it arrives; then the names of sides and moves are known. */
  #tile(address, place, about, drawn = () => {}) {
    const frame = h("span", { class: "frame", "aria-hidden": "true" });
    const draw = (shown) => {
      if (!shown.geometry) return frame.append(h("img", { src: new URL("icon.svg", import.meta.url).href, alt: "" }));
      const board = new Board();
      board.show(shown, { small: true });
      frame.append(board.node);
      drawn(shown);
    };
    place().catch(() => ({})).then(draw); // a graph whose file is gone has no picture
    return h("a", { class: "tile", href: address }, frame, h("span", { class: "about" }, about));
  }

  #game({ title, example }) {
    return this.#tile(explore(example), () => this.#begun(example, []),
      [h("strong", {}, title), h("small", { class: "dim" }, example)]);
  }

  /** A position of the game with something on the board: moves from the middle of the list. */
  async #begun(game, moves) {
    const shown = await this.positions.board({ game, position: "", moves });
    const empty = /^\.*$/.test(shown.diagram?.on ?? "x") || moves.length;
    if (!empty || moves.length === PLIES || !shown.moves.length) return shown;
    return this.#begun(game, [...moves, shown.moves[Math.floor(shown.moves.length / 2)]]);
  }

  #running(job) {
    const figures = ["pn", "dn", "nodes", "rate"].map((name) => ({ name, node: h("b", {}) }));
    const [words, spark] = [h("span", {}), new Spark(this.rpc, job.job)];
    let [names, last] = [new Map(), job];
    const tell = (now) => {
      if (!now) return;
      last = now;
      say(words, `${upper(answer(now)) || "Not known yet"}; searched for ${duration(now.seconds)}` +
        (now.leading ? `, and looks at ${names.get(now.leading) ?? now.leading} now.` : "."));
      spark.add(now);
      const [pn, dn] = [now.pn, now.dn].map((value) => short(proofNumber(value)));
      const texts = { pn, dn, nodes: short(nodesOf(now)), rate: `${short(now.rate)}/s` };
      for (const { name, node } of figures) say(node, texts[name]);
    };
    tell(job);
    this.stops.set(`run ${job.job}`, this.rpc.watch(job.job, tell));
    return this.#at(job, [], [
      h("small", { class: "dim" }, h("span", { class: "dot running" }), `Job ${job.job}`),
      h("strong", {}, headline(job)), words,
      h("span", { class: "about-figures" }, figures.map(({ name, node }) => h("small", { class: "dim" }, name, node))),
      spark.node,
    ], (shown) => {
      names = namesOf(shown);
      tell(last);
    });
  }

  #campaign({ name, jobs }) {
    return h("a", { class: "tile", href: `#/campaign/${encodeURIComponent(name)}` }, h("span", { class: "about" },
      h("small", { class: "dim" }, h("span", { class: "dot running" }), `Campaign of ${counted(jobs, "job")}`),
      h("strong", {}, name), newBar()));
  }

  #solved(job) {
    const { kind } = statusOf(job.value, true);
    const asked = this.rpc.call("fact.line", { game: job.game, position: job.position });
    const line = asked.then((reply) => reply.line);
    const value = h("span", {});
    const tell = (text) => fill(value, chip({ kind, letter: text[0], word: text }));
    tell(upper(job.value.text));
    return this.#at(job, line,
      [h("strong", {}, job.game), value, h("small", { class: "dim" }, counted(nodesOf(job), "node"))],
      ({ geometry }) => tell(upper(named(job.value.text, geometry.sides))));
  }

  #at({ game, position }, line, about, drawn) {
    const place = async () => this.positions.board({ game, position, moves: await line });
    return this.#tile(explore(game, position), place, about, drawn);
  }
}

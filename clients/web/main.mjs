// Main: the frame of the page. It shows the state of the connection, opens the page that the address names, and asks
// for a token if the server requires one.

import { announce, button, fill, h, note, say, sentence } from "./dom.mjs";
import { askToken } from "./dialogs.mjs";
import { addressOf, find, suggest } from "./finder.mjs";
import * as keys from "./keys.mjs";
import { rpc } from "./link.mjs";
import { go, parse } from "./route.mjs";
import * as theme from "./theme.mjs";

/** Each page is a module of its own, loaded when it is first shown. It exports `open(route, rpc)`, which returns
 *  {node, title, update?(route), close?()}; `update` returns false when it cannot show that address. */
const PAGES = {
  jobs: () => import("./jobs.mjs"),
  job: () => import("./job.mjs"),
  submit: () => import("./submit.mjs"),
  campaign: () => import("./campaign.mjs"),
  compare: () => import("./compare.mjs"),
  experiments: () => import("./experiments.mjs"),
  server: () => import("./server.mjs"),
  experiment: () => import("./experiment.mjs"),
  explorer: () => import("./explorer.mjs"),
};

const main = document.getElementById("main");
const link = document.getElementById("link");
const field = document.getElementById("find");
const logout = document.getElementById("logout");
const themeButton = document.getElementById("theme");
let page = null;
let name = "";
let opening = 0;
let token = null;

async function show() {
  const route = parse(location.hash);
  const mine = ++opening;
  if (document.activeElement !== field) field.value = route.game && `${route.game} ${route.position}`.trim();
  document.querySelectorAll("nav [data-pages]").forEach((item) => {
    if (item.dataset.pages.split(" ").includes(route.page)) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  });
  if (page && name === route.page && page.update && page.update(route) !== false) {
    document.title = `${page.title} – proofd`;
    return;
  }
  const module = await PAGES[route.page]?.().catch((error) => error);
  if (mine !== opening) return;
  page?.close?.();
  name = route.page;
  if (module instanceof Error) page = unloaded(module);
  else page = module ? module.open(route, rpc) : missing();
  const first = !main.firstChild;
  fill(main, page.node);
  document.title = `${page.title} – proofd`;
  if (first) return;
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
  announce(page.title);
}

/** To the field: that of the home page, else that at the top. */
function enter() {
  const input = main.querySelector(".search input") ?? field;
  input.focus();
  input.select();
}

/** The page in place of one whose file is missing: a server of another version has other files. */
function unloaded(error) {
  return {
    title: "Not loaded",
    node: h("section", {},
      h("h1", {}, "Not loaded"),
      h("p", {}, sentence(error)),
      h("p", {}, "The server runs another version, which has other files."),
      button("Load the page again", () => location.reload()),
    ),
  };
}

function missing() {
  return {
    title: "No such page",
    node: h("section", {},
      h("h1", {}, "No such page"),
      h("p", {}, "There is no page at this address. ", h("a", { href: "#/" }, "All jobs")),
    ),
  };
}

function state() {
  const words = {
    connecting: "Connecting",
    ready: "Connected",
    locked: "Token required",
    lost: "Connection lost; reconnecting",
  };
  link.dataset.state = rpc.state;
  const experiments = document.querySelector("nav [href='#/experiments']");
  if (rpc.hello) experiments.hidden = !rpc.hello.features?.includes("experiments"); // it stays without a connection
  const role = rpc.hello?.role;
  logout.hidden = rpc.state !== "ready" || !rpc.hasToken;
  say(link, words[rpc.state] + (rpc.state === "ready" && role === "query" ? ", reading only" : ""));
  if (rpc.state === "locked" && !token) token = askToken(rpc);
  else if (rpc.state === "locked") token.refuse(rpc.refused);
  else if (rpc.state === "ready" && token) {
    token.close();
    token = null;
  }
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value.trim();
  main.focus({ preventScroll: true });
  const here = location.hash;
  const open = (address) => here === location.hash && go(address);
  if (text) find(text, rpc).then((found) => open(found.address), () => open(addressOf(text)));
});
field.addEventListener("focus", () => rpc.call("game.list").then(({ games }) => suggest(games), note), { once: true });
document.getElementById("help").addEventListener("click", keys.help);
logout.addEventListener("click", () => rpc.lock());
theme.start(themeButton);
keys.start();
keys.shortcuts("Everywhere", [
  { key: "?", text: "this list", action: keys.help },
  { key: "/", text: "another game, position or job", action: enter },
  { key: "1", text: "jobs", action: () => go("#/") },
  { key: "2", text: "submit a job", action: () => go("#/submit") },
  { key: "3", text: "explorer", action: () => go("#/g") },
  { key: "4", text: "compare two jobs", action: () => go("#/compare") },
  { key: "5", text: "server", action: () => go("#/server") },
  { key: "t", text: "light, dark, or as the system", action: () => announce(theme.turn(themeButton)) },
]);
rpc.addEventListener("state", state);
addEventListener("hashchange", show);
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  note(event.reason instanceof Error ? event.reason : String(event.reason));
});
state();
show();

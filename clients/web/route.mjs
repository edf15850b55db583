// Route: addresses of the page. All of them are fragments, so that one file serves them and they can be shared.
//
//   #/                       jobs; ?state=running&text=hex
//   #/submit                 submit a job; ?game=hex:5&position=...
//   #/job/12                 a job
//   #/campaign/TAG           the jobs of a tag; #/campaign: all tags
//   #/compare/1/2            two jobs side by side
//   #/server                 what the server did, over time
//   #/experiments            suites that were run, and the form that starts one
//   #/experiment/1           an experiment; #/experiment/1/2: two side by side
//   #/g, or none             what runs, what was solved lately, the games
//   #/g/GAME                 the explorer at the initial position
//   #/g/GAME/p/POSITION/m/MOVE/MOVE   at a position, and the moves that lead on from there

/** @typedef {{page: string, job: number, jobs: number[], game: string, position: string, tag?: string, moves: string[],
 *   query: URLSearchParams}} Route */

const number = (text) => (/^\d+$/.test(text ?? "") ? Number(text) : 0);

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} hash with its #; what is not understood leads to `missing` @returns {Route} */
export function parse(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const words = path.split("/");
  const route = { page: "", job: 0, jobs: [], game: "", position: "", moves: [], query: new URLSearchParams(search) };
  if (hash === "") return { ...route, page: "explorer" }; // the first page
  if (words[0] === "" || words[0] === "jobs") return { ...route, page: "jobs" };
  if (words[0] === "submit") return { ...route, page: "submit" };
  if (words[0] === "job" && number(words[1])) return { ...route, page: "job", job: number(words[1]) };
  if (words[0] === "campaign") return { ...route, page: "campaign", tag: decode(words[1] ?? "") };
  if (words[0] === "compare")
    return { ...route, page: "compare", jobs: words.slice(1, 3).map(number).filter((job) => job) };
  if (words[0] === "server") return { ...route, page: "server" };
  if (words[0] === "experiments") return { ...route, page: "experiments" };
  if (words[0] === "experiment" && number(words[1]))
    return { ...route, page: "experiment", jobs: words.slice(1, 3).map(number).filter((one) => one) };
  if (words[0] !== "g") return { ...route, page: "missing" };
  route.page = "explorer";
  route.game = decode(words[1] ?? "");
  let at = 2;
  if (words[at] === "p") {
    route.position = decode(words[at + 1] ?? "");
    at += 2;
  }
  if (words[at] === "m")
    route.moves = words.slice(at + 1).filter(Boolean).map(decode);
  return route;
}

/** The address of a position. */
export function explore(game, position = "", moves = []) {
  let path = `#/g/${encodeURIComponent(game).replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
  if (position) path += `/p/${encodeURIComponent(position)}`;
  if (moves.length) path += `/m/${moves.map(encodeURIComponent).join("/")}`;
  return path;
}

/** Goes to an address; `replace`: without a step in the browser's history. */
export function go(address, replace = false) {
  if (location.hash === address) return;
  if (!replace) {
    location.hash = address;
    return;
  }
  history.replaceState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

// The methods of the protocol and its errors. Made from rpc.discover by `./dev protocol`; do not edit.

/** The methods by their namespaces. */
export const METHODS = {
  rpc: ["discover"],
  server: ["hello", "stats", "workers", "shutdown", "backup"],
  game: ["list", "describe"],
  position: ["show"],
  job: ["submit", "get", "explain", "list", "pause", "resume", "cancel", "set", "remove", "watch", "unwatch",
    "history", "tree"],
  group: ["set", "list"],
  fact: ["query", "probe", "line"],
  proof: ["tree", "export", "cancel", "read", "list", "remove", "verify"],
};

/** The methods that change nothing: a request whose reply was lost is sent again. */
export const READS = new Set([
  "rpc.discover", "server.hello", "server.stats", "server.workers", "game.list", "game.describe", "position.show",
  "job.get", "job.explain", "job.list", "job.watch", "job.unwatch", "job.history", "job.tree", "group.list",
  "fact.query", "fact.probe", "fact.line", "proof.tree", "proof.export", "proof.cancel", "proof.read", "proof.list",
]);

/** The codes of the errors, by their slugs. */
export const ERROR_CODES = {
  "parse-error": -32700,
  "invalid-request": -32600,
  "unknown-method": -32601,
  "invalid-params": -32602,
  "internal": -32603,
  "bad-game": 1,
  "bad-position": 2,
  "bad-move": 3,
  "bad-claim": 4,
  "bad-algorithm": 5,
  "no-such-job": 6,
  "wrong-state": 7,
  "limit": 8,
  "busy": 9,
  "no-fact": 10,
  "io": 11,
  "no-space": 12,
  "no-memory": 13,
  "format": 14,
  "corrupt": 15,
  "contradiction": 16,
  "locked": 17,
  "unsupported": 18,
  "shutting-down": 19,
  "not-found": 20,
  "usage": 21,
  "unreachable": 22,
  "forbidden": 23,
};

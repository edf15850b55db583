// proofd: the client library of the proof server. README.md shows it at work, index.d.ts has the types.

export { Client, connect } from "./lib/client.mjs";
export { OVER } from "./lib/core.mjs";
export {
  CallTimeout,
  ClientClosed,
  NotProofd,
  ProofdError,
  ServerError,
  UnknownFate,
  Unreachable,
} from "./lib/errors.mjs";
export { ERROR_CODES } from "./lib/methods.mjs";

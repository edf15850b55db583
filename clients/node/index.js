// proofd: the client library of the proof server. README.md shows it at work, index.d.ts has the types.
// CommonJS: Debian's Node looks in /usr/share/nodejs for `require` only. ES modules import the names at the end.

"use strict";

const { Client, connect } = require("./lib/client.js");
const { OVER } = require("./lib/core.js");
const {
  CallTimeout,
  ClientClosed,
  NotProofd,
  ProofdError,
  ServerError,
  UnknownFate,
  Unreachable,
} = require("./lib/errors.js");
const { ERROR_CODES } = require("./lib/methods.js");

module.exports = {
  CallTimeout,
  Client,
  ClientClosed,
  ERROR_CODES,
  NotProofd,
  OVER,
  ProofdError,
  ServerError,
  UnknownFate,
  Unreachable,
  connect,
};

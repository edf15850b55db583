// Errors: what a call fails with. Every error has a `slug` to branch on, a `code`, the `field` of the request at fault
// or null, and a `message` for people.

"use strict";

/** What went wrong. `code` is 0 where the protocol has no number for it. */
class ProofdError extends Error {
  constructor(slug, code, field, message, options) {
    super(message, options);
    this.name = new.target.name;
    this.slug = slug;
    this.code = code;
    this.field = field ?? null;
  }
}

/** The server refused a request. */
class ServerError extends ProofdError {
  static of(error) {
    const { slug = "internal", field = null } = error.data ?? {};
    return new ServerError(slug, error.code ?? 0, field, error.message ?? "");
  }
}

/** No server answers, or the connection is lost and could not be made again. What was asked was not done, or only read
 * something. */
class Unreachable extends ProofdError {
  constructor(message, slug = "unreachable", code = 22) {
    super(slug, code, null, message);
  }
}

/** The connection ended while a request was under way that changes something. It may have been carried out or not, and
 * is not repeated. `method` names it. */
class UnknownFate extends Unreachable {
  constructor(method, why) {
    super(`${method}: ${why}; it may have been carried out or not`, "unknown-fate", 0);
    this.method = method;
  }
}

/** There was no reply in time. The server continues with the request; its reply will be dropped. */
class CallTimeout extends ProofdError {
  constructor(method, ms) {
    super("timeout", 0, null, `${method}: no reply within ${ms / 1000} seconds`);
    this.method = method;
  }
}

/** The client was closed, or the call cancelled; `cause` is then the signal's reason. */
class ClientClosed extends ProofdError {
  constructor(message = "the client is closed", options) {
    super("closed", 0, null, message, options);
  }
}

/** What arrived is not a line of the protocol. */
class NotProofd extends ProofdError {
  constructor(message) {
    super("protocol", 0, null, message);
  }
}

module.exports = { CallTimeout, ClientClosed, NotProofd, ProofdError, ServerError, UnknownFate, Unreachable };

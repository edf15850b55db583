// The types of the library. Those of methods, parameters and results are in lib/types.d.ts.

import type { ConnectionOptions } from "node:tls";
import type { CallOptions, Fact, Job, JobSubmitParams, Methods, ProofExportParams, ServerHello } from "./lib/types.js";

export * from "./lib/types.js";

/** A connection: send(text), close(), and `full` while much waits to be sent. */
export interface Link {
  send(text: string): void;
  close(): void;
  readonly full: boolean;
}

/** What a transport reports. `end` comes once; after close() nothing comes. */
export interface LinkEvents {
  open(): void;
  data(data: Buffer): void;
  drain(): void;
  end(error: Error): void;
}

export interface ClientOptions {
  /** Of `proofd --token-file`. */
  token?: string;
  /** True, or options of tls.connect such as `ca`. */
  tls?: boolean | ConnectionOptions;
  /** Milliseconds that a call may take; default 0: no limit. */
  timeout?: number;
  /** Milliseconds for one attempt to connect; default 10,000. */
  connectTimeout?: number;
  /** Milliseconds of attempts to reconnect, with growing pauses; default 60,000; 0: none. */
  reconnect?: number;
  /** Another way to connect than a socket. */
  transport?: (events: LinkEvents) => Link;
}

export interface WatchOptions extends CallOptions {
  /** Seconds between two states; default 1. */
  interval?: number;
}

export interface WaitOptions extends WatchOptions {
  /** Called with each state on the way. */
  progress?: (job: Job) => void;
  /** States to wait for; a job that is over always ends the wait. */
  until?: readonly Job["state"][];
}

/** Connects to HOST:PORT or a Unix socket's path; by default to $PROOFD_SERVER, else 127.0.0.1:4590. */
export function connect(address?: string, options?: ClientOptions): Promise<Client>;

export interface Client extends Methods {}

/** A connection to a proofd, which reconnects when it is lost. All calls fail with ProofdError. */
export class Client {
  constructor(address?: string, options?: ClientOptions);
  connect(): Promise<this>;
  /** Ends the connection; waiting calls fail with ClientClosed. */
  close(): void;
  /** The reply to server.hello on this connection; null while there is no connection. */
  readonly hello: ServerHello | null;
  /** Calls a method by its name. */
  call(method: string, params?: object, options?: CallOptions): Promise<unknown>;
  /** Makes the calls, many at a time, and yields for each in turn its result, or the ProofdError it ended with. */
  many(calls: Iterable<[string, object?]>, options?: CallOptions): AsyncGenerator<unknown, void>;
  /** Yields what is proved about each position, in the order asked, in requests of up to 1,000 positions, several at a
   * time. A position that cannot be read has an entry with `error`. */
  query(
    game: string,
    positions: string | Iterable<string>,
    options?: CallOptions & { each_move?: boolean; notation?: string },
  ): AsyncGenerator<Fact, void>;
  /** Submits a job and waits until it is over. Without a `key` it gets a unique one. */
  solve(params: JobSubmitParams, options?: CallOptions & Pick<WaitOptions, "progress">): Promise<Job>;
  /** Yields states of a job, the newest each time, until it is over; the last has its `result`. Continues after a
   * restart of the server. */
  watch(job: number, options?: WatchOptions): AsyncGenerator<Job, void>;
  /** Waits until a job is in one of the states `until`, or over. */
  wait(job: number, options?: WaitOptions): Promise<Job>;
  /** Yields all jobs, newest first. */
  jobs(state?: Job["state"], options?: CallOptions): AsyncGenerator<Job, void>;
  /** Makes the certificate of an answer and yields it piece by piece. */
  certificate(params: ProofExportParams, options?: CallOptions): AsyncGenerator<Buffer, void>;
}

/** What went wrong. `code` is 0 where the protocol has no number for it. */
export class ProofdError extends Error {
  readonly slug: string;
  readonly code: number;
  readonly field: string | null;
}
/** The server refused a request. */
export class ServerError extends ProofdError {}
/** No server answers, or the connection is lost and could not be made again. */
export class Unreachable extends ProofdError {}
/** The connection ended during a request that changes something: it may have been carried out or not. */
export class UnknownFate extends Unreachable {
  readonly method: string;
}
/** There was no reply in time. */
export class CallTimeout extends ProofdError {
  readonly method: string;
}
/** The client was closed, or the call cancelled. */
export class ClientClosed extends ProofdError {}
/** What arrived is not a line of the protocol. */
export class NotProofd extends ProofdError {}

/** The states in which a job has ended. */
export const OVER: readonly Job["state"][];
/** The codes of the errors, by their slugs. */
export const ERROR_CODES: Readonly<Record<string, number>>;

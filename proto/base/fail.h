/* Failures: the codes of all errors, and the description of a failure.
 *
 * This part of error.h is a file of its own, because the headers for plug-ins (proofd/game.h, proofd/checker.h) are
 * made of it. JSON-RPC clients see these numbers (negative: reserved by JSON-RPC 2.0; positive: ours). */
#pragma once

/* X(name, number, slug, meaning) */
#define PD_ERRORS(X)                                                                                                   \
	X(PD_OK, 0, "ok", "success")                                                                                   \
	X(PD_E_PARSE, -32700, "parse-error", "the line is not valid JSON")                                             \
	X(PD_E_REQUEST, -32600, "invalid-request", "the JSON is not a JSON-RPC 2.0 request")                           \
	X(PD_E_METHOD, -32601, "unknown-method", "there is no method with that name")                                  \
	X(PD_E_PARAMS, -32602, "invalid-params", "a parameter is missing, unknown, of the wrong type or out of range") \
	X(PD_E_INTERNAL, -32603, "internal", "an internal error of the server; see its log")                           \
	X(PD_E_GAME, 1, "bad-game", "unknown game, or parameters that the game does not take")                         \
	X(PD_E_POSITION, 2, "bad-position", "the text is not a legal position of the game")                            \
	X(PD_E_MOVE, 3, "bad-move", "the text is not a legal move in the position")                                    \
	X(PD_E_CLAIM, 4, "bad-claim", "the claim is unknown or outside the game's value scale")                        \
	X(PD_E_ALGORITHM, 5, "bad-algorithm", "there is no such search algorithm, or it does not fit the game")        \
	X(PD_E_NO_JOB, 6, "no-such-job", "no job has that number")                                                     \
	X(PD_E_STATE, 7, "wrong-state", "the job's state does not allow that")                                         \
	X(PD_E_LIMIT, 8, "limit", "a published limit would be exceeded")                                               \
	X(PD_E_BUSY, 9, "busy", "too much is waiting already; try again")                                              \
	X(PD_E_NO_FACT, 10, "no-fact", "nothing is proved about that position")                                        \
	X(PD_E_IO, 11, "io", "the operating system refused to read or write")                                          \
	X(PD_E_NO_SPACE, 12, "no-space", "the disk or the map is full")                                                \
	X(PD_E_NO_MEMORY, 13, "no-memory", "there is not enough memory, or no free file descriptor")                   \
	X(PD_E_FORMAT, 14, "format", "the data directory or file has another format or version")                       \
	X(PD_E_CORRUPT, 15, "corrupt", "a stored record does not decode")                                              \
	X(PD_E_CONFLICT, 16, "contradiction", "two facts contradict each other")                                       \
	X(PD_E_LOCKED, 17, "locked", "another process uses the data directory")                                        \
	X(PD_E_UNSUPPORTED, 18, "unsupported", "known, but not possible here")                                         \
	X(PD_E_SHUTDOWN, 19, "shutting-down", "the server is stopping")                                                \
	X(PD_E_NOT_FOUND, 20, "not-found", "there is no such file, graph or record")                                   \
	X(PD_E_USAGE, 21, "usage", "the command line is wrong")                                                        \
	X(PD_E_UNREACHABLE, 22, "unreachable", "no server answers at that address")                                    \
	X(PD_E_FORBIDDEN, 23, "forbidden", "the role of the connection does not allow that")                           \
	X(PD_E_REVISION, 24, "revision", "someone else has changed it since that revision")

enum pd_error {
#define X(name, number, slug, meaning) name = (number),
	PD_ERRORS(X)
#undef X
};

/* The description of a failure. Valid only after a function returned non-zero. */
struct pd_fail {
	int code;       /* an enum pd_error, never PD_OK */
	char field[64]; /* the parameter, option or file at fault; "" when there is none */
	char text[320]; /* one sentence: what is wrong and what would be right */
};

/* Wire: the messages between a proofd that has workers (the coordinator) and the workers (CLUSTER.md).
 *
 * A message is an envelope and a body of fields: tag, length, bytes. Unknown fields are skipped, so that a minor
 * version may add some; a message of another major version is refused with an explanation. Decoders take any bytes. The
 * texts and keys of a decoded message are borrowed from the bytes that were decoded. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "proto/base/fact.h"

enum {
	CW_MAJOR = 1,
	CW_MINOR = 1,
	CW_MESSAGE_MAX = 1 << 18, /* bytes; NATS allows a megabyte */
	CW_KEY_MAX = 256,
	CW_NAME_MAX = 256,     /* bytes of any text */
	CW_BATCH_MAX = 256,    /* tasks or results of one message */
	CW_SOLVED_MAX = 64,    /* solved positions of a body */
	CW_PROOF_MAX = 8192,   /* bytes of a proof of a solved leaf */
	CW_GAMES_MAX = 256,    /* in a hello */
	CW_IN_HAND_MAX = 4096, /* task numbers in a heartbeat */
	CW_THREADS_MAX = 1024,
	/* the most bytes that a body takes in a message (cw_room) */
	CW_TASK_ROOM = 720,
	CW_KNOWN_ROOM = 19600,
	CW_RESULT_ROOM = 8400,
	CW_CANCEL_ROOM = 16
};

enum cw_kind {
	CW_CALL = 1,  /* coordinator -> all: who is there? Workers of an older epoch drop their tasks */
	CW_HELLO,     /* worker -> coordinator: who it is and what it can do */
	CW_WELCOME,   /* coordinator -> worker: it is on the roster */
	CW_TASKS,     /* coordinator -> worker */
	CW_RESULTS,   /* worker -> coordinator */
	CW_HEARTBEAT, /* worker -> coordinator, every second: what it has in hand */
	CW_CANCEL,    /* coordinator -> worker: these tasks are no longer needed */
	CW_REFUSE,    /* worker -> coordinator: it refuses a task; coordinator -> worker: it refuses the worker */
	CW_BYE,       /* worker -> coordinator: it stops, and hands its tasks back */
	CW_STOP,      /* coordinator -> worker: the worker must end */
	CW_SHARED     /* coordinator -> all: positions that workers have solved */
};

/* The sender of a message, and the run of the coordinator that it belongs to. */
struct cw_envelope {
	uint8_t major, minor;
	uint8_t kind;    /* enum cw_kind; others are skipped by the receiver */
	uint64_t epoch;  /* drawn by a coordinator at its start, never 0; 0 in a worker's message: it knows none yet */
	uint64_t worker; /* number of the worker that it is from or for, drawn by the worker at its start; 0: for all */
	uint64_t number; /* of the message; rises with each message of a sender */
	bool sealed;     /* there is a seal, and it is right (seal.h) */
};

enum cw_refusal {
	CW_NO_GAME = 1,
	CW_OTHER_RULES,
	CW_TOO_LARGE,
	CW_BAD_TASK,
	CW_BANNED,
	CW_OTHER_VERSION,
	CW_NOT_WELCOME
};

struct cw_text {
	const char *data; /* not terminated; NULL: empty */
	size_t size;
};

/* Borrows a string. */
static inline struct cw_text cw_text_of(const char *text)
{
	return (struct cw_text){text, strlen(text)};
}

struct cw_game {
	struct cw_text name; /* of the rules, "connect4" */
	uint64_t digest;     /* of the plug-in's file; 0: built in */
};

struct cw_hello {
	struct cw_text name;    /* for people: host and process, "ant:4711" */
	struct cw_text version; /* of its program */
	uint32_t abi;           /* GAME_ABI */
	uint32_t threads;       /* 1..CW_THREADS_MAX */
	uint64_t memory;        /* bytes */
	uint32_t game_count;
	struct cw_game games[CW_GAMES_MAX];
};

/* A solved position, with one bound. */
struct cw_solved {
	const uint8_t *key;
	uint16_t key_size;
	struct pd_reason reason; /* its job is not sent */
};

/* Solved positions of a game. */
struct cw_known {
	struct cw_text game; /* full name */
	uint64_t rules;      /* version of its rules */
	unsigned count;
	struct cw_solved positions[CW_SOLVED_MAX];
};

enum { CW_WEAK = 1, CW_MOBILITY = 2, CW_HEURISTICS = 4, CW_KNOWLEDGE = 8 }; /* search options of a task */

/* What the siblings of a leaf are worth (struct pn_leaf_rival of solver/leaf.h). All 0: nothing is known of them. */
struct cw_rival {
	uint32_t k, second, limit;
	uint64_t from, most;
};

struct cw_task {
	uint64_t id;         /* unique in its epoch, never 0 */
	struct cw_text game; /* full name */
	uint64_t rules;      /* version of its rules, as the coordinator opened it */
	uint32_t options;    /* bits as above */
	uint64_t seed;
	int16_t threshold;
	uint64_t budget;
	const uint8_t *key;
	uint16_t key_size;
	uint32_t proof; /* a proof is wanted if it is solved, of at most so many positions; 0: none */
	struct cw_rival rival;
};

struct cw_result {
	uint64_t id;
	bool solved, proved;
	uint32_t num[2]; /* when not solved */
	uint16_t rank, move;
	uint32_t effort;
	uint64_t nodes, cpu_ns;
	const uint8_t *proof; /* when solved (solver/leaf_proof.h); NULL: none */
	uint16_t proof_size;
};

struct cw_heartbeat {
	uint64_t tasks_done; /* since it started */
	uint64_t nodes;
	uint32_t in_hand_count;
	uint64_t in_hand[CW_IN_HAND_MAX];
};

struct cw_refuse {
	uint64_t id;  /* the refused task; 0: the worker is refused */
	uint32_t why; /* enum cw_refusal */
	struct cw_text text;
};

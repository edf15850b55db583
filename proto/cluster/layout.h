/* Layout: the numbers of CLUSTER.md that wire_read.c and wire_write.c share: places in the envelope and tags. */
#pragma once

#include "proto/cluster/seal.h"
#include "proto/cluster/wire.h"

#define CW_MAGIC "PDcw"

/* The envelope. The first 16 bytes are the same in every major version. */
enum {
	CW_MAGIC_SIZE = 4,
	CW_AT_MAJOR = 4,
	CW_AT_MINOR = 5,
	CW_AT_KIND = 6,
	CW_AT_FLAGS = 7,
	CW_AT_WORKER = 8,
	CW_COMMON_SIZE = 16,
	CW_AT_EPOCH = 16,
	CW_AT_NUMBER = 24,
	CW_ENVELOPE_SIZE = 32,
	CW_FLAG_SEALED = 1, /* the message ends with a seal */
	CW_SEAL_FIELD = 2 + CW_SEAL_SIZE,
};

enum cw_body_tag {
	CW_BODY_HELLO = 1,
	CW_BODY_TASK,
	CW_BODY_KNOWN,
	CW_BODY_RESULT,
	CW_BODY_HEARTBEAT,
	CW_BODY_CANCEL,
	CW_BODY_REFUSE,
	CW_BODY_SHARING,
	CW_BODY_SEAL = 15,
	CW_BODY_COUNT
};

/* Fields of the bodies. Numbers that are 0 and texts that are empty are left out. */
enum { CW_HELLO_NAME = 1, CW_HELLO_VERSION, CW_HELLO_ABI, CW_HELLO_THREADS, CW_HELLO_MEMORY, CW_HELLO_GAME };
enum { CW_GAME_NAME = 1, CW_GAME_DIGEST };
enum {
	CW_TASK_ID = 1,
	CW_TASK_GAME,
	CW_TASK_RULES,
	CW_TASK_OPTIONS,
	CW_TASK_SEED,
	CW_TASK_THRESHOLD,
	CW_TASK_BUDGET,
	CW_TASK_KEY,
	CW_TASK_PROOF,
	CW_TASK_BY,
	CW_TASK_SECOND,
	CW_TASK_LIMIT,
	CW_TASK_FROM,
	CW_TASK_MOST
};
enum { CW_KNOWN_GAME = 1, CW_KNOWN_RULES, CW_KNOWN_SOLVED };
enum {
	CW_SOLVED_KEY = 1,
	CW_SOLVED_BOUND,
	CW_SOLVED_UPPER,
	CW_SOLVED_RANK,
	CW_SOLVED_MOVE, /* move + 1 in 16 bits, so that PD_NO_MOVE is 0 */
	CW_SOLVED_EFFORT
};
enum {
	CW_RESULT_ID = 1,
	CW_RESULT_STATE,
	CW_RESULT_PN,
	CW_RESULT_DN,
	CW_RESULT_RANK,
	CW_RESULT_MOVE, /* as above */
	CW_RESULT_EFFORT,
	CW_RESULT_NODES,
	CW_RESULT_CPU,
	CW_RESULT_PROOF = 11
};
enum { CW_STATE_OPEN, CW_STATE_DISPROVED, CW_STATE_PROVED };
enum { CW_HEARTBEAT_DONE = 1, CW_HEARTBEAT_NODES, CW_HEARTBEAT_IN_HAND };
enum { CW_CANCEL_ID = 1 };
enum { CW_SHARING_RATE = 1 };
enum { CW_REFUSE_ID = 1, CW_REFUSE_WHY, CW_REFUSE_TEXT };

/* Maximum sizes in bytes, tag and length included. */
enum {
	CW_TEXT_FIELD = 3 + CW_NAME_MAX,
	CW_GAME_FIELD = 3 + CW_TEXT_FIELD + 10,
	CW_SOLVED_NUMBERS = 3 + 3 + 5 * 7 /* a solved position without its key */
};

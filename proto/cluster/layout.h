/* Layout: what wire_read.c and wire_write.c share of CLUSTER.md: places in the envelope, and the fields of bodies. */
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

/* How the value of a field is written, and what the member of a body is. */
enum cw_type {
	CW_BIT, /* uint8_t */
	CW_U16, /* numbers are varints */
	CW_I16, /* zigzag */
	CW_U32,
	CW_U64,
	CW_MOVE,  /* uint16_t: move + 1, so that PD_NO_MOVE is 0 */
	CW_STATE, /* of a result: `solved`, and after it `proved` */
	CW_WORD,  /* uint64_t that is usually large, such as a digest: eight bytes */
	CW_NAME,  /* struct cw_text */
	CW_SAID,  /* the same for people: the writer cuts it at CW_NAME_MAX, and makes what is not printable a "?" */
	CW_KEY,   /* const uint8_t *, and next to it the size, uint16_t */
	CW_PROOF
};

/* A field of a body: all that the reader and the writer know of it. Numbers that are 0 and empty texts are left out. */
struct cw_field {
	uint8_t tag, type;
	uint16_t at;      /* offset of the member */
	const char *name; /* in errors */
};

/* The rows of each body; the last has tag 0 and the name of the body. */
extern const struct cw_field cw_hello_fields[], cw_game_fields[], cw_task_fields[], cw_known_fields[],
	cw_solved_fields[], cw_result_fields[], cw_heartbeat_fields[], cw_cancel_fields[], cw_refuse_fields[],
	cw_sharing_fields[];

/* Fields that are lists. */
enum { CW_HELLO_GAME = 6, CW_KNOWN_SOLVED = 3, CW_HEARTBEAT_IN_HAND = 3 };
enum { CW_STATE_OPEN, CW_STATE_DISPROVED, CW_STATE_PROVED };

/* Sets the members that do not go with `solved` to 0 or PD_NO_MOVE. */
void cw_result_clear(struct cw_result *result);

/* Maximum sizes in bytes, tag and length included. */
enum {
	CW_TEXT_FIELD = 3 + CW_NAME_MAX,
	CW_GAME_FIELD = 3 + CW_TEXT_FIELD + 10,
	CW_SOLVED_NUMBERS = 3 + 3 + 5 * 7 /* a solved position without its key */
};

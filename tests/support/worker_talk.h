/* Worker talk: a worker (server/worker) in this process, with the test as its coordinator. The port between them loses
 * nothing; messages of the worker wait in a list until the test takes them. Failures end the test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/cluster/wire_read.h"
#include "server/worker/worker.h"
#include "solver/games/game.h"

struct talk;

/* Starts a worker. `config`: its port is filled in here. */
struct talk *talk_open(const struct wk_config *config);
/* Closes it; it must not be closed already. */
void talk_close(struct talk *talk);
struct wk_worker *talk_worker(struct talk *talk);
/* Ends the worker with wk_stop and returns the result of wk_wait. */
int talk_stop(struct talk *talk, struct pd_fail *fail);

/* --- sending, as coordinator of an epoch ------------------------------------------------------- */

void talk_epoch(struct talk *talk, uint64_t epoch);
/* Sets the key that seals messages; NULL: none. */
void talk_seal(struct talk *talk, const struct cw_seal *seal);
/* A message for the worker: begun, filled by the cw_put_... functions, sent. */
struct pd_buf *talk_begin(struct talk *talk, enum cw_kind kind);
void talk_send(struct talk *talk);
/* The same for all workers. */
struct pd_buf *talk_begin_all(struct talk *talk, enum cw_kind kind);
/* Tells a welcome worker how many bytes a second of solved positions it may send; 0: none. */
void talk_share(struct talk *talk, uint64_t rate);
/* Sends arbitrary bytes. */
void talk_bytes(struct talk *talk, const uint8_t *data, size_t size);
/* Sends a message without bodies. */
void talk_say(struct talk *talk, enum cw_kind kind);
/* Reports the port as connected or lost. */
void talk_connected(struct talk *talk, bool connected);
/* With `lose`, messages of the worker are lost and the worker is told so. */
void talk_lose(struct talk *talk, bool lose);

/* A task: a position of a game, whether First gets at least `threshold`, `budget` nodes. */
struct talk_task {
	uint64_t id;
	const struct game *game;
	const void *state;
	int threshold;
	uint64_t budget;
	struct cw_rival rival;
};
/* Fills in a task of the wire, with the usual options. `key` is room for its key. */
void talk_task(const struct talk_task *task, uint8_t key[GAME_KEY_MAX], struct cw_task *out);
/* Sends a message of one task. */
void talk_give(struct talk *talk, const struct talk_task *task);

/* --- receiving ---------------------------------------------------------------------------------- */

/* Waits for the next message. *reader is valid until the next call. */
void talk_next(struct talk *talk, struct cw_reader *reader);
/* Waits for the next message of that kind and drops others before it. */
void talk_hear(struct talk *talk, enum cw_kind kind, struct cw_reader *reader);
/* Waits for the next result; a message may have several. */
const struct cw_result *talk_result(struct talk *talk);
/* The next solved positions of the message that the last result came in; false: there are no more. */
bool talk_shared(struct talk *talk, struct cw_known *out);
/* Waits for a refusal. */
const struct cw_refuse *talk_refusal(struct talk *talk);
/* Whether a message of that kind is waiting. */
bool talk_has(struct talk *talk, enum cw_kind kind);
/* Hello and welcome. */
void talk_welcome(struct talk *talk);
/* Waits until a heartbeat of this epoch lists exactly these, in any order. */
void talk_in_hand(struct talk *talk, const uint64_t *ids, unsigned count);
/* The worker's number; whether the port was closed. */
uint64_t talk_number(const struct talk *talk);
bool talk_closed(struct talk *talk);

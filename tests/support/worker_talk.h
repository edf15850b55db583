/* Worker talk: a worker (server/worker) in this process, and a test in the place of its coordinator. The port between
 * them loses nothing; what the worker says waits in a list until the test asks for it. Failures end the test. */
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
/* Ends its life by wk_stop, and says what wk_wait says. */
int talk_stop(struct talk *talk, struct pd_fail *fail);

/* --- what the test says, as coordinator of an epoch ------------------------------------------- */

void talk_epoch(struct talk *talk, uint64_t epoch);
/* The key that messages are sealed with from now on; NULL: none. */
void talk_seal(struct talk *talk, const struct cw_seal *seal);
/* A message for the worker: begun, filled by the cw_put_... functions, sent. */
struct pd_buf *talk_begin(struct talk *talk, enum cw_kind kind);
void talk_send(struct talk *talk);
/* The same for all workers. */
struct pd_buf *talk_begin_all(struct talk *talk, enum cw_kind kind);
/* Any bytes. */
void talk_bytes(struct talk *talk, const uint8_t *data, size_t size);
/* A message without bodies. */
void talk_say(struct talk *talk, enum cw_kind kind);
/* The port is there, or is lost. */
void talk_connected(struct talk *talk, bool connected);
/* From now on what the worker sends is lost, and it is told so. */
void talk_lose(struct talk *talk, bool lose);

/* A task: a position of a game, whether First gets at least `threshold`, `budget` nodes. */
struct talk_task {
	uint64_t id;
	const struct game *game;
	const void *state;
	int threshold;
	uint64_t budget;
};
/* Fills in what the wire wants, with the usual options. `key`: room for it. */
void talk_task(const struct talk_task *task, uint8_t key[GAME_KEY_MAX], struct cw_task *out);
/* A message of one task. */
void talk_give(struct talk *talk, const struct talk_task *task);

/* --- what the worker says ----------------------------------------------------------------------- */

/* Waits for its next message. *reader points to what stays until the next call. */
void talk_next(struct talk *talk, struct cw_reader *reader);
/* The next of that kind; others before it are thrown away. */
void talk_hear(struct talk *talk, enum cw_kind kind, struct cw_reader *reader);
/* Waits for the next result, of one message after the other. */
const struct cw_result *talk_result(struct talk *talk);
/* Waits for a refusal. */
const struct cw_refuse *talk_refusal(struct talk *talk);
/* Whether a message of that kind waits already. */
bool talk_has(struct talk *talk, enum cw_kind kind);
/* Hello and welcome. */
void talk_welcome(struct talk *talk);
/* Waits until a heartbeat of this epoch lists exactly these, in any order. */
void talk_in_hand(struct talk *talk, const uint64_t *ids, unsigned count);
/* The worker's number; whether the port was closed. */
uint64_t talk_number(const struct talk *talk);
bool talk_closed(struct talk *talk);

/* Wire, writing: cw_begin, the bodies, cw_end. */
#pragma once

#include "proto/base/buf.h"
#include "proto/cluster/wire.h"

struct cw_seal;

/* Begins a message in `out`, which is emptied, of version CW_MAJOR.CW_MINOR whatever the envelope says. */
void cw_begin(struct pd_buf *out, const struct cw_envelope *envelope);
/* Bytes that further bodies may take; their room is CW_TASK_ROOM and so on. */
size_t cw_room(const struct pd_buf *out);
/* Bodies; a message of CW_TASKS, CW_RESULTS or CW_CANCEL has several, up to CW_BATCH_MAX. A body that exceeds a limit
 * (CW_KEY_MAX, CW_GAMES_MAX, ...) or for which there is no room makes the message fail (cw_end). The texts of CW_HELLO
 * and CW_REFUSE, except names of games, are cut at CW_NAME_MAX bytes, and what is not printable UTF-8 becomes "?". */
void cw_put_hello(struct pd_buf *out, const struct cw_hello *hello);
void cw_put_task(struct pd_buf *out, const struct cw_task *task);
/* Solved positions of a game, next to the results of a message, or in one of CW_SHARED. */
void cw_put_known(struct pd_buf *out, const struct cw_known *known);
/* The same from a body of another message (cw_next_shared). */
void cw_put_shared(struct pd_buf *out, const uint8_t *body, size_t size);
void cw_put_result(struct pd_buf *out, const struct cw_result *result);
void cw_put_heartbeat(struct pd_buf *out, const struct cw_heartbeat *heartbeat);
void cw_put_cancel(struct pd_buf *out, uint64_t id);
void cw_put_refuse(struct pd_buf *out, const struct cw_refuse *refuse);
void cw_put_sharing(struct pd_buf *out, uint64_t rate);
/* Ends the message, with a seal unless it is NULL. False when it is too large, is not well formed or memory ran
 * out; cw_open accepts every other message. */
bool cw_end(struct pd_buf *out, const struct cw_seal *seal);

#include "server/proofs/certificates/export_gathered.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"

enum { WAITING_MAX = 8 << 20 /* bytes of log entries; more are written without waiting for a state */ };

/* The first byte of a log entry. */
enum {
	LOG_RECORD,    /* a reason of a record: varint bytes of the key, key, reason */
	LOG_POSTPONED, /* the same of a postponed leaf */
	LOG_TAKEN,     /* the last postponed leaf is taken up */
	LOG_CARD       /* bytes that are appended to the cards */
};

void sv_gathered_init(struct sv_gathered *g)
{
	*g = (struct sv_gathered){.leaves_left = 0};
	sv_export_records_init(&g->records);
	sv_export_records_init(&g->maybe);
	pd_buf_init(&g->needs, SIZE_MAX / 2);
	pd_buf_init(&g->leaves, SIZE_MAX / 2);
}

void sv_gathered_fini(struct sv_gathered *g, bool keep)
{
	sv_export_log_close(&g->log, keep);
	sv_export_records_fini(&g->records);
	sv_export_records_fini(&g->maybe);
	pd_buf_fini(&g->needs);
	pd_buf_fini(&g->leaves);
}

bool sv_gathered_meet(const struct sv_gathered *g, const uint8_t *key, const struct sv_need *need)
{
	return sv_export_records_meet(&g->records, key, need) || sv_export_records_meet(&g->maybe, key, need);
}

/* --- needs -------------------------------------------------------------------------------- */

static int put_need(struct pd_buf *stack, const uint8_t *key, const struct sv_need *need, struct pd_fail *fail)
{
	pd_buf_put(stack, key, need->size);
	pd_buf_put(stack, need, sizeof *need);
	return stack->failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate") : PD_OK;
}

static void take_need(struct pd_buf *stack, uint8_t *key, struct sv_need *need)
{
	PD_ASSERT(stack->size > sizeof *need);
	stack->size -= sizeof *need;
	memcpy(need, stack->data + stack->size, sizeof *need);
	PD_ASSERT(need->size >= 1 && need->size <= GAME_KEY_MAX && need->size <= stack->size);
	stack->size -= need->size;
	memcpy(key, stack->data + stack->size, need->size);
}

int sv_gathered_need(struct sv_gathered *g, const uint8_t *key, const struct sv_need *need, struct pd_fail *fail)
{
	return put_need(&g->needs, key, need, fail);
}

static void take_postponed(struct sv_gathered *g, uint8_t *key, struct sv_need *need)
{
	take_need(&g->leaves, key, need);
	PD_ASSERT(g->leaves_left > 0);
	g->leaves_left--;
}

bool sv_gathered_take(struct sv_gathered *g, uint8_t *key, struct sv_need *need)
{
	static const uint8_t taken = LOG_TAKEN;
	bool postponed = !g->needs.size;
	if (postponed) {
		sv_export_log_put(&g->log, &taken, sizeof taken);
		take_postponed(g, key, need);
	} else {
		take_need(&g->needs, key, need);
	}
	return postponed;
}

/* --- records ------------------------------------------------------------------------------ */

static void log_reason(struct sv_gathered *g, unsigned kind, const uint8_t *key, size_t size, const struct pd_reason *r)
{
	uint8_t bytes[1 + PD_VARINT_MAX + GAME_KEY_MAX + SV_EXPORT_REASON_MAX], *p = bytes;
	PD_ASSERT(size <= GAME_KEY_MAX);
	*p++ = (uint8_t)kind;
	p = pd_put_varint(p, size);
	memcpy(p, key, size);
	p = sv_export_reason_put(p + size, r);
	sv_export_log_put(&g->log, bytes, (size_t)(p - bytes));
}

int sv_gathered_put(struct sv_gathered *g, const uint8_t *key, size_t size, const struct pd_reason *r,
		    struct pd_fail *fail)
{
	log_reason(g, LOG_RECORD, key, size, r);
	return sv_export_records_put(&g->records, key, size, r, fail);
}

uint32_t sv_gathered_card(struct sv_gathered *g, const struct game_theorem *theorem, const uint8_t *witness)
{
	struct pd_buf *cards = &g->records.cards;
	uint8_t bytes[1 + 2 * GAME_WITNESS_MAX];
	size_t before = cards->size;
	uint32_t place = sv_certificate_card(cards, theorem->number, witness, theorem->witness);
	if (!place)
		return 0;
	size_t size = cards->size - before;
	PD_ASSERT(size < sizeof bytes);
	bytes[0] = LOG_CARD;
	memcpy(bytes + 1, cards->data + before, size);
	sv_export_log_put(&g->log, bytes, size + 1);
	return place;
}

static int keep_postponed(struct sv_gathered *g, const uint8_t *key, size_t size, const struct pd_reason *leaf,
			  struct pd_fail *fail)
{
	struct sv_need need = {leaf->side, leaf->bound, (uint16_t)(leaf->rank + 1), (uint16_t)size};
	int rc = sv_export_records_put(&g->maybe, key, size, leaf, fail);
	if (!rc)
		rc = put_need(&g->leaves, key, &need, fail);
	g->leaves_left++;
	g->leaves_most = g->leaves_left > g->leaves_most ? g->leaves_left : g->leaves_most;
	return rc;
}

int sv_gathered_postpone(struct sv_gathered *g, const uint8_t *key, size_t size, const struct pd_reason *leaf,
			 struct pd_fail *fail)
{
	log_reason(g, LOG_POSTPONED, key, size, leaf);
	return keep_postponed(g, key, size, leaf, fail);
}

/* --- the state ---------------------------------------------------------------------------- */

/* Writes what is logged, with the state after it: the answer, what is counted of positions that are played out, and the
 * stack of needs. */
static int log_state(struct sv_gathered *g, const struct sv_played *played, struct pd_fail *fail)
{
	struct pd_buf bytes;
	pd_buf_init(&bytes, SIZE_MAX / 2);
	pd_buf_put(&bytes, &g->answer, sizeof g->answer);
	sv_played_save(played, &bytes);
	pd_buf_put(&bytes, g->needs.data, g->needs.size);
	int rc = sv_export_log_write(&g->log, &bytes, fail);
	pd_buf_fini(&bytes);
	return rc;
}

int sv_gathered_keep(struct sv_gathered *g, bool whole, const struct sv_played *played, struct pd_fail *fail)
{
	if (whole)
		return sv_export_log_is_due(&g->log) ? log_state(g, played, fail) : PD_OK;
	return g->log.entries.size > WAITING_MAX ? sv_export_log_write(&g->log, NULL, fail) : PD_OK;
}

int sv_gathered_complete(struct sv_gathered *g, const struct sv_played *played, struct pd_fail *fail)
{
	PD_ASSERT(!g->needs.size && !g->leaves.size);
	return g->log.file ? log_state(g, played, fail) : PD_OK;
}

static int refuse_log(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_CORRUPT, "file", "the log of an export is malformed");
}

static int replay_reason(struct sv_gathered *g, bool postponed, const uint8_t *p, const uint8_t *end,
			 struct pd_fail *fail)
{
	uint64_t size = 0;
	struct pd_reason r;
	p = pd_get_varint(p, end, &size);
	if (!p || !size || size > GAME_KEY_MAX || size > (size_t)(end - p))
		return refuse_log(fail);
	const uint8_t *key = p;
	p = sv_export_reason_get(p + size, end, &r);
	if (p != end || r.job > g->records.cards.size)
		return refuse_log(fail);
	return postponed ? keep_postponed(g, key, size, &r, fail)
			 : sv_export_records_put(&g->records, key, size, &r, fail);
}

static int replay_entry(struct sv_gathered *g, const uint8_t *p, size_t size, struct pd_fail *fail)
{
	uint8_t key[GAME_KEY_MAX];
	struct sv_need need;
	PD_ASSERT(size >= 1);
	switch (*p) {
	case LOG_RECORD:
	case LOG_POSTPONED:
		return replay_reason(g, *p == LOG_POSTPONED, p + 1, p + size, fail);
	case LOG_TAKEN:
		if (!g->leaves_left)
			return refuse_log(fail);
		take_postponed(g, key, &need);
		return PD_OK;
	case LOG_CARD:
		pd_buf_put(&g->records.cards, p + 1, size - 1);
		return PD_OK;
	default:
		return refuse_log(fail);
	}
}

/* Whether bytes are a stack of needs. */
static bool is_stack(const uint8_t *begin, const uint8_t *end)
{
	struct sv_need need;
	while (begin < end) {
		if ((size_t)(end - begin) < sizeof need)
			return false;
		end -= sizeof need;
		memcpy(&need, end, sizeof need);
		if (!need.size || need.size > GAME_KEY_MAX || need.size > (size_t)(end - begin))
			return false;
		end -= need.size;
	}
	return true;
}

/* The context of a reader. */
struct replay {
	struct sv_gathered *g;
	struct sv_played *played;
};

static int replay_next(void *ctx, const uint8_t *p, size_t size, struct pd_fail *fail)
{
	const struct replay *replay = ctx;
	return replay_entry(replay->g, p, size, fail);
}

static int replay_state(void *ctx, const uint8_t *p, size_t size, struct pd_fail *fail)
{
	const struct replay *replay = ctx;
	struct sv_gathered *g = replay->g;
	const uint8_t *end = p + size;
	if (size < sizeof g->answer)
		return refuse_log(fail);
	memcpy(&g->answer, p, sizeof g->answer);
	p += sizeof g->answer;
	if (!sv_played_load(replay->played, &p, end) || !is_stack(p, end))
		return refuse_log(fail);
	pd_buf_put(&g->needs, p, (size_t)(end - p));
	g->resumed = true;
	return g->needs.failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate") : PD_OK;
}

int sv_gathered_open(struct sv_gathered *g, const char *path, const char *title, struct sv_played *played,
		     struct pd_fail *fail)
{
	struct replay replay = {g, played};
	const struct sv_export_log_reader reader = {replay_next, replay_state, &replay};
	return sv_export_log_open(&g->log, path, title, &reader, fail);
}

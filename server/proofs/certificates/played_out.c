#include "server/proofs/certificates/played_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "solver/goal.h"
#include "solver/question.h"

enum {
	CHECK_FIRST = 20000, /* positions at which the first estimate is made; the next ones at double */
	FAR_ABOVE = 8,       /* an estimate of that many times SV_PLAYED_MAX ends the export */
	SPAN = 8,            /* ranks between the two finished sizes that an estimate compares, at most */
	TIME_CALLS = 1024,   /* calls of sv_played_check from one look at the clock to the next */
	MISSES_FEW = 4       /* plain searches that must find a leaf for each that misses one */
};

struct open {
	size_t stack;
	uint64_t positions; /* when it was opened */
	unsigned rank;
};

void sv_played_init(struct sv_played *played, const struct game *game)
{
	*played = (struct sv_played){.game = game, .check_at = CHECK_FIRST, .pointless = SV_PLAYED_EFFORTS};
	pd_buf_init(&played->open, SIZE_MAX / 2);
}

void sv_played_fini(struct sv_played *played)
{
	pd_buf_fini(&played->open);
}

/* The members of struct sv_played that last. */
struct saved {
	uint64_t before, check_at, spent_ns;
	uint64_t finished[SV_PLAYED_RANKS];
	uint32_t tried[SV_PLAYED_EFFORTS][2];
	uint32_t pointless, far;
};

void sv_played_save(const struct sv_played *played, struct pd_buf *out)
{
	struct saved s = {.before = played->before,
			  .check_at = played->check_at,
			  .spent_ns = played->spent_ns,
			  .pointless = played->pointless,
			  .far = played->far};
	PD_ASSERT(!played->open.size);
	memcpy(s.finished, played->finished, sizeof s.finished);
	memcpy(s.tried, played->tried, sizeof s.tried);
	pd_buf_put(out, &s, sizeof s);
}

bool sv_played_load(struct sv_played *played, const uint8_t **p, const uint8_t *end)
{
	struct saved s;
	if ((size_t)(end - *p) < sizeof s)
		return false;
	memcpy(&s, *p, sizeof s);
	*p += sizeof s;
	played->before = s.before;
	played->check_at = s.check_at;
	played->spent_ns = s.spent_ns;
	played->pointless = s.pointless;
	played->far = s.far != 0;
	memcpy(played->finished, s.finished, sizeof s.finished);
	memcpy(played->tried, s.tried, sizeof s.tried);
	return true;
}

bool sv_played_knows(const struct sv_played *played, const void *state, const struct pd_reason *leaf)
{
	const struct pn_goal goal = pn_goal_of(played->game, leaf);
	struct question q = question_of(played->game, goal.threshold);
	uint32_t num[2], effort;
	return question_static_solve(&q, state, num, &effort) && (num[0] == 0) == goal.proof;
}

static unsigned bit_length(uint32_t effort)
{
	return effort ? 32 - (unsigned)__builtin_clz(effort) : 0;
}

bool sv_played_omits_search(const struct sv_played *played, const struct pd_reason *leaf)
{
	return bit_length(leaf->effort) >= played->pointless;
}

void sv_played_count_search(struct sv_played *played, const struct pd_reason *leaf, bool found)
{
	unsigned bits = bit_length(leaf->effort);
	uint32_t *tried = played->tried[bits];
	tried[found]++;
	if ((uint64_t)tried[0] * MISSES_FEW > tried[1] && bits < played->pointless)
		played->pointless = bits;
}

/* --- counting ----------------------------------------------------------------------------- */

static struct open *first_open(const struct sv_played *played)
{
	return (struct open *)(void *)played->open.data;
}

bool sv_played_is_open(const struct sv_played *played)
{
	return played->open.size > 0;
}

int sv_played_open(struct sv_played *played, unsigned rank, size_t stack, uint64_t positions, struct pd_fail *fail)
{
	const struct open open = {stack, positions, rank};
	if (!played->open.size)
		played->began_ns = pd_cpu_ns();
	pd_buf_put(&played->open, &open, sizeof open);
	return played->open.failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate") : PD_OK;
}

static uint64_t count_played(const struct sv_played *played, uint64_t positions)
{
	return played->before + (played->open.size ? positions - first_open(played)->positions : 0);
}

void sv_played_close(struct sv_played *played, size_t stack, uint64_t positions)
{
	while (played->open.size) {
		const struct open *last = first_open(played) + played->open.size / sizeof *last - 1;
		uint64_t size = positions - last->positions;
		PD_ASSERT(positions >= last->positions);
		if (last->stack < stack)
			return;
		if (last->rank < SV_PLAYED_RANKS && played->finished[last->rank] < size)
			played->finished[last->rank] = size;
		if (last == first_open(played)) {
			played->before += size;
			played->spent_ns += pd_cpu_ns() - played->began_ns;
		}
		played->open.size -= sizeof *last;
	}
}

/* Positions below the leaf that is being played out, and below those before it; at least those that there are. */
static double estimate_size(const struct sv_played *played, uint64_t positions)
{
	double count = (double)count_played(played, positions);
	unsigned rank = played->open.size ? first_open(played)->rank : 0, top = 0, low = 0;
	for (unsigned i = 1; i < rank && i < SV_PLAYED_RANKS; i++)
		top = played->finished[i] ? i : top;
	for (unsigned i = top; i-- > 1 && i + SPAN >= top;)
		if (played->finished[i] && (top - i) % 2 == 0)
			low = i;
	if (!low || rank >= SV_PLAYED_RANKS || played->finished[top] <= played->finished[low])
		return count;
	double growth = pow((double)played->finished[top] / (double)played->finished[low], 1.0 / (top - low));
	double size = (double)played->before + (double)played->finished[top] * pow(growth, rank - top);
	return size > count ? size : count;
}

int sv_played_refuse(const struct sv_played *played, uint64_t positions, struct pd_fail *fail)
{
	double size = estimate_size(played, positions);
	char text[40];
	if (size < 1e9)
		snprintf(text, sizeof text, "%.0f million", ceil(size / 1e6));
	else
		snprintf(text, sizeof text, "10^%.0f", round(log10(size)));
	return pd_fail_set(fail, PD_E_LIMIT, "position",
			   "the proof is too large: it rests on theorems of the game, which a certificate plays out by "
			   "the rules, and that takes an estimated %s positions; at most %d million, %d minutes of "
			   "processor time and 2 GiB are spent on it. Solve it by the rules alone, with the option "
			   "knowledge=no, in another data directory",
			   text, SV_PLAYED_MAX / 1000000, SV_PLAYED_SECONDS / 60);
}

static bool is_out_of_time(struct sv_played *played)
{
	if (!played->open.size || ++played->calls % TIME_CALLS)
		return false;
	return played->spent_ns + pd_cpu_ns() - played->began_ns > (uint64_t)SV_PLAYED_SECONDS * 1000000000;
}

int sv_played_check(struct sv_played *played, uint64_t positions, struct pd_fail *fail)
{
	uint64_t count = count_played(played, positions);
	bool too_large = is_out_of_time(played);
	if (count >= played->check_at) {
		bool was_far = played->far;
		played->check_at = 2 * count < SV_PLAYED_MAX ? 2 * count : SV_PLAYED_MAX + 1;
		played->far = estimate_size(played, positions) > (double)FAR_ABOVE * SV_PLAYED_MAX;
		too_large |= count > SV_PLAYED_MAX || (was_far && played->far);
	}
	return too_large ? sv_played_refuse(played, positions, fail) : PD_OK;
}

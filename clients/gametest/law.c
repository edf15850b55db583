#include "clients/gametest/law.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"

static const struct gt_law *const laws[] = {cl_laws_moves, cl_laws_keys,   cl_laws_text,  cl_laws_optional,
					    cl_laws_board, cl_laws_search, cl_laws_cards, cl_laws_dominance};

const struct gt_law *cl_gt_law(unsigned index)
{
	for (unsigned i = 0; i < sizeof laws / sizeof *laws; i++)
		for (const struct gt_law *law = laws[i]; law->name; law++)
			if (!index--)
				return law;
	return NULL;
}

/* The moves from the start, as text. */
static void print_path(struct gt *t)
{
	struct gt_report *r = t->report;
	struct gt_state s;
	char text[GAME_TEXT_MAX];
	size_t used = 0;
	memset(&s, 0, sizeof s);
	t->rules->start(t->game, &s);
	for (unsigned i = 0; i < r->plies; i++) {
		t->rules->move_print(t->game, &s, r->moves[i], text, sizeof text);
		if (used + strlen(text) + 5 < sizeof r->path)
			used += (size_t)snprintf(r->path + used, sizeof r->path - used, "%s%s", i ? " " : "", text);
		t->rules->play(t->game, &s, r->moves[i]);
	}
	t->rules->print(t->game, &s, text, sizeof text);
	snprintf(r->position, sizeof r->position, "%s", text);
}

void cl_gt_broken_text(struct gt *t, const char *text)
{
	struct gt_report *r = t->report;
	if (!r->broken) { /* else print_path itself has failed */
		snprintf(r->what, sizeof r->what, "%s", text);
		r->broken = true;
		print_path(t);
	}
	_exit(GT_EXIT_BROKEN);
}

void cl_gt_broken(struct gt *t, const char *format, ...)
{
	char text[sizeof t->report->what];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	cl_gt_broken_text(t, text);
}

unsigned cl_gt_below(struct gt *t, unsigned n)
{
	PD_ASSERT(n > 0);
	return (unsigned)(pd_random_next(&t->seed) % n);
}

static void fill_spare(void *at, size_t used, size_t size)
{
	memset((uint8_t *)at + used, GT_SPARE_BYTE, size - used);
}

static bool is_spared(const void *at, size_t used, size_t size)
{
	const uint8_t *bytes = at;
	for (size_t i = used; i < size; i++)
		if (bytes[i] != GT_SPARE_BYTE)
			return false;
	return true;
}

static void check_state(struct gt *t, const struct gt_state *s, const char *member)
{
	if (!is_spared(s, t->game->state_size, sizeof *s))
		cl_gt_broken(t, "%s writes beyond the %u bytes of a state", member, (unsigned)t->game->state_size);
}

void cl_gt_watch(unsigned seconds)
{
	const struct itimerval limit = {.it_value.tv_sec = seconds};
	setitimer(ITIMER_PROF, &limit, NULL);
	alarm(seconds * GT_ASLEEP);
}

void cl_gt_start(struct gt *t, struct gt_state *s)
{
	cl_gt_watch(GT_LOOP_S);
	memset(s, 0, sizeof *s);
	fill_spare(s, t->game->state_size, sizeof *s);
	t->report->plies = 0;
	t->rules->start(t->game, s);
	check_state(t, s, "start");
}

void cl_gt_step(struct gt *t, struct gt_state *s, game_move move)
{
	PD_ASSERT(t->report->plies < GT_PATH_MAX);
	t->rules->play(t->game, s, move);
	t->report->moves[t->report->plies++] = move;
	check_state(t, s, "play");
}

void cl_gt_child(struct gt *t, const struct gt_state *s, game_move move, struct gt_state *out)
{
	memcpy(out, s, sizeof *out);
	t->rules->play(t->game, out, move);
	check_state(t, out, "play");
}

void cl_gt_position(struct gt *t, struct gt_state *s)
{
	unsigned most = t->game->plies_max && t->game->plies_max < 400 ? t->game->plies_max : 120;
	struct gt_moves moves;
	cl_gt_start(t, s);
	t->report->positions++;
	for (unsigned left = cl_gt_below(t, most + 1); left; left--) {
		cl_gt_moves(t, s, &moves);
		if (!moves.count)
			break;
		cl_gt_step(t, s, moves.at[cl_gt_below(t, moves.count)]);
	}
	cl_gt_watch(GT_LOOP_S);
}

void cl_gt_list(struct gt *t, const struct gt_state *s, const char *member,
		unsigned (*list)(const struct game *, const void *, game_move *), struct gt_moves *out)
{
	unsigned most = t->game->moves_max;
	fill_spare(out->at + most, 0, GT_SPARE);
	out->count = list(t->game, s, out->at);
	if (out->count > most)
		cl_gt_broken(t, "%s gives %u moves; moves_max is %u", member, out->count, most);
	if (!is_spared(out->at + most, 0, GT_SPARE))
		cl_gt_broken(t, "%s writes beyond its room of moves_max = %u moves", member, most);
}

void cl_gt_moves(struct gt *t, const struct gt_state *s, struct gt_moves *out)
{
	cl_gt_list(t, s, "moves", t->rules->moves, out);
}

void cl_gt_key(struct gt *t, const struct gt_state *s, struct gt_key *out)
{
	unsigned most = t->game->key_size_max;
	fill_spare(out->bytes, 0, sizeof out->bytes);
	out->size = t->rules->key(t->game, s, out->bytes);
	if (!out->size || out->size > most)
		cl_gt_broken(t, "key has %zu bytes; key_size_max is %u", out->size, most);
	if (!is_spared(out->bytes, most, sizeof out->bytes))
		cl_gt_broken(t, "key writes more than key_size_max = %u bytes", most);
}

bool cl_gt_equal_keys(const struct gt_key *a, const struct gt_key *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

bool cl_gt_same_key(struct gt *t, const struct gt_state *a, const struct gt_state *b)
{
	struct gt_key k, l;
	cl_gt_key(t, a, &k);
	cl_gt_key(t, b, &l);
	return cl_gt_equal_keys(&k, &l);
}

void cl_gt_canonical(struct gt *t, const struct gt_state *s, struct gt_state *out)
{
	struct gt_key key;
	cl_gt_key(t, s, &key);
	memset(out, 0, sizeof *out);
	fill_spare(out, t->game->state_size, sizeof *out);
	int rc = t->rules->unkey(t->game, key.bytes, key.size, out);
	if (rc)
		cl_gt_broken(t, "unkey refuses the key of this position");
	check_state(t, out, "unkey");
}

bool cl_gt_has(struct gt *t, bool there, const char *member)
{
	if (!there)
		snprintf(t->report->note, sizeof t->report->note, "nothing to try: the game has no %s", member);
	return there;
}

struct gt_text cl_gt_move_text(struct gt *t, const struct gt_state *s, game_move move)
{
	struct gt_text out = {""};
	t->rules->move_print(t->game, s, move, out.text, sizeof out.text);
	out.text[sizeof out.text - 1] = 0;
	return out;
}

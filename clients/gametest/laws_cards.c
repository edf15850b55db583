/* Cards: the witness of each theorem, put to proofcheck as a certificate with one record.
 *
 * proofcheck has its own rules of the game, or those of --rules. It must accept what the theorem gives where it gives
 * it. The same card with another byte, without one of its squares or groups, with another bound or side, or at
 * another position, it may accept only where the plain analysis finds that the bound is true; with a rank below the
 * theorem's plies, never. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/gametest/law.h"
#include "clients/gametest/oracle.h"
#include "proto/rpc.h"
#include "server/proofs/certificates/certificate.h"
#include "server/proofs/certificates/checker.h"

enum {
	REACHED_MAX = 3000, /* positions that one analysis reaches */
	TRIES = 400,        /* positions to begin at */
	CARDS = 12,         /* honest cards */
	ELSEWHERE = 4,      /* other positions at which each of them is tried */
	CHECK_S = 20        /* seconds of processor time for a check */
};

/* A card at a position; `rank` may be another than the theorem's plies. */
struct card {
	struct gt_state state;
	struct pd_reason reason;
	unsigned theorem, size;
	uint8_t witness[GAME_WITNESS_MAX];
};

struct cards {
	struct gt *t;
	const struct gt_oracle *oracle;
	unsigned honest, edited, refused;
	char said[300]; /* why the last one was not accepted */
};

enum verdict { ACCEPTED, REFUSED, UNKNOWN };

/* Writes the certificate whose claim is the card's bound. */
static int write_card(const struct cards *c, const struct card *card, const char *path, struct pd_fail *fail)
{
	const struct game *g = c->t->game;
	const struct pd_reason *r = &card->reason;
	uint8_t key[GAME_KEY_MAX];
	char position[GAME_TEXT_MAX], claim[24];
	bool lower = r->side == PD_LO;
	struct pd_buf cards;
	struct sv_certificate file;
	struct pd_reason reason = *r;
	struct sv_certificate_head head = {.game = g->name,
					   .position = position,
					   .claim = claim,
					   .status = lower ? "proved" : "disproved",
					   .rules = g->rules_version,
					   .plugin = g->plugin_digest,
					   .root = key,
					   .root_size = g->rules->key(g, &card->state, key),
					   .has_lo = lower,
					   .has_hi = !lower,
					   .lo = r->bound,
					   .hi = r->bound,
					   .full = true,
					   .positions = 1,
					   .reasons = 1,
					   .cards = &cards,
					   .with_card = 1};
	g->rules->print(g, &card->state, position, sizeof position);
	snprintf(claim, sizeof claim, "first>=%d", lower ? r->bound : r->bound + g->value_step);
	pd_buf_init(&cards, SIZE_MAX / 2);
	reason.job = sv_certificate_card(&cards, card->theorem, card->witness, card->size);
	int rc = reason.job ? sv_certificate_begin(&file, path, &head, fail)
			    : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a card");
	if (!rc) {
		rc = sv_certificate_put(&file, key, head.root_size, &reason, 1, fail);
		rc = sv_certificate_end(&file, !rc, NULL, fail) || rc;
	}
	pd_buf_fini(&cards);
	return rc;
}

static enum verdict ask_checker(struct cards *c, const struct card *card)
{
	char dir[] = "/tmp/proofctl-XXXXXX", path[sizeof dir + 8];
	struct sv_checker_order order = {.program = c->t->checker,
					 .file = path,
					 .rules = c->t->checker_rules,
					 .rules_program = c->t->checker_program,
					 .seconds = CHECK_S};
	struct pd_fail fail = {.text = "no directory can be made in /tmp"};
	struct pd_buf said;
	struct pr_doc *doc = NULL;
	enum verdict verdict = UNKNOWN;
	pd_buf_init(&said, 1 << 17);
	cl_gt_watch(2 * GT_LOOP_S);
	bool made = mkdtemp(dir) != NULL;
	snprintf(path, sizeof path, "%s/card", dir);
	if (made && !write_card(c, card, path, &fail) && !sv_checker_run(&order, &said, &fail) &&
	    !pr_doc_parse(said.data, said.size, &doc, &fail)) {
		const char *word = pr_get_str(pr_doc_root(doc), "verdict", "");
		verdict = !strcmp(word, "verified") ? ACCEPTED : !strcmp(word, "rejected") ? REFUSED : UNKNOWN;
		snprintf(c->said, sizeof c->said, "%s", pr_get_str(pr_doc_root(doc), "reason", ""));
		pr_doc_free(doc);
	} else {
		snprintf(c->said, sizeof c->said, "%.299s", fail.text);
	}
	pd_buf_fini(&said);
	if (made) {
		unlink(path);
		rmdir(dir);
	}
	return verdict;
}

static bool value_of(const struct cards *c, const struct gt_state *s, int *value)
{
	struct gt_key key;
	cl_gt_key(c->t, s, &key);
	return cl_gt_oracle_value(c->oracle, key.bytes, key.size, value);
}

static bool is_true(const struct cards *c, const struct card *card)
{
	int value;
	return !value_of(c, &card->state, &value) ||
	       (card->reason.side == PD_LO ? value >= card->reason.bound : value <= card->reason.bound);
}

/* Lets the checker judge an edited card; `what` says what was done to it. */
static void try_edited(struct cards *c, const struct card *card, const char *what, bool must_fail)
{
	enum verdict verdict = ask_checker(c, card);
	c->edited++;
	c->refused += verdict != ACCEPTED;
	if (verdict == ACCEPTED && (must_fail || !is_true(c, card)))
		cl_gt_broken(c->t, "proofcheck accepts a card of theorem %u that was edited (%s), for First gets %s %d",
			     card->theorem, what, card->reason.side == PD_LO ? ">=" : "<=", card->reason.bound);
}

/* Cuts one group out of a witness of groups, or one byte out of another. */
static void drop_group(struct gt *t, struct card *card)
{
	unsigned starts[GAME_WITNESS_MAX], count = 0, at = 0, size = 1;
	for (; at < card->size; at += 1 + 2 * card->witness[at])
		starts[count++] = at;
	unsigned from = cl_gt_below(t, card->size);
	if (at == card->size) {
		from = starts[cl_gt_below(t, count)];
		size = 1 + 2 * card->witness[from];
	}
	memmove(card->witness + from, card->witness + from + size, card->size - from - size);
	card->size -= size;
}

static void try_edits(struct cards *c, const struct card *honest)
{
	struct gt *t = c->t;
	const struct game *g = t->game;
	struct card edited = *honest;
	int step = honest->reason.side == PD_LO ? g->value_step : -g->value_step;
	if (honest->size) {
		edited.witness[cl_gt_below(t, edited.size)] ^= (uint8_t)(1 + cl_gt_below(t, 255));
		try_edited(c, &edited, "a byte changed", false);
		edited = *honest;
		drop_group(t, &edited);
		try_edited(c, &edited, "a part dropped", false);
	}
	edited = *honest;
	edited.reason.rank = honest->reason.rank == PD_RANK_NONE ? PD_RANK_MAX : (uint16_t)(honest->reason.rank - 1);
	try_edited(c, &edited, "a rank that the theorem does not give", true);
	edited = *honest;
	edited.reason.bound = (int16_t)(edited.reason.bound + step);
	if (edited.reason.bound >= g->value_min && edited.reason.bound <= g->value_max)
		try_edited(c, &edited, "a stronger bound", false);
	edited = *honest;
	edited.reason.side ^= 1;
	edited.reason.bound = (int16_t)(edited.reason.bound - step);
	if (edited.reason.bound >= g->value_min && edited.reason.bound <= g->value_max)
		try_edited(c, &edited, "the other side", false);
}

/* Tries the card at other positions, where its bound is false. */
static void try_elsewhere(struct cards *c, const struct card *honest, const struct gt_state *root)
{
	struct gt *t = c->t;
	struct gt_moves *moves = malloc(sizeof *moves);
	unsigned plies = t->report->plies, tried = 0;
	int value;
	for (unsigned walk = 0; moves && walk < 10 * ELSEWHERE && tried < ELSEWHERE; walk++) {
		struct card edited = *honest;
		edited.state = *root;
		for (unsigned ply = cl_gt_below(t, 12); ply; ply--) {
			cl_gt_moves(t, &edited.state, moves);
			if (!moves->count)
				break;
			cl_gt_step(t, &edited.state, moves->at[cl_gt_below(t, moves->count)]);
		}
		if (!t->rules->terminal(t->game, &edited.state, &value) && !is_true(c, &edited)) {
			tried++;
			try_edited(c, &edited, "moved to another position", false);
		}
		t->report->plies = plies;
	}
	free(moves);
}

/* The card of a theorem that gives a bound there, for one claim. */
static bool find_card(struct gt *t, const struct gt_state *s, int threshold, struct card *out)
{
	struct game_theorem known;
	int value;
	if (t->rules->terminal(t->game, s, &value) ||
	    (t->rules->immediate_win && t->rules->immediate_win(t->game, s, &value)) ||
	    !t->rules->theorem(t->game, s, threshold, &known, out->witness))
		return false;
	cl_gt_canonical(t, s, &out->state); /* the frame of a witness is that of the key */
	if (!t->rules->theorem(t->game, &out->state, threshold, &known, out->witness))
		return false;
	out->reason = (struct pd_reason){.bound = (int16_t)(known.proved ? threshold : threshold - t->game->value_step),
					 .side = known.proved ? PD_LO : PD_HI,
					 .rank = known.plies == GAME_NO_RANK ? PD_RANK_NONE : known.plies,
					 .move = PD_NO_MOVE};
	out->theorem = known.number;
	out->size = known.witness;
	return true;
}

/* Tries the cards of the positions on one walk; false when the checker does not know the game. */
static bool try_walk(struct cards *c, const struct gt_state *root, struct card *card, struct gt_moves *moves)
{
	struct gt *t = c->t;
	struct gt_state s = *root;
	for (;;) {
		int threshold = t->game->value_min + t->game->value_step;
		for (; threshold <= t->game->value_max && c->honest < CARDS; threshold += t->game->value_step) {
			if (!find_card(t, &s, threshold, card))
				continue;
			enum verdict verdict = ask_checker(c, card);
			if (verdict == UNKNOWN && !c->honest)
				return false;
			if (verdict != ACCEPTED)
				cl_gt_broken(
					t,
					"proofcheck does not accept the card of theorem %u, for First gets %s %d: %s",
					card->theorem, card->reason.side == PD_LO ? ">=" : "<=", card->reason.bound,
					c->said);
			c->honest++;
			try_edits(c, card);
			try_elsewhere(c, card, root);
		}
		cl_gt_moves(t, &s, moves);
		if (!moves->count || c->honest >= CARDS)
			return true;
		cl_gt_step(t, &s, moves->at[cl_gt_below(t, moves->count)]);
	}
}

static bool try_cards(struct cards *c, struct card *card, struct gt_moves *moves)
{
	struct gt_state root;
	bool known = true;
	for (unsigned i = 0; i < TRIES && known && c->honest < CARDS; i++) {
		cl_gt_position(c->t, &root);
		struct gt_oracle *oracle = cl_gt_oracle_new(c->t, &root, REACHED_MAX);
		c->oracle = oracle;
		known = !oracle || try_walk(c, &root, card, moves);
		cl_gt_oracle_free(oracle);
	}
	return known;
}

static void compare_cards(struct gt *t)
{
	struct gt_report *r = t->report;
	struct cards c = {.t = t};
	struct card *card = malloc(sizeof *card);
	struct gt_moves *moves = malloc(sizeof *moves);
	if (!cl_gt_has(t, t->rules->theorem != NULL, "theorem")) {
	} else if (!t->checker || (t->game->plugin_digest && !t->checker_rules && !t->checker_program)) {
		snprintf(r->note, sizeof r->note, "not tried: %s",
			 t->checker ? "--rules names the file with the rules of the game for proofcheck"
				    : "proofcheck is not next to this program");
	} else if (!card || !moves) {
		snprintf(r->note, sizeof r->note, "not tried: no memory");
	} else if (!try_cards(&c, card, moves)) {
		snprintf(r->note, sizeof r->note, "not tried: %.500s", c.said);
	} else {
		r->positions = c.honest;
		snprintf(r->note, sizeof r->note,
			 "%u cards, each accepted; of %u edited ones %u refused, the others true", c.honest, c.edited,
			 c.refused);
	}
	free(card);
	free(moves);
}

const struct gt_law cl_laws_cards[] = {
	{"cards", "proofcheck accepts the witness of every theorem, and of edited ones none that is false",
	 compare_cards},
	{0},
};

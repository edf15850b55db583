/* Random tsume-shogi, by df-pn-plus and by a search of all moves: bench tsume [COUNT [FIRST]].
 *
 * COUNT (2,000) boards from number FIRST (0) on, with up to three pieces in the hand of First. df-pn-plus is asked
 * twice whether First mates, with other options each time: one search thread or two, mostly the smallest table, the
 * second time with the facts of the first or without. A search without a table, which knows nothing but the rules,
 * looks for mates within PLIES plies. Wrong are: an answer "no mate" where it finds one; a mate of so few plies where
 * it finds none within as many; the same of facts, of which one in FACT_SHARE is looked at; facts that others do not
 * justify. What it cannot search within its limit of positions is not compared. Ends with 1 when anything was wrong,
 * 0 otherwise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"
#include "tests/support/factbase.h"
#include "tests/support/interleave.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

enum {
	PLIES = 7,
	FACT_PLIES = 5,
	FACT_SHARE = 16,
	ROOT_LIMIT = 200000,
	FACT_LIMIT = 5000,
	NODES_MAX = 4000,
	SLICE = 2000
};

struct sum {
	uint64_t boards, mates, refuted, open, facts, looked, dominated, nodes, wrong;
};

struct board {
	struct game *game;
	const char *text;
	uint64_t random;
	struct factbase base;
	struct sum *sum;
};

/* --- boards ------------------------------------------------------------------------------- */

/* A piece as SFEN writes it, of First or of Second. */
struct piece {
	char letter;
	bool promoted, second;
};

static void put_piece(struct piece board[9][9], uint64_t *random, unsigned ranks, const char *letters, bool second)
{
	unsigned rank = walk_below(random, ranks), file = walk_below(random, 4);
	char letter = letters[walk_below(random, (unsigned)strlen(letters))];
	if (!board[rank][file].letter)
		board[rank][file] = (struct piece){letter, letter != 'G' && !walk_below(random, 4), second};
}

/* Men of Second round a corner of four by four squares, and others that cannot move, keep the king there and the hand
 * of Second small. */
static void build_wall(struct piece board[9][9], uint64_t *random)
{
	char rest[] = "LLNNSSSSGGGGBBRR";
	unsigned used = 0, most = (unsigned)strlen(rest) - 5 - walk_below(random, 4);
	for (unsigned i = (unsigned)strlen(rest); i > 1; i--) {
		unsigned j = walk_below(random, i);
		char letter = rest[i - 1];
		rest[i - 1] = rest[j];
		rest[j] = letter;
	}
	for (unsigned i = 0; i < 9; i++) {
		board[8][i] = (struct piece){walk_below(random, 12) ? 'P' : 0, false, false};
		board[i < 5 ? 4 : 7][i] = (struct piece){walk_below(random, 12) ? 'P' : 0, false, true};
		if (i < 4)
			board[i][4] = (struct piece){walk_below(random, 12) ? "LNLN"[i] : 0, false, true};
		for (unsigned rank = 5; rank < 7 && used < most; rank++)
			board[rank][i] = (struct piece){rest[used++], false, true};
	}
}

static void random_board(uint64_t *random, char out[200])
{
	struct piece board[9][9] = {0};
	bool filled = walk_below(random, 2);
	unsigned n = 0, men = 1 + walk_below(random, 3), others = walk_below(random, 6), hand = walk_below(random, 4);
	if (filled)
		build_wall(board, random);
	board[walk_below(random, 4)][walk_below(random, 4)] = (struct piece){'K', false, true};
	while (men--)
		put_piece(board, random, 4, filled ? "PLNSGBRPNSG" : "PNSG", false);
	while (others--)
		put_piece(board, random, 4, "PLNSGBR", true);
	for (unsigned rank = 0; rank < 9; rank++) {
		for (unsigned file = 0, empty = 0; file < 9; file++) {
			struct piece p = board[rank][file];
			empty += !p.letter;
			if (empty && (p.letter || file == 8)) {
				out[n++] = (char)('0' + empty);
				empty = 0;
			}
			if (p.promoted)
				out[n++] = '+';
			if (p.letter)
				out[n++] = (char)(p.second ? p.letter | 0x20 : p.letter);
		}
		out[n++] = rank < 8 ? '/' : ' ';
	}
	n += (unsigned)snprintf(out + n, 8, "b ");
	const char *kinds = filled ? "RBGSNLP" : "GSNP";
	unsigned before = n;
	for (const char *c = kinds; *c && hand; c++) {
		unsigned count = walk_below(random, 2 + (*c == 'P')) ? 1 + walk_below(random, 2) : 0;
		count = count > hand ? hand : count;
		hand -= count;
		if (count > 1)
			out[n++] = (char)('0' + count);
		if (count)
			out[n++] = *c;
	}
	if (n == before)
		out[n++] = '-';
	out[n] = 0;
}

/* --- comparison --------------------------------------------------------------------------- */

/* Whether First mates within so many plies. *left is the number of positions that may be looked at; at 0 the result
 * means nothing. */
static bool mates_within(const struct game *game, const void *state, unsigned plies, uint32_t *left)
{
	game_move moves[GAME_MOVES_MAX];
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	int value;
	if (!*left)
		return false;
	--*left;
	if (game->rules->terminal(game, state, &value))
		return value == 1;
	if (!plies)
		return false;
	bool first = game->rules->first_to_move(game, state);
	unsigned count = game->rules->moves(game, state, moves);
	for (unsigned i = 0; i < count; i++) {
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		if (mates_within(game, child, plies - 1, left) == first)
			return first;
	}
	return !first;
}

/* Compares a result with the search of all moves. `rank`: of a mate. */
static void compare_result(struct board *b, const void *state, bool mate, unsigned rank, unsigned plies, uint32_t limit)
{
	char text[GAME_TEXT_MAX];
	unsigned most = mate ? rank : plies;
	if (most > plies)
		return;
	bool found = mates_within(b->game, state, most, &limit);
	b->sum->looked += limit > 0;
	if (!limit || found == mate)
		return;
	b->sum->wrong++;
	b->game->rules->print(b->game, state, text, sizeof text);
	printf("WRONG: %s, rank %u, at %s, of board %s\n", mate ? "a mate" : "no mate", rank, text, b->text);
}

static void take_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *r)
{
	struct board *b = ctx;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	b->sum->facts++;
	b->sum->dominated += r->dominated != 0;
	factbase_add(&b->base, key, size, r);
	if (walk_below(&b->random, FACT_SHARE))
		return;
	if (b->game->rules->unkey(b->game, key, size, state))
		abort();
	compare_result(b, state, r->side == PD_LO, r->rank, FACT_PLIES, FACT_LIMIT);
}

static struct pn_options random_options(uint64_t *random)
{
	struct pn_options o;
	pn_options_init(&o);
	o.algorithm = PN_DFPN_PLUS;
	o.memory = PN_MEMORY_MIN << (walk_below(random, 4) ? 0 : walk_below(random, 9));
	o.threads = 1 + walk_below(random, 2);
	o.detail = (enum pn_detail)walk_below(random, PN_KNOWN + 1);
	o.seed = walk_below(random, 3) ? walk_random(random) >> 8 : 0;
	o.siblings.similar = walk_below(random, 3) ? 0 : 50;
	o.siblings.alike = !walk_below(random, 3);
	o.weak = !walk_below(random, 4);
	return o;
}

static void ask_board(struct board *b, const void *state, const struct pn_host *host)
{
	struct pn_options o = random_options(&b->random);
	struct pn_solver *solver;
	struct pd_claim claim;
	struct pd_fail fail;
	struct pn_progress p;
	struct pn_answer answer;
	struct pn_entry entries[64];
	enum pn_state end;
	if (pd_claim_parse("first-wins", &claim, &fail) ||
	    pn_solver_new(&(struct pn_solver_setup){b->game, state, &claim, &o, host, NULL}, &solver, &fail)) {
		printf("%s\n", fail.text);
		exit(2);
	}
	unsigned threads = interleave_join(solver, o.threads, host);
	do {
		end = threads > 1 ? interleave_round(solver, threads, 50, SLICE, &b->random)
				  : pn_solver_step(solver, SLICE);
		while (pn_solver_take_entries(solver, entries, 64) > 0)
			;
		pn_solver_take_facts(solver, take_fact, b);
		pn_solver_progress(solver, &p);
	} while ((end == PN_RUNNING || end == PN_COLLECT) && p.level1 + p.level2 < NODES_MAX);
	pn_solver_answer(solver, &answer);
	b->sum->open += !answer.answered;
	b->sum->mates += answer.answered && answer.yes;
	b->sum->refuted += answer.answered && !answer.yes;
	b->sum->nodes += p.level1 + p.level2;
	if (answer.answered)
		compare_result(b, state, answer.yes, answer.plies, PLIES, ROOT_LIMIT);
	pn_solver_free(solver);
}

static void compare_board(struct board *b, const void *state)
{
	struct pn_host host = {&b->base, factbase_get};
	unsigned leaves;
	factbase_init(&b->base);
	ask_board(b, state, NULL);
	ask_board(b, state, walk_below(&b->random, 2) ? &host : NULL);
	unsigned bad = factbase_check(&b->base, b->game, &leaves);
	if (bad || b->base.conflicts)
		printf("WRONG: %u facts not justified, %u contradictions, board %s\n", bad, b->base.conflicts, b->text);
	b->sum->wrong += bad + b->base.conflicts;
	factbase_fini(&b->base);
}

PROGRAM(tsume)
{
	typedef unsigned long long ull;
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 2000, first = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	struct sum sum = {0};
	struct game *game;
	if (game_open("tsume", NULL, &game, NULL))
		abort();
	while (sum.boards < count) {
		char text[200];
		struct board b = {.game = game, .text = text, .random = first + sum.boards, .sum = &sum};
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		int value;
		do
			random_board(&b.random, text);
		while (game->rules->parse(game, text, state, NULL) || game->rules->terminal(game, state, &value));
		sum.boards++;
		compare_board(&b, state);
		if (sum.boards % 50 == 0 || sum.boards == count) {
			printf("%llu boards, answers: %llu mates, %llu without, %llu open; %llu facts, %llu by "
			       "dominance; %llu "
			       "results compared; %llu nodes; %llu wrong\n",
			       (ull)sum.boards, (ull)sum.mates, (ull)sum.refuted, (ull)sum.open, (ull)sum.facts,
			       (ull)sum.dominated, (ull)sum.looked, (ull)sum.nodes, (ull)sum.wrong);
			fflush(stdout);
		}
	}
	game_close(game);
	return sum.wrong > 0;
}

/* proofctl play: a walk through a proof. The person takes the side that loses, the program answers with the moves that
 * are proved to win, and searches with a budget where the proof on disk ends. */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/player.h"
#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/lines.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

enum { NAMES = 8 /* moves that a hint names */ };

/* A position of the game so far. */
struct ply {
	char *position; /* owned */
	bool yours;     /* the person's move led to it */
};

struct play {
	const struct cl_options *options;
	struct cl_adviser adviser;
	struct cl_lines lines;
	char game[128];
	struct ply *plies; /* owned */
	unsigned count;
	struct pr_doc *doc; /* owned; NULL: none */
	pr_ref shown;       /* borrowed from `doc`: position.show of the last ply */
	bool you_first;     /* the person is First */
	int number;         /* number of the signal that arrived; 0: none */
	bool quit;
};

static bool is_over(const struct play *p)
{
	return pr_get_bool(p->shown, "terminal", false);
}

static bool is_your_turn(const struct play *p)
{
	return pr_get_bool(p->shown, "first_to_move", true) == p->you_first;
}

static bool wants_json(const struct play *p)
{
	return cl_given(p->options, CL_OPT_JSON);
}

static const char *last_position(const struct play *p)
{
	PD_ASSERT(p->count);
	return p->plies[p->count - 1].position;
}

/* --- events ------------------------------------------------------------------------------- */

/* Prints a remark on stdout, where the conversation is. */
static void say_text(const struct play *p, const char *event, const char *text)
{
	struct pd_fail ignored;
	if (wants_json(p))
		cl_print_members(stdout, &ignored, PR_S("event", event), PR_S("text", text));
	else
		cl_wrap(stdout, text, 0, 0, cl_limit(stdout));
}

/* --- positions ---------------------------------------------------------------------------- */

static const char *shown_notation(const struct play *p)
{
	return p->options->text[CL_OPT_NOTATION];
}

/* Takes the reply to position.show as that of the last position. */
static void take_shown(struct play *p, pr_ref shown)
{
	pr_doc_free(p->doc);
	p->doc = cl_link_keep(p->adviser.link);
	p->shown = shown;
}

/* Adds a position to the game, and takes the reply to position.show. */
static int add_ply(struct play *p, bool yours, pr_ref shown, struct pd_fail *fail)
{
	struct ply *more = realloc(p->plies, (p->count + 1) * sizeof *more);
	char *position = strdup(pr_get_str(shown, "position", ""));
	p->plies = more ? more : p->plies;
	if (!more || !position) {
		free(position);
		return cl_no_memory(fail);
	}
	more[p->count++] = (struct ply){position, yours};
	take_shown(p, shown);
	return PD_OK;
}

/* Asks for the last position, after `move` unless that is NULL. */
static int show_position(const struct play *p, const char *move, const char *notation, pr_ref *shown,
			 struct pd_fail *fail)
{
	bool moved = move != NULL;
	return cl_ask(p->adviser.link, "position.show", shown, fail, PR_S("game", p->game),
		      PR_S("position", last_position(p)), PR_OPT_S("notation", notation),
		      PR_OPT(moved, PR_OPEN_ARRAY("moves")), PR_OPT(moved, PR_S(NULL, move)), PR_OPT(moved, PR_CLOSE));
}

static int begin_game(struct play *p, struct pd_fail *fail)
{
	pr_ref shown;
	int rc = cl_ask_given(p->adviser.link, p->options, PR_POSITION_SHOW, &shown, fail,
			      PR_S("game", p->options->words[0]),
			      PR_S("position", p->options->word_count > 1 ? p->options->words[1] : ""));
	if (rc)
		return rc;
	snprintf(p->game, sizeof p->game, "%s", pr_get_str(shown, "game", ""));
	return add_ply(p, false, shown, fail);
}

/* Plays a move from the last position. PD_E_MOVE: it is not legal. */
static int play_move(struct play *p, const char *move, struct pd_fail *fail)
{
	pr_ref shown;
	int rc = show_position(p, move, shown_notation(p), &shown, fail);
	return rc ? rc : add_ply(p, is_your_turn(p), shown, fail);
}

/* Shows the last position again, after moves were taken back. */
static int show_again(struct play *p, struct pd_fail *fail)
{
	pr_ref shown;
	int rc = show_position(p, NULL, shown_notation(p), &shown, fail);
	if (!rc)
		take_shown(p, shown);
	return rc;
}

static void print_position(const struct play *p)
{
	struct pd_fail ignored;
	if (wants_json(p)) {
		cl_print_members(stdout, &ignored, PR_S("event", "position"),
				 PR_S("position", pr_get_str(p->shown, "position", "")),
				 PR_S("you", p->you_first ? "first" : "second"), PR_B("over", is_over(p)),
				 PR_J("moves", pr_get(p->shown, "moves")),
				 PR_S("text", is_over(p) ? pr_get_str(p->shown, "text", "") : NULL));
		return;
	}
	putchar('\n');
	pd_print_lines(stdout, pr_get_str(p->shown, "board", ""));
	putchar('\n');
	if (is_over(p))
		pd_print(stdout, "the game is over: %s\n", pr_get_str(p->shown, "text", "?"));
}

/* --- the program's moves ------------------------------------------------------------------ */

/* Asks what is known about a position, and searches it for at most `seconds` (0: no limit) if its value is unknown. */
static int search_position(struct play *p, const char *position, double seconds, struct pd_fail *fail)
{
	struct cl_order order = cl_adviser_order(p->options, p->game, position);
	int rc = cl_adviser_run(&p->adviser, &order, seconds, &p->number, fail);
	p->quit |= p->number != 0;
	return rc ? rc : cl_adviser_stop(&p->adviser, fail);
}

/* The winner: 1 First, -1 Second, 0 a draw. False if it is unknown. */
static bool read_winner(const struct cl_advice *a, int *winner)
{
	*winner = a->exact ? (a->lo > 0) - (a->lo < 0) : 0;
	return a->exact;
}

/* What the facts say about the last position: its value in the game's words, "" if unknown; and the effort if
 * the position is a leaf of the proof, else 0. */
static void read_fact(struct play *p, char text[64], int64_t *effort)
{
	pr_ref result;
	struct pd_fail why;
	*text = 0;
	*effort = 0;
	if (cl_ask(p->adviser.link, "fact.query", &result, &why, PR_S("game", p->game),
		   PR_S("position", last_position(p))))
		return;
	pr_ref fact = pr_at(pr_get(result, "facts"), 0);
	if (strcmp(pr_get_str(fact, "source", "none"), "none") != 0)
		snprintf(text, 64, "%s", pr_get_str(fact, "text", ""));
	*effort = pr_get_int(fact, "effort", 0);
}

static int take_sides(struct play *p, struct pd_fail *fail)
{
	const struct cl_advice *a = &p->adviser.advice;
	char text[200], value[64];
	int64_t effort;
	int winner;
	bool first = pr_get_bool(p->shown, "first_to_move", true);
	int rc = search_position(p, last_position(p), cl_adviser_seconds(p->options), fail);
	if (rc || p->quit)
		return rc;
	if (!read_winner(a, &winner))
		return pd_fail_set(fail, PD_E_NO_FACT, "game",
				   "the winner is not known, and a search of %" PRId64
				   " nodes did not find it; allow more with --seconds or --nodes, or solve it first",
				   a->nodes);
	read_fact(p, value, &effort);
	p->you_first = winner ? winner < 0 : first;
	snprintf(text, sizeof text, "%s: you are %s%s. Type a move, or help.", *value ? value : "solved",
		 p->you_first ? "First" : "Second", winner ? "" : ", who is to move");
	say_text(p, "sides", text);
	return PD_OK;
}

/* What the proof says about the last position: "first wins within 7 plies; in the proof". */
static void explain_position(struct play *p, char *out, size_t size)
{
	const struct cl_advice *a = &p->adviser.advice;
	struct cl_text n;
	char value[64], plies[40] = "";
	int64_t effort;
	read_fact(p, value, &effort);
	if (a->exact && a->plies >= 0)
		snprintf(plies, sizeof plies, " within %s", cl_counted(&n, a->plies, "ply"));
	int used = snprintf(out, size, "%s%s; ",
			    !a->exact ? "the value is not known here"
			    : *value  ? value
				      : "solved",
			    plies);
	PD_ASSERT(used > 0 && (size_t)used < size);
	if (a->nodes)
		snprintf(out + used, size - (size_t)used, "searched %s", cl_counted(&n, a->nodes, "node"));
	else if (effort)
		snprintf(out + used, size - (size_t)used, "a leaf of the proof, of about %s",
			 cl_counted(&n, effort, "node"));
	else
		snprintf(out + used, size - (size_t)used, "in the proof");
}

/* Translates a move from the game's own notation to --notation; both lists of moves are in the
 * same order. */
static void translate_move(struct play *p, char *move, size_t size)
{
	pr_ref shown;
	struct pd_fail why;
	if (!shown_notation(p) || show_position(p, NULL, NULL, &shown, &why))
		return;
	pr_ref own = pr_get(shown, "moves");
	for (size_t i = 0; i < pr_count(own); i++)
		if (!strcmp(pr_text(pr_at(own, i), ""), move)) {
			snprintf(move, size, "%s", pr_text(pr_at(pr_get(p->shown, "moves"), i), move));
			return;
		}
}

static int play_answer(struct play *p, struct pd_fail *fail)
{
	const struct cl_advice *a = &p->adviser.advice;
	char reason[200], move[64], text[400];
	int rc = search_position(p, last_position(p), cl_adviser_seconds(p->options), fail);
	if (rc || p->quit)
		return rc;
	explain_position(p, reason, sizeof reason);
	snprintf(move, sizeof move, "%s", a->move[0] ? a->move : pr_text(pr_at(pr_get(p->shown, "moves"), 0), ""));
	translate_move(p, move, sizeof move);
	if (wants_json(p)) {
		cl_print_members(stdout, fail, PR_S("event", "move"), PR_S("move", move), PR_B("proved", a->exact),
				 PR_I("nodes", a->nodes), PR_S("text", reason));
	} else {
		snprintf(text, sizeof text, "I play %s: %s", move, reason);
		say_text(p, "move", text);
	}
	return play_move(p, move, fail);
}

/* --- hints -------------------------------------------------------------------------------- */

/* The outcome of a move for the person, as far as it is proved. */
enum outcome { WINS, DRAWS, OPEN, LOSES };

static enum outcome judge_move(const struct play *p, pr_ref move)
{
	int64_t sign = p->you_first ? 1 : -1;
	int64_t low = sign * pr_get_int(move, p->you_first ? "lo" : "hi", 0);
	int64_t high = sign * pr_get_int(move, p->you_first ? "hi" : "lo", 0);
	if (!cl_is_bounded(move))
		return OPEN;
	return high < 0 ? LOSES : low > 0 ? WINS : !low && !high ? DRAWS : OPEN;
}

/* Lists the moves of an outcome: the first NAMES of them, then three dots. */
static void put_names(const struct play *p, pr_ref moves, enum outcome outcome, struct pd_buf *text)
{
	static const char *const words[] = {[WINS] = "; wins: ", [DRAWS] = "; draws: ", [OPEN] = "; not known: "};
	unsigned count = 0;
	for (size_t i = 0; i < pr_count(moves); i++)
		if (judge_move(p, pr_at(moves, i)) == outcome && count++ <= NAMES)
			pd_buf_printf(text, "%s%.36s", count == 1 ? words[outcome] : ", ",
				      count > NAMES ? "..." : pr_get_str(pr_at(moves, i), "move", "?"));
}

static void say_hint(const struct play *p, pr_ref moves)
{
	unsigned losing = 0;
	int64_t longest = 0; /* of the losing moves: plies from here to the end of the game */
	const char *best = "";
	struct pd_buf text;
	struct cl_text n;
	for (size_t i = 0; i < pr_count(moves); i++) {
		pr_ref move = pr_at(moves, i);
		int64_t plies = pr_get_int(move, "rank", -1) + 1;
		if (judge_move(p, move) != LOSES)
			continue;
		losing++;
		best = plies > longest ? pr_get_str(move, "move", "?") : best;
		longest = plies > longest ? plies : longest;
	}
	pd_buf_init(&text, CL_LINE_MAX);
	if (losing == pr_count(moves))
		pd_buf_puts(&text, "every move loses");
	else
		pd_buf_printf(&text, "%u of %zu moves %s proved to lose", losing, pr_count(moves),
			      losing == 1 ? "is" : "are");
	if (longest)
		pd_buf_printf(&text, "; %.40s takes longest: %s at most", best, cl_counted(&n, longest, "ply"));
	for (enum outcome outcome = WINS; outcome < LOSES; outcome++)
		put_names(p, moves, outcome, &text);
	say_text(p, "hint", text.failed ? "" : text.data);
	pd_buf_fini(&text);
}

static int ask_moves(struct play *p, struct pr_doc **doc, pr_ref *moves, struct pd_fail *fail)
{
	pr_ref result;
	int rc = cl_ask(p->adviser.link, "fact.query", &result, fail, PR_S("game", p->game),
			PR_S("position", last_position(p)), PR_B("each_move", true),
			PR_OPT_S("notation", shown_notation(p)));
	*moves = rc ? NULL : pr_get(pr_at(pr_get(result, "facts"), 0), "moves");
	*doc = rc ? NULL : cl_link_keep(p->adviser.link);
	return rc;
}

static bool is_known(pr_ref move)
{
	return cl_is_bounded(move) && pr_get_int(move, "lo", 0) == pr_get_int(move, "hi", 0);
}

/* Searches the position after a move; the results become facts. */
static int search_move(struct play *p, const char *move, double seconds, struct pd_fail *fail)
{
	pr_ref shown;
	int rc = show_position(p, move, NULL, &shown, fail);
	if (rc || pr_get_bool(shown, "terminal", false))
		return rc;
	struct pr_doc *kept = cl_link_keep(p->adviser.link);
	rc = search_position(p, pr_get_str(shown, "position", ""), seconds, fail);
	pr_doc_free(kept);
	return rc;
}

/* Searches the moves that the proof leaves open. Together they take the time of one search; each may take --nodes. */
static int search_moves(struct play *p, pr_ref moves, struct pd_fail *fail)
{
	unsigned open = 0;
	int rc = PD_OK;
	for (size_t i = 0; i < pr_count(moves); i++)
		open += !is_known(pr_at(moves, i));
	for (size_t i = 0; !rc && !p->quit && i < pr_count(moves); i++)
		if (!is_known(pr_at(moves, i)))
			rc = search_move(p, pr_get_str(pr_at(moves, i), "move", ""),
					 cl_adviser_seconds(p->options) / open, fail);
	return rc;
}

static int give_hint(struct play *p, struct pd_fail *fail)
{
	struct pr_doc *doc;
	pr_ref moves;
	int rc = ask_moves(p, &doc, &moves, fail);
	if (rc)
		return rc;
	rc = search_moves(p, moves, fail);
	pr_doc_free(doc);
	if (!rc && !p->quit)
		rc = ask_moves(p, &doc, &moves, fail);
	if (rc || p->quit)
		return rc;
	say_hint(p, moves);
	pr_doc_free(doc);
	return PD_OK;
}

/* --- the person's moves ------------------------------------------------------------------- */

static int undo_move(struct play *p, struct pd_fail *fail)
{
	unsigned at = p->count - 1; /* index of the person's last move */
	while (at && !p->plies[at].yours)
		at--;
	if (!at) {
		say_text(p, "error", "you have no move to take back");
		return PD_OK;
	}
	while (p->count > at)
		free(p->plies[--p->count].position);
	int rc = show_again(p, fail);
	if (!rc)
		print_position(p);
	return rc;
}

static void show_moves(const struct play *p)
{
	if (wants_json(p))
		print_position(p);
	else
		cl_show_moves(stdout, pr_get(p->shown, "moves"), 0);
}

static bool is_legal(const struct play *p, const char *word)
{
	pr_ref moves = pr_get(p->shown, "moves");
	for (size_t i = 0; i < pr_count(moves); i++)
		if (!strcmp(pr_text(pr_at(moves, i), ""), word))
			return true;
	return false;
}

/* Obeys a word that is not listed as a legal move: a command, or a move in another notation. */
static int obey_word(struct play *p, const char *word, struct pd_fail *fail)
{
	struct pd_fail why;
	if (!strcmp(word, "quit") || !strcmp(word, "exit") || !strcmp(word, "q")) {
		p->quit = true;
		return PD_OK;
	}
	if (!strcmp(word, "undo") || !strcmp(word, "u"))
		return undo_move(p, fail);
	if (!strcmp(word, "board")) {
		print_position(p);
		return PD_OK;
	}
	if (!strcmp(word, "help") || !strcmp(word, "?")) {
		say_text(p, "help",
			 "A move, as `moves` lists them or in another notation of the game. hint: what is proved about "
			 "your "
			 "moves. undo: takes your last move back. board: the position. quit: leaves.");
		return PD_OK;
	}
	if (is_over(p)) {
		say_text(p, "error", "the game is over: use undo or quit");
		return PD_OK;
	}
	if (!strcmp(word, "hint") || !strcmp(word, "h"))
		return give_hint(p, fail);
	if (!strcmp(word, "moves")) {
		show_moves(p);
		return PD_OK;
	}
	int rc = play_move(p, word, &why);
	if (!rc) {
		print_position(p);
	} else if (rc == PD_E_UNREACHABLE || rc == PD_E_NO_MEMORY) {
		*fail = why;
	} else {
		say_text(p, "error", why.text);
		rc = PD_OK;
	}
	return rc;
}

/* The next line; NULL when there is none, or a signal arrived. */
static char *read_line(struct play *p)
{
	char *line = NULL;
	if (isatty(STDIN_FILENO) && !wants_json(p))
		fputs("> ", stdout);
	fflush(stdout);
	while (!line && !p->number && !p->lines.ended) {
		line = cl_lines_next(&p->lines, CL_LOOK_MS);
		p->number = cl_interrupt_take();
	}
	return p->number ? NULL : line;
}

static int take_turn(struct play *p, struct pd_fail *fail)
{
	char *line = read_line(p);
	if (!line) {
		p->quit = true;
		return PD_OK;
	}
	line += strspn(line, " \t");
	size_t size = strlen(line);
	while (size && strchr(" \t\r", line[size - 1]))
		line[--size] = 0;
	if (!size)
		return PD_OK;
	if (is_over(p) || !is_legal(p, line))
		return obey_word(p, line, fail);
	int rc = play_move(p, line, fail);
	if (!rc)
		print_position(p);
	return rc;
}

static int walk_game(struct play *p, struct pd_fail *fail)
{
	int rc = begin_game(p, fail);
	if (!rc && is_over(p)) {
		print_position(p);
		return PD_OK;
	}
	if (!rc)
		rc = take_sides(p, fail);
	if (!rc && !p->quit)
		print_position(p);
	while (!rc && !p->quit && !ferror(stdout)) {
		if (is_over(p) || is_your_turn(p)) {
			rc = take_turn(p, fail);
			continue;
		}
		rc = play_answer(p, fail);
		if (!rc && !p->quit)
			print_position(p);
	}
	return rc;
}

int cl_cmd_play(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct play p = {.options = options};
	struct stat st;
	if (cl_given(options, CL_OPT_DATA) && stat(options->text[CL_OPT_DATA], &st))
		return pd_fail_set(fail, PD_E_USAGE, "data", "--data: %.200s: %s", options->text[CL_OPT_DATA],
				   strerror(errno));
	if (!cl_lines_init(&p.lines))
		return cl_no_memory(fail);
	cl_interrupt_hold();
	int rc = PD_OK;
	if (!cl_adviser_is_remote(options))
		rc = cl_plugins_load(options, options->text[CL_OPT_DATA], fail);
	if (!rc)
		rc = cl_adviser_open(&p.adviser, options, fail);
	if (!rc) {
		rc = walk_game(&p, fail);
		cl_adviser_close(&p.adviser);
	}
	*exit_code = p.number ? CL_EXIT_SIGNAL + p.number : CL_EXIT_OK;
	if (rc == PD_E_NO_FACT) {
		cl_report(fail, wants_json(&p));
		*exit_code = CL_EXIT_UNANSWERED;
		rc = PD_OK;
	}
	while (p.count)
		free(p.plies[--p.count].position);
	free(p.plies);
	pr_doc_free(p.doc);
	cl_lines_fini(&p.lines);
	return rc;
}

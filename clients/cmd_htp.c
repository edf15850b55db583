/* proofctl htp: the Hex text protocol, Hex in the frame of the Go Text Protocol version 2 (Farnebäck 2002).
 *
 * Black is First and joins the top row with the bottom row, White is Second; cells are named as in hex:WxH. Moves come
 * from facts, with a budgeted search behind. Every command gets one reply: `=` and a result, or `?` and an error, with
 * the command's number, and an empty line. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/adviser.h"
#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/lines.h"
#include "clients/player.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"
#include "solver/board.h"

enum { STEP_MS = 20, SECONDS = 5 };

struct htp {
	const struct cl_options *options;
	struct cl_adviser adviser;
	struct cl_player player;
	struct cl_lines lines;
	char id[16]; /* of the command in work; "" for none */
	bool quit;
};

static void reply(const struct htp *h, bool good, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void reply(const struct htp *h, bool good, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	pd_print(stdout, "%c%s ", good ? '=' : '?', h->id);
	pd_vprint(stdout, format, args);
	fputs("\n\n", stdout);
	va_end(args);
}

/* --- advice ------------------------------------------------------------------------------- */

/* Searches the current position, which is not over, until it is solved or the budget is spent. */
static int advise(struct htp *h, struct pd_fail *fail)
{
	const struct cl_options *o = h->options;
	char text[GAME_TEXT_MAX];
	h->player.game->rules->print(h->player.game, cl_player_state(&h->player), text, sizeof text);
	struct cl_order order = {h->player.game->name, text, o->whole[CL_OPT_NODES], o->whole[CL_OPT_MEMORY],
				 o->whole[CL_OPT_THREADS]};
	bool timed = cl_given(o, CL_OPT_SECONDS) || !order.nodes;
	double seconds = cl_given(o, CL_OPT_SECONDS) ? o->real[CL_OPT_SECONDS] : SECONDS;
	uint64_t deadline_ns = pd_now_ns() + (uint64_t)(1e9 * seconds);
	int rc = cl_adviser_begin(&h->adviser, &order, fail);
	while (!rc && !h->adviser.advice.over && !(timed && pd_now_ns() >= deadline_ns))
		rc = cl_adviser_poll(&h->adviser, STEP_MS, fail);
	if (!rc)
		rc = cl_adviser_stop(&h->adviser, fail);
	const struct cl_advice *a = &h->adviser.advice;
	if (!rc && !a->exact)
		pd_print(stderr, "pn %.0f dn %.0f nodes %" PRId64 "\n", a->pn, a->dn, a->nodes);
	return rc;
}

static void value(struct htp *h)
{
	struct pd_fail fail;
	const struct cl_advice *a = &h->adviser.advice;
	int won;
	if (h->player.game->rules->terminal(h->player.game, cl_player_state(&h->player), &won))
		reply(h, true, "%s has won", won > 0 ? "black" : "white");
	else if (advise(h, &fail))
		reply(h, false, "%s", fail.text);
	else if (a->exact)
		reply(h, true, "%s wins within %" PRId64 " plies: %s", a->lo > 0 ? "black" : "white", a->plies,
		      a->line[0] ? a->line : a->move);
	else
		reply(h, true, "unknown: pn %.0f dn %.0f nodes %" PRId64 " %s", a->pn, a->dn, a->nodes, a->move);
}

/* --- the board ---------------------------------------------------------------------------- */

/* Which colour a word names: 0 black, 1 white, -1 neither. */
static int colour_of(const char *word)
{
	if (word && (!strcasecmp(word, "b") || !strcasecmp(word, "black")))
		return 0;
	return word && (!strcasecmp(word, "w") || !strcasecmp(word, "white")) ? 1 : -1;
}

/* True when that colour is to move; otherwise the error is replied. */
static bool may_move(const struct htp *h, const char *word)
{
	int colour = colour_of(word), next = !cl_player_first_to_move(&h->player);
	if (colour < 0)
		reply(h, false, "a colour is black or white");
	else if (cl_player_over(&h->player))
		reply(h, false, "the game is over");
	else if (colour != next)
		reply(h, false, "it is the turn of %s: stones alternate", next ? "white" : "black");
	return colour == next && !cl_player_over(&h->player);
}

static void board_size(struct htp *h, char *rest)
{
	struct pd_fail fail;
	const char *width = cl_word_next(&rest), *height = cl_word_next(&rest);
	char name[GAME_NAME_MAX];
	snprintf(name, sizeof name, "hex:%.8sx%.8s", width ? width : "", height ? height : width ? width : "");
	if (cl_player_open(&h->player, name, &fail))
		reply(h, false, "%s", fail.text);
	else
		reply(h, true, "%s", "");
}

static void clear_board(struct htp *h, char *rest)
{
	struct pd_fail fail;
	(void)rest;
	if (cl_player_set(&h->player, "", &fail))
		reply(h, false, "%s", fail.text);
	else
		reply(h, true, "%s", "");
}

static void play(struct htp *h, char *rest)
{
	struct pd_fail fail;
	const char *colour = cl_word_next(&rest);
	char *cell = cl_word_next(&rest);
	for (char *c = cell; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!may_move(h, colour))
		return;
	if (!cell || cl_player_move(&h->player, cell, &fail))
		reply(h, false, "%s", cell ? fail.text : "play takes a colour and a cell");
	else
		reply(h, true, "%s", "");
}

static void gen_move(struct htp *h, char *rest)
{
	struct pd_fail fail;
	char move[32];
	if (!may_move(h, cl_word_next(&rest)))
		return;
	if (advise(h, &fail)) {
		reply(h, false, "%s", fail.text);
		return;
	}
	cl_player_choose(&h->player, &h->adviser.advice, move);
	if (cl_player_move(&h->player, move, &fail))
		reply(h, false, "%s", fail.text);
	else
		reply(h, true, "%s", move);
}

static void reg_gen_move(struct htp *h, char *rest)
{
	struct pd_fail fail;
	char move[32];
	if (!may_move(h, cl_word_next(&rest)))
		return;
	if (advise(h, &fail)) {
		reply(h, false, "%s", fail.text);
		return;
	}
	cl_player_choose(&h->player, &h->adviser.advice, move);
	reply(h, true, "%s", move);
}

static void undo(struct htp *h, char *rest)
{
	(void)rest;
	if (cl_player_undo(&h->player))
		reply(h, true, "%s", "");
	else
		reply(h, false, "cannot undo");
}

static void show_board(struct htp *h, char *rest)
{
	const struct game *g = h->player.game;
	char text[GAME_TEXT_MAX];
	(void)rest;
	game_picture(g, cl_player_state(&h->player), text, sizeof text);
	size_t size = strlen(text);
	if (size && text[size - 1] == '\n')
		text[size - 1] = 0;
	pd_print(stdout, "=%s \n", h->id);
	pd_print_lines(stdout, text);
	fputs("\n\n", stdout);
}

static void all_legal_moves(struct htp *h, char *rest)
{
	const struct game_rules *rules = h->player.game->rules;
	const void *state = cl_player_state(&h->player);
	game_move moves[GAME_MOVES_MAX];
	unsigned count = rules->moves(h->player.game, state, moves);
	(void)rest;
	pd_print(stdout, "=%s", h->id);
	for (unsigned i = 0; i < count; i++) {
		char text[32];
		rules->move_print(h->player.game, state, moves[i], text, sizeof text);
		pd_print(stdout, " %s", text);
	}
	fputs("\n\n", stdout);
}

static void final_score(struct htp *h, char *rest)
{
	int won;
	(void)rest;
	if (!h->player.game->rules->terminal(h->player.game, cl_player_state(&h->player), &won))
		reply(h, false, "the game is not over");
	else
		reply(h, true, "%s", won > 0 ? "B+" : "W+");
}

static void proofd_value(struct htp *h, char *rest)
{
	(void)rest;
	value(h);
}

static void name(struct htp *h, char *rest)
{
	(void)rest;
	reply(h, true, "proofd");
}

static void version(struct htp *h, char *rest)
{
	(void)rest;
	reply(h, true, "%s", PD_VERSION);
}

static void protocol_version(struct htp *h, char *rest)
{
	(void)rest;
	reply(h, true, "2");
}

static void quit(struct htp *h, char *rest)
{
	(void)rest;
	h->quit = true;
	reply(h, true, "%s", "");
}

/* What a GUI tells of the time left: --seconds and --nodes limit a move here. */
static void ignore(struct htp *h, char *rest)
{
	(void)rest;
	reply(h, true, "%s", "");
}

/* --- the table of commands ---------------------------------------------------------------- */

static void known_command(struct htp *h, char *rest);
static void list_commands(struct htp *h, char *rest);

static const struct {
	const char *name;
	void (*run)(struct htp *h, char *rest);
} commands[] = {
	{"all_legal_moves", all_legal_moves},
	{"boardsize", board_size},
	{"clear_board", clear_board},
	{"final_score", final_score},
	{"genmove", gen_move},
	{"known_command", known_command},
	{"list_commands", list_commands},
	{"name", name},
	{"play", play},
	{"proofd-value", proofd_value},
	{"protocol_version", protocol_version},
	{"quit", quit},
	{"reg_genmove", reg_gen_move},
	{"showboard", show_board},
	{"time_left", ignore},
	{"time_settings", ignore},
	{"undo", undo},
	{"version", version},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void known_command(struct htp *h, char *rest)
{
	const char *word = cl_word_next(&rest);
	bool known = false;
	for (unsigned i = 0; word && i < COMMANDS; i++)
		known |= !strcmp(word, commands[i].name);
	reply(h, true, "%s", known ? "true" : "false");
}

static void list_commands(struct htp *h, char *rest)
{
	(void)rest;
	pd_print(stdout, "=%s ", h->id);
	for (unsigned i = 0; i < COMMANDS; i++)
		pd_print(stdout, "%s\n", commands[i].name);
	putchar('\n');
}

/* Control characters count as blanks, # begins a comment, and a number before the command is repeated in the reply. */
static void obey(struct htp *h, char *line)
{
	line[strcspn(line, "#")] = 0;
	for (char *c = line; *c; c++)
		*c = (unsigned char)*c < 32 || *c == 127 ? ' ' : *c;
	const char *word = cl_word_next(&line);
	h->id[0] = 0;
	if (word && isdigit((unsigned char)*word)) {
		snprintf(h->id, sizeof h->id, "%.10s", word);
		word = cl_word_next(&line);
	}
	if (!word && !h->id[0])
		return;
	for (unsigned i = 0; word && i < COMMANDS; i++)
		if (!strcmp(word, commands[i].name)) {
			commands[i].run(h, line);
			return;
		}
	reply(h, false, "unknown command; list_commands names them");
}

int cl_cmd_htp(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct htp h = {.options = options};
	const char *game = options->word_count ? options->words[0] : "hex:11x11";
	*exit_code = CL_EXIT_OK;
	if (strncmp(game, "hex:", 4) != 0)
		return pd_fail_set(fail, PD_E_USAGE, "", "htp plays hex:WxH, not '%.60s'", game);
	if (!cl_lines_init(&h.lines))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a conversation");
	cl_interrupt_hold();
	int rc = cl_player_open(&h.player, game, fail);
	if (!rc)
		rc = cl_adviser_open(&h.adviser, options, fail);
	while (!rc && !h.quit && !cl_interrupt_take()) {
		char *line = cl_lines_next(&h.lines, CL_LOOK_MS);
		if (line)
			obey(&h, line);
		h.quit |= !line && h.lines.ended;
		fflush(stdout);
	}
	cl_adviser_close(&h.adviser);
	cl_player_close(&h.player);
	cl_lines_fini(&h.lines);
	return rc;
}

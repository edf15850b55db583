/* proofctl htp: the Hex text protocol, Hex over the Go Text Protocol version 2 (Farnebäck 2002).
 *
 * Black is First and joins the top row with the bottom row, White is Second; cells are named as in hex:WxH. Moves
 * come from facts, or from a search with a budget. Every command gets one reply: `=` and a result, or `?` and an
 * error, each with the number of the command, and an empty line. */
#include <ctype.h>
#include <inttypes.h>

#include "clients/candidates.h"
#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/lines.h"
#include "proto/base/print.h"
#include "solver/games/board_picture.h"

struct htp {
	const struct cl_options *options;
	struct cl_adviser adviser;
	struct cl_player player;
	struct cl_lines lines;
	struct cl_candidates moves; /* as the search left them */
	char id[16];                /* of the current command; "": none */
	bool quit;
};

static void send_reply(const struct htp *h, bool good, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void send_reply(const struct htp *h, bool good, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	pd_print(stdout, "%c%s ", good ? '=' : '?', h->id);
	pd_vprint(stdout, format, args);
	fputs("\n\n", stdout);
	va_end(args);
}

/* Searches the current position, which is not over, until it is solved or the budget is spent. A signal also
 * ends the conversation. */
static int search_position(struct htp *h, struct pd_fail *fail)
{
	char text[GAME_TEXT_MAX];
	const struct game *game = h->player.game;
	const struct cl_advice *a = &h->adviser.advice;
	int signal = 0;
	game->rules->print(game, cl_player_state(&h->player), text, sizeof text);
	struct cl_order order = cl_adviser_order(h->options, game->name, text);
	int rc = cl_adviser_run(&h->adviser, &order, cl_adviser_seconds(h->options), &signal, fail);
	h->quit |= signal != 0;
	rc = rc ? rc : cl_candidates_ask(&h->adviser, &order, cl_player_first_to_move(&h->player), &h->moves, fail);
	rc = rc ? rc : cl_adviser_stop(&h->adviser, fail);
	if (!rc && !a->exact)
		pd_print(stderr, "pn %.0f dn %.0f nodes %" PRId64 "\n", a->pn, a->dn, a->nodes);
	return rc;
}

static void send_value(struct htp *h, char *rest)
{
	(void)rest;
	struct pd_fail fail;
	const struct cl_advice *a = &h->adviser.advice;
	int won;
	if (h->player.game->rules->terminal(h->player.game, cl_player_state(&h->player), &won))
		send_reply(h, true, "%s has won", won > 0 ? "black" : "white");
	else if (search_position(h, &fail))
		send_reply(h, false, "%s", fail.text);
	else if (a->exact)
		send_reply(h, true, "%s wins within %" PRId64 " plies: %s", a->lo > 0 ? "black" : "white", a->plies,
			   a->line[0] ? a->line : a->move);
	else
		send_reply(h, true, "unknown: pn %.0f dn %.0f nodes %" PRId64 " %s", a->pn, a->dn, a->nodes, a->move);
}

/* --- what HexGui shows on the board: pairs of a cell and a text, cells, a line ------------- */

/* Searches, and reports the moves with the numbers that are small where the player to move does well. */
static void send_moves(struct htp *h, bool wins)
{
	struct pd_fail fail;
	bool first = cl_player_first_to_move(&h->player);
	if (!cl_player_over(&h->player) && search_position(h, &fail)) {
		send_reply(h, false, "%s", fail.text);
		return;
	}
	pd_print(stdout, "=%s", h->id);
	for (unsigned i = 0; !cl_player_over(&h->player) && i < h->moves.count; i++) {
		const struct cl_advice *a = &h->moves.list[i].advice;
		bool won = a->exact && (a->lo > 0) == first;
		if (!wins && a->exact)
			pd_print(stdout, " %s %c", h->moves.list[i].move, won ? 'W' : 'L');
		else if (!wins)
			pd_print(stdout, " %s %.0f", h->moves.list[i].move, first ? a->pn : a->dn);
		else if (won)
			pd_print(stdout, " %s", h->moves.list[i].move);
	}
	fputs("\n\n", stdout);
}

static void send_numbers(struct htp *h, char *rest)
{
	(void)rest;
	send_moves(h, false);
}

static void send_wins(struct htp *h, char *rest)
{
	(void)rest;
	send_moves(h, true);
}

/* The line that is proved, or that of the most promising move, with colours. */
static void send_line(struct htp *h, char *rest)
{
	struct pd_fail fail;
	char line[CL_ADVICE_TEXT], *moves = line, *move;
	bool black = cl_player_first_to_move(&h->player);
	(void)rest;
	*line = 0;
	if (!cl_player_over(&h->player) && search_position(h, &fail)) {
		send_reply(h, false, "%s", fail.text);
		return;
	}
	if (!cl_player_over(&h->player))
		snprintf(line, sizeof line, "%s",
			 h->adviser.advice.line[0] ? h->adviser.advice.line : h->moves.list[0].advice.line);
	pd_print(stdout, "=%s", h->id);
	for (; (move = cl_word_next(&moves)) != NULL; black = !black)
		pd_print(stdout, " %s %s", black ? "black" : "white", move);
	fputs("\n\n", stdout);
}

/* Which colour a word names: 0 black, 1 white, -1 neither. */
static int find_colour(const char *word)
{
	if (word && (!strcasecmp(word, "b") || !strcasecmp(word, "black")))
		return 0;
	return word && (!strcasecmp(word, "w") || !strcasecmp(word, "white")) ? 1 : -1;
}

/* True when that colour is to move; otherwise replies with an error. */
static bool may_move(const struct htp *h, const char *word)
{
	int colour = find_colour(word), next = !cl_player_first_to_move(&h->player);
	if (colour < 0)
		send_reply(h, false, "a colour is black or white");
	else if (cl_player_over(&h->player))
		send_reply(h, false, "the game is over");
	else if (colour != next)
		send_reply(h, false, "it is the turn of %s; colours alternate", next ? "white" : "black");
	return colour == next && !cl_player_over(&h->player);
}

static void reply_done(const struct htp *h, int rc, const struct pd_fail *fail)
{
	send_reply(h, !rc, "%s", rc ? fail->text : "");
}

static void set_board_size(struct htp *h, char *rest)
{
	struct pd_fail fail;
	const char *width = cl_word_next(&rest), *height = cl_word_next(&rest);
	char name[GAME_NAME_MAX];
	snprintf(name, sizeof name, "hex:%.8sx%.8s", width ? width : "", height ? height : width ? width : "");
	reply_done(h, cl_player_open(&h->player, name, &fail), &fail);
}

static void clear_board(struct htp *h, char *rest)
{
	struct pd_fail fail;
	(void)rest;
	reply_done(h, cl_player_set(&h->player, "", &fail), &fail);
}

static void play_move(struct htp *h, char *rest)
{
	struct pd_fail fail;
	const char *colour = cl_word_next(&rest);
	char *cell = cl_word_next(&rest);
	for (char *c = cell; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!may_move(h, colour))
		return;
	if (cell)
		reply_done(h, cl_player_move(&h->player, cell, &fail), &fail);
	else
		send_reply(h, false, "play takes a colour and a cell");
}

static void choose_move(struct htp *h, char *rest, bool play)
{
	struct pd_fail fail;
	char move[32] = "";
	if (!may_move(h, cl_word_next(&rest)))
		return;
	int rc = search_position(h, &fail);
	if (!rc)
		cl_player_choose(&h->player, &h->adviser.advice, move);
	if (!rc && play)
		rc = cl_player_move(&h->player, move, &fail);
	send_reply(h, !rc, "%s", rc ? fail.text : move);
}

static void generate_move(struct htp *h, char *rest)
{
	choose_move(h, rest, true);
}

static void suggest_move(struct htp *h, char *rest)
{
	choose_move(h, rest, false);
}

static void undo_move(struct htp *h, char *rest)
{
	(void)rest;
	if (cl_player_undo(&h->player))
		send_reply(h, true, "%s", "");
	else
		send_reply(h, false, "cannot undo");
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

static void list_moves(struct htp *h, char *rest)
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

static void send_score(struct htp *h, char *rest)
{
	int won;
	(void)rest;
	if (!h->player.game->rules->terminal(h->player.game, cl_player_state(&h->player), &won))
		send_reply(h, false, "the game is not over");
	else
		send_reply(h, true, "%s", won > 0 ? "B+" : "W+");
}

static void end_talk(struct htp *h, char *rest)
{
	(void)rest;
	h->quit = true;
	send_reply(h, true, "%s", "");
}

static void send_known(struct htp *h, char *rest);
static void list_commands(struct htp *h, char *rest);

static const struct {
	const char *name;
	void (*run)(struct htp *h, char *rest); /* NULL: the reply is always `text` */
	const char *text;
} commands[] = {
	{"all_legal_moves", list_moves, NULL},
	{"boardsize", set_board_size, NULL},
	{"clear_board", clear_board, NULL},
	{"final_score", send_score, NULL},
	{"genmove", generate_move, NULL},
	{"hexgui-analyze_commands", NULL,
	 "string/Winner/proofd-value\npspairs/Numbers of Moves/proofd-numbers\nplist/Winning Moves/proofd-wins\n"
	 "var/Best Line/proofd-line\nplist/All Legal Moves/all_legal_moves"},
	{"known_command", send_known, NULL},
	{"list_commands", list_commands, NULL},
	{"name", NULL, "proofd"},
	{"play", play_move, NULL},
	{"proofd-line", send_line, NULL},
	{"proofd-numbers", send_numbers, NULL},
	{"proofd-value", send_value, NULL},
	{"proofd-wins", send_wins, NULL},
	{"protocol_version", NULL, "2"},
	{"quit", end_talk, NULL},
	{"reg_genmove", suggest_move, NULL},
	{"showboard", show_board, NULL},
	{"time_left", NULL, ""}, /* ignored: --seconds and --nodes limit a move */
	{"time_settings", NULL, ""},
	{"undo", undo_move, NULL},
	{"version", NULL, PD_VERSION},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void send_known(struct htp *h, char *rest)
{
	const char *word = cl_word_next(&rest);
	bool known = false;
	for (unsigned i = 0; word && i < COMMANDS; i++)
		known |= !strcmp(word, commands[i].name);
	send_reply(h, true, "%s", known ? "true" : "false");
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
static void obey_line(struct htp *h, char *line)
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
			if (commands[i].run) {
				commands[i].run(h, line);
				return;
			}
			pd_print(stdout, "=%s ", h->id);
			pd_print_lines(stdout, commands[i].text);
			fputs("\n\n", stdout);
			return;
		}
	send_reply(h, false, "unknown command; list_commands names them");
}

int cl_cmd_htp(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct htp h = {.options = options};
	const char *game = options->word_count ? options->words[0] : "hex:11x11";
	*exit_code = CL_EXIT_OK;
	if (strncmp(game, "hex:", 4) != 0)
		return pd_fail_set(fail, PD_E_USAGE, "", "htp plays hex:WxH, not '%.60s'", game);
	if (!cl_lines_init(&h.lines))
		return cl_no_memory(fail);
	cl_interrupt_hold();
	int rc = cl_player_open(&h.player, game, fail);
	if (!rc)
		rc = cl_adviser_open(&h.adviser, options, fail);
	while (!rc && !h.quit && !cl_interrupt_take()) {
		char *line = cl_lines_next(&h.lines, CL_LOOK_MS);
		if (line)
			obey_line(&h, line);
		h.quit |= !line && h.lines.ended;
		fflush(stdout);
	}
	cl_candidates_free(&h.moves);
	cl_adviser_close(&h.adviser);
	cl_player_close(&h.player);
	cl_lines_fini(&h.lines);
	return rc;
}

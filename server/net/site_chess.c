#include "server/net/site_chess.h"

#include <ctype.h>
#include <string.h>

#include "proto/doc.h"

/* Whether a value of the game is one of chess: antichess has draws; elsewhere 0 is no win for First by force. */
static const char *category_of(pr_ref verdict, bool draws)
{
	const char *text = pr_get_str(verdict, "category", "unknown");
	bool sure = !strcmp(text, "win") || !strcmp(text, "loss") || (draws && !strcmp(text, "draw"));
	return sure                                     ? text
	       : draws && !strcmp(text, "win-or-draw")  ? "maybe-win"
	       : draws && !strcmp(text, "draw-or-loss") ? "maybe-loss"
							: "unknown";
}

/* The man on a square of a FEN ("e4"); 0: none. */
static char man_on(const char *fen, const char *square)
{
	int file = 0, rank = 8, to_file = square[0] - 'a', to_rank = square[1] - '0';
	for (; *fen && *fen != ' ' && *fen != '['; fen++) {
		if (*fen == '/') {
			rank--;
			file = 0;
		} else if (isdigit((unsigned char)*fen)) {
			file += *fen - '0';
		} else if (*fen != '~') {
			if (rank == to_rank && file == to_file)
				return *fen;
			file++;
		}
	}
	return 0;
}

/* A move of a pawn, or a capture. */
static bool is_zeroing(const char *fen, const char *uci)
{
	return strlen(uci) >= 4 && (man_on(fen, uci + 2) || strchr("Pp", man_on(fen, uci) ? man_on(fen, uci) : '-'));
}

static void print_verdict(struct pr_out *out, pr_ref verdict, bool draws)
{
	bool over = pr_get_bool(verdict, "terminal", false);
	const char *category = category_of(verdict, draws);
	bool lost = over && !strcmp(category, "loss");
	pr_ref rank = pr_get(verdict, "rank");
	pr_members(out, PR_S("category", category), PR_S("dtz", NULL), PR_S("precise_dtz", NULL), PR_S("dtm", NULL),
		   PR_S("dtw", NULL), PR_S("dtc", NULL),
		   PR_IF(pr_kind_of(rank) == PR_INT, PR_I("plies", pr_number(rank, 0))));
	pr_members(out, PR_B("checkmate", lost && !draws), PR_S("stalemate", NULL), PR_S("insufficient_material", NULL),
		   PR_B("variant_win", draws && over && !strcmp(category, "win")), PR_B("variant_loss", draws && lost));
}

void nt_site_chess(struct pr_out *out, pr_ref own, pr_ref san)
{
	const char *fen = pr_get_str(own, "position", "");
	bool draws = !strncmp(pr_get_str(own, "game", ""), "antichess", 9);
	pr_ref moves = pr_get(own, "moves"), names = pr_get(san, "moves");
	if (!*fen)
		fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
	pr_open_object(out, NULL);
	print_verdict(out, own, draws);
	pr_open_array(out, "moves");
	for (size_t i = 0; i < pr_count(moves); i++) {
		const char *uci = pr_get_str(pr_at(moves, i), "move", "");
		pr_open_object(out, NULL);
		pr_members(out, PR_S("uci", uci), PR_S("san", pr_get_str(pr_at(names, i), "move", NULL)),
			   PR_B("zeroing", is_zeroing(fen, uci)));
		print_verdict(out, pr_at(moves, i), draws);
		pr_close(out);
	}
	pr_close(out);
	pr_close(out);
}

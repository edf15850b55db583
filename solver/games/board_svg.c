#include "solver/games/board_svg.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/board_picture.h"
#include "solver/games/text.h"

/* Lengths in the board's own units, twelfths of a cell; LINE is a line of text above or below the board. */
enum { HALF = 6, PAD = 4, LINE = 8 };

#define PAPER  "#fffdf9"
#define LIGHT  "#fbf5e6"
#define DARK   "#e3cfa6"
#define WOOD   "#ecd09a"
#define BORDER "#8d8067"
#define INK    "#2b2722"
#define FAINT  "#cfc6b3"
#define MARK   "#f2c94c" /* under the pieces that moved last */
#define POINT  "#d6452b" /* on a stone that was placed last */
#define PLAY   "#7cb342"
#define FONT   "DejaVu Sans, Segoe UI Symbol, Noto Sans Symbols2, sans-serif"

struct drawing {
	const struct game_board *board;
	const struct game_diagram *diagram;
	const struct game_svg *how;
	struct pd_buf *out;
	double scale;                    /* scale of y, because rows of hexagons are closer together */
	bool chequered, points;          /* some squares are dark; some places are points */
	double left, right, top, bottom; /* bounds of the drawing without its text */
};

static void put_text(struct pd_buf *out, const char *text)
{
	for (; *text; text++) {
		const char *escape = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
		if (*text == '"')
			escape = "&quot;";
		if (escape)
			pd_buf_puts(out, escape);
		else if ((unsigned char)*text >= ' ')
			pd_buf_put(out, text, 1);
	}
}

/* --- extent ------------------------------------------------------------------------------- */

static void extend_bounds(struct drawing *d, double x, double y, double far)
{
	y *= d->scale;
	d->left = x - far < d->left ? x - far : d->left;
	d->right = x + far > d->right ? x + far : d->right;
	d->top = y - far < d->top ? y - far : d->top;
	d->bottom = y + far > d->bottom ? y + far : d->bottom;
}

static void measure_board(struct drawing *d)
{
	const struct game_board *b = d->board;
	d->scale = 1;
	d->left = d->top = 1e9;
	d->right = d->bottom = -1e9;
	for (unsigned i = 0; i < b->places; i++) {
		if (b->place[i].shape == GAME_HEXAGON)
			d->scale = 0.8660254;
		d->chequered |= b->place[i].shape == GAME_SQUARE && b->place[i].shade;
		d->points |= b->place[i].shape == GAME_POINT;
	}
	for (unsigned i = 0; i < b->places; i++)
		extend_bounds(d, b->place[i].x, b->place[i].y, HALF + 1);
	for (unsigned i = 0; i < b->labels; i++)
		extend_bounds(d, b->label[i].x, b->label[i].y, 4);
	for (unsigned i = 0; i < b->strokes; i++) {
		extend_bounds(d, b->stroke[i].x1, b->stroke[i].y1, 1);
		extend_bounds(d, b->stroke[i].x2, b->stroke[i].y2, 1);
	}
}

/* --- colours ------------------------------------------------------------------------------ */

static const char *stone_colour(const struct game_board *b, unsigned side)
{
	static const char *const usual[] = {"#23211e", "#fdfdfb", "#9a948a"};
	return side < 2 && b->colour[side] ? b->colour[side] : usual[side];
}

/* The colour of a side's lines and letters, which need contrast with the paper. */
static const char *line_colour(const struct game_board *b, unsigned side)
{
	static const char *const usual[] = {"#1f5a9e", "#b93a2b", INK};
	return side < 2 && b->colour[side] ? b->colour[side] : usual[side];
}

/* --- places ------------------------------------------------------------------------------- */

static void put_polygon(struct drawing *d, const struct game_place *p, const char *style)
{
	static const int corner[6][2] = {{0, -8}, {6, -4}, {6, 4}, {0, 8}, {-6, 4}, {-6, -4}};
	pd_buf_puts(d->out, "<polygon points=\"");
	for (unsigned i = 0; i < 6; i++)
		pd_buf_printf(d->out, "%s%d,%.2f", i ? " " : "", p->x + corner[i][0], (p->y + corner[i][1]) * d->scale);
	pd_buf_printf(d->out, "\" %s/>\n", style);
}

/* From (at[0], at[1]) to (at[2], at[3]). */
static void put_line(struct drawing *d, const double at[4], const char *colour, double width)
{
	pd_buf_printf(d->out,
		      "<line x1=\"%.5g\" y1=\"%.5g\" x2=\"%.5g\" y2=\"%.5g\" stroke=\"%s\" stroke-width=\"%.3g\" "
		      "stroke-linecap=\"round\"/>\n",
		      at[0], at[1] * d->scale, at[2], at[3] * d->scale, colour, width);
}

static void put_edge(struct drawing *d, const struct game_place *p, const char *colour, double width)
{
	int across = p->shape == GAME_EDGE_ACROSS ? HALF : 0, down = HALF - across;
	put_line(d, (double[4]){p->x - across, p->y - down, p->x + across, p->y + down}, colour, width);
}

/* Draws the area of a place in a style; nothing for edges. */
static void put_area(struct drawing *d, const struct game_place *p, const char *style)
{
	if (p->shape == GAME_HEXAGON)
		put_polygon(d, p, style);
	else if (p->shape == GAME_POINT)
		pd_buf_printf(d->out, "<circle cx=\"%d\" cy=\"%.5g\" r=\"5\" %s/>\n", p->x, p->y * d->scale, style);
	else if (p->shape == GAME_SQUARE)
		pd_buf_printf(d->out, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" %s/>\n", p->x - HALF,
			      p->y - HALF, style);
}

static void put_places(struct drawing *d)
{
	const struct game_board *b = d->board;
	for (unsigned i = 0; i < b->places; i++) {
		const struct game_place *p = &b->place[i];
		const char *style = p->shade && d->chequered ? "fill=\"" DARK "\"" : "fill=\"" LIGHT "\"";
		if (!d->chequered || p->shape != GAME_SQUARE)
			style = "fill=\"" LIGHT "\" stroke=\"" BORDER "\" stroke-width=\"0.4\"";
		if (game_place_is_edge(p))
			put_edge(d, p, FAINT, 0.5);
		else if (p->shape != GAME_POINT)
			put_area(d, p, style);
	}
	if (d->chequered) /* frames of squares */
		for (unsigned i = 0; i < b->places; i++)
			if (b->place[i].shape == GAME_SQUARE)
				put_area(d, &b->place[i], "fill=\"none\" stroke=\"" BORDER "\" stroke-width=\"0.25\"");
	for (unsigned i = 0; i < b->places; i++)
		if (d->diagram->playable[i])
			put_area(d, &b->place[i], "fill=\"" PLAY "\" fill-opacity=\"0.3\"");
}

/* Strokes in a side's colour get an outline, so that white shows on paper; all outlines come first, so that corners
 * join. */
static void put_strokes(struct drawing *d)
{
	const struct game_board *b = d->board;
	for (unsigned i = 0; i < b->strokes; i++) {
		const struct game_stroke *s = &b->stroke[i];
		if (s->side < 2)
			put_line(d, (double[4]){s->x1, s->y1, s->x2, s->y2}, INK, s->heavy ? 2.6 : 1.2);
	}
	for (unsigned i = 0; i < b->strokes; i++) {
		const struct game_stroke *s = &b->stroke[i];
		double width = s->side < 2 ? (s->heavy ? 1.9 : 0.8) : (s->heavy ? 1.2 : 0.5);
		put_line(d, (double[4]){s->x1, s->y1, s->x2, s->y2}, s->side < 2 ? stone_colour(b, s->side) : INK,
			 width);
	}
}

static void put_label(struct drawing *d, double x, double y, double size, const char *anchor, const char *text)
{
	pd_buf_printf(d->out, "<text x=\"%.5g\" y=\"%.5g\" font-size=\"%.3g\" text-anchor=\"%s\" fill=\"#5b5346\">", x,
		      y + size * 0.36, size, anchor);
	put_text(d->out, text);
	pd_buf_puts(d->out, "</text>\n");
}

/* --- pieces ------------------------------------------------------------------------------- */

static void put_word(struct drawing *d, const struct game_place *p, const char *text, double size, const char *style)
{
	pd_buf_printf(d->out, "<text x=\"%d\" y=\"%.5g\" font-size=\"%.3g\" text-anchor=\"middle\" %s>", p->x,
		      p->y * d->scale + size * 0.36, size, style);
	put_text(d->out, text);
	pd_buf_puts(d->out, "</text>\n");
}

static void put_stone(struct drawing *d, const struct game_place *p, unsigned side)
{
	pd_buf_printf(d->out,
		      "<circle cx=\"%d\" cy=\"%.5g\" r=\"%s\" fill=\"%s\" stroke=\"" INK "\" stroke-width=\"0.5\"/>\n",
		      p->x, p->y * d->scale, p->shape == GAME_POINT ? "5.3" : "4.6", stone_colour(d->board, side));
}

/* A chessman, or the crown on a stone of a side that has stones (a king of checkers); other glyphs as text. */
static void put_glyph(struct drawing *d, const struct game_place *p, const struct game_piece *piece)
{
	enum { KING = 0x94, MEN = 6, TILDE = MEN }; /* the last byte of U+2654; kinds, of which there are two colours */
	static const char *const white = "fill=\"#f7f4ec\" stroke=\"" INK "\"";
	static const char *const black = "fill=\"#1b1a18\" stroke=\"#0b0b0a\"";
	char style[64];
	PD_ASSERT(piece->glyph);
	unsigned man = strncmp(piece->glyph, "\xe2\x99", 2) ? 2 * MEN : (unsigned char)piece->glyph[2] - KING;
	bool crown = false;
	for (unsigned i = 0; i < d->board->pieces; i++)
		crown |= d->board->piece[i].look == GAME_DISC && d->board->piece[i].side == piece->side;
	if (man >= 2 * MEN) {
		snprintf(style, sizeof style, "fill=\"%s\"", stone_colour(d->board, piece->side));
		put_word(d, p, piece->glyph, 11, style);
		return;
	}
	if (crown)
		put_stone(d, p, piece->side);
	pd_buf_printf(d->out,
		      "<path d=\"%s%s\" transform=\"translate(%d %.5g) scale(%s)\" %s stroke-width=\"%s\" "
		      "stroke-linejoin=\"round\"/>\n",
		      game_outlines[man % MEN], piece->glyph[3] ? game_outlines[TILDE] : "", p->x,
		      p->y * d->scale + 0.5, crown ? "0.65" : "1.05", (man < MEN) != crown ? white : black,
		      crown ? "0" : "0.5");
}

static void put_fill(struct drawing *d, const struct game_place *p, unsigned side)
{
	char style[128];
	if (game_place_is_edge(p)) {
		put_edge(d, p, line_colour(d->board, side), 1.8);
		return;
	}
	snprintf(style, sizeof style, "fill=\"%s\" stroke=\"" BORDER "\" stroke-width=\"0.4\"",
		 line_colour(d->board, side));
	put_area(d, p, style);
}

static void put_piece(struct drawing *d, const struct game_place *p, const struct game_piece *piece)
{
	char style[128];
	const char *colour = line_colour(d->board, piece->side);
	double y = p->y * d->scale;
	snprintf(style, sizeof style, "fill=\"%s\"", colour);
	switch (piece->look) {
	case GAME_DISC:
		put_stone(d, p, piece->side);
		break;
	case GAME_CROSS:
		put_line(d, (double[4]){p->x - 3.5, p->y - 3.5, p->x + 3.5, p->y + 3.5}, colour, 1.5);
		put_line(d, (double[4]){p->x - 3.5, p->y + 3.5, p->x + 3.5, p->y - 3.5}, colour, 1.5);
		break;
	case GAME_RING:
		pd_buf_printf(d->out,
			      "<circle cx=\"%d\" cy=\"%.5g\" r=\"3.7\" fill=\"none\" stroke=\"%s\" "
			      "stroke-width=\"1.5\"/>\n",
			      p->x, y, colour);
		break;
	case GAME_GLYPH:
		put_glyph(d, p, piece);
		break;
	case GAME_FILL:
		put_fill(d, p, piece->side);
		break;
	default:
		put_word(d, p, (char[]){piece->letter, 0}, 8, style);
	}
}

/* True for a black or white stone, on which a red point is seen best. */
static bool is_plain_stone(const struct game_board *b, unsigned on)
{
	unsigned side = b->piece[on - 1].side;
	const char *colour = side < 2 ? b->colour[side] : "";
	return b->piece[on - 1].look == GAME_DISC && (!colour || !strcmp(colour, "black") || !strcmp(colour, "white"));
}

/* Marks the last move, on stones if `above`, otherwise below the pieces. */
static void put_last(struct drawing *d, bool above)
{
	const struct game_board *b = d->board;
	for (unsigned i = 0; i < d->how->last_count; i++) {
		unsigned place = d->how->last[i];
		PD_ASSERT(place < b->places);
		const struct game_place *p = &b->place[place];
		unsigned on = d->diagram->on[place];
		bool stone = on && (b->piece[on - 1].look == GAME_DISC || b->piece[on - 1].look == GAME_FILL);
		if (!above && game_place_is_edge(p))
			put_edge(d, p, MARK, 4);
		else if (!above && p->shape != GAME_POINT)
			put_area(d, p, "fill=\"" MARK "\" fill-opacity=\"0.6\"");
		else if (above && stone && !game_place_is_edge(p))
			pd_buf_printf(d->out,
				      "<circle cx=\"%d\" cy=\"%.5g\" r=\"1.5\" fill=\"%s\" stroke=\"%s\" "
				      "stroke-width=\"0.4\"/>\n",
				      p->x, p->y * d->scale, is_plain_stone(b, on) ? POINT : "#ffffff",
				      is_plain_stone(b, on) ? "#ffffff" : INK);
	}
}

static void put_pieces(struct drawing *d)
{
	const struct game_board *b = d->board;
	for (unsigned i = 0; i < b->places; i++)
		if (d->diagram->on[i])
			put_piece(d, &b->place[i], &b->piece[d->diagram->on[i] - 1]);
	for (unsigned i = 0; i < b->places; i++) { /* dots where edges meet */
		const struct game_place *p = &b->place[i];
		int across = p->shape == GAME_EDGE_ACROSS ? HALF : 0, down = HALF - across;
		for (int end = -1; game_place_is_edge(p) && end <= 1; end += 2)
			pd_buf_printf(d->out, "<circle cx=\"%d\" cy=\"%d\" r=\"1.3\" fill=\"" INK "\"/>\n",
				      p->x + end * across, p->y + end * down);
	}
}

/* Marks the places of groups by a letter on a coloured disc. The colours repeat; white has contrast to each. */
static void put_marks(struct drawing *d)
{
	static const char *const colours[] = {"#1d5fa8", "#9c2f5f", "#00695c", "#7b2d8e", "#6d4c13", "#37474f"};
	const char *marks = d->how->marks;
	for (unsigned i = 0; marks && i < d->board->places; i++) {
		const struct game_place *p = &d->board->place[i];
		if (!marks[i])
			continue;
		pd_buf_printf(d->out,
			      "<g><title>group %c</title><circle cx=\"%d\" cy=\"%.5g\" r=\"3.4\" fill=\"%s\"/>\n",
			      marks[i], p->x, p->y * d->scale, colours[(unsigned char)marks[i] % 6]);
		put_word(d, p, (char[]){marks[i], 0}, 4.5, "fill=\"#ffffff\" font-weight=\"700\"");
		pd_buf_puts(d->out, "</g>\n");
	}
}

/* --- text around the board ---------------------------------------------------------------- */

static void write_hand(const struct drawing *d, unsigned side, struct text_line *line)
{
	const struct game_board *b = d->board;
	bool none = true;
	text_printf(line, "%s in hand:", b->side[side] ? b->side[side] : "");
	for (unsigned i = 0; i < b->pieces; i++) {
		unsigned count = d->diagram->hand[side][i];
		const char *glyph = b->piece[i].glyph ? b->piece[i].glyph : (char[]){b->piece[i].letter, 0};
		if (count > 1)
			text_printf(line, " %u%s", count, glyph);
		else if (count)
			text_printf(line, " %s", glyph);
		none &= !count;
	}
	text_printf(line, "%s", none ? " none" : "");
}

/* Counts the lines of text below the board, and draws them if `draw` is set. */
static unsigned put_status(struct drawing *d, bool draw)
{
	const struct game_board *b = d->board;
	const struct game_diagram *g = d->diagram;
	unsigned lines = 0;
	for (unsigned i = 0; i < 4; i++) { /* whose turn it is, or the result; two hands; the note */
		char text[256];
		struct text_line line = text_line(text, sizeof text);
		if (i == 0 && g->to_move < 2 && b->side[g->to_move])
			text_printf(&line, "%s to move", b->side[g->to_move]);
		else if (i == 0)
			text_printf(&line, "%s", d->how->result ? d->how->result : "");
		else if (i == 3)
			text_printf(&line, "%s", g->note);
		else if (b->hands)
			write_hand(d, i - 1, &line);
		if (*text && draw)
			put_label(d, d->left, d->bottom + LINE * (lines + 0.6), i == 0 ? 6 : 4.5, "start", text);
		lines += *text != 0;
	}
	return lines;
}

void game_board_svg(const struct game_board *board, const struct game_diagram *diagram, const struct game_svg *how,
		    struct pd_buf *out)
{
	struct drawing d = {.board = board, .diagram = diagram, .how = how, .out = out};
	PD_ASSERT(board->places && board->places <= GAME_PLACES_MAX);
	measure_board(&d);
	double top = d.top - PAD - (how->title ? LINE : 0), left = d.left - PAD;
	double width = d.right + PAD - left, height = d.bottom + PAD + LINE * put_status(&d, false) - top;
	double widest = width > 90 ? width : 90; /* for the text */
	double zoom = 640 / widest < 4 ? 640 / widest : 4;
	pd_buf_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.5g %.5g %.5g %.5g\" width=\"%.0f\" "
		      "height=\"%.0f\" font-family=\"" FONT "\">\n",
		      left, top, widest, height, widest * zoom, height * zoom);
	pd_buf_printf(out, "<rect x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" height=\"%.5g\" fill=\"" PAPER "\"/>\n", left,
		      top, widest, height);
	if (how->title)
		put_label(&d, d.left, d.top - LINE * 0.6, 6, "start", how->title);
	if (d.points) {
		int x1 = INT16_MAX, y1 = INT16_MAX, x2 = INT16_MIN, y2 = INT16_MIN;
		for (unsigned i = 0; i < board->places; i++) {
			x1 = board->place[i].x < x1 ? board->place[i].x : x1;
			x2 = board->place[i].x > x2 ? board->place[i].x : x2;
			y1 = board->place[i].y < y1 ? board->place[i].y : y1;
			y2 = board->place[i].y > y2 ? board->place[i].y : y2;
		}
		pd_buf_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"" WOOD "\"/>\n", x1 - 7,
			      y1 - 7, x2 - x1 + 14, y2 - y1 + 14);
	}
	put_places(&d);
	put_last(&d, false);
	put_strokes(&d);
	put_pieces(&d);
	put_last(&d, true);
	put_marks(&d);
	for (unsigned i = 0; i < board->labels; i++)
		put_label(&d, board->label[i].x, board->label[i].y * d.scale, 4.5, "middle", board->label[i].text);
	put_status(&d, true);
	pd_buf_puts(out, "</svg>\n");
}

/* Checkers, English draughts. Men go one square diagonally forward, kings one square in any diagonal direction. A piece
 * captures by jumping over an adjacent enemy piece to the empty square behind it, men only forward, and goes on jumping
 * as long as it can; what it jumped is lifted at the end, so nothing is jumped twice. A side that can capture must do
 * so, in any of the possible ways. A man that reaches the last row becomes a king, and its move ends. A side without a
 * move has lost. Infinite play is a draw.
 *
 * at: 1 black man, 2 white man, 3 black king, 4 white king; Black is First, begins, and is at the top. Only the dark
 * squares are used; they are numbered from 1, row by row from the top left. Move code, with `from` counted from 0: from
 * + 32 * direction, or for a capture from + 32 * (3 + number of its trail). All sequences of jumps from a square on an
 * empty board that jump nothing twice are numbered from 1, each before those that continue it, in the order of the
 * directions: down and left, down and right, up and left, up and right. */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

enum { JUMPS_MAX = 9 };

/* A walk through the trails of one square. */
struct walk {
	const struct ck_game *g;
	const struct ck_position *p;
	unsigned from, number, jumps;
	int over[JUMPS_MAX], to[JUMPS_MAX]; /* of the jumps made */
	uint16_t *out;                      /* receives captures; NULL: none are wanted */
	unsigned n;
	unsigned wanted; /* the walk stops at the trail of that number; 0: it does not stop */
};

/* The square of a number from 0, and the number of a square. */
static unsigned square_of(const struct ck_game *g, unsigned number)
{
	unsigned half = g->width / 2, row = g->height - 1 - number / half;
	return row * g->width + 2 * (number % half) + row % 2;
}

static unsigned number_of(const struct ck_game *g, unsigned square)
{
	unsigned row = g->height - 1 - square / g->width;
	return row * (g->width / 2) + square % g->width / 2;
}

static int step_square(const struct ck_game *g, int square, unsigned direction)
{
	if (square < 0)
		return square;
	return ck_square_at(g, square % (int)g->width + (direction % 2 ? 1 : -1),
			    square / (int)g->width + (direction < 2 ? -1 : 1));
}

static bool is_own(const struct ck_position *p, int square)
{
	return p->at[square] && p->at[square] % 2 == (p->turn ? 0 : 1);
}

static bool is_enemy(const struct ck_position *p, int square)
{
	return p->at[square] && !is_own(p, square);
}

static bool may_go(const struct ck_position *p, unsigned square, unsigned direction)
{
	return p->at[square] > 2 || direction / 2 == p->turn;
}

/* Whether the piece from `from`, on its way, can jump over one square to another. */
static bool can_jump(const struct ck_position *p, unsigned from, int over, int to, unsigned direction)
{
	return may_go(p, from, direction) && is_enemy(p, over) && (!p->at[to] || to == (int)from);
}

/* Walks through all trails that continue the one made so far, which is the beginning of a capture if `legal`. Lists the
 * captures that end there. True when the last jump of the capture made so far is not its last one, or when the walk
 * found the trail wanted. */
static bool walk_on(struct walk *w, int at, bool legal)
{
	bool goes_on = false;
	for (unsigned direction = 0; direction < 4; direction++) {
		int over = step_square(w->g, at, direction), to = step_square(w->g, over, direction);
		bool twice = to < 0;
		for (unsigned i = 0; i < w->jumps; i++)
			twice |= w->over[i] == over;
		if (twice)
			continue;
		PD_ASSERT(w->jumps < JUMPS_MAX);
		unsigned number = ++w->number;
		bool can = legal && can_jump(w->p, w->from, over, to, direction);
		w->over[w->jumps] = over;
		w->to[w->jumps++] = to;
		if (number == w->wanted)
			return true;
		bool more = walk_on(w, to, can);
		if (w->wanted && more)
			return true;
		w->jumps--;
		if (can && !more && w->out)
			w->out[w->n++] = (uint16_t)(number_of(w->g, w->from) + 32 * (3 + number));
		goes_on |= can;
	}
	return goes_on && !w->wanted;
}

/* The trail of a capture. */
static struct walk trail_of(const struct ck_game *g, const struct ck_position *p, uint16_t move)
{
	struct walk w = {.g = g, .p = p, .from = square_of(g, move % 32), .wanted = move / 32 - 3};
	bool found = walk_on(&w, (int)w.from, false);
	PD_ASSERT(found && w.jumps);
	return w;
}

static unsigned checkers_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width * g->height / 2; i++) {
		struct walk w = {.g = g, .p = p, .from = square_of(g, i), .out = out + n};
		bool captures = false;
		for (unsigned direction = 0; is_own(p, (int)w.from) && direction < 4; direction++) {
			int over = step_square(g, (int)w.from, direction), to = step_square(g, over, direction);
			captures |= to >= 0 && can_jump(p, w.from, over, to, direction);
		}
		if (captures)
			walk_on(&w, (int)w.from, true);
		n += w.n;
	}
	for (unsigned i = 0, captures = n; !captures && i < g->width * g->height / 2; i++)
		for (unsigned direction = 0, from = square_of(g, i); direction < 4; direction++) {
			int to = is_own(p, (int)from) ? step_square(g, (int)from, direction) : -1;
			if (to >= 0 && may_go(p, from, direction) && !p->at[to])
				out[n++] = (uint16_t)(i + 32 * direction);
		}
	return n;
}

static void checkers_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	unsigned from = square_of(g, move % 32), piece = p->at[from];
	int to = step_square(g, (int)from, move / 32);
	if (move / 32 > 3) {
		struct walk w = trail_of(g, p, move);
		for (unsigned i = 0; i < w.jumps; i++)
			p->at[w.over[i]] = 0;
		to = w.to[w.jumps - 1];
	}
	PD_ASSERT(to >= 0 && piece);
	unsigned row = (unsigned)to / g->width;
	p->at[from] = 0;
	p->at[to] = (uint8_t)((piece == 1 && row == 0) || (piece == 2 && row + 1 == g->height) ? piece + 2 : piece);
	p->turn = !p->turn;
}

static void checkers_name_move(const struct ck_game *g, const struct ck_position *p, uint16_t move,
			       char out[CK_MOVE_TEXT])
{
	unsigned from = square_of(g, move % 32);
	int size = snprintf(out, CK_MOVE_TEXT, "%u", move % 32 + 1u);
	if (move / 32 < 4) {
		snprintf(out + size, CK_MOVE_TEXT - (size_t)size, "-%u",
			 number_of(g, (unsigned)step_square(g, (int)from, move / 32)) + 1);
		return;
	}
	struct walk w = trail_of(g, p, move);
	for (unsigned i = 0; i < w.jumps; i++)
		size += snprintf(out + size, CK_MOVE_TEXT - (size_t)size, "x%u", number_of(g, (unsigned)w.to[i]) + 1);
}

/* Reads the full name of a legal move. */
static bool read_move(const struct ck_game *g, const struct ck_position *p, const char **text, unsigned *move)
{
	uint16_t list[CK_MOVES_MAX];
	char name[CK_MOVE_TEXT];
	size_t size = strspn(*text, "0123456789-x");
	for (unsigned n = checkers_list_moves(g, p, list); n > 0; n--) {
		checkers_name_move(g, p, list[n - 1], name);
		if (strlen(name) == size && !strncmp(name, *text, size)) {
			*text += size;
			*move = list[n - 1];
			return true;
		}
	}
	return false;
}

/* What is wrong with a position; NULL when nothing is. */
static const char *find_fault(const struct ck_game *g, const struct ck_position *p)
{
	unsigned pieces[2] = {0, 0}, most = g->width / 2 * (g->height / 2 - 1), top = (g->height - 1) * g->width;
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (p->at[i])
			pieces[(p->at[i] + 1) % 2]++;
	for (unsigned i = 0; i < g->width; i++)
		if (p->at[i] == 1 || p->at[top + i] == 2)
			return "there is a man on its last row";
	if (pieces[0] > most || pieces[1] > most)
		return "a side has too many pieces";
	return pieces[!p->turn] ? NULL : "the side that is not to move has no pieces";
}

/* Reads the number of a square, before which there may be zeros. */
static bool read_square(const struct ck_game *g, const char **text, unsigned *number)
{
	if (strspn(*text, "0123456789") > 9)
		return false;
	*text += strspn(*text, "0");
	return ck_number(text, number) && *number <= g->width * g->height / 2;
}

/* Reads the squares of a side's pieces. */
static const char *read_side(const struct ck_game *g, const char **text, unsigned man, struct ck_position *p)
{
	for (bool more = **text && **text != ':' && **text != '.'; more; *text += more) {
		unsigned number, king = **text == 'K';
		*text += king;
		if (!read_square(g, text, &number))
			return "a piece is the number of its square, for a king with a K before it";
		uint8_t *at = &p->at[square_of(g, number - 1)];
		if (*at)
			return "two pieces stand on one square";
		*at = (uint8_t)(man + 2 * king);
		more = **text == ',';
	}
	return NULL;
}

/* W:W18,24,K27:B12,K16 */
static const char *checkers_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	static const char form[] = "a position looks like W:W18,24,K27:B12,16";
	const char *wrong = NULL;
	memset(out, 0, sizeof *out);
	if (!strchr(text, ':')) {
		unsigned last = g->width * g->height / 2, men = g->width / 2 * (g->height / 2 - 1);
		for (unsigned i = 0; i < men; i++) {
			out->at[square_of(g, i)] = 1;
			out->at[square_of(g, last - 1 - i)] = 2;
		}
		return ck_moves_read(g, text, out, read_move);
	}
	if (*text != 'B' && *text != 'W')
		return form;
	out->turn = *text++ == 'W';
	char before = 0;
	for (unsigned i = 0; i < 2 && !wrong; i++) {
		if (text[0] != ':' || (text[1] != 'B' && text[1] != 'W') || text[1] == before)
			return form;
		before = text[1];
		text += 2;
		wrong = read_side(g, &text, before == 'B' ? 1 : 2, out);
	}
	if (wrong)
		return wrong;
	text += *text == '.';
	return *text ? "the text goes on after the position" : find_fault(g, out);
}

static void checkers_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	*out++ = p->turn ? 'W' : 'B';
	for (unsigned man = 2; man >= 1; man--) {
		const char *comma = "";
		out += sprintf(out, ":%c", man == 1 ? 'B' : 'W');
		for (unsigned i = 0; i < g->width * g->height / 2; i++) {
			unsigned piece = p->at[square_of(g, i)];
			if (piece != man && piece != man + 2)
				continue;
			out += sprintf(out, "%s%s%u", comma, piece > 2 ? "K" : "", i + 1);
			comma = ",";
		}
	}
}

static void set_bit(uint8_t *key, unsigned bit)
{
	key[bit / 8] |= (uint8_t)(1u << bit % 8);
}

static size_t checkers_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	unsigned squares = g->width * g->height / 2;
	memset(out, 0, g->key_max);
	for (unsigned i = 0; i < squares; i++) {
		unsigned piece = p->at[square_of(g, i)];
		if (piece)
			set_bit(out, i + (piece % 2 ? 0 : squares));
		if (piece > 2)
			set_bit(out, i + 2 * squares);
	}
	if (p->turn)
		set_bit(out, 3 * squares);
	return g->key_max;
}

static bool checkers_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned squares = g->width * g->height / 2;
	if (size != g->key_max)
		return false;
	for (unsigned bit = 0; bit < 8 * size; bit++) {
		if (!(key[bit / 8] >> bit % 8 & 1))
			continue;
		if (bit > 3 * squares)
			return false;
		uint8_t *at = &p->at[square_of(g, bit % squares)];
		if (bit == 3 * squares)
			p->turn = 1;
		else if (bit < 2 * squares ? *at : !*at)
			return false; /* two pieces on a square, or a king without a piece */
		else
			*at = (uint8_t)(bit < 2 * squares ? 1 + bit / squares : *at + 2u);
	}
	return !find_fault(g, p);
}

/* --- classes ------------------------------------------------------------------------------
 *
 * The comment at the top of solver/games/checkers_classes.c defines their names and numbers. */

enum { OWN_MAN = 1, OTHER_MAN, OWN_KING, OTHER_KING, CLASS_PIECES = 6 };

/* How many pieces of each kind there are, from the view of the player to move. */
struct material {
	unsigned of[OTHER_KING + 1];
};

/* A position from that view: what is on each number, the player's first row being the first. */
struct view {
	uint8_t on[32];
};

static uint64_t count_choices(unsigned n, unsigned k)
{
	return !k ? 1 : n < k ? 0 : count_choices(n - 1, k - 1) * n / k;
}

static struct material swap_material(struct material m)
{
	return (struct material){{0, m.of[OTHER_MAN], m.of[OWN_MAN], m.of[OTHER_KING], m.of[OWN_KING]}};
}

/* Reads the material of the class, the force named first being the player's own; false unless it is its canonical
 * name. */
static bool read_class(const struct ck_game *g, const char *name, struct material *out)
{
	unsigned most = g->width / 2 * (g->height / 2 - 1), pieces[2];
	memset(out, 0, sizeof *out);
	for (unsigned i = 0; i < 2; i++) {
		unsigned kings = (unsigned)strspn(name, "K"), men = (unsigned)strspn(name + kings, "M");
		pieces[i] = kings + men;
		if (!pieces[i] || pieces[i] > most)
			return false;
		out->of[OWN_KING + i] = kings;
		out->of[OWN_MAN + i] = men;
		name += pieces[i];
		if (*name++ != (i ? 0 : 'v'))
			return false;
	}
	return pieces[0] + pieces[1] <= CLASS_PIECES &&
	       (pieces[0] > pieces[1] || (pieces[0] == pieces[1] && out->of[OWN_KING] >= out->of[OTHER_KING]));
}

static bool is_even(struct material m)
{
	return m.of[OWN_MAN] == m.of[OTHER_MAN] && m.of[OWN_KING] == m.of[OTHER_KING];
}

/* The positions with that material and `home` of the player's men in its own row. */
static uint64_t count_with(const struct ck_game *g, struct material m, unsigned home)
{
	unsigned row = g->width / 2, squares = row * g->height, men = m.of[OWN_MAN] + m.of[OTHER_MAN];
	if (home > m.of[OWN_MAN])
		return 0;
	unsigned ahead = m.of[OWN_MAN] - home;
	return count_choices(row, home) * count_choices(squares - 2 * row, ahead) *
	       count_choices(squares - row - ahead, m.of[OTHER_MAN]) * count_choices(squares - men, m.of[OWN_KING]) *
	       count_choices(squares - men - m.of[OWN_KING], m.of[OTHER_KING]);
}

static uint64_t count_all(const struct ck_game *g, struct material m)
{
	uint64_t count = 0;
	for (unsigned home = 0; home <= m.of[OWN_MAN]; home++)
		count += count_with(g, m, home);
	return count;
}

/* One of the five combinations that a number consists of: pieces of a kind on free squares from `begin` to `end`. */
struct part {
	unsigned kind, pieces, begin, end;
};

static void list_parts(const struct ck_game *g, struct material m, unsigned home, struct part out[5])
{
	unsigned row = g->width / 2, squares = row * g->height;
	out[0] = (struct part){OWN_MAN, home, 0, row};
	out[1] = (struct part){OWN_MAN, m.of[OWN_MAN] - home, row, squares - row};
	out[2] = (struct part){OTHER_MAN, m.of[OTHER_MAN], row, squares};
	out[3] = (struct part){OWN_KING, m.of[OWN_KING], 0, squares};
	out[4] = (struct part){OTHER_KING, m.of[OTHER_KING], 0, squares};
}

static unsigned count_free(const struct view *v, const struct part *part)
{
	unsigned count = 0;
	for (unsigned i = part->begin; i < part->end; i++)
		count += !v->on[i];
	return count;
}

static uint64_t checkers_class_size(const struct ck_game *g, const char *name)
{
	struct material m;
	if (!read_class(g, name, &m))
		return 0;
	return count_all(g, m) + (is_even(m) ? 0 : count_all(g, swap_material(m)));
}

static bool checkers_class_position(const struct ck_game *g, const char *name, uint64_t index, struct ck_position *out)
{
	struct material m;
	struct view v = {{0}};
	struct part part[5];
	unsigned home = 0;
	uint64_t later = 1;
	if (index >= checkers_class_size(g, name) || !read_class(g, name, &m))
		return false;
	if (index >= count_all(g, m)) {
		index -= count_all(g, m);
		m = swap_material(m);
	}
	for (; index >= count_with(g, m, home); home++)
		index -= count_with(g, m, home);
	later = count_with(g, m, home);
	list_parts(g, m, home, part);
	for (unsigned i = 0; i < 5; i++) {
		unsigned left = part[i].pieces, free = count_free(&v, &part[i]);
		later /= count_choices(free, left);
		uint64_t number = index / later;
		index %= later;
		for (unsigned square = part[i].end; left > 0; square--) {
			if (v.on[square - 1] || count_choices(--free, left) > number)
				continue;
			number -= count_choices(free, left--);
			v.on[square - 1] = (uint8_t)part[i].kind;
		}
	}
	memset(out, 0, sizeof *out);
	for (unsigned i = 0; i < g->width * g->height / 2; i++)
		out->at[square_of(g, i)] = v.on[i];
	return true;
}

/* Writes the canonical name of the class with that material, the player's own force first. */
static void write_class(struct material m, char name[CK_CLASS_NAME])
{
	sprintf(name, "%.*s%.*sv%.*s%.*s", (int)m.of[OWN_KING], "KKKKKK", (int)m.of[OWN_MAN], "MMMMMM",
		(int)m.of[OTHER_KING], "KKKKKK", (int)m.of[OTHER_MAN], "MMMMMM");
}

static bool checkers_class_index(const struct ck_game *g, const struct ck_position *p, char name[CK_CLASS_NAME],
				 uint64_t *index)
{
	static const uint8_t kinds[2][5] = {{0, OWN_MAN, OTHER_MAN, OWN_KING, OTHER_KING},
					    {0, OTHER_MAN, OWN_MAN, OTHER_KING, OWN_KING}};
	unsigned squares = g->width * g->height / 2, home = 0, pieces = 0;
	struct view all, v = {{0}};
	struct material m = {{0}}, first;
	struct part part[5];
	for (unsigned i = 0; i < squares; i++) {
		all.on[i] = kinds[p->turn][p->at[square_of(g, p->turn ? squares - 1 - i : i)]];
		m.of[all.on[i]]++;
		home += i < g->width / 2 && all.on[i] == OWN_MAN;
		pieces += all.on[i] != 0;
	}
	m.of[0] = 0;
	if (pieces > CLASS_PIECES)
		return false;
	write_class(m, name);
	bool second = !read_class(g, name, &first);
	write_class(second ? swap_material(m) : m, name);
	if (second && !read_class(g, name, &first))
		return false; /* a side has no pieces */
	*index = 0;
	list_parts(g, m, home, part);
	for (unsigned i = 0; i < 5; i++) {
		unsigned free = 0, found = 0;
		uint64_t number = 0, count = count_choices(count_free(&v, &part[i]), part[i].pieces);
		for (unsigned square = part[i].begin; square < part[i].end; square++) {
			if (v.on[square])
				continue;
			if (all.on[square] == part[i].kind) {
				number += count_choices(free, ++found);
				v.on[square] = (uint8_t)part[i].kind;
			}
			free++;
		}
		*index = *index * count + number;
	}
	for (unsigned i = 0; i < home; i++)
		*index += count_with(g, m, i);
	*index += second ? count_all(g, swap_material(m)) : 0;
	return true;
}

static int checkers_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			      struct pd_fail *fail)
{
	const char *p = params;
	if (!ck_number(&p, &g->width) || *p || (g->width != 4 && g->width != 6 && g->width != 8))
		return pd_fail_set(fail, PD_E_GAME, "game", "checkers takes 4, 6 or 8 rows");
	g->height = g->width;
	g->repeats = true;
	g->key_max = (3 * g->width * g->height / 2 + 8) / 8;
	return PD_OK;
}

const struct ck_rules ck_checkers = {
	.name = "checkers",
	CK_RULES(checkers),
	.over = ck_no_move_loses,
	.first_moves = ck_turn_0_moves,
	.move_name = checkers_name_move,
	.grid = &(const struct ck_grid){.letters = ".bwBW"},
	.class_size = checkers_class_size,
	.class_position = checkers_class_position,
	.class_index = checkers_class_index,
};

/* clobber:WxH: Clobber on a board of W columns and H rows, at most 128 squares.
 *
 * Rules (Albert, Grossman, Nowakowski and Wolfe 2005): at first every square holds a stone; First's x and Second's o
 * alternate like the colours of a chess board, with x on a1. A player moves one of his stones to a neighbouring square
 * (not diagonally) that holds an enemy stone, which is captured. A player who cannot move loses; there are no draws.
 * First moves first in the initial position. Any board with either side to move is a position.
 *
 * Notation: rows from the top with `/` between them, x, o, and `.` or a number for empty squares, then a blank and the
 * side to move: `xox/oxo x`. If that is missing, First is to move. A sum of boards is one board with empty squares
 * between the parts. Moves: `a1-a2`, columns a to z, then aa, ab, ...; row 1 is the lowest.
 *
 * Squares are numbered row by row from a1: square = row * W + column. A move's code is 4 * square + direction, in which
 * 0 is up, 1 right, 2 down, 3 left.
 *
 * Key: live stones only. A stone is dead when no chain of neighbouring stones, of either side, leads from it to an
 * enemy stone. It can never move or be captured, so positions that differ only in dead stones have the same key. Bits,
 * beginning with the lowest of the first byte: for each square 1 if a live x is there, then for each square 1 if a live
 * o is there, then 1 if Second is to move. The key describes the image under the symmetries of the board (four; eight
 * if W = H) whose set of x, read as a number, is smallest; among those, the one with the smallest set of o.
 *
 * Values: -1 (Second wins) and 1. Tested against the published outcomes of rectangles and the sums of the MCGS
 * project. */
#include <proofd/game.h>

#include <stdlib.h>
#include <string.h>

enum { SQUARES_MAX = 128, IMAGES = 8 };
enum { UP, RIGHT, DOWN, LEFT };

__extension__ typedef unsigned __int128 set; /* of squares */

struct state {
	set stones[2];         /* of First, of Second */
	uint64_t turn, unused; /* turn: 0 First, 1 Second */
};

struct clobber {
	struct game game;
	unsigned width, height, squares, images;
	set column[2];                              /* all but the last column, all but the first */
	uint8_t to[IMAGES][SQUARES_MAX];            /* the square that a symmetry maps a square to */
	uint8_t from[IMAGES][SQUARES_MAX];          /* the inverse */
	uint8_t turned[IMAGES][4], back[IMAGES][4]; /* the same for directions */
};

static const struct clobber *board_of(const struct game *g)
{
	return (const struct clobber *)(const void *)g;
}

static set bit_of(unsigned square)
{
	return (set)1 << square;
}

static unsigned lowest_square(set s)
{
	uint64_t low = (uint64_t)s;
	return low ? (unsigned)__builtin_ctzll(low) : 64 + (unsigned)__builtin_ctzll((uint64_t)(s >> 64));
}

static unsigned size_of(set s)
{
	return (unsigned)__builtin_popcountll((uint64_t)s) + (unsigned)__builtin_popcountll((uint64_t)(s >> 64));
}

/* The squares of s whose neighbour in that direction is in `there`. */
static set select_facing(const struct clobber *b, set s, unsigned direction, set there)
{
	switch (direction) {
	case UP:
		return b->width < SQUARES_MAX ? s & there >> b->width : 0;
	case DOWN:
		return b->width < SQUARES_MAX ? s & there << b->width : 0;
	case RIGHT:
		return s & b->column[0] & there >> 1;
	default:
		return s & b->column[1] & there << 1;
	}
}

static unsigned neighbour_of(const struct clobber *b, unsigned square, unsigned direction)
{
	const int step[] = {(int)b->width, 1, -(int)b->width, -1};
	return (unsigned)((int)square + step[direction]);
}

/* The live stones: those that a chain connects with an enemy stone. */
static set find_live_stones(const struct clobber *b, const struct state *s)
{
	set all = s->stones[0] | s->stones[1], out = 0, more = 0;
	for (unsigned d = 0; d < 4; d++)
		more |= select_facing(b, s->stones[0], d, s->stones[1]) |
			select_facing(b, s->stones[1], d, s->stones[0]);
	while (more != out) {
		out = more;
		for (unsigned d = 0; d < 4; d++)
			more |= select_facing(b, all, d, out);
	}
	return out;
}

/* --- positions ---------------------------------------------------------------------------- */

static void set_start(const struct game *g, void *state)
{
	const struct clobber *b = board_of(g);
	struct state s = {0};
	for (unsigned i = 0; i < b->squares; i++)
		s.stones[(i / b->width + i % b->width) % 2] |= bit_of(i);
	memcpy(state, &s, sizeof s);
}

static int bad_position(struct pd_fail *fail, const char *text, const char *at, const char *what)
{
	return game_fail(fail, PD_E_POSITION, "position", "character %u: %s", (unsigned)(at - text) + 1, what);
}

static int parse_position(const struct game *g, const char *text, void *state, struct pd_fail *fail)
{
	const struct clobber *b = board_of(g);
	struct state s = {0};
	const char *at = text;
	if (!*text) {
		set_start(g, state);
		return PD_OK;
	}
	for (unsigned row = b->height; row-- > 0;) {
		unsigned column = 0;
		for (; *at && *at != '/' && *at != ' '; at++) {
			if (*at >= '0' && *at <= '9') {
				unsigned run = 0;
				for (; *at >= '0' && *at <= '9' && run <= SQUARES_MAX; at++)
					run = 10 * run + (unsigned)(*at - '0');
				at--;
				column += run;
			} else if (column < b->width && (*at == 'x' || *at == 'o')) {
				s.stones[*at == 'o'] |= bit_of(row * b->width + column++);
			} else if (*at == '.') {
				column++;
			} else {
				return bad_position(fail, text, at,
						    "a row consists of x, o, . and numbers, and has as many squares as "
						    "the board has columns");
			}
		}
		if (column != b->width)
			return bad_position(fail, text, at, "this row has too few or too many squares");
		if (row && *at++ != '/')
			return bad_position(fail, text, at - 1, "a / and another row are missing");
	}
	if (*at == ' ' && (at[1] == 'x' || at[1] == 'o') && !at[2])
		s.turn = at[1] == 'o';
	else if (*at)
		return bad_position(fail, text, at, "a position ends with a blank and the side to move, x or o");
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static size_t print_position(const struct game *g, const void *state, char *out, size_t size)
{
	const struct clobber *b = board_of(g);
	const struct state *s = state;
	char text[2 * SQUARES_MAX + 2], *at = text;
	for (unsigned row = b->height; row-- > 0;) {
		for (unsigned column = 0; column < b->width; column++) {
			set here = bit_of(row * b->width + column);
			*at++ = s->stones[0] & here ? 'x' : s->stones[1] & here ? 'o' : '.';
		}
		*at++ = row ? '/' : ' ';
	}
	*at++ = s->turn ? 'o' : 'x';
	return (size_t)snprintf(out, size, "%.*s", (int)(at - text), text);
}

static bool first_to_move(const struct game *g, const void *state)
{
	(void)g;
	return !((const struct state *)state)->turn;
}

/* --- moves -------------------------------------------------------------------------------- */

static bool is_over(const struct game *g, const void *state, int *value)
{
	const struct clobber *b = board_of(g);
	const struct state *s = state;
	for (unsigned d = 0; d < 4; d++)
		if (select_facing(b, s->stones[s->turn], d, s->stones[!s->turn]))
			return false;
	*value = s->turn ? 1 : -1;
	return true;
}

static unsigned count_moves(const struct game *g, const void *state)
{
	const struct clobber *b = board_of(g);
	const struct state *s = state;
	unsigned n = 0;
	for (unsigned d = 0; d < 4; d++)
		n += size_of(select_facing(b, s->stones[s->turn], d, s->stones[!s->turn]));
	return n;
}

static unsigned list_moves(const struct game *g, const void *state, game_move *out)
{
	const struct clobber *b = board_of(g);
	const struct state *s = state;
	unsigned n = 0;
	for (unsigned d = 0; d < 4; d++)
		for (set from = select_facing(b, s->stones[s->turn], d, s->stones[!s->turn]); from; from &= from - 1)
			out[n++] = (game_move)(4 * lowest_square(from) + d);
	return n;
}

static void play_move(const struct game *g, void *state, game_move move)
{
	const struct clobber *b = board_of(g);
	struct state *s = state;
	set from = bit_of(move / 4), to = bit_of(neighbour_of(b, move / 4, move % 4));
	s->stones[s->turn] ^= from | to;
	s->stones[!s->turn] ^= to;
	s->turn = !s->turn;
}

static void print_square(const struct clobber *b, unsigned square, char out[8])
{
	unsigned column = square % b->width, row = square / b->width + 1;
	if (column < 26)
		snprintf(out, 8, "%c%u", 'a' + column, row);
	else
		snprintf(out, 8, "%c%c%u", 'a' + column / 26 - 1, 'a' + column % 26, row);
}

static size_t print_move(const struct game *g, const void *state, game_move move, char *out, size_t size)
{
	const struct clobber *b = board_of(g);
	char from[8], to[8];
	(void)state;
	print_square(b, move / 4, from);
	print_square(b, neighbour_of(b, move / 4, move % 4), to);
	return (size_t)snprintf(out, size, "%s-%s", from, to);
}

static int parse_move(const struct game *g, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	game_move list[4 * SQUARES_MAX];
	char name[16];
	unsigned n = list_moves(g, state, list);
	for (unsigned i = 0; i < n; i++) {
		print_move(g, state, list[i], name, sizeof name);
		if (!strcmp(name, text)) {
			*out = list[i];
			return PD_OK;
		}
	}
	return game_fail(fail, PD_E_MOVE, "move",
			 "'%.20s' is not a move here; a stone captures one next to it, as in a1-a2", text);
}

/* --- keys --------------------------------------------------------------------------------- */

/* The images of a set, all at once. */
static void images_of(const struct clobber *b, set s, set out[IMAGES])
{
	memset(out, 0, IMAGES * sizeof *out);
	for (; s; s &= s - 1) {
		unsigned square = lowest_square(s);
		for (unsigned i = 0; i < b->images; i++)
			out[i] |= bit_of(b->to[i][square]);
	}
}

/* The image that the key encodes: its index, and its stones in `out`. */
static unsigned least_image(const struct clobber *b, const struct state *s, set out[2])
{
	set there = find_live_stones(b, s), first[IMAGES], second[IMAGES];
	unsigned best = 0;
	images_of(b, s->stones[0] & there, first);
	images_of(b, s->stones[1] & there, second);
	for (unsigned i = 1; i < b->images; i++)
		if (first[i] < first[best] || (first[i] == first[best] && second[i] < second[best]))
			best = i;
	out[0] = first[best];
	out[1] = second[best];
	return best;
}

static size_t encode_key(const struct game *g, const void *state, uint8_t *out)
{
	const struct clobber *b = board_of(g);
	const struct state *s = state;
	set image[2];
	least_image(b, s, image);
	memset(out, 0, g->key_size_max);
	for (unsigned side = 0; side < 2; side++)
		for (set left = image[side]; left; left &= left - 1) {
			unsigned at = side * b->squares + lowest_square(left);
			out[at / 8] |= (uint8_t)(1u << at % 8);
		}
	out[2 * b->squares / 8] |= (uint8_t)(s->turn << 2 * b->squares % 8);
	return g->key_size_max;
}

static int decode_key(const struct game *g, const uint8_t *bytes, size_t size, void *state)
{
	const struct clobber *b = board_of(g);
	struct state s = {0};
	set image[2];
	if (size != g->key_size_max)
		return PD_E_CORRUPT;
	for (unsigned i = 0; i < 8 * size; i++) {
		bool there = bytes[i / 8] >> i % 8 & 1;
		if (there && i > 2 * b->squares)
			return PD_E_CORRUPT;
		if (there && i == 2 * b->squares)
			s.turn = 1;
		else if (there)
			s.stones[i / b->squares] |= bit_of(i % b->squares);
	}
	if (s.stones[0] & s.stones[1])
		return PD_E_CORRUPT;
	least_image(b, &s, image);
	if (image[0] != s.stones[0] || image[1] != s.stones[1])
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static game_move convert_move(const struct game *g, const void *state, game_move move, bool back)
{
	const struct clobber *b = board_of(g);
	set image[2];
	unsigned i = least_image(b, state, image);
	return back ? (game_move)(4 * b->from[i][move / 4 % b->squares] + b->back[i][move % 4])
		    : (game_move)(4 * b->to[i][move / 4 % b->squares] + b->turned[i][move % 4]);
}

/* --- the board as data -------------------------------------------------------------------- */

static void describe_board(const struct game *g, struct game_board *out)
{
	const struct clobber *b = board_of(g);
	out->side[GAME_FIRST] = "First (x, black)";
	out->side[GAME_SECOND] = "Second (o, white)";
	out->piece[out->pieces++] = (struct game_piece){'x', GAME_FIRST, GAME_DISC, "stone of First", NULL};
	out->piece[out->pieces++] = (struct game_piece){'o', GAME_SECOND, GAME_DISC, "stone of Second", NULL};
	if (b->width <= 64 && b->height <= 64)
		game_board_grid(out, b->width, b->height, GAME_SQUARE);
	for (unsigned i = 0; out->places < b->squares; i++) /* too long for a grid with coordinates */
		out->place[out->places++] = (struct game_place){.x = (int16_t)(12 * (i % b->width)),
								.y = (int16_t)(-12 * (int)(i / b->width)),
								.shape = GAME_SQUARE};
}

static void draw_diagram(const struct game *g, const void *state, struct game_diagram *out)
{
	const struct clobber *b = board_of(g);
	const struct state *s = state;
	int value;
	for (unsigned i = 0; i < b->squares; i++)
		out->on[i] = s->stones[0] & bit_of(i) ? 1 : s->stones[1] & bit_of(i) ? 2 : 0;
	out->to_move = is_over(g, state, &value) ? GAME_NO_SIDE : s->turn ? GAME_SECOND : GAME_FIRST;
	if (out->to_move == GAME_NO_SIDE)
		strcpy(out->note, s->turn ? "o to move" : "x to move");
}

static unsigned list_move_places(const struct game *g, const void *state, game_move move,
				 uint16_t out[GAME_MOVE_PLACES_MAX])
{
	(void)state;
	out[0] = move / 4;
	out[1] = (uint16_t)neighbour_of(board_of(g), move / 4, move % 4);
	return 2;
}

static int set_up_position(const struct game *g, const struct game_diagram *d, void *state, struct pd_fail *fail)
{
	const struct clobber *b = board_of(g);
	struct state s = {.turn = d->to_move == GAME_SECOND || !strcmp(d->note, "o to move")};
	for (unsigned i = 0; i < b->squares; i++) {
		if (d->on[i] > 2)
			return game_fail(fail, PD_E_POSITION, "position", "there are two kinds of pieces, x and o");
		if (d->on[i])
			s.stones[d->on[i] - 1] |= bit_of(i);
	}
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

/* Symmetry i: bit 0 mirrors columns, bit 1 rows, bit 2 then swaps columns and rows. */
static void make_images(struct clobber *b)
{
	b->images = b->width == b->height ? 8 : 4;
	for (unsigned i = 0; i < b->images; i++) {
		for (unsigned square = 0; square < b->squares; square++) {
			unsigned x = square % b->width, y = square / b->width;
			x = i & 1 ? b->width - 1 - x : x;
			y = i & 2 ? b->height - 1 - y : y;
			unsigned there = i & 4 ? x * b->width + y : y * b->width + x;
			b->to[i][square] = (uint8_t)there;
			b->from[i][there] = (uint8_t)square;
		}
		for (unsigned d = 0; d < 4; d++) {
			unsigned e =
				(i & 1 && d % 2) || (i & 2 && !(d % 2)) ? d ^ 2 : d; /* left and right, up and down */
			e = i & 4 ? e ^ 1 : e;                                       /* up and right, down and left */
			b->turned[i][d] = (uint8_t)e;
			b->back[i][e] = (uint8_t)d;
		}
	}
}

static bool read_number(const char **at, unsigned *out)
{
	unsigned n = 0;
	const char *begin = *at;
	while (**at >= '0' && **at <= '9' && n <= SQUARES_MAX)
		n = 10 * n + (unsigned)(*(*at)++ - '0');
	*out = n;
	return *begin != '0' && *at > begin && n <= SQUARES_MAX;
}

static int open_game(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	unsigned width, height;
	const char *at = params;
	(void)host;
	if (!read_number(&at, &width) || *at++ != 'x' || !read_number(&at, &height) || *at ||
	    width * height > SQUARES_MAX)
		return game_fail(fail, PD_E_GAME, "game",
				 "clobber takes columns x rows, at most %d squares, as in clobber:6x5",
				 (int)SQUARES_MAX);
	void *memory = NULL;
	if (posix_memalign(&memory, 16, sizeof(struct clobber)))
		return game_fail(fail, PD_E_NO_MEMORY, "", "no memory for a game");
	struct clobber *b = memset(memory, 0, sizeof *b);
	b->width = width;
	b->height = height;
	b->squares = width * height;
	for (unsigned i = 0; i < b->squares; i++) {
		b->column[0] |= i % width + 1 < width ? bit_of(i) : 0;
		b->column[1] |= i % width ? bit_of(i) : 0;
	}
	make_images(b);
	b->game = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct state),
		.key_size_max = (2 * b->squares + 1 + 7) / 8,
		.moves_max = 4 * b->squares,
		.plies_max = b->squares, /* each move takes a stone */
		.value_min = -1,
		.value_max = 1,
		.value_step = 2,
		.acyclic = true,
	};
	snprintf(b->game.name, sizeof b->game.name, "clobber:%ux%u", width, height);
	*out = &b->game;
	return PD_OK;
}

static void close_game(struct game *game)
{
	free(game);
}

static const struct game_words words = {.first = "first wins", .second = "second wins"};

static const struct game_rules clobber = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "clobber",
	.title = "Clobber",
	.params = "WxH: columns and rows, at most 128 squares",
	.notation =
		"Rows from the top with / between them, x, o and . or numbers for empty squares, then who is to move: "
		"`xox/oxo x`. Moves: a1-a2.",
	.example = "clobber:4x3",
	.open = open_game,
	.close = close_game,
	.start = set_start,
	.parse = parse_position,
	.print = print_position,
	.move_parse = parse_move,
	.move_print = print_move,
	.first_to_move = first_to_move,
	.terminal = is_over,
	.moves = list_moves,
	.play = play_move,
	.key = encode_key,
	.unkey = decode_key,
	.canon = convert_move,
	.count = count_moves,
	.words = &words,
	.board = describe_board,
	.diagram = draw_diagram,
	.move_places = list_move_places,
	.set_up = set_up_position,
};

static const struct game_rules *const games[] = {&clobber, NULL};
GAME_PLUGIN(games, "the proofd project");

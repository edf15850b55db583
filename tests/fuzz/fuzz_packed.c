/* Packed certificates: the first byte names a small game; the others are the answers of a walk, or, if its highest bit
 * is set, symbols. Answers that lead through the whole walk are packed; the file unpacks to exactly their records, and
 * what it says of the claim is what the plain one says. Any symbols give records or a fault. */
#include <string.h>

#include "clients/proofcheck/check.h"
#include "clients/proofcheck/packed.h"
#include "clients/proofcheck/plain_form.h"
#include "clients/proofcheck/symbols.h"
#include "clients/proofcheck/zone.h"
#include "tests/fuzz/fuzz.h"

static const char *const games[] = {"connect4:4x3", "mnk:3,3,3",     "hex:3",    "domineering:3x3",
				    "nim:1,2,3",    "mnk:2,2,2,2,1", "nogo:3x3", "breakthrough:3x4"};
enum { GAMES = sizeof games / sizeof games[0], ANSWERS_MAX = 3000 };

struct answers {
	const uint8_t *next, *end; /* NULL: symbols are read */
	struct ck_symbols *symbols;
	unsigned count;
};

static uint8_t take_byte(struct answers *a)
{
	return a->next < a->end ? *a->next++ : 0;
}

/* Mostly what the rules ask for; sometimes a card with a witness of bytes that may repeat. */
static bool choose_from_bytes(void *ctx, const struct ck_stop *stop, struct ck_choice *out, struct ck_fault *fault)
{
	struct answers *a = ctx;
	uint8_t witness[CK_WITNESS_MAX], byte = a->next ? take_byte(a) : 0;
	if (++a->count > ANSWERS_MAX)
		return ck_fault_set(fault, 0, "enough");
	if (!a->next)
		return !ck_symbols_code(a->symbols, stop, out) || ck_fault_set(fault, 0, "symbols");
	*out = (struct ck_choice){.way = stop->wants ? CK_BY_MOVE : CK_BY_ALL, .place = byte % stop->moves};
	if (byte >= 250) {
		static const uint16_t theorems[] = {CK_STRATEGY, 1, 5, 8, CK_ZONE, CK_STRATEGY};
		unsigned size = theorems[byte - 250] == CK_STRATEGY ? 10 : take_byte(a) % 40;
		for (unsigned i = 0; i < size; i++)
			witness[i] = i ? take_byte(a) % 16 : 1;
		*out = (struct ck_choice){CK_BY_CARD, 0, theorems[byte - 250], size, witness};
	}
	struct ck_choice coded = *out;
	FUZZ_CHECK(!ck_symbols_code(a->symbols, stop, &coded));
	FUZZ_CHECK(coded.way == out->way && coded.theorem == out->theorem && coded.size == out->size);
	out->witness = coded.witness; /* the symbols' copy */
	return true;
}

/* The header of a claim about the initial position. */
static void make_header(const struct ck_game *g, const struct ck_position *root, const char *name, bool upper,
			struct ck_header *h)
{
	memset(h, 0, sizeof *h);
	h->game = (struct ck_text){name, strlen(name)};
	h->rules = g->version;
	h->engine = h->position = (struct ck_text){"", 0};
	h->root_size = g->rules->encode(g, root, h->root);
	h->claim = upper ? (struct ck_text){"second-wins", 11} : (struct ck_text){"first-wins", 10};
	h->status = (struct ck_text){"proved", 6};
	*(upper ? &h->hi : &h->lo) = (struct ck_bound){true, upper ? -1 : 1};
}

/* The file of answers that led through the whole walk must unpack to their records. */
static void check_file(struct ck_tour *t, const struct ck_header *h, const struct pd_buf *code)
{
	struct pd_buf file, plain, again;
	struct ck_counts counts;
	struct ck_header read;
	struct ck_fault fault;
	struct ck_result packed_result, plain_result;
	const struct ck_options options = {.threads = 1};
	uint64_t body;
	static const char digest[] = "00000000000000000000000000000000";
	ck_tour_count(t, &counts);
	ck_tour_sort(t);
	pd_buf_init(&file, SIZE_MAX / 2);
	pd_buf_init(&plain, SIZE_MAX / 2);
	pd_buf_init(&again, SIZE_MAX / 2);
	ck_plain_head(h, CK_FORMAT_PACKED, &counts, digest, &file);
	pd_buf_put(&file, code->data, code->size);
	ck_plain_head(h, 4, &counts, digest, &plain);
	ck_plain_body(t, &plain);
	FUZZ_CHECK(ck_header_read((uint8_t *)file.data, file.size, &read, &body, &fault) == CK_VERIFIED);
	enum ck_verdict verdict = ck_packed_read((uint8_t *)file.data, file.size, &read, body, &again, &fault);
	FUZZ_CHECK(verdict == CK_VERIFIED || t->weight > ck_packed_weight_max(file.size));
	FUZZ_CHECK(verdict != CK_VERIFIED || (again.size == plain.size && !memcmp(again.data, plain.data, plain.size)));
	ck_check((uint8_t *)file.data, file.size, &options, &packed_result);
	ck_check((uint8_t *)plain.data, plain.size, &options, &plain_result);
	FUZZ_CHECK(packed_result.verdict == plain_result.verdict || verdict != CK_VERIFIED);
	pd_buf_fini(&again);
	pd_buf_fini(&plain);
	pd_buf_fini(&file);
}

FUZZ(packed)
{
	struct ck_game game;
	struct ck_position root;
	struct ck_header h;
	struct ck_fault fault;
	struct pd_buf code;
	if (!size)
		return 0;
	bool raw = data[0] & 0x80, upper = data[0] & 0x40;
	const char *name = games[data[0] % GAMES];
	FUZZ_CHECK(!ck_open(&game, name, NULL, 0, NULL) && !game.rules->read(&game, "", &root));
	make_header(&game, &root, name, upper, &h);
	pd_buf_init(&code, SIZE_MAX / 2);
	struct answers a = {.next = raw ? NULL : data + 1, .end = data + size};
	a.symbols = raw ? ck_symbols_new(NULL, data + 1, size - 1) : ck_symbols_new(&code, NULL, 0);
	FUZZ_CHECK(a.symbols);
	struct ck_tour t = {
		.game = &game, .choose = choose_from_bytes, .ctx = &a, .most = UINT64_MAX, .most_played = UINT64_MAX};
	bool good = ck_tour_walk(&t, &h, &root, &fault);
	FUZZ_CHECK(good || fault.text[0]);
	if (raw)
		FUZZ_CHECK(!good || (!ck_symbols_end(a.symbols) == (ck_symbols_used(a.symbols) + 2 == size)));
	else if (good && !ck_symbols_end(a.symbols))
		check_file(&t, &h, &code);
	ck_symbols_free(a.symbols);
	ck_tour_fini(&t);
	pd_buf_fini(&code);
	ck_close(&game);
	return 0;
}

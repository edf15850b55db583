/* A record may have as many reasons as the scale has values: the checker reads all that the server writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/proofcheck/check.h"
#include "server/common/open_games.h"
#include "server/proofs/certificates/certificate.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

enum { SCALE = 400, VALUE = 5, MOST = SCALE + VALUE }; /* bounds above the worst value, up to the true one */

static const char graph[] =
	"{\"root\":\"r\",\"values\":[-400,400],\"nodes\":{\"r\":{\"or\":[\"end\"]},\"end\":{\"value\":5}}}";

static void put_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert(!fclose(file));
}

/* A certificate of the graph whose one record has `count` reasons, the last of them the true value, raised by `more`.
 */
static void write_certificate(const char *dir, const char *path, unsigned count, int more)
{
	char name[128];
	struct game *g;
	struct game_host host = {(void *)(uintptr_t)dir, sv_graph_read};
	struct pd_fail fail = {.text = ""};
	struct sv_certificate c;
	static struct pd_reason reasons[MOST];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	game_move moves[GAME_MOVES_MAX];
	snprintf(name, sizeof name, "%s/wide.json", dir);
	put_file(name, graph, sizeof graph - 1);
	ck_assert_msg(!game_open("andor:wide", &host, &g, &fail), "%s", fail.text);
	g->rules->start(g, state);
	ck_assert_uint_eq(g->rules->moves(g, state, moves), 1);
	struct sv_certificate_head head = {
		.game = g->name,
		.position = "",
		.claim = "first>=5",
		.status = "proved",
		.rules = g->rules_version,
		.root = key,
		.root_size = g->rules->key(g, state, key),
		.has_lo = true,
		.lo = VALUE,
		.full = true,
		.positions = 1,
		.reasons = count,
		.graph = graph,
		.graph_size = sizeof graph - 1,
	};
	for (unsigned i = 0; i < count; i++)
		reasons[i] = (struct pd_reason){.side = PD_LO,
						.bound = (int16_t)(VALUE - (int)(count - 1 - i)),
						.rank = 1,
						.move = game_canon(g, state, moves[0], false)};
	reasons[count - 1].bound = (int16_t)(reasons[count - 1].bound + more);
	ck_assert_msg(!sv_certificate_begin(&c, path, &head, &fail), "%s", fail.text);
	ck_assert(!sv_certificate_put(&c, key, head.root_size, reasons, count, &fail));
	ck_assert(!sv_certificate_end(&c, true, NULL, &fail));
	game_close(g);
}

static enum ck_verdict verdict_of(const char *path)
{
	static uint8_t bytes[1 << 16];
	struct ck_options options = {.threads = 1, .digest = true};
	struct ck_result result;
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	size_t size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	return ck_check(bytes, size, &options, &result);
}

START_TEST(a_record_of_many_reasons_is_read)
{
	static const unsigned counts[] = {1, 2, 16, 17, 127, 128, 129, 255, 256, 257, MOST};
	char dir[64], path[128];
	scratch_dir(dir);
	snprintf(path, sizeof path, "%s/proof", dir);
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		write_certificate(dir, path, counts[i], 0);
		ck_assert_int_eq(verdict_of(path), CK_VERIFIED);
		write_certificate(dir, path, counts[i], 1); /* the last reason is false */
		ck_assert_int_eq(verdict_of(path), CK_REJECTED);
	}
	scratch_remove(dir);
}
END_TEST

SUITE(reasons)
{
	tcase_add_test(c, a_record_of_many_reasons_is_read);
}

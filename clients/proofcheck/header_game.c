#include "clients/proofcheck/header_game.h"

#include <inttypes.h>
#include <string.h>

static void copy_text(struct ck_text text, char *out, size_t size)
{
	size_t n = text.size < size - 1 ? text.size : size - 1;
	memcpy(out, text.at, n);
	out[n] = 0;
}

enum ck_verdict ck_header_open_game(const struct ck_header *h, const uint8_t *graph, uint64_t body,
				    struct ck_game *game, struct ck_fault *fault)
{
	struct pd_fail fail;
	char name[CK_NAME_MAX];
	if (h->game.size >= sizeof name) {
		ck_fault_set(fault, 0, "the name of the game is longer than %d bytes", CK_NAME_MAX - 1);
		return CK_UNKNOWN;
	}
	copy_text(h->game, name, sizeof name);
	const struct ck_rules *rules = ck_rules_named(name, strcspn(name, ":"));
	bool needs = rules && rules->graph;
	if (needs != (h->graph > 0)) {
		ck_fault_set(fault, body,
			     needs ? "a game of this kind needs its graph" : "games of this kind have no graph");
		return CK_REJECTED;
	}
	if (ck_open(game, name, (const char *)graph, h->graph, &fail)) {
		ck_fault_set(fault, body, "%s%s", fail.text,
			     h->plugin.size ? "; its rules came from a plug-in: load the checker's rules of the game "
					      "with --rules FILE.so, or --program"
					    : "");
		return needs && fail.code != PD_E_NO_MEMORY ? CK_REJECTED : CK_UNKNOWN;
	}
	if (game->version == h->rules)
		return CK_VERIFIED;
	ck_close(game);
	ck_fault_set(fault, 0,
		     needs ? "the rules are version %" PRIu64 ", but the graph's is %" PRIu64
			   : "the rules are version %" PRIu64 " of the game; this program knows version %" PRIu64,
		     h->rules, game->version);
	return needs ? CK_REJECTED : CK_UNKNOWN;
}

bool ck_header_read_root(const struct ck_header *h, const struct ck_game *game, struct ck_position *root,
			 struct ck_fault *fault)
{
	char text[CK_LINE_MAX + 1];
	copy_text(h->position, text, sizeof text);
	const char *wrong = game->rules->read(game, text, root);
	return !wrong || ck_fault_set(fault, 0, "the position in the header: %s", wrong);
}

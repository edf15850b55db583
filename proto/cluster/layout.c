#include "proto/cluster/layout.h"

#define FIELD(body, tag, type, member, word)                                                                           \
	{                                                                                                              \
		tag, CW_##type, offsetof(struct cw_##body, member), #body "." #word                                    \
	}

/* A key or a proof is a pointer, followed by its size. */
#define SIZE_FOLLOWS(body, member)                                                                                     \
	_Static_assert(offsetof(struct cw_##body, member##_size) ==                                                    \
			       offsetof(struct cw_##body, member) + sizeof(const uint8_t *),                           \
		       #member " of " #body)
SIZE_FOLLOWS(task, key);
SIZE_FOLLOWS(solved, key);
SIZE_FOLLOWS(result, proof);
_Static_assert(offsetof(struct cw_result, proved) == offsetof(struct cw_result, solved) + sizeof(bool), "of CW_STATE");
_Static_assert(PD_LO == 0 && PD_HI == 1, "of CW_BIT");

const struct cw_field cw_hello_fields[] = {
	FIELD(hello, 1, SAID, name, name),      FIELD(hello, 2, SAID, version, version), FIELD(hello, 3, U32, abi, abi),
	FIELD(hello, 4, U32, threads, threads), FIELD(hello, 5, U64, memory, memory),    {.name = "hello"},
};

const struct cw_field cw_game_fields[] = {
	FIELD(game, 1, NAME, name, name),
	FIELD(game, 2, WORD, digest, digest),
	{.name = "hello.games"},
};

const struct cw_field cw_task_fields[] = {
	FIELD(task, 1, U64, id, id),
	FIELD(task, 2, NAME, game, game),
	FIELD(task, 3, WORD, rules, rules),
	FIELD(task, 4, U32, options, options),
	FIELD(task, 5, WORD, seed, seed),
	FIELD(task, 6, I16, threshold, threshold),
	FIELD(task, 7, U64, budget, budget),
	FIELD(task, 8, KEY, key, key),
	FIELD(task, 9, U32, proof, proof),
	FIELD(task, 10, U32, rival.k, siblings),
	FIELD(task, 11, U32, rival.second, siblings),
	FIELD(task, 12, U32, rival.limit, siblings),
	FIELD(task, 13, U64, rival.from, siblings),
	FIELD(task, 14, U64, rival.most, siblings),
	{.name = "task"},
};

const struct cw_field cw_known_fields[] = {
	FIELD(known, 1, NAME, game, game),
	FIELD(known, 2, WORD, rules, rules),
	{.name = "known"},
};

const struct cw_field cw_solved_fields[] = {
	FIELD(solved, 1, KEY, key, key),
	FIELD(solved, 2, I16, reason.bound, bound),
	FIELD(solved, 3, BIT, reason.side, upper),
	FIELD(solved, 4, U16, reason.rank, rank),
	FIELD(solved, 5, MOVE, reason.move, move),
	FIELD(solved, 6, U32, reason.effort, effort),
	{.name = "known.solved"},
};

const struct cw_field cw_result_fields[] = {
	FIELD(result, 1, U64, id, id),
	FIELD(result, 2, STATE, solved, state),
	FIELD(result, 3, U32, num[0], pn),
	FIELD(result, 4, U32, num[1], dn),
	FIELD(result, 5, U16, rank, rank),
	FIELD(result, 6, MOVE, move, move),
	FIELD(result, 7, U32, effort, effort),
	FIELD(result, 11, PROOF, proof, proof),
	FIELD(result, 8, U64, nodes, nodes),
	FIELD(result, 9, U64, cpu_ns, cpu),
	{.name = "result"},
};

const struct cw_field cw_heartbeat_fields[] = {
	FIELD(heartbeat, 1, U64, tasks_done, done),
	FIELD(heartbeat, 2, U64, nodes, nodes),
	{.name = "heartbeat"},
};

const struct cw_field cw_refuse_fields[] = {
	FIELD(refuse, 1, U64, id, id),
	FIELD(refuse, 2, U32, why, why),
	FIELD(refuse, 3, SAID, text, text),
	{.name = "refuse"},
};

/* Of a single number. */
const struct cw_field cw_cancel_fields[] = {{1, CW_U64, 0, "cancel.id"}, {.name = "cancel.id"}};
const struct cw_field cw_sharing_fields[] = {{1, CW_U64, 0, "sharing.rate"}, {.name = "sharing"}};

void cw_result_clear(struct cw_result *result)
{
	if (result->solved) {
		result->num[0] = result->num[1] = 0;
		return;
	}
	result->rank = 0;
	result->move = PD_NO_MOVE;
	result->effort = 0;
	result->proof = NULL;
	result->proof_size = 0;
}

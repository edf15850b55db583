/* Job spec: what a job is to search, and with which resources: the parameters of job.submit. */
#pragma once

#include "proto/rpc.h"
#include "solver/solver.h"

enum {
	SV_AFTER_MAX = 64,
	SV_HINTS_MAX = 64,     /* lines */
	SV_HINTS_BYTES = 4096, /* of all lines together */
	SV_TAGS_MAX = 8
};

struct sv_texts {
	char **text; /* owned, and so are the strings; NULL: none */
	unsigned count;
};

/* What a job may use. 0: no limit. */
struct sv_budget {
	uint64_t nodes;
	double seconds, cpu; /* cpu: processor seconds */
	uint64_t disk;       /* bytes of its table */
};

/* The rules that a job was submitted under. */
struct sv_rules {
	uint64_t version;
	bool known;      /* false: the record does not say */
	uint64_t plugin; /* digest of the file that they came from; 0: they are built in */
};

/* As submitted. A value, which owns its strings; only priority and budget ever change. */
struct sv_spec {
	char *game, *position;
	char *key, *group;     /* NULL: none (job_group.h) */
	char *client;          /* whose job it is (job_group.h); NULL: submitted without a token */
	uint32_t *after;       /* jobs that must be solved first (queue/dependency.h); NULL: none */
	unsigned after_count;  /* at most SV_AFTER_MAX */
	uint32_t under;        /* the parent job (queue/dependency.h); 0: none */
	struct sv_texts first; /* hints (job_hints.h), moves separated by blanks; at most SV_HINTS_MAX */
	struct sv_texts tags;  /* names like those of groups, each once; at most SV_TAGS_MAX */
	char *label;           /* what people call the position; NULL: none */
	struct sv_rules rules;
	struct pd_claim claim;
	enum pn_algorithm algorithm;
	enum pn_detail detail;
	int priority;
	unsigned threads;
	uint64_t memory, seed;
	uint64_t shorten;          /* nodes to spend on finding shorter wins; 0: none */
	struct pn_options options; /* only its tunables count; the rest is above */
	struct sv_budget budget;
	struct game_interval scale; /* of the game's values, needed to print them in words */
};

/* Frees the strings. */
void sv_spec_fini(struct sv_spec *spec);
/* The search's options, from a record or a request: the defaults, except what `object` (may be missing) holds.
 * PD_E_PARAMS with field "options", PD_E_NO_MEMORY. */
int sv_options_read(pr_ref object, struct pn_options *out, struct pd_fail *fail);
/* The options that exist, for rpc.discover. The last one has a NULL name. */
const struct pr_param *sv_option_params(void);
/* Whether the job was submitted under other rules than those of the open game. A record that names no rules was made
 * under the built-in ones; for a game from a file they count as different. */
bool sv_job_rules_differ(const struct sv_spec *spec, const struct game *game);
/* What the entries of a job's transposition table mean. The store keeps it with them, so that no table is ever read for
 * another question. */
struct pd_id sv_job_question(const struct sv_spec *spec, const struct game *game, uint64_t identity);

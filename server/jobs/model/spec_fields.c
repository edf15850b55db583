#include "server/jobs/model/spec_fields.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/common/open_games.h"

/* How fields of one type are read, printed and compared. `member`: the row's member of the spec, or the whole spec. */
struct type {
	int (*read)(pr_ref value, void *member, struct pd_fail *fail); /* neither missing nor null */
	void (*print)(struct pr_out *out, const char *name, const void *member);
	bool (*differ)(const struct game *game, const void *a, const void *b); /* NULL: when they print differently */
};

/* --- text --------------------------------------------------------------------------------- */

static int text_read(pr_ref value, void *member, struct pd_fail *fail)
{
	char **text = member;
	free(*text);
	*text = strdup(pr_text(value, ""));
	return *text ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job");
}

static void text_print(struct pr_out *out, const char *name, const void *member)
{
	char *const *text = member;
	pr_str(out, name, *text); /* NULL: null */
}

/* The position as the game writes it; false when it cannot be read. */
static bool print_canonical(const struct game *game, const char *text, char out[GAME_TEXT_MAX])
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	if (game->rules->parse(game, text, state, &fail))
		return false;
	game->rules->print(game, state, out, GAME_TEXT_MAX);
	return true;
}

static bool position_differ(const struct game *game, const void *a, const void *b)
{
	char *const *x = a, *const *y = b, first[GAME_TEXT_MAX], second[GAME_TEXT_MAX];
	return strcmp(*x, *y) &&
	       (!print_canonical(game, *x, first) || !print_canonical(game, *y, second) || strcmp(first, second));
}

static void client_print(struct pr_out *out, const char *name, const void *member)
{
	char *const *text = member;
	if (*text)
		pr_str(out, name, *text);
}

static const struct type text = {text_read, text_print, NULL};
static const struct type client = {text_read, client_print, NULL};
static const struct type position = {text_read, text_print, position_differ};

/* --- rules -------------------------------------------------------------------------------- */

/* Older records name no version. */
static int rules_read(pr_ref value, void *member, struct pd_fail *fail)
{
	struct sv_spec *spec = member;
	const char *digits = pr_text(value, "");
	errno = 0;
	spec->rules.version = strtoull(digits, NULL, 16);
	spec->rules.known = true;
	if (*digits && strspn(digits, "0123456789abcdef") == strlen(digits) && !errno)
		return PD_OK;
	return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "the version of the rules in a job's record is not a number");
}

static void rules_print(struct pr_out *out, const char *name, const void *member)
{
	const struct sv_spec *spec = member;
	char digits[SV_RULES_TEXT];
	sv_rules_text(spec->rules.version, digits);
	pr_str(out, name, spec->rules.known ? digits : NULL);
}

static bool rules_differ(const struct game *game, const void *a, const void *b)
{
	return sv_job_rules_differ(a, game) || sv_job_rules_differ(b, game);
}

/* Only of a plug-in. A difference shows in the version of the rules. */
static int plugin_read(pr_ref value, void *member, struct pd_fail *fail)
{
	struct sv_spec *spec = member;
	const char *digits = pr_text(value, "");
	spec->rules.plugin = strtoull(digits, NULL, 16);
	if (strlen(digits) == 16 && strspn(digits, "0123456789abcdef") == 16 && spec->rules.plugin)
		return PD_OK;
	return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "the digest of a plug-in in a job's record is not one");
}

static void plugin_print(struct pr_out *out, const char *name, const void *member)
{
	const struct sv_spec *spec = member;
	char digits[SV_DIGEST_TEXT];
	if (!spec->rules.plugin)
		return;
	sv_digest_text(spec->rules.plugin, digits);
	pr_str(out, name, digits);
}

static const struct type rules = {rules_read, rules_print, rules_differ};
static const struct type plugin = {plugin_read, plugin_print, NULL};

/* --- claim, algorithm, detail ------------------------------------------------------------- */

static int claim_read(pr_ref value, void *member, struct pd_fail *fail)
{
	return pd_claim_parse(pr_text(value, ""), member, fail);
}

static void claim_print(struct pr_out *out, const char *name, const void *member)
{
	const struct pd_claim *claim = member;
	pr_str(out, name, claim->text);
}

static bool claim_differ(const struct game *game, const void *a, const void *b)
{
	const struct pd_claim *x = a, *y = b;
	(void)game;
	if (x->value || y->value)
		return x->value != y->value;
	return x->refusal != y->refusal || x->threshold != y->threshold;
}

static int algorithm_read(pr_ref value, void *member, struct pd_fail *fail)
{
	return pn_algorithm_parse(pr_text(value, ""), member, fail);
}

static void algorithm_print(struct pr_out *out, const char *name, const void *member)
{
	const enum pn_algorithm *algorithm = member;
	pr_str(out, name, pn_algorithm_text(*algorithm));
}

static int detail_read(pr_ref value, void *member, struct pd_fail *fail)
{
	enum pn_detail *detail = member;
	(void)fail;
	*detail = strcmp(pr_text(value, ""), "full") ? PN_FRONTIER : PN_FULL;
	return PD_OK;
}

static void detail_print(struct pr_out *out, const char *name, const void *member)
{
	const enum pn_detail *detail = member;
	pr_str(out, name, *detail == PN_FULL ? "full" : "frontier");
}

static const struct type claim = {claim_read, claim_print, claim_differ};
static const struct type algorithm = {algorithm_read, algorithm_print, NULL};
static const struct type detail = {detail_read, detail_print, NULL};

/* --- numbers ------------------------------------------------------------------------------ */

static int int_read(pr_ref value, void *member, struct pd_fail *fail)
{
	int *number = member;
	(void)fail;
	*number = (int)pr_number(value, 0);
	return PD_OK;
}

static void int_print(struct pr_out *out, const char *name, const void *member)
{
	const int *number = member;
	pr_int(out, name, *number);
}

/* A negative count in a record is damage, and the number is unknown. */
static int count_read(pr_ref value, void *member, struct pd_fail *fail)
{
	uint64_t *count = member;
	int64_t number = pr_number(value, 0);
	(void)fail;
	*count = number < 0 ? 0 : (uint64_t)number;
	return PD_OK;
}

/* Bytes, or text with a unit: "512M". */
static int size_read(pr_ref value, void *member, struct pd_fail *fail)
{
	const char *digits = pr_text(value, NULL);
	return digits ? pr_size_parse(digits, member, fail) : count_read(value, member, fail);
}

static void count_print(struct pr_out *out, const char *name, const void *member)
{
	const uint64_t *count = member;
	pr_uint(out, name, *count);
}

static const struct type integer = {int_read, int_print, NULL};
static const struct type count = {count_read, count_print, NULL};
static const struct type size = {size_read, count_print, NULL};

/* Numbers of jobs. */
static int after_read(pr_ref value, void *member, struct pd_fail *fail)
{
	struct sv_spec *spec = member;
	size_t jobs = pr_count(value);
	free(spec->after);
	spec->after = jobs && jobs <= SV_AFTER_MAX ? calloc(jobs, sizeof *spec->after) : NULL;
	spec->after_count = 0;
	if (jobs > SV_AFTER_MAX)
		return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "a job's record waits for %zu jobs", jobs);
	if (jobs && !spec->after)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job");
	for (size_t i = 0; i < jobs; i++) {
		int64_t job = pr_number(pr_at(value, i), 0);
		if (job < 1 || job > UINT32_MAX)
			return pd_fail_set(fail, PD_E_CORRUPT, "jobs",
					   "a job's record waits for a job with an impossible number");
		spec->after[spec->after_count++] = (uint32_t)job;
	}
	return PD_OK;
}

static void after_print(struct pr_out *out, const char *name, const void *member)
{
	const struct sv_spec *spec = member;
	if (!spec->after_count)
		return;
	pr_open_array(out, name);
	for (unsigned i = 0; i < spec->after_count; i++)
		pr_uint(out, NULL, spec->after[i]);
	pr_close(out);
}

static const struct type after = {after_read, after_print, NULL};

/* The number of a job; 0: none. */
static int job_read(pr_ref value, void *member, struct pd_fail *fail)
{
	uint32_t *job = member;
	int64_t number = pr_number(value, 0);
	*job = number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
	return *job ? PD_OK
		    : pd_fail_set(fail, PD_E_CORRUPT, "jobs", "a job's record has a parent with an impossible number");
}

static void job_print(struct pr_out *out, const char *name, const void *member)
{
	const uint32_t *job = member;
	if (*job)
		pr_uint(out, name, *job);
}

static const struct type job = {job_read, job_print, NULL};

/* --- lines of moves ----------------------------------------------------------------------- */

static int first_read(pr_ref value, void *member, struct pd_fail *fail)
{
	struct sv_spec *spec = member;
	size_t given = pr_count(value);
	PD_ASSERT(!spec->first);
	if (given > SV_HINTS_MAX)
		return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "a job's record has %zu lines to try first", given);
	spec->first = given ? calloc(given, sizeof *spec->first) : NULL;
	for (size_t i = 0; spec->first && i < given; i++) {
		char *line = strdup(pr_text(pr_at(value, i), ""));
		if (!line)
			break;
		spec->first[spec->first_count++] = line;
	}
	return spec->first_count == given ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job");
}

static void first_print(struct pr_out *out, const char *name, const void *member)
{
	const struct sv_spec *spec = member;
	if (!spec->first_count)
		return;
	pr_open_array(out, name);
	for (unsigned i = 0; i < spec->first_count; i++)
		pr_str(out, NULL, spec->first[i]);
	pr_close(out);
}

static const struct type lines = {first_read, first_print, NULL};

/* --- options, budget ---------------------------------------------------------------------- */

static int options_read(pr_ref value, void *member, struct pd_fail *fail)
{
	return sv_options_read(value, member, fail);
}

/* Only those that differ from the default. */
static void options_print(struct pr_out *out, const char *name, const void *member)
{
	const struct pn_tunable *t;
	bool some = false;
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char digits[PN_TUNABLE_TEXT];
		if (!pn_option_text(member, t, digits))
			continue;
		if (!some)
			pr_open_object(out, name);
		some = true;
		pr_raw(out, t->name, digits, strlen(digits));
	}
	if (some)
		pr_close(out);
}

static int budget_read(pr_ref value, void *member, struct pd_fail *fail)
{
	struct sv_spec *spec = member;
	int64_t nodes = pr_get_int(value, "nodes", 0);
	spec->budget.nodes = nodes < 0 ? 0 : (uint64_t)nodes;
	spec->budget.seconds = pr_get_real(value, "seconds", 0);
	spec->budget.cpu = pr_get_real(value, "cpu", 0);
	pr_ref disk = pr_get(value, "disk");
	return pr_kind_of(disk) == PR_MISSING ? PD_OK : size_read(disk, &spec->budget.disk, fail);
}

static void budget_print(struct pr_out *out, const char *name, const void *member)
{
	const struct sv_spec *spec = member;
	pr_open_object(out, name);
	if (spec->budget.nodes)
		pr_uint(out, "nodes", spec->budget.nodes);
	else
		pr_null(out, "nodes");
	if (spec->budget.seconds > 0)
		pr_real(out, "seconds", spec->budget.seconds, 3);
	else
		pr_null(out, "seconds");
	if (spec->budget.cpu > 0)
		pr_real(out, "cpu", spec->budget.cpu, 3);
	if (spec->budget.disk)
		pr_uint(out, "disk", spec->budget.disk);
	pr_close(out);
}

static const struct type options = {options_read, options_print, NULL};
static const struct type budget = {budget_read, budget_print, NULL};

/* --- the table ---------------------------------------------------------------------------- */

#define MEMBER(name) offsetof(struct sv_spec, name)
enum { WHOLE = 0 };

/* In the order in which they are printed. */
static const struct field {
	const char *name;
	const struct type *type;
	size_t offset;       /* of the member in struct sv_spec */
	const char *another; /* what sv_spec_differs says; NULL: it does not decide the answer */
} fields[] = {
	{"game", &text, MEMBER(game), "another game"},
	{"rules", &rules, WHOLE, "other rules"},
	{"plugin", &plugin, WHOLE, NULL},
	{"position", &position, MEMBER(position), "another position"},
	{"claim", &claim, MEMBER(claim), "another claim"},
	{"algorithm", &algorithm, MEMBER(algorithm), "another algorithm"},
	{"detail", &detail, MEMBER(detail), "another detail"},
	{"priority", &integer, MEMBER(priority), NULL},
	{"key", &text, MEMBER(key), NULL},
	{"group", &text, MEMBER(group), NULL},
	{"client", &client, MEMBER(client), NULL},
	{"memory", &size, MEMBER(memory), NULL},
	{"seed", &count, MEMBER(seed), "another seed"},
	{"shorten", &count, MEMBER(shorten), "another shorten"},
	{"after", &after, WHOLE, NULL},
	{"under", &job, MEMBER(under), NULL},
	{"first", &lines, WHOLE, "other lines to try first"},
	{"options", &options, MEMBER(options), "other options"},
	{"budget", &budget, WHOLE, NULL},
	{"threads", &integer, MEMBER(threads), NULL},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const void *member_of(const struct sv_spec *spec, const struct field *field)
{
	return (const char *)spec + field->offset;
}

void sv_print_number(struct pr_out *out, const char *key, uint32_t number)
{
	if (number == UINT32_MAX)
		pr_str(out, key, "inf");
	else
		pr_uint(out, key, number);
}

void sv_print_engines(struct pr_out *out, const char *engines)
{
	pr_open_array(out, "engines");
	for (const char *p = engines; p && *p; p += strspn(p, " ")) {
		size_t word = strcspn(p, " ");
		pr_strn(out, NULL, p, word);
		p += word;
	}
	pr_close(out);
}

void sv_spec_init(struct sv_spec *spec)
{
	struct pd_fail fail;
	*spec = (struct sv_spec){.algorithm = PN_PDS_PN, .detail = PN_FRONTIER, .scale = {-1, 1}};
	pn_options_init(&spec->options);
	int rc = pd_claim_parse("value", &spec->claim, &fail);
	PD_ASSERT(!rc);
}

int sv_spec_read(pr_ref object, struct sv_spec *spec, struct pd_fail *fail)
{
	int rc = PD_OK;
	for (unsigned i = 0; !rc && i < FIELDS; i++) {
		pr_ref value = pr_get(object, fields[i].name);
		if (pr_kind_of(value) != PR_MISSING && pr_kind_of(value) != PR_NULL)
			rc = fields[i].type->read(value, (char *)spec + fields[i].offset, fail);
	}
	return rc;
}

void sv_spec_print(const struct sv_spec *spec, struct pr_out *out)
{
	for (unsigned i = 0; i < FIELDS; i++)
		fields[i].type->print(out, fields[i].name, member_of(spec, &fields[i]));
}

static bool print_differs(const struct field *field, const struct sv_spec *known, const struct sv_spec *asked)
{
	const struct sv_spec *specs[] = {known, asked};
	struct pd_buf bytes[2];
	for (unsigned i = 0; i < 2; i++) {
		struct pr_out out;
		pd_buf_init(&bytes[i], SIZE_MAX / 2);
		pr_out_init(&out, &bytes[i]);
		pr_open_object(&out, NULL);
		field->type->print(&out, field->name, member_of(specs[i], field));
		pr_close(&out);
	}
	bool differ = bytes[0].failed || bytes[1].failed || bytes[0].size != bytes[1].size ||
		      memcmp(bytes[0].data, bytes[1].data, bytes[0].size) != 0;
	pd_buf_fini(&bytes[0]);
	pd_buf_fini(&bytes[1]);
	return differ;
}

const char *sv_spec_differs(struct sv_core *core, const struct sv_spec *known, const struct sv_spec *asked)
{
	struct game *game;
	struct pd_fail fail;
	const char *another = NULL;
	if (strcmp(known->game, asked->game))
		return "another game";
	if (sv_game_get(core, asked->game, &game, &fail))
		return "a game that cannot be opened";
	for (const struct field *f = fields; !another && f < fields + FIELDS; f++) {
		if (!f->another)
			continue;
		bool differ = f->type->differ ? f->type->differ(game, member_of(known, f), member_of(asked, f))
					      : print_differs(f, known, asked);
		another = differ ? f->another : NULL;
	}
	sv_game_put(core, game);
	return another;
}

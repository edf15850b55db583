#include "server/jobs/model/spec_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/common/open_games.h"

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job");
}

static int refuse_record(struct pd_fail *fail, const char *what)
{
	return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "a job's record %s", what);
}

/* --- reading ------------------------------------------------------------------------------ */

static int read_text(pr_ref value, char **text, struct pd_fail *fail)
{
	free(*text);
	*text = strdup(pr_text(value, ""));
	return *text ? PD_OK : no_memory(fail);
}

/* Older records name no version. */
static int read_rules(pr_ref value, struct sv_spec *spec, struct pd_fail *fail)
{
	const char *digits = pr_text(value, "");
	errno = 0;
	spec->rules.version = strtoull(digits, NULL, 16);
	spec->rules.known = true;
	return *digits && strspn(digits, "0123456789abcdef") == strlen(digits) && !errno
		       ? PD_OK
		       : refuse_record(fail, "has a version of the rules that is not a number");
}

static int read_plugin(pr_ref value, struct sv_spec *spec, struct pd_fail *fail)
{
	const char *digits = pr_text(value, "");
	spec->rules.plugin = strtoull(digits, NULL, 16);
	return strlen(digits) == 16 && strspn(digits, "0123456789abcdef") == 16 && spec->rules.plugin
		       ? PD_OK
		       : refuse_record(fail, "has a malformed digest of a plug-in");
}

/* A negative count in a record is damage, and the number is unknown. */
static int read_count(pr_ref value, uint64_t *count)
{
	int64_t number = pr_number(value, 0);
	*count = number < 0 ? 0 : (uint64_t)number;
	return PD_OK;
}

/* Bytes, or text with a unit: "512M". */
static int read_size(pr_ref value, uint64_t *size, struct pd_fail *fail)
{
	const char *digits = pr_text(value, NULL);
	return digits ? pr_size_parse(digits, size, fail) : read_count(value, size);
}

static int read_job(pr_ref value, uint32_t *job, struct pd_fail *fail)
{
	int64_t number = pr_number(value, 0);
	*job = number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
	return *job ? PD_OK : refuse_record(fail, "names a job with an impossible number");
}

static int read_after(pr_ref value, struct sv_spec *spec, struct pd_fail *fail)
{
	size_t jobs = pr_count(value);
	free(spec->after);
	spec->after_count = 0;
	spec->after = jobs && jobs <= SV_AFTER_MAX ? calloc(jobs, sizeof *spec->after) : NULL;
	if (jobs > SV_AFTER_MAX)
		return refuse_record(fail, "waits for too many jobs");
	int rc = jobs && !spec->after ? no_memory(fail) : PD_OK;
	for (size_t i = 0; !rc && i < jobs; i++)
		rc = read_job(pr_at(value, i), &spec->after[spec->after_count++], fail);
	return rc;
}

static bool has_text(const struct sv_texts *texts, const char *text)
{
	for (unsigned i = 0; i < texts->count; i++)
		if (!strcmp(texts->text[i], text))
			return true;
	return false;
}

/* `once`: leaves out what was there before. */
static int read_texts(pr_ref value, struct sv_texts *texts, unsigned most, bool once, struct pd_fail *fail)
{
	size_t given = pr_count(value);
	PD_ASSERT(!texts->text);
	if (given > most)
		return refuse_record(fail, "has too many tags or lines to try first");
	texts->text = given ? calloc(given, sizeof *texts->text) : NULL;
	if (given && !texts->text)
		return no_memory(fail);
	for (size_t i = 0; i < given; i++) {
		const char *text = pr_text(pr_at(value, i), "");
		if (once && has_text(texts, text))
			continue;
		texts->text[texts->count] = strdup(text);
		if (!texts->text[texts->count])
			return no_memory(fail);
		texts->count++;
	}
	return PD_OK;
}

static int read_budget(pr_ref value, struct sv_budget *budget, struct pd_fail *fail)
{
	pr_ref disk = pr_get(value, "disk");
	read_count(pr_get(value, "nodes"), &budget->nodes);
	budget->seconds = pr_get_real(value, "seconds", 0);
	budget->cpu = pr_get_real(value, "cpu", 0);
	return pr_kind_of(disk) == PR_MISSING ? PD_OK : read_size(disk, &budget->disk, fail);
}

/* --- printing ----------------------------------------------------------------------------- */

static void print_after(struct pr_out *out, const char *name, const struct sv_spec *spec)
{
	if (!spec->after_count)
		return;
	pr_open_array(out, name);
	for (unsigned i = 0; i < spec->after_count; i++)
		pr_uint(out, NULL, spec->after[i]);
	pr_close(out);
}

static void print_texts(struct pr_out *out, const char *name, const struct sv_texts *texts)
{
	if (!texts->count)
		return;
	pr_open_array(out, name);
	for (unsigned i = 0; i < texts->count; i++)
		pr_str(out, NULL, texts->text[i]);
	pr_close(out);
}

/* Prints only those that differ from the default. */
static void print_options(struct pr_out *out, const char *name, const struct pn_options *options)
{
	const struct pn_tunable *t;
	bool some = false;
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char digits[PN_TUNABLE_TEXT];
		if (!pn_option_text(options, t, digits))
			continue;
		if (!some)
			pr_open_object(out, name);
		some = true;
		pr_raw(out, t->name, digits, strlen(digits));
	}
	if (some)
		pr_close(out);
}

static void print_budget(struct pr_out *out, const char *name, const struct sv_budget *budget)
{
	pr_members(out, PR_OPEN_OBJECT(name), PR_IF(budget->nodes, PR_U("nodes", budget->nodes)),
		   PR_IF(budget->seconds > 0, PR_R("seconds", budget->seconds, 3)),
		   PR_OPT(budget->cpu > 0, PR_R("cpu", budget->cpu, 3)),
		   PR_OPT(budget->disk, PR_U("disk", budget->disk)), PR_CLOSE);
}

/* --- comparing ---------------------------------------------------------------------------- */

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

static bool positions_differ(const struct game *game, const char *a, const char *b)
{
	char first[GAME_TEXT_MAX], second[GAME_TEXT_MAX];
	return strcmp(a, b) &&
	       (!print_canonical(game, a, first) || !print_canonical(game, b, second) || strcmp(first, second));
}

static bool claims_differ(const struct pd_claim *a, const struct pd_claim *b)
{
	if (a->value || b->value)
		return a->value != b->value;
	return a->refusal != b->refusal || a->threshold != b->threshold;
}

/* --- the table ---------------------------------------------------------------------------- */

enum kind {
	TEXT,
	OPT_TEXT, /* left out when there is none */
	RULES,
	PLUGIN, /* only of a plug-in; a difference shows in the version of the rules */
	POSITION,
	CLAIM,
	ALGORITHM,
	DETAIL,
	INTEGER,
	COUNT,
	SIZE,
	AFTER,
	JOB, /* its number; 0: none, and left out */
	LINES,
	TAGS,
	OPTIONS,
	BUDGET
};

#define MEMBER(name) offsetof(struct sv_spec, name)
enum { WHOLE = 0 };

/* In the order in which they are printed. */
static const struct field {
	const char *name;
	enum kind kind;
	size_t offset;       /* of the member in struct sv_spec */
	const char *another; /* what sv_spec_differs returns; NULL: the field does not decide the answer */
} fields[] = {
	{"game", TEXT, MEMBER(game), "another game"},
	{"rules", RULES, WHOLE, "other rules"},
	{"plugin", PLUGIN, WHOLE, NULL},
	{"position", POSITION, MEMBER(position), "another position"},
	{"claim", CLAIM, MEMBER(claim), "another claim"},
	{"algorithm", ALGORITHM, MEMBER(algorithm), "another algorithm"},
	{"detail", DETAIL, MEMBER(detail), "another detail"},
	{"priority", INTEGER, MEMBER(priority), NULL},
	{"key", TEXT, MEMBER(key), NULL},
	{"group", TEXT, MEMBER(group), NULL},
	{"tags", TAGS, MEMBER(tags), NULL},
	{"label", OPT_TEXT, MEMBER(label), NULL},
	{"client", OPT_TEXT, MEMBER(client), NULL},
	{"memory", SIZE, MEMBER(memory), NULL},
	{"seed", COUNT, MEMBER(seed), "another seed"},
	{"shorten", COUNT, MEMBER(shorten), "another shorten"},
	{"after", AFTER, WHOLE, NULL},
	{"under", JOB, MEMBER(under), NULL},
	{"first", LINES, MEMBER(first), "other lines to try first"},
	{"options", OPTIONS, MEMBER(options), "other options"},
	{"budget", BUDGET, MEMBER(budget), NULL},
	{"threads", INTEGER, MEMBER(threads), NULL},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* `value` is neither missing nor null. */
static int read_field(const struct field *field, pr_ref value, struct sv_spec *spec, struct pd_fail *fail)
{
	void *member = (char *)spec + field->offset;
	switch (field->kind) {
	case TEXT:
	case OPT_TEXT:
	case POSITION:
		return read_text(value, member, fail);
	case RULES:
		return read_rules(value, spec, fail);
	case PLUGIN:
		return read_plugin(value, spec, fail);
	case CLAIM:
		return pd_claim_parse(pr_text(value, ""), member, fail);
	case ALGORITHM:
		return pn_algorithm_parse(pr_text(value, ""), member, fail);
	case DETAIL:
		spec->detail = strcmp(pr_text(value, ""), "full") ? PN_FRONTIER : PN_FULL;
		return PD_OK;
	case INTEGER:
		*(int *)member = (int)pr_number(value, 0);
		return PD_OK;
	case COUNT:
		return read_count(value, member);
	case SIZE:
		return read_size(value, member, fail);
	case AFTER:
		return read_after(value, spec, fail);
	case JOB:
		return read_job(value, member, fail);
	case LINES:
		return read_texts(value, member, SV_HINTS_MAX, false, fail);
	case TAGS:
		return read_texts(value, member, SV_TAGS_MAX, true, fail);
	case OPTIONS:
		return sv_options_read(value, member, fail);
	case BUDGET:
		return read_budget(value, member, fail);
	}
	return PD_OK;
}

static void print_field(const struct field *field, const struct sv_spec *spec, struct pr_out *out)
{
	const void *member = (const char *)spec + field->offset;
	char digits[SV_RULES_TEXT + SV_DIGEST_TEXT];
	switch (field->kind) {
	case TEXT:
	case POSITION:
		pr_str(out, field->name, *(char *const *)member); /* NULL: null */
		break;
	case OPT_TEXT:
		pr_members(out, PR_OPT(*(char *const *)member, PR_S(field->name, *(char *const *)member)));
		break;
	case RULES:
		sv_rules_text(spec->rules.version, digits);
		pr_str(out, field->name, spec->rules.known ? digits : NULL);
		break;
	case PLUGIN:
		sv_digest_text(spec->rules.plugin, digits);
		pr_members(out, PR_OPT(spec->rules.plugin, PR_S(field->name, digits)));
		break;
	case CLAIM:
		pr_str(out, field->name, spec->claim.text);
		break;
	case ALGORITHM:
		pr_str(out, field->name, pn_algorithm_text(spec->algorithm));
		break;
	case DETAIL:
		pr_str(out, field->name, spec->detail == PN_FULL ? "full" : "frontier");
		break;
	case INTEGER:
		pr_int(out, field->name, *(const int *)member);
		break;
	case COUNT:
	case SIZE:
		pr_uint(out, field->name, *(const uint64_t *)member);
		break;
	case AFTER:
		print_after(out, field->name, spec);
		break;
	case JOB:
		pr_members(out, PR_OPT(spec->under, PR_U(field->name, spec->under)));
		break;
	case LINES:
	case TAGS:
		print_texts(out, field->name, member);
		break;
	case OPTIONS:
		print_options(out, field->name, member);
		break;
	case BUDGET:
		print_budget(out, field->name, member);
		break;
	}
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
			rc = read_field(&fields[i], value, spec, fail);
	}
	return rc;
}

void sv_spec_question(const struct sv_spec *spec, struct pr_out *out)
{
	for (unsigned i = 0; i < FIELDS; i++)
		if (fields[i].another)
			print_field(&fields[i], spec, out);
}

void sv_spec_print(const struct sv_spec *spec, struct pr_out *out)
{
	for (unsigned i = 0; i < FIELDS; i++)
		print_field(&fields[i], spec, out);
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
		print_field(field, specs[i], &out);
		pr_close(&out);
	}
	bool differ = bytes[0].failed || bytes[1].failed || bytes[0].size != bytes[1].size ||
		      memcmp(bytes[0].data, bytes[1].data, bytes[0].size) != 0;
	pd_buf_fini(&bytes[0]);
	pd_buf_fini(&bytes[1]);
	return differ;
}

static bool field_differs(const struct field *field, const struct game *game, const struct sv_spec *known,
			  const struct sv_spec *asked)
{
	switch (field->kind) {
	case RULES:
		return sv_job_rules_differ(known, game) || sv_job_rules_differ(asked, game);
	case POSITION:
		return positions_differ(game, known->position, asked->position);
	case CLAIM:
		return claims_differ(&known->claim, &asked->claim);
	default:
		return print_differs(field, known, asked);
	}
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
	for (const struct field *f = fields; !another && f < fields + FIELDS; f++)
		another = f->another && field_differs(f, game, known, asked) ? f->another : NULL;
	sv_game_put(core, game);
	return another;
}

#include "clients/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/distance.h"
#include "proto/rpc.h"

#define CL_ALGORITHM(name, text, ...) " " text
#define CL_STATE(name, text, over)    " " text
static const struct cl_option_info option_table[CL_OPTION_COUNT] = {
#define CL_OPTION(id, name, argument, type, min, max, help) {name, argument, type, min, max, help},
#include "clients/options.def"
};

const struct cl_option_info *cl_option_info(enum cl_option option)
{
	PD_ASSERT(option < CL_OPTION_COUNT);
	return &option_table[option];
}

int cl_no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "out of memory");
}

unsigned cl_threads(const struct cl_options *options)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	return cl_given(options, CL_OPT_THREADS) ? (unsigned)options->whole[CL_OPT_THREADS]
	       : processors > 0                  ? (unsigned)processors
						 : 1;
}

static int set_unknown(const char *word, size_t size, struct pd_fail *fail)
{
	char name[25] = "";
	unsigned best = CL_OPTION_COUNT, distance = 3;
	memcpy(name, word, size < sizeof name ? size : sizeof name - 1);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++) {
		unsigned d = size >= 3 && !strncmp(option_table[i].name, name, size)
				     ? 0
				     : pd_distance(option_table[i].name, name);
		if (d < distance) {
			distance = d;
			best = i;
		}
	}
	if (best < CL_OPTION_COUNT)
		return pd_fail_set(fail, PD_E_USAGE, name, "unknown option --%s; did you mean --%s?", name,
				   option_table[best].name);
	return pd_fail_set(fail, PD_E_USAGE, name, "unknown option --%s; `proofctl help COMMAND` lists the options",
			   name);
}

static double scale_of(const char *suffix)
{
	static const char letters[] = "kMG";
	if (!*suffix)
		return 1;
	const char *at = suffix[1] ? NULL : strchr(letters, *suffix);
	return at ? pow(1000, (double)(at - letters + 1)) : 0;
}

bool cl_number_parse(const char *text, double *out)
{
	char *end;
	*out = strtod(text, &end);
	double scale = scale_of(end);
	*out *= scale;
	return end != text && scale > 0 && isfinite(*out);
}

static int read_int(const struct cl_option_info *info, const char *text, int64_t *out, struct pd_fail *fail)
{
	char *end;
	errno = 0;
	long long exact = strtoll(text, &end, 10);
	bool good = end != text && !*end && errno != ERANGE;
	if (!good) {
		double scaled;
		good = cl_number_parse(text, &scaled) && fabs(scaled) < 9e18 && scaled == floor(scaled);
		exact = good ? (long long)scaled : 0;
	}
	if (good && exact >= info->min && exact <= info->max) {
		*out = exact;
		return PD_OK;
	}
	if (info->max == INT64_MAX)
		return pd_fail_set(fail, PD_E_USAGE, info->name, "--%s takes an integer of at least %lld, not '%.40s'",
				   info->name, (long long)info->min, text);
	return pd_fail_set(fail, PD_E_USAGE, info->name, "--%s takes an integer from %lld to %lld, not '%.40s'",
			   info->name, (long long)info->min, (long long)info->max, text);
}

static int read_real(const struct cl_option_info *info, const char *text, double *out, struct pd_fail *fail)
{
	char *end;
	double value = strtod(text, &end), min = (double)info->min / 1000, max = (double)info->max / 1000;
	if (end == text || *end || !(value >= min && value <= max))
		return pd_fail_set(fail, PD_E_USAGE, info->name,
				   "--%s takes a number of seconds from %g to %g, not '%.40s'", info->name, min, max,
				   text);
	*out = value;
	return PD_OK;
}

static int read_size(const struct cl_option_info *info, const char *text, int64_t *out, struct pd_fail *fail)
{
	struct pd_fail why;
	uint64_t value;
	if (pr_size_parse(text, &value, &why))
		return pd_fail_set(fail, PD_E_USAGE, info->name, "--%s: %.280s", info->name, why.text);
	if (value < (uint64_t)info->min || value > (uint64_t)info->max)
		return pd_fail_set(fail, PD_E_USAGE, info->name, "--%s takes a size from %lldM to %lldT, not '%.40s'",
				   info->name, (long long)(info->min >> 20), (long long)(info->max >> 40), text);
	*out = (int64_t)value;
	return PD_OK;
}

static int read_yes(const struct cl_option_info *info, const char *text, int64_t *out, struct pd_fail *fail)
{
	*out = !strcmp(text, "yes");
	return *out || !strcmp(text, "no") ? PD_OK
					   : pd_fail_set(fail, PD_E_USAGE, info->name,
							 "--%s takes yes or no, not '%.40s'", info->name, text);
}

/* Checks job numbers that are separated by commas, as in a JSON array. */
static int check_jobs(const struct cl_option_info *info, const char *text, struct pd_fail *fail)
{
	for (const char *p = text;; p++) {
		char *end = NULL;
		unsigned long long number = *p >= '1' && *p <= '9' ? strtoull(p, &end, 10) : 0;
		if (number < 1 || number > UINT32_MAX || (*end && *end != ','))
			return pd_fail_set(fail, PD_E_USAGE, info->name,
					   "--%s takes job numbers separated by commas, not '%.40s'", info->name, text);
		if (!*end)
			return PD_OK;
		p = end;
	}
}

static int read_item(const struct cl_option_info *info, const char *text, struct cl_options *out, struct pd_fail *fail)
{
	size_t size = strcspn(text, "=");
	if (!size || !text[size])
		return pd_fail_set(fail, PD_E_USAGE, info->name, "--%s takes %s, not '%.40s'", info->name,
				   info->argument, text);
	for (unsigned i = 0; i < out->list_count; i++)
		if (out->list[i] && !strncmp(out->list[i], text, size + 1))
			return pd_fail_set(fail, PD_E_USAGE, info->name, "--%s %.*s is given twice", info->name,
					   size < 40 ? (int)size : 40, text);
	PD_ASSERT(text[size] == '=');
	out->list[out->list_count++] = text;
	return PD_OK;
}

/* The text in a file, or on stdin: "-". */
static int read_file(const struct cl_option_info *info, const char *path, struct cl_options *out, struct pd_fail *fail)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char *text = malloc(PR_LINE_MAX + 1);
	size_t size = file && text ? fread(text, 1, PR_LINE_MAX, file) : 0;
	int rc = PD_OK;
	if (!text)
		rc = cl_no_memory(fail);
	else if (!file || ferror(file))
		rc = pd_fail_set(fail, PD_E_IO, info->name, "cannot read %.200s: %s", path, strerror(errno));
	else if (size == PR_LINE_MAX)
		rc = pd_fail_set(fail, PD_E_LIMIT, info->name, "%.200s is longer than a request may be (%d bytes)",
				 path, (int)PR_LINE_MAX);
	else if (memchr(text, 0, size))
		rc = pd_fail_set(fail, PD_E_MOVE, info->name, "%.200s is not text: it contains a zero byte", path);
	if (file && file != stdin)
		fclose(file);
	if (rc) {
		free(text);
		return rc;
	}
	text[size] = 0;
	out->file = text;
	out->text[info - option_table] = text;
	return PD_OK;
}

/* A text without the byte order mark that it may begin with when it is the contents of a file. */
static const char *behind_mark(const char *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	return strncmp(text, mark, sizeof mark - 1) ? text : text + sizeof mark - 1;
}

static int set_option(struct cl_options *out, enum cl_option option, const char *text, struct pd_fail *fail)
{
	const struct cl_option_info *info = &option_table[option];
	text = behind_mark(text);
	out->given |= (cl_bits)1 << option;
	out->text[option] = text;
	switch (info->type) {
	case CL_INT:
		return read_int(info, text, &out->whole[option], fail);
	case CL_REAL:
		return read_real(info, text, &out->real[option], fail);
	case CL_SIZE:
		return read_size(info, text, &out->whole[option], fail);
	case CL_YES:
		return read_yes(info, text, &out->whole[option], fail);
	case CL_JOBS:
		return check_jobs(info, text, fail);
	case CL_LIST:
		return read_item(info, text, out, fail);
	case CL_LINES:
		out->lines[out->line_count++] = text;
		return PD_OK;
	case CL_DIRS:
		return sv_game_dirs_add(&out->game_dirs, info->name, text, fail);
	case CL_FILE:
		return *text == '@' ? read_file(info, text + 1, out, fail) : PD_OK;
	case CL_FLAG:
	case CL_TEXT:
		break;
	}
	return PD_OK;
}

/* Two options are called --moves. It takes a list, but for `query` it is a flag at the end, before another option,
 * and after a position. */
static bool other_moves(enum cl_option option, bool equals, int argc, char **argv, int at, const struct cl_options *out)
{
	const char *next = at + 1 < argc ? argv[at + 1] : "-", *command = out->word_count ? out->words[0] : next;
	bool flag = !equals && !strcmp(command, "query") && (out->word_count != 2 || *next == '-');
	return (option == CL_OPT_MOVES && !flag) || (option == CL_OPT_RECORD && flag);
}

static bool may_be_repeated(const struct cl_option_info *info)
{
	return info->type == CL_LIST || info->type == CL_LINES || info->type == CL_DIRS;
}

/* Reads one word that begins with two dashes, and its value; if that is the next word, *at advances. */
static int read_option(int argc, char **argv, int *at, struct cl_options *out, struct pd_fail *fail)
{
	const char *name = argv[*at] + 2, *equals = strchr(name, '=');
	size_t size = equals ? (size_t)(equals - name) : strlen(name);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++) {
		const struct cl_option_info *info = &option_table[i];
		if (strlen(info->name) != size || memcmp(info->name, name, size) != 0 ||
		    other_moves((enum cl_option)i, equals != NULL, argc, argv, *at, out))
			continue;
		if (out->given >> i & 1 && info->argument && !may_be_repeated(info))
			return pd_fail_set(fail, PD_E_USAGE, info->name, "--%s is given twice", info->name);
		if (!info->argument && equals)
			return pd_fail_set(fail, PD_E_USAGE, info->name, "--%s takes no value", info->name);
		if (!info->argument)
			return set_option(out, (enum cl_option)i, "", fail);
		if (!equals && *at + 1 >= argc)
			return pd_fail_set(fail, PD_E_USAGE, info->name, "--%s needs a value: --%s %s", info->name,
					   info->name, info->argument);
		return set_option(out, (enum cl_option)i, equals ? equals + 1 : argv[++*at], fail);
	}
	return set_unknown(name, size, fail);
}

/* `-O NAME=VALUE`, or in one word; *at advances over the value. */
static int read_short(int argc, char **argv, int *at, struct cl_options *out, struct pd_fail *fail)
{
	const char *word = argv[*at], *name = option_table[CL_OPT_OPTION].name;
	if (word[1] != 'O')
		return pd_fail_set(fail, PD_E_USAGE, word, "unknown option '%.40s'; options begin with two dashes",
				   word);
	if (!word[2] && *at + 1 >= argc)
		return pd_fail_set(fail, PD_E_USAGE, name, "-O needs a value: -O NAME=VALUE");
	return set_option(out, CL_OPT_OPTION, word[2] ? word + 2 : argv[++*at], fail);
}

int cl_options_parse(int argc, char **argv, struct cl_options *out, struct pd_fail *fail)
{
	bool words_only = false;
	*out = (struct cl_options){0};
	out->words = calloc((size_t)argc + 1, sizeof *out->words);
	out->list = calloc((size_t)argc + 1, sizeof *out->list);
	out->lines = calloc((size_t)argc + 1, sizeof *out->lines);
	if (!out->words || !out->list || !out->lines)
		return cl_no_memory(fail);
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		int rc = PD_OK;
		if (!words_only && !strcmp(word, "--"))
			words_only = true;
		else if (!words_only && !strcmp(word, "-h"))
			rc = set_option(out, CL_OPT_HELP, "", fail);
		else if (!words_only && word[0] == '-' && word[1] == '-')
			rc = read_option(argc, argv, &i, out, fail);
		else if (!words_only && word[0] == '-' && word[1])
			rc = read_short(argc, argv, &i, out, fail);
		else
			out->words[out->word_count++] = behind_mark(word);
		if (rc)
			return rc;
	}
	return PD_OK;
}

void cl_options_fini(struct cl_options *options)
{
	free(options->words);
	free(options->list);
	free(options->lines);
	free(options->file);
	options->file = NULL;
	options->words = options->list = options->lines = NULL;
}

int cl_options_allow(const struct cl_options *options, cl_bits allowed, const char *command, struct pd_fail *fail)
{
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++)
		if (options->given >> i & 1 && !(allowed >> i & 1))
			return pd_fail_set(fail, PD_E_USAGE, option_table[i].name,
					   "`proofctl %s` takes no --%s; see `proofctl help %s`", command,
					   option_table[i].name, command);
	return PD_OK;
}

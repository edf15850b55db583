/* Command lines, claims and numbers: words separated by newlines; the first byte says for whom. A refusal names what it
 * is about. */
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "clients/options.h"
#include "proto/base/claim.h"
#include "server/daemon/options.h"
#include "solver/solver.h"
#include "tests/fuzz/fuzz.h"

enum { WORDS_MAX = 20 };

static void as_server(int argc, char **argv)
{
	struct dm_options options;
	struct pd_fail fail = {0};
	optind = 0; /* getopt's: from the beginning again */
	if (dm_options_parse(argc, argv, &options, &fail))
		FUZZ_CHECK(fail.text[0]);
	dm_options_fini(&options);
}

static void as_client(int argc, char **argv)
{
	struct cl_options options;
	struct pd_fail fail = {0};
	if (cl_options_parse(argc, argv, &options, &fail))
		FUZZ_CHECK(fail.text[0]);
	cl_options_fini(&options);
}

static void as_claim(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct pd_claim claim, again;
		struct pd_fail fail = {0};
		if (pd_claim_parse(argv[i], &claim, &fail)) {
			FUZZ_CHECK(fail.text[0]);
			continue;
		}
		FUZZ_CHECK(!pd_claim_parse(claim.text, &again, &fail) && !strcmp(claim.text, again.text) &&
			   claim.threshold == again.threshold);
	}
}

static void as_tunable(int argc, char **argv)
{
	struct pn_options options;
	struct pd_fail fail = {0};
	char text[PN_TUNABLE_TEXT];
	double number;
	const struct pn_tunable *t;
	pn_options_init(&options);
	for (int i = 1; i + 1 < argc; i += 2)
		if (pn_option_set(&options, argv[i], argv[i + 1], &fail))
			FUZZ_CHECK(fail.text[0]);
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++)
		if (pn_option_text(&options, t, text))
			FUZZ_CHECK(!pn_option_set(&options, t->name, text, &fail));
	for (int i = 1; i < argc; i++)
		if (cl_number_parse(argv[i], &number))
			FUZZ_CHECK(isfinite(number));
}

FUZZ(options)
{
	static void (*const kinds[])(int argc, char **argv) = {as_server, as_client, as_claim, as_tunable};
	char text[4096], *argv[WORDS_MAX + 2] = {(char *)(uintptr_t) "fuzz"}, *rest = text + 1;
	int argc = 1;
	if (size < 1 || size >= sizeof text || memchr(data, 0, size))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	while (rest && *rest && argc <= WORDS_MAX) {
		argv[argc++] = rest;
		rest = strchr(rest, '\n');
		if (rest)
			*rest++ = 0;
	}
	kinds[(uint8_t)text[0] % (sizeof kinds / sizeof *kinds)](argc, argv);
	return 0;
}

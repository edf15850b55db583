/* Options: the words of a command line, parsed against one table.
 *
 * Parsing, checks, help and messages all come from options.def; each command says which of them it takes
 * (commands.def). An option may stand anywhere; `--` ends the options; a single `-` is a word. A number may be written
 * 1000000, 1e6 or 1M (powers of 1000; a CL_SIZE takes powers of 1024). CL_LIST, CL_LINES and
 * CL_DIRS may be given several times. A CL_FILE is a text, or @FILE. */
#pragma once

#include "proto/base/error.h"
#include "proto/job_states.h"
#include "server/core.h"
#include "solver/solver.h"

enum cl_type { CL_FLAG, CL_TEXT, CL_FILE, CL_LIST, CL_DIRS, CL_INT, CL_JOBS, CL_LINES, CL_REAL, CL_SIZE, CL_YES };

enum cl_option {
#define CL_OPTION(id, ...) CL_OPT_##id,
#include "clients/options.def"
	CL_OPTION_COUNT
};

__extension__ typedef unsigned __int128 cl_bits; /* a bit for each option */
_Static_assert(CL_OPTION_COUNT <= 128, "a bit for each");

#define CL_BIT(id) ((cl_bits)1 << CL_OPT_##id)

struct cl_option_info {
	const char *name, *argument; /* argument: NULL for flags */
	enum cl_type type;
	int64_t min, max;
	const char *help;
};

struct cl_options {
	cl_bits given;                     /* a bit for each option that was given */
	const char *text[CL_OPTION_COUNT]; /* as given, borrowed from argv; NULL: not given */
	int64_t whole[CL_OPTION_COUNT];    /* of CL_INT and CL_SIZE; of CL_YES 1 (yes) or 0 (no) */
	double real[CL_OPTION_COUNT];      /* of CL_REAL */
	const char **list; /* of CL_LIST (there is one), in order; owned, its texts borrowed from argv */
	unsigned list_count;
	const char **lines; /* of CL_LINES (there is one), in order; owned, its texts borrowed from argv */
	unsigned line_count;
	struct sv_game_dirs game_dirs; /* of CL_DIRS */
	char *file;                    /* of CL_FILE (there is one), when it names a file: its text; owned */
	const char **words; /* the words that are not options, in order; owned, its texts borrowed from argv */
	unsigned word_count;
};

const struct cl_option_info *cl_option_info(enum cl_option option);

/* Reads argv[1..argc). PD_E_USAGE with the option as field. The caller passes *out to cl_options_fini, also after
 * a failure. */
int cl_options_parse(int argc, char **argv, struct cl_options *out, struct pd_fail *fail);
void cl_options_fini(struct cl_options *options);

/* PD_E_NO_MEMORY. */
int cl_no_memory(struct pd_fail *fail);
/* --threads, by default one per processor. */
unsigned cl_threads(const struct cl_options *options);

/* Reads 1000000, 1e6, 1M or 0.25; false if the text is not a finite number. */
bool cl_number_parse(const char *text, double *out);

/* Refuses options that are not in `allowed`; `command` is for the message. */
int cl_options_allow(const struct cl_options *options, cl_bits allowed, const char *command, struct pd_fail *fail);

static inline bool cl_given(const struct cl_options *options, enum cl_option option)
{
	return options->given >> option & 1;
}

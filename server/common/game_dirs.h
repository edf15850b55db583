/* Game dirs: where games from outside come from, as the options --game-dir, --game-program, --game-files and
 * --checker-program say. */
#pragma once

#include "proto/base/error.h"

enum { SV_GAME_DIRS_MAX = 16 /* directories, programs, lists of files, checkers' programs */ };

/* Where games from outside come from: directories of plug-ins, and programs (program_game.h). */
struct sv_game_dirs {
	const char *dir[SV_GAME_DIRS_MAX]; /* borrowed, or parts of `env` */
	unsigned count;
	/* Of programs: NAME=COMMAND, NAME=FILE,... and NAME=COMMAND; borrowed. */
	const char *program[SV_GAME_DIRS_MAX], *files[SV_GAME_DIRS_MAX], *checker[SV_GAME_DIRS_MAX];
	unsigned programs, file_lists, checkers;
	unsigned seconds; /* for an answer of a program; sv_game_dirs_env sets 60 for 0 */
	char *env;        /* owned; a copy of PROOFD_GAME_DIR, NULL: it is not used */
};

/* Adds what PROOFD_GAME_DIR names, a list separated by colons, unless directories are named already; afterwards
 * sv_game_dirs_fini. PD_E_USAGE with field "game-dir" when they are too many. */
int sv_game_dirs_env(struct sv_game_dirs *dirs, struct pd_fail *fail);
void sv_game_dirs_fini(struct sv_game_dirs *dirs);
/* The NAME=COMMAND with the checker's rules of a game with that full name; NULL: none. */
const char *sv_checker_program(const struct sv_game_dirs *dirs, const char *game);
/* Adds the value of the option `option`: game-dir, game-program, game-files or checker-program.
 * PD_E_USAGE. */
int sv_game_dirs_add(struct sv_game_dirs *dirs, const char *option, const char *text, struct pd_fail *fail);

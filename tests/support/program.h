/* Program: an executable of tests/. It contains many suites (tests/CMakeLists.txt); its first argument names one:
 * `test_store rewrite`, `bench speed --nodes 1000`. Without arguments it lists the names. */
#pragma once

struct program {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the name */
	struct program *next;
};

/* Called before main, by the macro below. */
void program_register(struct program *program);

/* Followed by the body of a function with argc and argv that returns an exit status. */
#define PROGRAM(title)                                                                                                 \
	static int run_program_##title(int argc, char **argv);                                                         \
	__attribute__((constructor)) static void register_program_##title(void)                                        \
	{                                                                                                              \
		static struct program program = {.name = #title, .run = run_program_##title};                          \
		program_register(&program);                                                                            \
	}                                                                                                              \
	static int run_program_##title(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)

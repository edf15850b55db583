/* Main: runs the program that the first argument names (tests/support/program.h). */
#include <stdio.h>
#include <string.h>

#include "tests/support/program.h"

static struct program *programs;

void program_register(struct program *program)
{
	program->next = programs;
	programs = program;
}

int main(int argc, char **argv)
{
	for (const struct program *program = programs; argc > 1 && program; program = program->next)
		if (!strcmp(program->name, argv[1]))
			return program->run(argc - 1, argv + 1);
	printf("usage: %s NAME [ARGUMENT...]\n", argv[0]);
	for (const struct program *program = programs; program; program = program->next)
		printf("  %s\n", program->name);
	return 2;
}

/* Worker main: what `proofd worker` does, from its command line to its end. */
#pragma once

/* argv[0] is the word "worker". Returns the exit status: 0 stopped as asked, 1 failure or refused by the coordinator, 2
 * the command line is wrong, or there is no port. */
int join_main(int argc, char **argv);

/* Standard: what the main function of a program begins with, before it opens anything. */
#pragma once

/* Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed (`2>&-`). Otherwise the next file, socket or
 * pipe would get that number, and the program would print into it; and libuv aborts when it closes one of the three.
 * Reading finds the end of the file; writing still fails (EBADF), so a lost output remains an error. */
void pd_standard_open(void);
/* From now on the group and other users may not write to new files, whatever the umask was. */
void pd_standard_umask(void);
/* Ends the process with exit code 2 and a message when the build uses an extension that the processor lacks (-march,
 * preset `package`); SIGILL would end it later without a message. */
void pd_standard_processor(const char *program);

/* Standard: what the main function of a program begins with, before it opens anything. */
#pragma once

/* /dev/null takes the place of those of descriptors 0, 1 and 2 that are closed (`2>&-`). Else the next file, socket or
 * pipe would get that number, and the program would print into it; and libuv aborts when it closes one of the three.
 * Reading finds the end of the file; writing still fails (EBADF), so a lost output remains an error. */
void pd_standard_open(void);
/* Other users and the group may not write to what is created from now on, whatever the umask was. */
void pd_standard_umask(void);
/* Ends the process with exit code 2 and a message when the build uses an extension that the processor lacks (-march,
 * preset `package`); SIGILL would end it later without a message. */
void pd_standard_processor(const char *program);

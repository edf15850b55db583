/* Standard: what a program begins with. Descriptors 0, 1 and 2 are always open.
 *
 * A program that is started without one of them (`2>&-`) would give its number to the next file, socket or pipe that it
 * opens, and then print into that; and libuv aborts when it is to close one of the three. */
#pragma once

/* For the first line of main, before anything is opened: /dev/null takes the place of those that are closed. Reading
 * finds the end of the file; writing still fails (EBADF), so that a lost output remains an error. */
void pd_standard_open(void);
/* Likewise: other users and the group may not write to what is created from now on, whatever the umask was. */
void pd_standard_umask(void);

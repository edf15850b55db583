/* Processor: whether the machine has the instructions this build was compiled for (-march, preset `package`). */
#pragma once

/* For the first line of main: without an extension the process ends with exit code 2 and a message that names the
 * program and the extension, where SIGILL would end it later without a word. */
void pd_processor_require(const char *program);

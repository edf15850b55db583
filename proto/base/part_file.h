/* Part file: a file that is written under another name, FILE.part, and gets its name when it is complete. */
#pragma once

#include <stdio.h>

#include "proto/base/error.h"

/* Opens it; makes it if there is none, and keeps what it holds. It is locked until it is closed, which the caller does
 * after the renaming. PD_E_BUSY: another process is writing it; PD_E_IO, PD_E_NO_SPACE. */
int pd_part_open(const char *part, FILE **out, struct pd_fail *fail);

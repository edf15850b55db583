/* Shrink: a list of steps that fails becomes a minimal one (by removing parts). Steps are plain bytes; any part of a
 * list must be a list, too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The list fails: `fails` says true of it. Takes steps out, in place, for as long as it goes on failing; returns how
 * many are left: without any one of them it does not fail, unless `tries_most` calls of `fails` were too few to find
 * that out. */
unsigned shrink(void *steps, size_t size, unsigned count, unsigned tries_most,
		bool (*fails)(void *ctx, const void *steps, unsigned count), void *ctx);

/* Whole files, read and written in one piece. */
#pragma once

#include <check.h>
#include <stdint.h>
#include <stdio.h>

/* Reads a file of fewer than `max` bytes; returns its size. */
static inline size_t whole_file_read(const char *path, uint8_t *out, size_t max)
{
	FILE *in = fopen(path, "rb");
	ck_assert_ptr_nonnull(in);
	size_t size = fread(out, 1, max, in);
	fclose(in);
	ck_assert_uint_lt(size, max);
	return size;
}

static inline void whole_file_write(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

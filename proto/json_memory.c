/* JSON memory: reading a document while memory runs out.
 *
 * jansson goes on after it has lost a character of a token for want of memory, and then reads and writes past the ends
 * of its buffers. So an allocation that fails inside its reader must not return to it: the read is left at once, by
 * longjmp, and all that it had allocated so far is freed. To know what that is, blocks have a head that links them
 * while they are being read into; afterwards they are freed one by one, from any thread.
 *
 * jansson has one pair of allocation functions for the whole process. In a library it is the program's, which may have
 * documents of its own, before and after ours; there (PD_IN_PROGRAM) it is left alone, and so is what jansson does when
 * memory runs out in the middle of a token. */
#include "proto/json.h"

#ifdef PD_IN_PROGRAM

json_t *pr_json_read(const char *text, size_t size, size_t flags, json_error_t *error, bool *no_memory)
{
	json_t *root = json_loadb(text, size, flags, error);
	*no_memory = !root && !error->text[0]; /* jansson has a sentence for everything else */
	return root;
}

#else

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "proto/base/assert.h"

struct block {
	_Alignas(16) LIST_ENTRY(block) link;
};

struct reading {
	LIST_HEAD(, block) blocks;
	jmp_buf out;
	bool failed;
};

static _Thread_local struct reading *reading; /* what this thread reads; NULL: nothing */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *allocate(size_t size)
{
	struct block *block = size <= SIZE_MAX - sizeof *block ? malloc(sizeof *block + size) : NULL;
	if (!block && reading) {
		reading->failed = true;
		longjmp(reading->out, 1);
	}
	if (!block)
		return NULL;
	if (reading)
		LIST_INSERT_HEAD(&reading->blocks, block, link);
	return block + 1;
}

static void release(void *memory)
{
	if (!memory)
		return;
	struct block *block = (struct block *)memory - 1;
	if (reading) /* a reader frees nothing but its own */
		LIST_REMOVE(block, link);
	free(block);
}

static void install(void)
{
	json_object_seed(0); /* not in the middle of a document */
	json_set_alloc_funcs(allocate, release);
}

/* Returns only what was read as a whole. */
static json_t *read_all(struct reading *own, const char *text, size_t size, size_t flags, json_error_t *error)
{
	if (setjmp(own->out))
		return NULL;
	PD_ASSERT(!reading); /* a thread reads one document at a time */
	reading = own;
	return json_loadb(text, size, flags, error);
}

json_t *pr_json_read(const char *text, size_t size, size_t flags, json_error_t *error, bool *no_memory)
{
	struct reading own = {.failed = false};
	LIST_INIT(&own.blocks);
	pthread_once(&once, install);
	json_t *root = read_all(&own, text, size, flags, error);
	PD_ASSERT(!own.failed || !root);
	reading = NULL;
	*no_memory = own.failed;
	for (struct block *block = own.failed ? LIST_FIRST(&own.blocks) : NULL, *next; block; block = next) {
		next = LIST_NEXT(block, link);
		free(block);
	}
	return root;
}

#endif

#include "proto/json.h"

/* Reading while memory runs out. After an allocation fails in the middle of a token, jansson goes on and reads and
 * writes past the ends of its buffers. So a failed allocation inside its reader must not return to it: longjmp leaves
 * it at once, and everything that it had allocated is freed. For this, blocks have a head that links them while a
 * document is being read; afterwards they are freed one by one, from any thread.
 *
 * jansson has one pair of allocation functions for the whole process. In a library (PD_IN_PROGRAM) that pair belongs to
 * the program, which may have documents of its own: there it is left alone. */
#ifdef PD_IN_PROGRAM

/* json_loadb, but safe when memory runs out, and reports that separately from faults of the text. */
static json_t *read_document(const char *text, size_t size, size_t flags, json_error_t *error, bool *no_memory)
{
	json_t *root = json_loadb(text, size, flags, error);
	*no_memory = !root && !error->text[0]; /* every other error has a text */
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

static void *allocate_block(size_t size)
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

static void release_block(void *memory)
{
	if (!memory)
		return;
	struct block *block = (struct block *)memory - 1;
	if (reading) /* a reader frees only its own blocks */
		LIST_REMOVE(block, link);
	free(block);
}

static void install_allocator(void)
{
	json_object_seed(0); /* now, and not in the middle of a document */
	json_set_alloc_funcs(allocate_block, release_block);
}

/* NULL unless the whole document was read. */
static json_t *read_all(struct reading *own, const char *text, size_t size, size_t flags, json_error_t *error)
{
	if (setjmp(own->out))
		return NULL;
	PD_ASSERT(!reading); /* a thread reads one document at a time */
	reading = own;
	return json_loadb(text, size, flags, error);
}

static json_t *read_document(const char *text, size_t size, size_t flags, json_error_t *error, bool *no_memory)
{
	struct reading own = {.failed = false};
	LIST_INIT(&own.blocks);
	pthread_once(&once, install_allocator);
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

/* jansson descends by recursion, so the depth is checked before it starts. Brackets in strings do not count; jansson
 * checks whether brackets match. */
static bool is_shallow(const char *text, size_t size)
{
	unsigned depth = 0;
	for (size_t i = 0; i < size; i++) {
		char c = text[i];
		if (c == '"') {
			for (i++; i < size && text[i] != '"'; i++)
				if (text[i] == '\\')
					i++;
		} else if (c == '[' || c == '{') {
			if (++depth > PR_DEPTH_MAX)
				return false;
		} else if ((c == ']' || c == '}') && depth) {
			depth--;
		}
	}
	return true;
}

json_t *pr_json_load(const char *text, size_t size, struct pd_fail *fail)
{
	if (!is_shallow(text, size)) {
		pd_fail_set(fail, PD_E_LIMIT, "", "the JSON is nested too deeply; at most %d levels are read",
			    (int)PR_DEPTH_MAX);
		return NULL;
	}
	json_error_t error;
	bool no_memory;
	json_t *root = read_document(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error, &no_memory);
	if (root)
		return root;
	if (no_memory)
		pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to read %zu bytes of JSON", size);
	else
		pd_fail_set(fail, PD_E_PARSE, "", "not valid JSON: %s (line %d, byte %d)", error.text, error.line,
			    error.position);
	return NULL;
}

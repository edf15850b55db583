#include "solver/huge_memory.h"

#include <sys/mman.h>

#include "proto/base/assert.h"

/* Not MAP_NORESERVE: a system that limits overcommit then refuses a block here that could never be filled, and the
 * search can use less. */
void *pn_memory_map(size_t bytes)
{
	void *block = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		return NULL;
#ifdef MADV_HUGEPAGE
	if (bytes >= (size_t)32 << 20) /* below that, zeroing whole huge pages costs more than it saves */
		madvise(block, bytes, MADV_HUGEPAGE);
#endif
	return block;
}

void pn_memory_unmap(void *block, size_t bytes)
{
	if (block)
		munmap(block, bytes ? bytes : 1);
}

void pn_memory_drop(void *block, size_t from, size_t to)
{
	PD_ASSERT(block && from <= to);
#ifdef MADV_DONTNEED
	madvise((char *)block + from, to - from,
		MADV_DONTNEED); /* if it fails, the memory is only freed a little later */
#endif
}

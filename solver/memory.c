#include "solver/memory.h"

#include <sys/mman.h>

void *memory_map(size_t bytes)
{
	void *block = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return block == MAP_FAILED ? NULL : block;
}

void memory_unmap(void *block, size_t bytes)
{
	if (block)
		munmap(block, bytes ? bytes : 1);
}

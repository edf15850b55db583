#include "tests/lab/model_shrink.h"

#include <stdlib.h>
#include <string.h>

unsigned shrink(void *steps, size_t size, unsigned count, unsigned tries_most,
		bool (*fails)(void *ctx, const void *steps, unsigned count), void *ctx)
{
	unsigned char *all = steps, *less = malloc((count + 1) * size);
	unsigned tries = 0;
	if (!less)
		abort();
	for (unsigned part = (count + 1) / 2; part;) {
		bool shorter = false;
		for (unsigned from = 0; from < count && tries < tries_most;) {
			unsigned out = count - from < part ? count - from : part;
			memcpy(less, all, from * size);
			memcpy(less + from * size, all + (from + out) * size, (count - from - out) * size);
			tries++;
			if (fails(ctx, less, count - out)) {
				count -= out;
				memcpy(all, less, count * size);
				shorter = true;
			} else {
				from += out;
			}
		}
		if (!shorter || tries >= tries_most)
			part = tries >= tries_most ? 0 : part / 2;
	}
	free(less);
	return count;
}

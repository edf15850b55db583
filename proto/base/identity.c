#include "proto/base/identity.h"

void pd_identity_init(struct pd_identity *identity, uint64_t key)
{
	uint64_t state = key;
	identity->key = key;
	for (unsigned i = 0; i < PD_IDENTITY_WORDS; i++)
		for (unsigned k = 0; k < 2; k++) {
			uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
			z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
			z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
			identity->factor[i][k] = (z ^ z >> 31) | 1;
		}
}

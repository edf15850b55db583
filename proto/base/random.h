/* Random: numbers that no one outside can know, from the kernel. */
#ifndef PD_RANDOM_H
#define PD_RANDOM_H

#include <stdint.h>

/* Never 0. */
uint64_t pd_random64(void);

#endif

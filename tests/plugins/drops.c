#define DROPS_PLUGIN
#include "../support/drops.c"

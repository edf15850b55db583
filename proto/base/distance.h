/* Distance: how far two words are apart, for "did you mean". */
#pragma once

/* How many letters must be changed, added, removed or swapped with a neighbour to make one word into the other; 24 when
 * one has more than 24 letters. */
unsigned pd_distance(const char *a, const char *b);

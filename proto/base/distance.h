/* Distance: the similarity of two words, for "did you mean". */
#pragma once

/* The least number of letters to change, add or remove, or of neighbouring letters to swap, that turns one word into
 * the other; 24 when one has more than 24 letters. */
unsigned pd_distance(const char *a, const char *b);

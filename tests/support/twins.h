/* Twins: two names of 64 bytes with the same XXH3-128, which the author of a graph could choose.
 *
 * Their last sixteen bytes are x and ~x, in either order, in UTF-8; a search of a few seconds over x found them. */
#pragma once

#define TWIN_HEAD   "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define TWIN_WIDE   "\xd2\xb0\xc6\xbc\xd5\x92\xda\xbf"
#define TWIN_PLAIN  "-O9C*m%@"
#define TWIN_FIRST  TWIN_HEAD TWIN_WIDE TWIN_PLAIN
#define TWIN_SECOND TWIN_HEAD TWIN_PLAIN TWIN_WIDE

/* A graph in which First wins at the first twin and loses at the second, and Second chooses between them. */
#define TWIN_GRAPH                                                                                                     \
	"{\"root\":\"t\",\"nodes\":{\"t\":{\"or\":[\"r\"]},\"r\":{\"and\":[\"" TWIN_FIRST "\",\"" TWIN_SECOND "\"]},"  \
	"\"" TWIN_FIRST "\":{\"or\":[\"a1\",\"lost\"]},\"a1\":{\"and\":[\"a2\",\"a3\"]},"                              \
	"\"a2\":{\"or\":[\"won\",\"lost\"]},\"a3\":{\"or\":[\"won\",\"lost\"]},"                                       \
	"\"" TWIN_SECOND                                                                                               \
	"\":{\"or\":[\"b1\",\"b2\"]},\"b1\":{\"and\":[\"b3\",\"b4\"]},\"b2\":{\"and\":[\"b3\",\"lost\"]},"             \
	"\"b3\":{\"or\":[\"lost\",\"b5\"]},\"b4\":{\"or\":[\"won\",\"lost\"]},\"b5\":{\"and\":[\"lost\",\"won\"]},"    \
	"\"won\":{\"value\":1},\"lost\":{\"value\":-1}}}"

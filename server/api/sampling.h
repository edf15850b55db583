/* Sampling: once a minute the loop thread takes a sample of the server's figures (common/sample_file.h). */
#pragma once

struct sv_core;

/* The loop thread, on every tick: takes the sample when a minute is over. That of the minute in which the server
 * started covers the rest of this minute, so the first sample comes within a minute. */
void sv_sampling_tick(struct sv_core *core);

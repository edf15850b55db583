/* Methods: one handler for each row of proto/methods.def, `sv_method_` and the row's handler.
 *
 * A row without a handler is a link error. A handler gets checked parameters, and does one of three things:
 *   - it answers: prints the result with r->out (or into r->json) and returns PD_OK;
 *   - it fails: returns the error's code, with r->fail filled in;
 *   - it defers the answer: sv_wait_for or sv_defer (deferred.h).
 * The row's `thread` says where it runs. On the event loop it waits for nothing (V3). */
#pragma once

#include "server/api/request.h"

#define METHOD(id, handler, ...) int sv_method_##handler(struct sv_request *r);
#include "proto/methods.def"
#undef METHOD

/* Request lines as JSON-RPC: whatever they hold, an exchange comes of them, every call that is left can be answered,
 * and the reply is one line of JSON. */
#include <string.h>

#include "proto/rpc.h"
#include "tests/fuzz/fuzz.h"

FUZZ(exchange)
{
	struct pd_buf line;
	struct pr_doc *doc;
	struct pd_fail fail;
	if (size >= PR_LINE_MAX || memchr(data, '\n', size))
		return 0;
	struct pr_exchange *exchange = pr_exchange_new((const char *)data, size);
	FUZZ_CHECK(exchange);
	for (unsigned i = 0; i < pr_exchange_count(exchange); i++) {
		struct pr_call *call = pr_exchange_call(exchange, i);
		if (!call)
			continue;
		FUZZ_CHECK(call->method < PR_METHOD_COUNT && !pr_exchange_done(exchange));
		pr_call_result(call, "{}", 2);
	}
	FUZZ_CHECK(pr_exchange_done(exchange));
	pd_buf_init(&line, PR_REPLY_MAX);
	pr_exchange_reply(exchange, &line);
	FUZZ_CHECK(!line.failed);
	if (line.size) {
		FUZZ_CHECK(line.data[line.size - 1] == '\n' && !memchr(line.data, '\n', line.size - 1));
		FUZZ_CHECK(!pr_doc_parse(line.data, line.size - 1, &doc, &fail));
		pr_doc_free(doc);
	}
	pd_buf_fini(&line);
	pr_exchange_free(exchange);
	return 0;
}

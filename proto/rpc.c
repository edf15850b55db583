/* RPC: see rpc.h. An exchange owns the parsed line until it is freed, so that parameters and ids are borrowed and not
 * copied. Replies are kept as results or errors and become text only when the last one is there. */
#include "proto/rpc.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/check.h"
#include "proto/json.h"
#include "proto/out.h"

enum {
	/* The most that a call adds to the reply in addition to its id and result: an error whose every byte needs an
	   escape. */
	FRAME_MAX = 6 * (int)sizeof(struct pd_fail) + 256
};

struct item {
	struct pr_call call;
	const json_t *id; /* borrowed from the root; NULL: print null */
	bool silent;      /* a notification: no reply */
	bool done;
	int code;             /* PD_OK: `result` is the answer */
	struct pd_fail *fail; /* owned; NULL when there was no memory for it: the code's meaning is sent */
	char *result;         /* owned */
	size_t size;          /* of result */
};

struct pr_exchange {
	json_t *root; /* owned; NULL when the line could not be read */
	bool batch;
	unsigned count, open; /* items; those not answered */
	size_t room;          /* bytes left for results */
	struct item items[];
};

static struct item *item_of(struct pr_call *call)
{
	return &call->exchange->items[call->index];
}

static void close_item(struct item *item)
{
	PD_ASSERT(!item->done && item->call.exchange->open); /* V1: exactly one answer */
	item->done = true;
	item->call.exchange->open--;
}

/* What an id may be; it is sent back as it came. */
static bool is_id(const json_t *id)
{
	return json_is_string(id) || json_is_integer(id) || json_is_null(id);
}

/* Reads the request's envelope. Returns 0 when `call` has a method and checked parameters. */
static int read_request(struct item *item, const json_t *request, struct pd_fail *fail)
{
	if (!json_is_object(request))
		return pd_fail_set(fail, PD_E_REQUEST, "", "a request is an object, or an array of objects");
	const json_t *id = json_object_get(request, "id");
	if (id && !is_id(id))
		return pd_fail_set(fail, PD_E_REQUEST, "id", "'id' must be a string, an integer or null");
	item->id = id;
	const json_t *version = json_object_get(request, "jsonrpc");
	if (!json_is_string(version) || strcmp(json_string_value(version), "2.0") != 0)
		return pd_fail_set(fail, PD_E_REQUEST, "jsonrpc", "'jsonrpc' must be the string \"2.0\"");
	const json_t *method = json_object_get(request, "method");
	if (!json_is_string(method))
		return pd_fail_set(fail, PD_E_REQUEST, "method", "'method' must be a string");
	/* From here on it is a request, and one without an id is a notification. */
	item->silent = !id;
	if (!pr_method_find(json_string_value(method), &item->call.method))
		return pd_fail_set(fail, PD_E_METHOD, "method",
				   "there is no method '%.60s'; rpc.discover lists the methods",
				   json_string_value(method));
	const json_t *params = json_object_get(request, "params");
	if (params && !json_is_object(params))
		return pd_fail_set(
			fail, PD_E_PARAMS, "params",
			"'params' must be an object: parameters are given by name; leave it out when there are none");
	item->call.params = pr_ref_of(params);
	return pr_check_params(pr_method_info(item->call.method), item->call.params, fail);
}

static struct pr_exchange *exchange_with(json_t *root, size_t count)
{
	struct pr_exchange *exchange = calloc(1, sizeof *exchange + count * sizeof *exchange->items);
	if (!exchange) {
		json_decref(root);
		return NULL;
	}
	exchange->root = root;
	exchange->count = exchange->open = (unsigned)count;
	/* Ids are printed no longer than they were read. */
	exchange->room = PR_REPLY_MAX - PR_LINE_MAX - count * FRAME_MAX;
	for (unsigned i = 0; i < exchange->count; i++) {
		exchange->items[i].call.exchange = exchange;
		exchange->items[i].call.index = i;
	}
	return exchange;
}

/* An exchange of one call that is answered already. */
static struct pr_exchange *exchange_of_fault(json_t *root, const struct pd_fail *fail)
{
	struct pr_exchange *exchange = exchange_with(root, 1);
	if (exchange)
		pr_call_error(&exchange->items[0].call, fail);
	return exchange;
}

struct pr_exchange *pr_exchange_new(const char *line, size_t size)
{
	_Static_assert(PR_REPLY_MAX > 2 * (PR_LINE_MAX + PR_BATCH_MAX * FRAME_MAX), "replies have room for results");
	struct pd_fail fail;
	json_t *root = pr_json_load(line, size, &fail);
	if (!root)
		return fail.code == PD_E_NO_MEMORY ? NULL : exchange_of_fault(NULL, &fail);
	bool batch = json_is_array(root);
	size_t count = batch ? json_array_size(root) : 1;
	if (!count) {
		pd_fail_set(&fail, PD_E_REQUEST, "", "a batch must hold at least one request");
		return exchange_of_fault(root, &fail);
	}
	if (count > PR_BATCH_MAX) {
		pd_fail_set(&fail, PD_E_LIMIT, "", "the batch holds %zu requests; at most %d are taken", count,
			    (int)PR_BATCH_MAX);
		return exchange_of_fault(root, &fail);
	}
	struct pr_exchange *exchange = exchange_with(root, count);
	if (!exchange)
		return NULL;
	exchange->batch = batch;
	for (unsigned i = 0; i < exchange->count; i++) {
		struct item *item = &exchange->items[i];
		if (read_request(item, batch ? json_array_get(root, i) : root, &fail))
			pr_call_error(&item->call, &fail);
	}
	return exchange;
}

void pr_exchange_free(struct pr_exchange *exchange)
{
	if (!exchange)
		return;
	for (unsigned i = 0; i < exchange->count; i++) {
		free(exchange->items[i].fail);
		free(exchange->items[i].result);
	}
	json_decref(exchange->root);
	free(exchange);
}

unsigned pr_exchange_count(const struct pr_exchange *exchange)
{
	return exchange->count;
}

struct pr_call *pr_exchange_call(struct pr_exchange *exchange, unsigned index)
{
	PD_ASSERT(index < exchange->count);
	struct item *item = &exchange->items[index];
	return item->done ? NULL : &item->call;
}

void pr_call_result(struct pr_call *call, const char *json, size_t size)
{
	struct item *item = item_of(call);
	struct pd_fail fail;
	if (!item->silent) {
		if (size > call->exchange->room) {
			pd_fail_set(&fail, PD_E_LIMIT, "",
				    "the reply would be longer than %d bytes; ask for less at a time",
				    (int)PR_REPLY_MAX);
			pr_call_error(call, &fail);
			return;
		}
		item->result = malloc(size ? size : 1);
		if (item->result) {
			memcpy(item->result, json, size);
			item->size = size;
			call->exchange->room -= size;
		} else {
			item->code = PD_E_NO_MEMORY;
		}
	}
	close_item(item);
}

void pr_call_error(struct pr_call *call, const struct pd_fail *fail)
{
	struct item *item = item_of(call);
	PD_ASSERT(fail->code != PD_OK);
	item->code = fail->code;
	if (!item->silent) {
		item->fail = malloc(sizeof *item->fail);
		if (item->fail)
			*item->fail = *fail;
	}
	close_item(item);
}

bool pr_exchange_done(const struct pr_exchange *exchange)
{
	return !exchange->open;
}

static void put_id(struct pr_out *out, const json_t *id)
{
	if (json_is_string(id))
		pr_strn(out, "id", json_string_value(id), json_string_length(id));
	else if (json_is_integer(id))
		pr_int(out, "id", json_integer_value(id));
	else
		pr_null(out, "id");
}

/* `fail` may be NULL. */
static void put_error(struct pr_out *out, int code, const struct pd_fail *fail)
{
	pr_members(out, PR_OPEN_OBJECT("error"), PR_I("code", code),
		   PR_S("message", fail ? fail->text : pd_error_meaning(code)), PR_OPEN_OBJECT("data"),
		   PR_S("slug", pd_error_slug(code)), PR_S("field", fail && fail->field[0] ? fail->field : NULL),
		   PR_CLOSE, PR_CLOSE);
}

static void put_reply(struct pr_out *out, const struct item *item)
{
	pr_open_object(out, NULL);
	pr_raw(out, "jsonrpc", "\"2.0\"", 5);
	put_id(out, item->id);
	if (item->code)
		put_error(out, item->code, item->fail);
	else
		pr_raw(out, "result", item->result, item->size);
	pr_close(out);
}

void pr_exchange_reply(const struct pr_exchange *exchange, struct pd_buf *out)
{
	PD_ASSERT(pr_exchange_done(exchange));
	unsigned loud = 0;
	for (unsigned i = 0; i < exchange->count; i++)
		loud += !exchange->items[i].silent;
	if (!loud)
		return;
	struct pr_out printer;
	pr_out_init(&printer, out);
	if (exchange->batch)
		pr_open_array(&printer, NULL);
	for (unsigned i = 0; i < exchange->count; i++)
		if (!exchange->items[i].silent)
			put_reply(&printer, &exchange->items[i]);
	if (exchange->batch)
		pr_close(&printer);
	pd_buf_put(out, "\n", 1);
}

void pr_refusal(struct pd_buf *out, const struct pd_fail *fail)
{
	struct pr_out printer;
	pr_out_init(&printer, out);
	pr_open_object(&printer, NULL);
	pr_raw(&printer, "jsonrpc", "\"2.0\"", 5);
	pr_null(&printer, "id");
	put_error(&printer, fail->code, fail);
	pr_close(&printer);
	pd_buf_put(out, "\n", 1);
}

void pr_notify(struct pd_buf *out, const char *method, const char *params_json, size_t size)
{
	struct pr_out printer;
	pr_out_init(&printer, out);
	pr_open_object(&printer, NULL);
	pr_raw(&printer, "jsonrpc", "\"2.0\"", 5);
	pr_str(&printer, "method", method);
	pr_raw(&printer, "params", params_json, size);
	pr_close(&printer);
	pd_buf_put(out, "\n", 1);
}

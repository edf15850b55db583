/* Doc: see doc.h. A pr_doc owns one jansson tree; everything else is borrowed from it. */
#include "proto/doc.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/json.h"

struct pr_doc {
	json_t *root; /* owned */
};

int pr_doc_parse(const char *text, size_t size, struct pr_doc **out, struct pd_fail *fail)
{
	struct pd_fail own;
	fail = fail ? fail : &own;
	json_t *root = pr_json_load(text, size, fail);
	if (!root)
		return fail->code;
	struct pr_doc *doc = malloc(sizeof *doc);
	if (!doc) {
		json_decref(root);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a JSON document");
	}
	PD_ASSERT(root);
	doc->root = root;
	*out = doc;
	return PD_OK;
}

int pr_doc_wrap(struct pr_doc *doc, const char *key, struct pd_fail *fail)
{
	json_t *object = json_object();
	if (!object || json_object_set(object, key, doc->root)) {
		json_decref(object);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a JSON document");
	}
	json_decref(doc->root);
	doc->root = object;
	return PD_OK;
}

int pr_doc_merge(pr_ref base, const char *less, pr_ref over, struct pr_doc **out, struct pd_fail *fail)
{
	struct pr_doc *doc = malloc(sizeof *doc);
	json_t *root = doc ? json_object() : NULL;
	bool ok = root != NULL;
	const char *key;
	json_t *value;
	for (unsigned i = 0; ok && i < 2; i++)
		json_object_foreach(pr_json(i ? over : base), key, value)
			ok = ok && (!strcmp(key, less) || !json_object_set_new(root, key, json_deep_copy(value)));
	if (!ok) {
		json_decref(root);
		free(doc);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a JSON document");
	}
	doc->root = root;
	*out = doc;
	return PD_OK;
}

void pr_doc_free(struct pr_doc *doc)
{
	if (!doc)
		return;
	json_decref(doc->root);
	free(doc);
}

pr_ref pr_doc_root(const struct pr_doc *doc)
{
	return pr_ref_of(doc->root);
}

enum pr_kind pr_kind_of(pr_ref value)
{
	if (!value)
		return PR_MISSING;
	switch (json_typeof(pr_json(value))) {
	case JSON_OBJECT:
		return PR_OBJECT;
	case JSON_ARRAY:
		return PR_ARRAY;
	case JSON_STRING:
		return PR_STRING;
	case JSON_INTEGER:
		return PR_INT;
	case JSON_REAL:
		return PR_REAL;
	case JSON_TRUE:
	case JSON_FALSE:
		return PR_BOOL;
	case JSON_NULL:
		return PR_NULL;
	}
	return PR_MISSING;
}

pr_ref pr_get(pr_ref object, const char *key)
{
	return pr_ref_of(json_object_get(pr_json(object), key));
}

bool pr_has(pr_ref object, const char *key)
{
	return pr_get(object, key) != NULL;
}

const char *pr_get_str(pr_ref object, const char *key, const char *missing)
{
	return pr_text(pr_get(object, key), missing);
}

int64_t pr_get_int(pr_ref object, const char *key, int64_t missing)
{
	return pr_number(pr_get(object, key), missing);
}

double pr_get_real(pr_ref object, const char *key, double missing)
{
	return pr_real_of(pr_get(object, key), missing);
}

bool pr_get_bool(pr_ref object, const char *key, bool missing)
{
	return pr_bool_of(pr_get(object, key), missing);
}

uint64_t pr_get_size(pr_ref object, const char *key, uint64_t missing)
{
	pr_ref value = pr_get(object, key);
	const char *text = pr_text(value, NULL);
	uint64_t size;
	if (text)
		return pr_size_parse(text, &size, NULL) ? missing : size;
	int64_t number = pr_number(value, -1);
	return number < 0 ? missing : (uint64_t)number;
}

int pr_size_parse(const char *text, uint64_t *out, struct pd_fail *fail)
{
	static const char units[] = "kmgt";
	uint64_t value = 0;
	const char *p = text;
	bool fits = true;
	for (; *p >= '0' && *p <= '9'; p++) {
		uint64_t digit = (uint64_t)(*p - '0');
		fits = fits && value <= (INT64_MAX - digit) / 10;
		value = fits ? value * 10 + digit : value;
	}
	bool digits = p > text;
	const char *unit = *p ? strchr(units, *p | 0x20) : NULL;
	if (unit) {
		unsigned shift = 10 * (unsigned)(unit - units + 1);
		fits = fits && value <= (uint64_t)INT64_MAX >> shift;
		value = fits ? value << shift : value;
		p++;
		if ((*p | 0x20) == 'i' && (p[1] | 0x20) == 'b')
			p++;
	}
	if ((*p | 0x20) == 'b')
		p++;
	if (!digits || *p || !fits)
		return pd_fail_set(fail, PD_E_PARAMS, "",
				   "'%.40s' is not a size in bytes; write 4096, 512K, 512M, 2G or 1T", text);
	*out = value;
	return PD_OK;
}

size_t pr_count(pr_ref array_or_object)
{
	const json_t *value = pr_json(array_or_object);
	return json_is_array(value) ? json_array_size(value) : json_object_size(value); /* 0 for everything else */
}

pr_ref pr_at(pr_ref array, size_t index)
{
	return pr_ref_of(json_array_get(pr_json(array), index));
}

const char *pr_text(pr_ref string, const char *missing)
{
	const char *text = json_string_value(pr_json(string));
	return text ? text : missing;
}

int64_t pr_number(pr_ref number, int64_t missing)
{
	int64_t value;
	return pr_json_integer(pr_json(number), &value) ? value : missing;
}

double pr_real_of(pr_ref number, double missing)
{
	const json_t *value = pr_json(number);
	return json_is_number(value) ? json_number_value(value) : missing;
}

bool pr_bool_of(pr_ref truth, bool missing)
{
	const json_t *value = pr_json(truth);
	return json_is_boolean(value) ? json_is_true(value) : missing;
}

pr_ref pr_member(pr_ref object, size_t index, const char **key)
{
	json_t *value = pr_json(object);
	void *at = json_object_iter(value);
	for (; at && index; index--)
		at = json_object_iter_next(value, at);
	if (key)
		*key = at ? json_object_iter_key(at) : NULL;
	return at ? pr_ref_of(json_object_iter_value(at)) : NULL;
}

bool pr_equal(pr_ref a, pr_ref b)
{
	return a == b || (a && b && json_equal(pr_json(a), pr_json(b)));
}

static int dump_piece(const char *piece, size_t size, void *buf)
{
	pd_buf_put(buf, piece, size);
	return ((struct pd_buf *)buf)->failed ? -1 : 0;
}

char *pr_dump(pr_ref value, size_t *size)
{
	struct pd_buf buf;
	pd_buf_init(&buf, SIZE_MAX / 4);
	if (!value || json_dump_callback(pr_json(value), dump_piece, &buf,
					 JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))) {
		pd_buf_fini(&buf);
		return NULL;
	}
	if (size)
		*size = buf.size;
	PD_ASSERT(buf.data && !buf.failed);
	return buf.data; /* from malloc, as in every pd_buf */
}

/* Heads of HTTP requests. A head ends where it should, in whatever pieces it comes; everything that is read lies inside
 * of it; a head that is not refused is as strict as http_head.h says; and names of fields in other letters, with other
 * blanks around the values, change nothing. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "server/net/http_head.h"
#include "tests/fuzz/fuzz.h"

enum { PIECES = 12 };

/* Where the head ends, looked at plainly. */
static size_t plain_size(const char *data, size_t size)
{
	size_t line = 0;
	for (size_t i = 0; i < size; i++) {
		if (data[i] != '\n')
			continue;
		if (i == line || data[i - 1] != '\r')
			return SIZE_MAX;
		if (i == line + 1)
			return i + 1;
		line = i + 1;
	}
	return 0;
}

/* Bytes of the head, which comes byte by byte. */
static size_t size_by_bytes(const char *data, size_t size)
{
	size_t scanned = 0;
	for (size_t n = 1; n <= size; n++) {
		size_t head = nt_head_size(data, n, &scanned);
		FUZZ_CHECK(scanned <= n);
		FUZZ_CHECK(!head || head == SIZE_MAX || head == n);
		if (head)
			return head;
	}
	return 0;
}

static void pieces_of(const struct nt_head *head, struct nt_piece out[PIECES])
{
	const struct nt_piece pieces[PIECES] = {
		head->method,        head->path,      head->query, head->host, head->origin, head->authorization,
		head->if_none_match, head->protocols, head->key,   head->site, head->mode,   head->forwarded};
	memcpy(out, pieces, sizeof pieces);
}

static void check_pieces(const struct nt_head *head, const char *data, size_t size)
{
	struct nt_piece pieces[PIECES];
	pieces_of(head, pieces);
	for (unsigned i = 0; i < PIECES; i++) {
		if (!pieces[i].at)
			continue;
		FUZZ_CHECK(pieces[i].at >= data && pieces[i].size <= size &&
			   pieces[i].at + pieces[i].size <= data + size);
		for (size_t k = 0; k < pieces[i].size; k++)
			FUZZ_CHECK((unsigned char)pieces[i].at[k] >= ' ' || pieces[i].at[k] == '\t');
	}
}

static void check_host(struct nt_piece host)
{
	struct nt_piece name = nt_host_name(host);
	FUZZ_CHECK(name.size <= host.size && (!name.size || name.at == host.at));
	if (!nt_host_is_own(host))
		return;
	FUZZ_CHECK(name.size > 0);
	if (name.size == 9 && tolower((unsigned char)name.at[0]) == 'l')
		return;                        /* localhost */
	for (size_t i = 0; i < name.size; i++) /* no letter that a name of the net has to have */
		FUZZ_CHECK(strchr(name.at[0] == '[' ? "0123456789abcdefABCDEF:.[]" : "0123456789.", name.at[i]));
}

/* How many fields of that name a head has. */
static unsigned count_of(const char *data, size_t size, const char *name)
{
	unsigned count = 0;
	size_t length = strlen(name);
	for (size_t i = 1; i + length < size; i++)
		count += data[i - 1] == '\n' && !strncasecmp(data + i, name, length);
	return count;
}

static void check_good(const struct nt_head *head, const char *data, size_t size)
{
	FUZZ_CHECK(count_of(data, size, "host:") <= 1 && count_of(data, size, "content-length:") <= 1);
	FUZZ_CHECK(count_of(data, size, "authorization:") <= 1 && count_of(data, size, "origin:") <= 1);
	FUZZ_CHECK(!count_of(data, size, "transfer-encoding:") && !count_of(data, size, " "));
	FUZZ_CHECK(head->method.size > 0 && head->path.size > 0 && head->path.at[0] == '/');
	FUZZ_CHECK(!memchr(head->path.at, '?', head->path.size) && !memchr(head->path.at, ' ', head->path.size));
	FUZZ_CHECK(head->body <= UINT64_C(10) * UINT32_MAX + 9);
	FUZZ_CHECK(!head->upgrade || (head->key.size == 24 && !head->body));
	if (head->host.at)
		check_host(head->host);
}

/* The same head with its fields' names in the other case, and more blanks around the values; returns its bytes. */
static size_t rewrite_store(const char *data, size_t size, char *out)
{
	size_t n = 0;
	bool first = true, name = false;
	for (size_t i = 0; i < size; i++) {
		char c = data[i];
		if (name && c == ':') {
			name = false;
			out[n++] = c;
			out[n++] = '\t';
			out[n++] = ' ';
			continue;
		}
		if (c == '\n') {
			name = true;
			first = false;
		} else if (c == '\r' && !name && !first) {
			out[n++] = ' ';
		}
		out[n++] = name && isalpha((unsigned char)c) ? (char)(c ^ ' ') : c;
	}
	return n;
}

static void check_rewritten(const struct nt_head *head, const char *data, size_t size)
{
	struct nt_head again;
	struct nt_piece one[PIECES], two[PIECES];
	char *room = malloc(4 * size);
	FUZZ_CHECK(room);
	size_t length = rewrite_store(data, size, room);
	FUZZ_CHECK(length <= 4 * size);
	nt_head_read(room, length, &again);
	FUZZ_CHECK(again.status == head->status);
	if (!head->status) {
		FUZZ_CHECK(again.keep == head->keep && again.upgrade == head->upgrade && again.body == head->body &&
			   again.expects == head->expects);
		pieces_of(head, one);
		pieces_of(&again, two);
		for (unsigned i = 0; i < PIECES; i++)
			FUZZ_CHECK(!one[i].at == !two[i].at && one[i].size == two[i].size &&
				   (!one[i].size || !memcmp(one[i].at, two[i].at, one[i].size)));
	}
	free(room);
}

FUZZ(http)
{
	struct nt_head head;
	size_t scanned = 0, length;
	char *copy = malloc(size + !size); /* its end is the sanitizer's */
	FUZZ_CHECK(copy);
	memcpy(copy, data, size);
	length = nt_head_size(copy, size, &scanned);
	FUZZ_CHECK(scanned <= size && length == plain_size(copy, size) && length == size_by_bytes(copy, size));
	if (length > 2 && length != SIZE_MAX) {
		char *exact = realloc(copy, length);
		copy = exact ? exact : copy;
		nt_head_read(copy, length, &head);
		FUZZ_CHECK(head.status ? head.status >= 400 && head.status < 600 && head.why : !head.why);
		check_pieces(&head, copy, length);
		if (!head.status)
			check_good(&head, copy, length);
		check_rewritten(&head, copy, length);
	}
	free(copy);
	return 0;
}

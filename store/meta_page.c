#include "store/meta_page.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "store/key.h"

enum {
	PAGE_MAX = 1 << 16,
	TRIES = 5 /* to read a pair that a writer may be changing */
};
#define MAGIC UINT32_C(0xBEEFC0DE)

struct st_page_db st_page_db_get(const uint8_t *p)
{
	return (struct st_page_db){st_page_get16(p + 4),  st_page_get16(p + 6),  st_page_get64(p + 8),
				   st_page_get64(p + 16), st_page_get64(p + 24), st_page_get64(p + 32),
				   st_page_get64(p + 40)};
}

bool st_page_node_get(const uint8_t *p, size_t size, size_t at, bool branch, struct st_page_node *out)
{
	*out = (struct st_page_node){.flags = 0};
	if (at < ST_PAGE_HEAD || at + ST_NODE_HEAD > size)
		return false;
	const uint8_t *n = p + at;
	size_t low = st_page_get16(n) | (size_t)st_page_get16(n + 2) << 16, inside = 0;
	*out = (struct st_page_node){
		.flags = st_page_get16(n + 4), .key = n + ST_NODE_HEAD, .key_size = st_page_get16(n + 6)};
	if (branch) {
		out->page = low | (uint64_t)out->flags << 32;
	} else {
		out->data_size = low;
		out->data = out->key + out->key_size;
		inside = out->flags & ST_NODE_BIG ? sizeof out->page : low;
	}
	return at + ST_NODE_HEAD + out->key_size + inside <= size && out->key_size <= ST_DB_KEY_MAX;
}

bool st_meta_page_get(const uint8_t *p, uint64_t number, struct st_meta_page *out)
{
	const uint8_t *m = p + ST_PAGE_HEAD;
	PD_ASSERT(number < 2);
	if (st_page_get64(p) != number || !(st_page_get16(p + 10) & ST_PAGE_META) || st_page_get32(m) != MAGIC ||
	    st_page_get32(m + 4) != 1)
		return false;
	*out = (struct st_meta_page){st_page_get32(m + 24),
				     {st_page_db_get(m + 24), st_page_db_get(m + 24 + ST_PAGE_DB)},
				     st_page_get64(m + 120),
				     st_page_get64(m + 128)};
	if (out->page < 512 || out->page > PAGE_MAX || out->page & (out->page - 1) || out->last < 1 ||
	    out->last > (UINT64_C(1) << 47) / out->page)
		return false;
	return true;
}

bool st_meta_page_leads(const struct st_meta_page *meta)
{
	for (unsigned i = 0; i < 2; i++)
		if (meta->db[i].root != ST_NO_PAGE && (meta->db[i].root < 2 || meta->db[i].root > meta->last))
			return false;
	return true;
}

int st_meta_pages_read(int fd, struct st_meta_page meta[2])
{
	uint8_t page[ST_META_BYTES];
	if (pread(fd, page, sizeof page, 0) != (ssize_t)sizeof page || !st_meta_page_get(page, 0, &meta[0]))
		return -1;
	if (pread(fd, page, sizeof page, meta[0].page) != (ssize_t)sizeof page || !st_meta_page_get(page, 1, &meta[1]))
		return -1;
	uint64_t even = meta[0].id, odd = meta[1].id;
	bool follow = !even && !odd;
	follow = follow || (even % 2 == 0 && odd % 2 == 1 && (even + 1 == odd || odd + 1 == even));
	if (!follow || meta[0].page != meta[1].page)
		return -1;
	return st_meta_page_leads(&meta[odd > even]) ? odd > even : -1;
}

int st_meta_pages_check(const char *path, const char *name, struct pd_fail *fail)
{
	struct st_meta_page meta[2];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC), newer = -1;
	if (fd < 0)
		return PD_OK; /* LMDB reports what is wrong, or creates the file */
	bool empty = !fstat(fd, &st) && (st.st_size == 0 || !S_ISREG(st.st_mode));
	for (unsigned i = 0; i < TRIES && !empty && newer < 0; i++)
		newer = st_meta_pages_read(fd, meta);
	close(fd);
	if (empty || newer >= 0)
		return PD_OK;
	return pd_fail_set(fail, PD_E_FORMAT, name, "%s is not an LMDB file, or its head is damaged", path);
}

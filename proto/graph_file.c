#include "proto/graph_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/buf.h"

enum { GRAPH_NAME_MAX = 64, PIECE = 1 << 16 };

/* A file that is being read, and the hash of its bytes so far. */
struct input {
	FILE *file;
	XXH3_state_t *hash;
	uint64_t bytes;
	const char *path;
};

/* The first character that is not blank, '{' for JSON; 0: there are only blanks. */
static char first_character(const char *text, size_t size)
{
	size_t i = 0;
	while (i < size && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n'))
		i++;
	return i < size ? text[i] : 0;
}

int pr_graph_parse(const char *text, size_t size, struct pd_graph **out, struct pd_fail *fail)
{
	struct pr_graph_source source = {.text = size ? text : "", .size = size};
	if (first_character(text, size) == '{')
		return pr_graph_json_parse(text, size, out, fail);
	return pr_graph_lines_read(&source, out, fail);
}

/* Opens a file; *file is NULL when there is none. */
static int open_file(const char *path, FILE **file, struct pd_fail *fail)
{
	struct stat s;
	*file = NULL;
	if (stat(path, &s))
		return errno == ENOENT || errno == ENOTDIR ? PD_OK
							   : pd_fail_errno(fail, "game", "read the graph file", path);
	if (!S_ISREG(s.st_mode)) /* a graph is read twice, and a device or pipe may never end */
		return pd_fail_set(fail, PD_E_IO, "game", "the graph %.200s is not a regular file", path);
	*file = fopen(path, "rbe");
	return *file ? PD_OK : pd_fail_errno(fail, "game", "read the graph file", path);
}

static int read_input(void *ctx, bool again, char *to, size_t size, size_t *got, struct pd_fail *fail)
{
	struct input *in = ctx;
	if (again) {
		rewind(in->file);
		XXH3_128bits_reset(in->hash);
		in->bytes = 0;
	}
	*got = fread(to, 1, size, in->file);
	if (ferror(in->file))
		return pd_fail_errno(fail, "game", "read the graph file", in->path);
	XXH3_128bits_update(in->hash, to, *got);
	in->bytes += *got;
	return PD_OK;
}

static int load_json(struct input *in, struct pd_graph **out, struct pd_fail *fail)
{
	struct pd_buf text;
	char piece[PIECE];
	size_t got = 0;
	pd_buf_init(&text, PR_GRAPH_JSON_BYTES_MAX + 1); /* one byte more than a graph may have */
	int rc = read_input(in, true, piece, sizeof piece, &got, fail);
	while (!rc && got && !text.failed && text.size <= PR_GRAPH_JSON_BYTES_MAX) {
		pd_buf_put(&text, piece, got);
		rc = read_input(in, false, piece, sizeof piece, &got, fail);
	}
	if (!rc && text.failed && in->bytes <= PR_GRAPH_JSON_BYTES_MAX)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
	if (!rc)
		rc = pr_graph_json_parse(text.data, text.failed ? PR_GRAPH_JSON_BYTES_MAX + 1 : text.size, out, fail);
	pd_buf_fini(&text);
	return rc;
}

static int load_file(struct input *in, struct pd_graph **out, struct pd_fail *fail)
{
	struct pr_graph_source source = {.read = read_input, .ctx = in};
	char piece[PIECE], first = 0;
	size_t got = 0;
	int rc = read_input(in, true, piece, sizeof piece, &got, fail);
	while (!rc && got && !(first = first_character(piece, got)))
		rc = read_input(in, false, piece, sizeof piece, &got, fail);
	if (rc)
		return rc;
	return first == '{' ? load_json(in, out, fail) : pr_graph_lines_read(&source, out, fail);
}

/* Opens the one file that a graph of that name is in. */
static int find_file(const char *directory, const char *name, struct pr_graph_file *file, FILE **out,
		     struct pd_fail *fail)
{
	static const char *const endings[] = {"json", "graph"};
	FILE *found[2] = {NULL, NULL};
	int rc = PD_OK;
	for (unsigned i = 0; i < 2 && !rc; i++) {
		char path[sizeof file->path];
		if ((size_t)snprintf(path, sizeof path, "%s/%s.%s", directory, name, endings[i]) >= sizeof path)
			rc = pd_fail_set(fail, PD_E_GAME, "game", "the name of the graph directory is too long");
		else
			rc = open_file(path, &found[i], fail);
		if (!rc && found[i])
			memcpy(file->path, path, sizeof path);
	}
	if (!rc && !found[0] && !found[1])
		rc = pd_fail_set(fail, PD_E_GAME, "game", "there is no graph file %.100s/%s.json, and no %s.graph",
				 directory, name, name);
	if (!rc && found[0] && found[1])
		rc = pd_fail_set(fail, PD_E_GAME, "game",
				 "there are two graphs '%s', %s.json and %s.graph: one should have another name", name,
				 name, name);
	*out = found[0] ? found[0] : found[1];
	if (!rc)
		return PD_OK;
	for (unsigned i = 0; i < 2; i++)
		if (found[i])
			fclose(found[i]);
	return rc;
}

int pr_graph_load(const char *directory, const char *name, struct pd_graph **out, struct pr_graph_file *file,
		  struct pd_fail *fail)
{
	size_t length = strlen(name);
	struct pr_graph_file own;
	struct input in = {0};
	file = file ? file : &own;
	if (!directory)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "graphs are read from a directory, and none is configured (option --graphs)");
	if (!length || length > GRAPH_NAME_MAX ||
	    strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") != length)
		return pd_fail_set(fail, PD_E_GAME, "game", "a graph's name is 1 to %d letters, digits, _ or -",
				   GRAPH_NAME_MAX);
	int rc = find_file(directory, name, file, &in.file, fail);
	if (rc)
		return rc;
	in.path = file->path;
	in.hash = XXH3_createState();
	rc = in.hash ? load_file(&in, out, fail) : pd_fail_set(fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
	if (!rc) {
		XXH128_hash_t hash = XXH3_128bits_digest(in.hash);
		file->bytes = in.bytes;
		file->hash = (struct pd_id){hash.low64, hash.high64};
	}
	XXH3_freeState(in.hash);
	fclose(in.file);
	return rc;
}

int pr_graph_copy(const struct pr_graph_file *file, int (*put)(void *ctx, const char *data, size_t size), void *ctx,
		  struct pd_fail *fail)
{
	char piece[PIECE];
	size_t got = 1;
	struct input in = {.path = file->path, .hash = XXH3_createState()};
	int rc = in.hash ? open_file(file->path, &in.file, fail)
			 : pd_fail_set(fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
	if (in.hash)
		XXH3_128bits_reset(in.hash);
	for (bool again = true; !rc && in.file && got && in.bytes <= file->bytes; again = false) {
		rc = read_input(&in, again, piece, sizeof piece, &got, fail);
		if (!rc && in.bytes <= file->bytes)
			rc = put(ctx, piece, got);
	}
	if (!rc) {
		XXH128_hash_t hash = XXH3_128bits_digest(in.hash);
		if (!in.file || in.bytes != file->bytes ||
		    !pd_id_equal(file->hash, (struct pd_id){hash.low64, hash.high64}))
			rc = pd_fail_set(fail, PD_E_STATE, "game", "the graph file %.200s has changed", file->path);
	}
	if (in.file)
		fclose(in.file);
	XXH3_freeState(in.hash);
	return rc;
}

#include "clients/proofcheck/text_form.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/proofcheck/opening.h"
#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "proto/base/part_file.h"
#include "proto/base/print.h"

enum {
	HEADER_LINES_MAX = 32,
	HEADER_MAX = HEADER_LINES_MAX * (CK_LINE_MAX + 64),
	LINE_BYTES_MAX = 1 << 24,
	DIGITS = 32
};

static const char text_magic[] = "proofd certificate text 1";

/* --- writing a text ----------------------------------------------------------------------- */

static void write_reason(const struct ck_reason *r, FILE *out)
{
	fprintf(out, r->upper ? " <=%" PRId64 : " >=%" PRId64, r->bound);
	if (r->has_rank)
		fprintf(out, ",r%" PRIu64, r->rank);
	if (r->has_move)
		fprintf(out, ",m%" PRIu64, r->move);
	if (r->has_effort)
		fprintf(out, ",e%" PRIu64, r->effort);
	if (r->has_card)
		fprintf(out, ",c%" PRIu64 ":", r->theorem);
	for (uint64_t i = 0; i < r->size; i++)
		fprintf(out, "%02x", r->witness[i]);
}

/* `game` NULL: without the text of the position. */
static void write_record(const struct ck_walk *walk, const struct ck_game *game, FILE *out)
{
	const struct ck_record *record = &walk->record;
	const uint8_t *p = record->reason;
	struct ck_position position;
	struct ck_reason r;
	char text[CK_TEXT_MAX];
	PD_ASSERT(record->key_size >= 1 && record->reasons >= 1);
	for (size_t i = 0; i < record->key_size; i++)
		fprintf(out, "%02x", record->key[i]);
	for (unsigned i = 0; i < record->reasons && !ck_reason_read(&p, walk->end, &r); i++)
		write_reason(&r, out);
	if (game && ck_decode(game, record->key, record->key_size, &position)) {
		game->rules->print(game, &position, text);
		pd_print(out, " : %s", text);
	}
	fputc('\n', out);
}

static bool write_body(struct ck_cert *cert, const struct ck_game *game, FILE *out, struct ck_fault *fault)
{
	struct ck_sums sums = {0};
	for (uint64_t i = 0; i < cert->header.blocks; i++) {
		struct ck_walk walk;
		bool wrong = false;
		if (!ck_block_survey(cert, i, &sums, fault) || !ck_walk_begin(cert, i, &walk, fault))
			return false;
		fputs("block\n", out);
		while (ck_walk_next(&walk, &wrong, fault))
			write_record(&walk, game, out);
		if (wrong)
			return false;
	}
	fputs("end\n", out);
	return true;
}

static enum ck_verdict write_all(struct ck_cert *cert, FILE *out, struct ck_fault *fault)
{
	struct ck_game game;
	struct ck_fault unknown;
	enum ck_verdict verdict = ck_cert_prepare(cert, fault);
	if (verdict != CK_VERIFIED)
		return verdict;
	fprintf(out, "%s\n", text_magic);
	fwrite(cert->bytes, 1, cert->body, out);
	if (cert->header.graph) {
		fwrite(cert->bytes + cert->body, 1, cert->header.graph, out);
		fputc('\n', out);
	}
	bool known = ck_open_game(cert, &game, &unknown) == CK_VERIFIED;
	bool good = write_body(cert, known ? &game : NULL, out, fault);
	if (known)
		ck_close(&game);
	return good ? CK_VERIFIED : CK_REJECTED;
}

enum ck_verdict ck_text_write(const uint8_t *bytes, uint64_t size, FILE *out, struct ck_fault *fault)
{
	struct ck_cert cert;
	enum ck_verdict verdict = ck_open_file(&cert, bytes, size, fault);
	if (verdict == CK_VERIFIED)
		verdict = write_all(&cert, out, fault);
	ck_cert_close(&cert);
	return verdict;
}

/* --- reading a text ----------------------------------------------------------------------- */

struct reader {
	FILE *in;
	char *line; /* owned: the current line, without its newline */
	size_t room, size;
	uint64_t number; /* of the line, from 1 */
	const char *at;  /* in the line */
	struct ck_text_fault *fault;
	struct pd_buf head; /* the header */
	struct ck_header header;
	FILE *out;
	XXH3_state_t *digest; /* owned */
	uint64_t offset;      /* bytes written */
	struct pd_buf block, index;
	unsigned records; /* in the block */
	bool open;        /* a line `block` was read */
	struct ck_sums sums;
	uint64_t blocks;
	uint8_t key[CK_KEY_MAX]; /* of the previous record */
	size_t key_size;
};

/* A fault at r->at. */
static bool report_wrong(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool report_wrong(struct reader *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(r->fault->text, sizeof r->fault->text, format, args);
	va_end(args);
	r->fault->line = r->number;
	r->fault->column = r->line && r->at ? (uint64_t)(r->at - r->line) + 1 : 1;
	return false;
}

static bool report_unwritten(struct reader *r)
{
	report_wrong(r, "the file cannot be written: %s", strerror(errno));
	r->fault->line = 0;
	return false;
}

/* --- lines -------------------------------------------------------------------------------- */

static bool next_line(struct reader *r)
{
	ssize_t size = getline(&r->line, &r->room, r->in);
	r->number++;
	r->at = NULL;
	if (size > LINE_BYTES_MAX || (size < 0 && !feof(r->in)))
		return report_wrong(r, "the line has more than %d bytes, or there is not enough memory for it",
				    LINE_BYTES_MAX);
	if (size < 1 || r->line[size - 1] != '\n')
		return report_wrong(r, "the text ends within a line, or before the line 'end'");
	r->at = r->line;
	r->size = (size_t)size - 1;
	r->line[r->size] = 0;
	return strlen(r->line) == r->size || report_wrong(r, "the line has a zero byte");
}

/* Reads a decimal number without leading zeros. */
static bool read_number(struct reader *r, uint64_t low, uint64_t high, const char *what, uint64_t *out)
{
	char *end;
	bool good = *r->at >= '0' && *r->at <= '9' && !(r->at[0] == '0' && r->at[1] >= '0' && r->at[1] <= '9');
	errno = 0;
	*out = good ? strtoull(r->at, &end, 10) : 0;
	if (good && !errno && *out >= low && *out <= high) {
		r->at = end;
		return true;
	}
	return report_wrong(r, "%s should be a number from %" PRIu64 " to %" PRIu64, what, low, high);
}

/* --- the header --------------------------------------------------------------------------- */

/* Reports a fault of the header at its place in the text, where the header begins on the second line. */
static bool report_header(struct reader *r, const struct ck_fault *fault)
{
	uint64_t line = 2, column = 1;
	for (uint64_t i = 0; i < fault->offset && i < r->head.size; i++) {
		column = r->head.data[i] == '\n' ? 1 : column + 1;
		line += r->head.data[i] == '\n';
	}
	report_wrong(r, "%s", fault->text);
	r->fault->line = line;
	r->fault->column = column;
	return false;
}

static bool read_header(struct reader *r)
{
	struct ck_fault fault;
	uint64_t end;
	if (!next_line(r))
		return false;
	if (strcmp(r->line, text_magic) != 0)
		return report_wrong(r, "the first line should be '%s'", text_magic);
	for (unsigned i = 0; i < HEADER_LINES_MAX; i++) {
		if (!next_line(r))
			return false;
		pd_buf_put(&r->head, r->line, r->size);
		pd_buf_put(&r->head, "\n", 1);
		if (!r->size)
			break;
	}
	if (r->head.failed)
		return report_wrong(r, "the header is too long, or there is not enough memory");
	if (ck_header_read((const uint8_t *)r->head.data, r->head.size, &r->header, &end, &fault) != CK_VERIFIED)
		return report_header(r, &fault);
	if (ck_is_compressed(&r->header) || r->header.format == CK_FORMAT_PACKED)
		return report_header(
			r, &(struct ck_fault){.text = "the text form is that of a certificate of format 2 or 4"});
	PD_ASSERT(end == r->head.size);
	return true;
}

/* Checks that a count in the header is the number that was read. */
static bool check_count(struct reader *r, const char *name, uint64_t said, uint64_t found)
{
	struct ck_fault fault;
	char line[32];
	if (said == found)
		return true;
	snprintf(line, sizeof line, "\n%s: ", name);
	const char *at = strstr(r->head.data, line);
	ck_fault_set(&fault, at ? (uint64_t)(at - r->head.data) + strlen(line) : 0,
		     "the header says %" PRIu64 " %s, but there are %" PRIu64, said, name, found);
	return report_header(r, &fault);
}

/* --- writing ------------------------------------------------------------------------------ */

static bool put_bytes(struct reader *r, const void *bytes, size_t size)
{
	if (size && fwrite(bytes, 1, size, r->out) != size)
		return report_unwritten(r);
	r->offset += size;
	XXH3_128bits_update(r->digest, bytes, size);
	return true;
}

static bool put_header(struct reader *r)
{
	if (fwrite(r->head.data, 1, r->head.size, r->out) != r->head.size)
		return report_unwritten(r);
	r->offset = r->head.size;
	XXH3_128bits_update(r->digest, r->head.data, r->header.digest_line);
	return true;
}

/* The graph's bytes follow as they are, and a newline. */
static bool copy_graph(struct reader *r)
{
	char bytes[1 << 12];
	uint64_t left = r->header.graph;
	r->at = NULL;
	for (size_t size; left; left -= size) {
		size = fread(bytes, 1, left < sizeof bytes ? left : sizeof bytes, r->in);
		if (!size)
			return report_wrong(r, "the text ends within the graph, %" PRIu64 " bytes before its end",
					    left);
		for (size_t i = 0; i < size; i++)
			r->number += bytes[i] == '\n';
		if (!put_bytes(r, bytes, size))
			return false;
	}
	if (!r->header.graph)
		return true;
	r->number++;
	return getc(r->in) == '\n' || report_wrong(r, "a newline should follow the graph's last byte");
}

static bool end_block(struct reader *r)
{
	uint8_t head[CK_BLOCK_HEAD], offset[8];
	if (!r->open)
		return true;
	if (!r->records)
		return report_wrong(r, "the block before this line has no records");
	if (r->block.failed || r->index.failed || r->block.size > UINT32_MAX - 2)
		return report_wrong(r, "there is not enough memory for a block, or it is too long");
	pd_put_le64(offset, r->offset);
	pd_buf_put(&r->index, offset, sizeof offset);
	pd_put_le32(head, (uint32_t)r->block.size + 2);
	pd_put_le16(head + 4, (uint16_t)r->records);
	r->blocks++;
	bool good = put_bytes(r, head, sizeof head) && put_bytes(r, r->block.data, r->block.size);
	pd_buf_reset(&r->block);
	r->records = 0;
	return good;
}

/* --- records ------------------------------------------------------------------------------ */

/* Reads bytes, two lower-case hexadecimal digits each, until another character comes. */
static bool read_hex(struct reader *r, size_t most, const char *what, uint8_t *out, size_t *size)
{
	size_t n = 0;
	for (; ck_hex_digit(r->at[0]) >= 0; r->at += 2) {
		if (n == most || ck_hex_digit(r->at[1]) < 0)
			return report_wrong(r, "%s has at most %zu bytes, two digits each", what, most);
		out[n++] = (uint8_t)(ck_hex_digit(r->at[0]) << 4 | ck_hex_digit(r->at[1]));
	}
	*size = n;
	return true;
}

static bool read_key(struct reader *r, uint8_t key[CK_KEY_MAX], size_t *size)
{
	size_t n = 0;
	if (!read_hex(r, CK_KEY_MAX, "a key", key, &n))
		return false;
	if (!n || *r->at != ' ')
		return report_wrong(
			r, "there should be a key in lower-case hexadecimal and a blank here, or 'block', or 'end'");
	size_t least = n < r->key_size ? n : r->key_size;
	int order = memcmp(key, r->key, least);
	if (r->key_size && (order ? order < 0 : n <= r->key_size)) {
		r->at = r->line;
		return report_wrong(r, "the key is not greater than the one before it");
	}
	*size = n;
	return true;
}

/* Reads ",x" and a number, if they come next. */
static bool read_option(struct reader *r, char letter, uint64_t low, uint64_t high, bool *there, uint64_t *out)
{
	static const char letters[] = "rmec";
	static const char *const names[] = {"the rank", "the move", "the effort", "the theorem"};
	*there = r->at[0] == ',' && r->at[1] == letter;
	if (!*there)
		return true;
	r->at += 2;
	return read_number(r, low, high, names[strchr(letters, letter) - letters], out);
}

/* Reads ",c", the number of a theorem, a colon and the witness, which goes to `room`, if they come next. */
static bool read_card(struct reader *r, struct ck_reason *out, uint8_t room[CK_WITNESS_MAX])
{
	const char *begin = r->at;
	size_t size = 0;
	if (!read_option(r, 'c', 1, CK_THEOREM_MAX, &out->has_card, &out->theorem))
		return false;
	if (!out->has_card)
		return true;
	if (!ck_has_cards(&r->header) || out->has_move || out->has_effort) {
		r->at = begin;
		return report_wrong(r, "a card needs format 4 and a reason without a move or an effort");
	}
	if (*r->at != ':')
		return report_wrong(r, "a colon and the witness should follow the number of a theorem");
	r->at++;
	if (!read_hex(r, CK_WITNESS_MAX, "a witness", room, &size))
		return false;
	out->witness = room;
	out->size = size;
	return true;
}

static bool read_reason(struct reader *r, struct ck_reason *out, uint8_t room[CK_WITNESS_MAX])
{
	uint64_t n;
	memset(out, 0, sizeof *out);
	out->upper = r->at[0] == '<';
	if ((r->at[0] != '<' && r->at[0] != '>') || r->at[1] != '=')
		return report_wrong(r,
				    "there should be a reason here: >= or <=, the bound, and ,r ,m ,e ,c with numbers");
	r->at += 2;
	bool minus = *r->at == '-';
	r->at += minus;
	if (!read_number(r, minus, 32767u + minus, "the bound", &n))
		return false;
	out->bound = minus ? -(int64_t)n : (int64_t)n;
	return read_option(r, 'r', 1, CK_RANK_MAX, &out->has_rank, &out->rank) &&
	       read_option(r, 'm', 0, CK_MOVE_MAX, &out->has_move, &out->move) &&
	       read_option(r, 'e', 1, UINT64_MAX, &out->has_effort, &out->effort) && read_card(r, out, room);
}

static void put_reason(struct pd_buf *out, const struct ck_reason *r)
{
	uint8_t bytes[1 + 6 * PD_VARINT_MAX], *p = bytes;
	*p++ = (uint8_t)((r->upper ? CK_FLAG_UPPER : 0) | (r->has_rank ? CK_FLAG_RANK : 0) |
			 (r->has_move ? CK_FLAG_MOVE : 0) | (r->has_effort ? CK_FLAG_EFFORT : 0) |
			 (r->has_card ? CK_FLAG_CARD : 0));
	p = pd_put_varint(p, pd_zigzag(r->bound));
	if (r->has_rank)
		p = pd_put_varint(p, r->rank);
	if (r->has_move)
		p = pd_put_varint(p, r->move);
	if (r->has_effort)
		p = pd_put_varint(p, r->effort);
	if (r->has_card)
		p = pd_put_varint(pd_put_varint(p, r->theorem), r->size);
	pd_buf_put(out, bytes, (size_t)(p - bytes));
	if (r->size)
		pd_buf_put(out, r->witness, r->size);
}

static void put_key(struct reader *r, const uint8_t *key, size_t size)
{
	uint8_t bytes[2 * PD_VARINT_MAX], *p = bytes;
	size_t shared = 0;
	while (r->records && shared < size && shared < r->key_size && key[shared] == r->key[shared])
		shared++;
	p = pd_put_varint(p, shared);
	p = pd_put_varint(p, size - shared);
	pd_buf_put(&r->block, bytes, (size_t)(p - bytes));
	pd_buf_put(&r->block, key + shared, size - shared);
	memcpy(r->key, key, size);
	r->key_size = size;
}

static bool read_record(struct reader *r, struct pd_buf *reasons)
{
	uint8_t key[CK_KEY_MAX], bytes[PD_VARINT_MAX], witness[CK_WITNESS_MAX];
	struct ck_reason reason;
	size_t size = 0;
	unsigned count = 0;
	pd_buf_reset(reasons);
	if (!r->open || r->records == CK_BLOCK_RECORDS_MAX)
		return report_wrong(
			r, "each record needs a block, which has at most %d records: a line 'block' is missing",
			CK_BLOCK_RECORDS_MAX);
	if (!read_key(r, key, &size))
		return false;
	while (*r->at == ' ' && r->at[1] != ':') {
		r->at++;
		if (count == CK_REASONS_MAX)
			return report_wrong(r, "a record has at most %d reasons", CK_REASONS_MAX);
		if (!read_reason(r, &reason, witness))
			return false;
		put_reason(reasons, &reason);
		r->sums.leaves += reason.has_effort;
		r->sums.cards += reason.has_card;
		count++;
	}
	if (!count || (*r->at && strncmp(r->at, " : ", 3) != 0))
		return report_wrong(r,
				    "there should be a reason, ' : ' with the position, or the end of the line here");
	put_key(r, key, size);
	pd_buf_put(&r->block, bytes, (size_t)(pd_put_varint(bytes, count) - bytes));
	pd_buf_put(&r->block, reasons->data, reasons->size);
	r->records++;
	r->sums.positions++;
	r->sums.reasons += count;
	return !reasons->failed || report_wrong(r, "there is not enough memory for a record");
}

static bool read_records(struct reader *r)
{
	struct pd_buf reasons;
	bool good = true, end = false;
	pd_buf_init(&reasons, UINT32_MAX);
	while (good && !end) {
		good = next_line(r);
		end = good && !strcmp(r->line, "end");
		bool begin = good && !strcmp(r->line, "block");
		if (good && (begin || end)) {
			good = end_block(r);
			r->open = true;
		} else if (good) {
			good = read_record(r, &reasons);
		}
	}
	pd_buf_fini(&reasons);
	return good;
}

/* --- the whole ---------------------------------------------------------------------------- */

static bool read_end(struct reader *r, bool digest)
{
	const struct ck_header *h = &r->header;
	uint64_t place = h->digest_line + strlen("digest: ");
	char text[DIGITS + 1];
	if (getc(r->in) != EOF) {
		r->number++;
		r->at = NULL;
		return report_wrong(r, "nothing should follow the line 'end'");
	}
	if (!check_count(r, "positions", h->positions, r->sums.positions) ||
	    !check_count(r, "reasons", h->reasons, r->sums.reasons) ||
	    !check_count(r, "leaves", h->leaves, r->sums.leaves) || !check_count(r, "cards", h->cards, r->sums.cards) ||
	    !check_count(r, "blocks", h->blocks, r->blocks))
		return false;
	if (!put_bytes(r, r->index.data, r->index.size))
		return false;
	XXH128_hash_t hash = XXH3_128bits_digest(r->digest);
	snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
	if (!memcmp(text, h->digest.at, DIGITS))
		return true;
	if (digest) {
		struct ck_fault fault;
		ck_fault_set(&fault, place, "the digest of what was read is %s; --no-digest writes this digest", text);
		return report_header(r, &fault);
	}
	return (!fseek(r->out, (long)place, SEEK_SET) && fwrite(text, 1, DIGITS, r->out) == DIGITS) ||
	       report_unwritten(r);
}

bool ck_text_read(FILE *in, const char *file, bool digest, struct ck_text_fault *fault)
{
	struct reader r = {.in = in, .fault = fault, .digest = XXH3_createState()};
	struct pd_fail fail;
	char part[4096];
	bool good = snprintf(part, sizeof part, "%s.part", file) < (int)sizeof part;
	errno = good ? errno : ENAMETOOLONG;
	if (!good || !r.digest || pd_part_open(part, &r.out, &fail)) {
		report_unwritten(&r);
		if (good && r.digest)
			snprintf(fault->text, sizeof fault->text, "%.299s", fail.text);
		XXH3_freeState(r.digest);
		return false;
	}
	XXH3_128bits_reset(r.digest);
	pd_buf_init(&r.head, HEADER_MAX);
	pd_buf_init(&r.block, UINT32_MAX);
	pd_buf_init(&r.index, SIZE_MAX / 2);
	good = !ftruncate(fileno(r.out), 0) || report_unwritten(&r);
	good = good && read_header(&r) && put_header(&r) && copy_graph(&r) && read_records(&r) && read_end(&r, digest);
	if (good && (fflush(r.out) || fsync(fileno(r.out)) || rename(part, file)))
		good = report_unwritten(&r);
	if (!good)
		unlink(part);
	fclose(r.out);
	XXH3_freeState(r.digest);
	pd_buf_fini(&r.head);
	pd_buf_fini(&r.block);
	pd_buf_fini(&r.index);
	free(r.line);
	return good;
}

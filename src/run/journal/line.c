/*
 * Lines of a journal. Frequent ones are formatted without a tree of JSON values, because they are written during the
 * load. Each line starts with a checksum: after a power failure, a page in the middle may be zeros while later ones are
 * complete. Every line is JSON, so any tool can show a journal.
 */
#include "run/journal/line.h"

#include <pthread.h>
#include <string.h>

#include "base/redact.h"
#include "base/text.h"
#include "result/record_line.h"

#define CRC32C_POLYNOMIAL 0x82f63b78u /* reflected */
#define START             "[\"ProfLLM journal\","
#define OLD_START         "ProfLLM journal\n" /* followed by the version as four bytes, little-endian */
#define OLD_START_BYTES   20
/* ["8c1f0a52", */
#define SUM_DIGITS 8
#define SUM_AT     2
#define SUMMED_AT  (SUM_AT + SUM_DIGITS + 1)
#define OPENING    "[\"00000000\",\""

static const char *const kind_names[RUN_LINE_KIND_COUNT] = {
	[RUN_LINE_HEAD] = "head", [RUN_LINE_STAGE] = "stage", [RUN_LINE_LOAD] = "load",
	[RUN_LINE_PLAN] = "plan", [RUN_LINE_ACTED] = "acted", [RUN_LINE_RECORD] = "record",
	[RUN_LINE_TICK] = "tick",
};

/* Eight bytes at a time ("slicing by 8"): crc_tables[k][b] is the share of byte b, k bytes further on. */
static uint32_t crc_tables[8][256];

static void make_crc_tables(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;
		for (int bit = 0; bit < 8; bit++)
			value = (value >> 1) ^ ((value & 1) != 0 ? CRC32C_POLYNOMIAL : 0);
		crc_tables[0][i] = value;
	}
	for (size_t k = 1; k < 8; k++) {
		for (size_t i = 0; i < 256; i++) {
			uint32_t before = crc_tables[k - 1][i];
			crc_tables[k][i] = (before >> 8) ^ crc_tables[0][before & 0xff];
		}
	}
}

static uint32_t crc32c(const char *text, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const unsigned char *at = (const unsigned char *)text;
	uint32_t sum = 0xffffffffu;

	pthread_once(&once, make_crc_tables);
	for (; len >= 8; at += 8, len -= 8) {
		sum ^= (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
		       (uint32_t)at[3] << 24;
		sum = crc_tables[7][sum & 0xff] ^ crc_tables[6][(sum >> 8) & 0xff] ^
		      crc_tables[5][(sum >> 16) & 0xff] ^ crc_tables[4][sum >> 24] ^
		      crc_tables[3][at[4]] ^ crc_tables[2][at[5]] ^ crc_tables[1][at[6]] ^
		      crc_tables[0][at[7]];
	}
	for (; len > 0; at++, len--)
		sum = (sum >> 8) ^ crc_tables[0][(sum ^ *at) & 0xff];
	return ~sum;
}

static void put_sum(char *at, uint32_t sum)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < SUM_DIGITS; i++)
		at[i] = digits[(sum >> (28 - 4 * i)) & 0xf];
}

bool run_line_add_start(struct pl_buf *buf)
{
	return pl_buf_addf(buf, START "%d]\n", RUN_JOURNAL_VERSION);
}

/* Starts a line; line_end() completes it. */
static size_t line_begin(struct pl_buf *buf, enum run_line_kind kind)
{
	size_t begin = buf->len;

	buf->full = false;
	pl_buf_add_text(buf, OPENING);
	pl_buf_add_text(buf, kind_names[kind]);
	pl_buf_add_text(buf, "\",");
	return begin;
}

static bool line_end(struct pl_buf *buf, size_t begin)
{
	pl_buf_add_text(buf, "]\n");
	if (buf->full || buf->len - begin > RUN_LINE_BYTES_MAX) {
		buf->len = begin;
		return false;
	}
	char *line = buf->data + begin;
	put_sum(line + SUM_AT, crc32c(line + SUMMED_AT, buf->len - begin - SUMMED_AT - 1));
	return true;
}

bool run_line_add(struct pl_buf *buf, enum run_line_kind kind, const char *text, size_t len)
{
	size_t begin = line_begin(buf, kind);

	pl_buf_add(buf, text, len);
	return line_end(buf, begin);
}

bool run_line_add_json(struct pl_buf *buf, enum run_line_kind kind, const json_t *json)
{
	auto_json json_t *redacted = pl_redact_json(json, PL_REDACT_OURS);
	size_t begin = line_begin(buf, kind);

	pl_json_write(redacted, PL_JSON_COMPACT, buf);
	return line_end(buf, begin);
}

bool run_line_add_plan(struct pl_buf *buf, size_t index, const struct bench_request *request)
{
	size_t begin = line_begin(buf, RUN_LINE_PLAN);
	char id[RES_ID_BYTES];

	res_request_id_text(&request->request_id, id, sizeof(id));
	pl_json_add_i64(buf, "{\"index\":", (int64_t)index, RES_NO_COUNT);
	pl_buf_add_text(buf, ",\"request_id\":");
	pl_text_add_json(buf, id, strlen(id), false);
	pl_json_add_i64(buf, ",\"planned_ns\":", request->planned_ns, RES_NO_TIME);
	pl_json_add_i64(buf, ",\"prompt_tokens_requested\":", request->prompt_tokens, RES_NO_COUNT);
	pl_json_add_i64(buf, ",\"output_tokens_requested\":", request->output_tokens, RES_NO_COUNT);
	if (request->input_sequences > 0)
		pl_json_add_i64(buf, ",\"input_sequences\":", request->input_sequences,
				RES_NO_COUNT);
	if (request->session > 0) {
		pl_json_add_i64(buf, ",\"session\":", request->session, 0);
		pl_json_add_i64(buf, ",\"turn\":", request->turn, RES_NO_COUNT);
	}
	res_record_add_media(buf, request->images, request->videos, request->audio_s);
	pl_buf_add_char(buf, '}');
	return line_end(buf, begin);
}

bool run_line_add_acted(struct pl_buf *buf, const struct res_record *record)
{
	size_t begin = line_begin(buf, RUN_LINE_ACTED);

	pl_json_add_i64(buf, "{\"index\":", (int64_t)record->index, RES_NO_COUNT);
	pl_json_add_i64(buf, ",\"planned_ns\":", record->planned_ns, RES_NO_TIME);
	pl_json_add_i64(buf, ",\"queued_ns\":", record->queued_ns, RES_NO_TIME);
	pl_json_add_i64(buf, ",\"acted_ns\":", record->acted_ns, RES_NO_TIME);
	pl_buf_add_char(buf, '}');
	return line_end(buf, begin);
}

bool run_line_add_record(struct pl_buf *buf, const struct res_record *record)
{
	size_t begin = line_begin(buf, RUN_LINE_RECORD);

	res_record_add_json(buf, record);
	return line_end(buf, begin);
}

bool run_line_add_tick(struct pl_buf *buf, int64_t t_ns, int64_t start_ns)
{
	size_t begin = line_begin(buf, RUN_LINE_TICK);

	pl_json_add_i64(buf, "{\"t_ns\":", t_ns, RES_NO_TIME);
	pl_json_add_i64(buf, ",\"start_ns\":", start_ns, RES_NO_TIME);
	pl_buf_add_char(buf, '}');
	return line_end(buf, begin);
}

/* Returns whether `text` of `len` bytes is `start`, or the beginning of it. */
static bool may_begin(const char *text, size_t len, const char *start)
{
	size_t known = strlen(start);

	return memcmp(text, start, len < known ? len : known) == 0;
}

/* After a power failure a file may have its size without its bytes; the file system returns zeros then. */
static bool is_never_written(const char *text, size_t len)
{
	static const char zeros[512]; /* one sector */

	return len == 0 || memcmp(text, zeros, len < sizeof(zeros) ? len : sizeof(zeros)) == 0;
}

int64_t run_lines_begin(struct run_lines *lines, const void *data, size_t len)
{
	const char *text = data;
	int64_t version = 0;

	*lines = (struct run_lines){ .data = data, .len = len, .number = 1 };
	if (is_never_written(text, len))
		return 0;
	if (may_begin(text, len, OLD_START))
		return len < OLD_START_BYTES ? 0 : (unsigned char)text[strlen(OLD_START)];
	if (!may_begin(text, len, START))
		return -1;
	const char *end = memchr(text, '\n', len);
	if (end == NULL)
		return 0;
	lines->at = (size_t)(end - text) + 1;
	auto_free char *number = pl_strndup(text + strlen(START), lines->at - strlen(START) - 1);
	size_t digits = strlen(number);
	if (digits < 2 || number[digits - 1] != ']')
		return -1;
	number[digits - 1] = '\0';
	return pl_text_to_i64(number, &version) && version > 0 ? version : -1;
}

/* Formats the sum and compares the texts, so there is one form and no second parser. */
static bool read_line(const char *line, size_t len, struct run_line *ret)
{
	char sum[SUM_DIGITS];

	if (len < strlen(OPENING) || line[len - 1] != ']' || memcmp(line, "[\"", SUM_AT) != 0 ||
	    memcmp(line + SUM_AT + SUM_DIGITS, "\",\"", 3) != 0)
		return false;
	put_sum(sum, crc32c(line + SUMMED_AT, len - SUMMED_AT));
	if (memcmp(line + SUM_AT, sum, SUM_DIGITS) != 0)
		return false;
	const char *name = line + strlen(OPENING);
	for (size_t i = 0; i < RUN_LINE_KIND_COUNT; i++) {
		size_t used = strlen(OPENING) + strlen(kind_names[i]) + strlen("\",");
		if (len > used && pl_text_starts(name, kind_names[i]) &&
		    memcmp(line + used - 2, "\",", 2) == 0) {
			*ret = (struct run_line){ (enum run_line_kind)i, line + used,
						  len - used - 1 };
			return true;
		}
	}
	return false;
}

enum run_lines_found run_lines_next(struct run_lines *lines, struct run_line *ret)
{
	const char *line = lines->data + lines->at;
	const char *end = memchr(line, '\n', lines->len - lines->at);

	if (end == NULL)
		return RUN_LINES_END;
	if (!read_line(line, (size_t)(end - line), ret))
		return RUN_LINES_DAMAGED;
	lines->at += (size_t)(end - line) + 1;
	lines->number++;
	return RUN_LINES_ONE;
}

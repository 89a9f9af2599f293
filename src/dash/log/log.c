#include "dash/log/log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"
#include "base/unpack.h"
#include "mirror/cancel_token.h"
#include "query/needle.h"

enum { BLOCK_BYTES = 256 << 10, LINES_PER_OFFSET = 64, CAUSE_BYTES_MAX = 1000, LEAD_BYTES = 200 };

struct dash_log {
	struct pl_unpack *bytes;
	struct mirror_cancel_token *cancel_token; /* NULL: none */
	int64_t block_at;                         /* position of the block in the log */
	size_t len;
	size_t at; /* of the next byte in the block */
	bool is_cut;
	char block[BLOCK_BYTES];
};

int dash_log_open(int fd, const char *name, struct mirror_cancel_token *cancel_token,
		  struct dash_log **ret, struct pl_err *err)
{
	struct pl_unpack *bytes = NULL;

	if (pl_unpack_new(fd, name, &bytes, err) < 0)
		return -1;
	*ret = pl_alloc(sizeof(**ret));
	(*ret)->bytes = bytes;
	(*ret)->cancel_token = cancel_token;
	return 0;
}

struct dash_log *dash_log_open_text(const char *text, size_t len)
{
	struct dash_log *log = pl_alloc(sizeof(*log));

	log->bytes = pl_unpack_new_text(text, len);
	return log;
}

void dash_log_close(struct dash_log *log)
{
	if (log == NULL)
		return;
	pl_unpack_free(log->bytes);
	free(log);
}

/* ---- bytes --------------------------------------------------------------------------------- */

bool dash_log_is_packed(const struct dash_log *log)
{
	return pl_unpack_is_packed(log->bytes);
}

static int64_t position(const struct dash_log *log)
{
	return log->block_at + (int64_t)log->at;
}

/* Reads the next block if this one is used up: at == len after it means the end of the log. */
static int fill(struct dash_log *log, struct pl_err *err)
{
	size_t len = 0;

	if (log->at < log->len)
		return 0;
	if (log->cancel_token != NULL && log->cancel_token->has_left(log->cancel_token))
		return pl_err_set(err, PL_ERR_INTERRUPTED, "the client has left");
	log->block_at += (int64_t)log->len;
	log->len = log->at = 0;
	if (pl_unpack_read(log->bytes, log->block, sizeof(log->block), &len, err) < 0)
		return -1;
	if (pl_unpack_is_packed(log->bytes) &&
	    log->block_at + (int64_t)len > DASH_LOG_UNPACKED_MAX) {
		log->is_cut = true;
		len = (size_t)(DASH_LOG_UNPACKED_MAX - log->block_at);
	}
	log->len = len;
	return 0;
}

/* Continues at this byte, which is at most at the end. */
static int jump(struct dash_log *log, int64_t to, struct pl_err *err)
{
	if (to < log->block_at || !pl_unpack_is_packed(log->bytes)) {
		int64_t start = pl_unpack_is_packed(log->bytes) ? 0 : to;
		/* within the block */
		if (to >= log->block_at && to <= log->block_at + (int64_t)log->len) {
			log->at = (size_t)(to - log->block_at);
			return 0;
		}
		pl_unpack_seek(log->bytes, start);
		log->block_at = start;
		log->len = log->at = 0;
	}
	while (to > log->block_at + (int64_t)log->len) {
		log->at = log->len;
		if (fill(log, err) < 0)
			return -1;
		if (log->len == 0)
			break;
	}
	log->at = (size_t)(to - log->block_at);
	if (log->at > log->len)
		log->at = log->len;
	return 0;
}

/* Skips to the next line. */
static int skip_line(struct dash_log *log, struct pl_err *err)
{
	for (;;) {
		if (fill(log, err) < 0)
			return -1;
		if (log->at == log->len)
			return 0;
		const char *from = log->block + log->at;
		const char *end = memchr(from, '\n', log->len - log->at);
		if (end != NULL) {
			log->at += (size_t)(end - from) + 1;
			return 0;
		}
		log->at = log->len;
	}
}

/* Goes to the beginning of a line. *line, *line_at: where the last one of these calls went; 0: nowhere yet. */
static int go_to_line(struct dash_log *log, const struct dash_log_index *index, int64_t to,
		      int64_t *line, struct pl_err *err)
{
	size_t slot = (size_t)((to - 1) / index->stride);

	slot = slot < index->count ? slot : index->count - 1;
	int64_t from = 1 + (int64_t)slot * index->stride;
	if (*line == 0 || *line > to || from > *line) {
		if (jump(log, index->offsets[slot], err) < 0)
			return -1;
		*line = from;
	}
	for (; *line < to; (*line)++) {
		if (skip_line(log, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- index --------------------------------------------------------------------------------- */

static void add_offset(struct dash_log_index *index, int64_t line, int64_t at)
{
	if ((line - 1) % index->stride != 0)
		return;
	if (index->count == DASH_LOG_OFFSETS_MAX) {
		for (size_t i = 1; 2 * i < index->count; i++)
			index->offsets[i] = index->offsets[2 * i];
		index->count /= 2;
		index->stride *= 2;
		if ((line - 1) % index->stride != 0)
			return;
	}
	index->offsets[index->count++] = at;
}

/* Texts that blocks may cut: the end of the one before is searched with the beginning of the next one. */
struct seeker {
	char needle[CAUSE_BYTES_MAX + 1];
	size_t len;
	char tail[2 * CAUSE_BYTES_MAX];
	size_t tail_len;
};

static void seeker_init(struct seeker *seeker, const char *text)
{
	const char *trimmed = text != NULL ? text + strspn(text, " \t\r\n") : "";
	size_t len = strcspn(trimmed, "\r\n");

	seeker->len = len < CAUSE_BYTES_MAX ? len : CAUSE_BYTES_MAX;
	while (seeker->len > 0 && strchr(" \t", trimmed[seeker->len - 1]) != NULL)
		seeker->len--;
	memcpy(seeker->needle, trimmed, seeker->len);
	seeker->tail_len = 0;
}

/* Returns the position of the text relative to the block, negative if it begins before it; PTRDIFF_MAX: none. */
static ptrdiff_t seek_in(struct seeker *seeker, const char *block, size_t len)
{
	size_t over = seeker->len - 1;
	size_t head = len < over ? len : over;
	const char *found;

	memcpy(seeker->tail + seeker->tail_len, block, head);
	found = memmem(seeker->tail, seeker->tail_len + head, seeker->needle, seeker->len);
	if (found != NULL)
		return found - seeker->tail - (ptrdiff_t)seeker->tail_len;
	found = memmem(block, len, seeker->needle, seeker->len);
	if (found != NULL)
		return found - block;
	if (len >= over) {
		memcpy(seeker->tail, block + len - over, over);
		seeker->tail_len = over;
	} else {
		size_t all = seeker->tail_len + len, kept = all < over ? all : over;
		memmove(seeker->tail, seeker->tail + all - kept, kept);
		seeker->tail_len = kept;
	}
	return PTRDIFF_MAX;
}

int dash_log_index_make(struct dash_log *log, const char *cause, struct dash_log_index *ret,
			struct pl_err *err)
{
	struct seeker seeker;
	int64_t line_at = 0;   /* where the line of the next byte begins */
	int64_t cause_at = -1; /* position of the cause; -1: not found */

	seeker_init(&seeker, cause);
	ret->lines = ret->bytes = ret->cause = 0;
	ret->is_cut = false;
	ret->stride = LINES_PER_OFFSET;
	ret->count = 0;
	if (jump(log, 0, err) < 0)
		return -1;
	for (;;) {
		if (fill(log, err) < 0)
			return -1;
		if (log->at == log->len)
			break;
		if (ret->count == 0)
			add_offset(ret, 1, 0);
		if (seeker.len > 0 && ret->cause == 0 && cause_at < 0) {
			ptrdiff_t found = seek_in(&seeker, log->block, log->len);
			if (found != PTRDIFF_MAX)
				cause_at = log->block_at + found;
		}
		/* a text without a line break that began in the last block is on the current line */
		while (log->at < log->len) {
			const char *from = log->block + log->at;
			const char *end = memchr(from, '\n', log->len - log->at);
			log->at = end != NULL ? (size_t)(end - log->block) + 1 : log->len;
			if (end == NULL)
				break;
			ret->lines++;
			if (cause_at >= line_at && cause_at < position(log) && ret->cause == 0)
				ret->cause = ret->lines;
			line_at = position(log);
			add_offset(ret, ret->lines + 1, line_at);
		}
		ret->bytes = position(log);
	}
	/* the last line needs no line break */
	if (line_at < ret->bytes) {
		ret->lines++;
		if (cause_at >= 0 && ret->cause == 0)
			ret->cause = ret->lines;
	}
	ret->is_cut = log->is_cut;
	return 0;
}

/* ---- text of lines ------------------------------------------------------------------------- */

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Returns the length without a character that the end cuts. */
static size_t whole_characters(const char *text, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		unsigned char c = (unsigned char)text[len - back];
		size_t need = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
		if (!is_continuation((char)c))
			return need > back ? len - back : len;
	}
	return len;
}

static json_t *text_json(const char *text, size_t len)
{
	json_t *json = json_stringn(text, len);
	auto_buf quoted = PL_BUF(SIZE_MAX / 2);

	if (json != NULL)
		return json;
	/* replaces bytes that are not UTF-8 */
	pl_text_add_json(&quoted, text, len, false);
	return json_loadb(quoted.data, quoted.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

/* Reads the line at the current position, and goes to the next one. New reference. */
static int take_row(struct dash_log *log, const struct dash_log_wanted *wanted, json_t **ret,
		    struct pl_err *err)
{
	char text[DASH_LOG_TEXT_BYTES + 1];
	int64_t from = wanted->from > DASH_LOG_TEXT_BYTES / 2 ? wanted->from - LEAD_BYTES : 0;
	int64_t bytes = 0;
	size_t used = 0;
	bool is_over = false, ends_in_return = false;

	while (!is_over) {
		if (fill(log, err) < 0)
			return -1;
		const char *part = log->block + log->at;
		size_t room = log->len - log->at;
		if (room == 0)
			break;
		const char *end = memchr(part, '\n', room);
		size_t len = end != NULL ? (size_t)(end - part) : room;
		int64_t skipped = from > bytes ? from - bytes : 0;
		if (skipped < (int64_t)len && used < sizeof(text)) {
			size_t left = len - (size_t)skipped, space = sizeof(text) - used;
			size_t taken = left < space ? left : space;
			memcpy(text + used, part + skipped, taken);
			used += taken;
		}
		if (len > 0)
			ends_in_return = part[len - 1] == '\r';
		bytes += (int64_t)len;
		is_over = end != NULL;
		log->at += len + is_over;
	}
	/* "\r\n" */
	if (is_over && ends_in_return) {
		bytes--;
		if (from + (int64_t)used > bytes && used > 0)
			used--;
	}
	size_t start = 0;
	while (from > 0 && start < used && start < 3 && is_continuation(text[start]))
		start++;
	if (used > DASH_LOG_TEXT_BYTES)
		used = whole_characters(text, DASH_LOG_TEXT_BYTES);
	*ret = json_pack("{s:I, s:o, s:I, s:I}", "line", (json_int_t)wanted->line, "text",
			 text_json(text + start, used - start), "from",
			 (json_int_t)(from + (int64_t)start), "bytes", (json_int_t)bytes);
	return 0;
}

int dash_log_rows(struct dash_log *log, const struct dash_log_index *index,
		  const struct dash_log_wanted *wanted, size_t count, json_t **ret,
		  struct pl_err *err)
{
	auto_json json_t *rows = json_array();
	int64_t line = 0;

	for (size_t i = 0; i < count; i++) {
		json_t *row = NULL;
		assert(wanted[i].line >= 1 && wanted[i].line <= index->lines);
		if (go_to_line(log, index, wanted[i].line, &line, err) < 0 ||
		    take_row(log, &wanted[i], &row, err) < 0)
			return -1;
		line++;
		json_array_append_new(rows, row);
	}
	*ret = pl_take(rows);
	return 0;
}

/* ---- search -------------------------------------------------------------------------------- */

#define MATCH_BYTES_MAX (QUERY_NEEDLE_GROWTH * DASH_LOG_NEEDLE_BYTES)

/* A search: the window is the end of the last block, which may begin a match, and the next block. */
struct search {
	const struct query_needle *needle;
	size_t match_max; /* bytes of a match */
	char window[BLOCK_BYTES + MATCH_BYTES_MAX];
	size_t window_len;
	int64_t window_at; /* position in the log */
	int64_t line;      /* of the window's first byte */
	int64_t line_at;   /* where that line begins */
	bool is_found;     /* that line has a match already */
};

/* Counts the lines that begin before `to` in the window. */
static void pass_lines(struct search *search, size_t from, size_t to)
{
	const char *at = search->window + from, *end = search->window + to, *next;

	while ((next = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		at = next + 1;
		search->line++;
		search->line_at = search->window_at + (at - search->window);
		search->is_found = false;
	}
}

/* Adds the matches that begin in the first `end` bytes of the window, and goes there. Returns false if the list is full. */
static bool search_window(struct search *search, size_t end, struct dash_log_matches *ret)
{
	size_t at = 0, passed = 0;

	while (at < end) {
		/* the first match of a line is enough */
		if (search->is_found) {
			const char *next = memchr(search->window + at, '\n', end - at);
			if (next == NULL)
				break;
			at = (size_t)(next - search->window) + 1;
			pass_lines(search, passed, at);
			passed = at;
			continue;
		}
		size_t found;
		if (!query_needle_find(search->needle, search->window, search->window_len, at,
				       &found) ||
		    found >= end)
			break;
		at = found;
		pass_lines(search, passed, at);
		passed = at;
		if (ret->count == DASH_LOG_MATCHES_MAX) {
			ret->next = search->line;
			return false;
		}
		ret->items[ret->count++] = (struct dash_log_wanted){
			.line = search->line,
			.from = search->window_at + (int64_t)at - search->line_at,
		};
		search->is_found = true;
	}
	pass_lines(search, passed, end);
	memmove(search->window, search->window + end, search->window_len - end);
	search->window_len -= end;
	search->window_at += (int64_t)end;
	return true;
}

int dash_log_search(struct dash_log *log, const struct dash_log_index *index, const char *needle,
		    int64_t line, int64_t search_bytes, struct dash_log_matches *ret,
		    struct pl_err *err)
{
	int64_t at_line = 0;

	ret->count = 0;
	ret->next = 0;
	if (line > index->lines)
		return 0;
	if (go_to_line(log, index, line, &at_line, err) < 0)
		return -1;
	auto_free struct search *search = pl_alloc(sizeof(*search));
	auto_needle struct query_needle *sought = query_needle_new(needle, false);
	assert(needle[0] != '\0' && strlen(needle) <= DASH_LOG_NEEDLE_BYTES);
	search->needle = sought;
	search->match_max = QUERY_NEEDLE_GROWTH * strlen(needle);
	search->line = line;
	search->line_at = search->window_at = position(log);
	for (int64_t start = search->window_at;;) {
		if (fill(log, err) < 0)
			return -1;
		size_t len = log->len - log->at;
		if (len == 0) {
			(void)search_window(search, search->window_len, ret);
			return 0;
		}
		memcpy(search->window + search->window_len, log->block + log->at, len);
		search->window_len += len;
		log->at = log->len;
		if (search->window_len < search->match_max)
			continue;
		if (!search_window(search, search->window_len - search->match_max + 1, ret))
			return 0;
		/* a line that is longer than this is searched to its end */
		if (search->window_at - start < search_bytes || search->line == line)
			continue;
		ret->next = search->line + search->is_found;
		if (ret->next > index->lines)
			ret->next = 0;
		return 0;
	}
}

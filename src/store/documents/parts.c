/*
 * Parts are slices of the received text, so each keeps its exact bytes and a malformed one affects no other. Brackets
 * and quotes alone determine the end of a value; its reader checks whether it is JSON.
 */
#include "store/documents/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/gz.h"
#include "base/scan.h"
#include "base/text.h"
#include "base/zst.h"
#include "result/files.h"
#include "result/flat/console.h"

/* ---- parts --------------------------------------------------------------------------------- */

struct cut {
	struct store_parts *parts;
	const char *name;
	const char *counted; /* lines are counted up to here */
	int line;
};

/* Takes ownership of the name. */
static int add_part(struct cut *cut, const char *at, const char *end, char *name,
		    struct pl_err *err)
{
	struct store_parts *parts = cut->parts;

	for (const char *end_of_line;
	     (end_of_line = memchr(cut->counted, '\n', (size_t)(at - cut->counted))) != NULL;
	     cut->line++)
		cut->counted = end_of_line + 1;
	/* not again for the next part: all may be on one line */
	cut->counted = at;
	while (end > at && pl_scan_is_blank(end[-1]))
		end--;
	*PL_PUSH(parts->items, parts->count, parts->room) = (struct store_part){
		.bytes = at, .len = (size_t)(end - at), .name = name, .line = cut->line
	};
	if (parts->count > STORE_PARTS_MAX)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' contains more than %d documents",
				  cut->name, STORE_PARTS_MAX);
	return 0;
}

/* at: after the bracket. */
static int cut_array(struct cut *cut, const char *at, const char *end, struct pl_err *err)
{
	for (size_t index = 0;; index++) {
		at = pl_scan_blanks(at, end);
		const char *stop = pl_scan_value(at, end, ",]");
		/* an empty array, or an extra comma, is not a document */
		bool is_last = stop == end || *stop == ']';
		if (stop == at && is_last)
			break;
		if (add_part(cut, at, stop, pl_asprintf("%s[%zu]", cut->name, index), err) < 0)
			return -1;
		if (is_last)
			break;
		at = stop + 1;
	}
	return 0;
}

static int cut_lines(struct cut *cut, const char *at, const char *end, struct pl_err *err)
{
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		const char *next = stop != NULL ? stop + 1 : end;
		const char *begin = pl_scan_blanks(at, next);
		at = next;
		if (begin == next)
			continue;
		if (add_part(cut, begin, next, NULL, err) < 0)
			return -1;
		cut->parts->items[cut->parts->count - 1].name = pl_asprintf("%s:%d", cut->name,
									    cut->line);
	}
	return 0;
}

/* Returns whether these are JSON lines, by the name, or because the first line is an object and more follow. */
static bool has_lines(const char *name, const char *at, const char *end)
{
	if (res_holds_lines(name))
		return true;
	if (at == end || *at != '{')
		return false;
	const char *line = memchr(at, '\n', (size_t)(end - at));
	if (line == NULL)
		return false;
	const char *after = pl_scan_value(at, end, "");
	return after <= line && pl_scan_blanks(after, line) == line &&
	       pl_scan_blanks(line, end) < end;
}

static int add_table(struct cut *cut, const char *title, json_t *flat, struct pl_buf *made,
		     struct pl_err *err)
{
	auto_free char *text = pl_json_to_text(flat, PL_JSON_COMPACT);
	size_t from = made->len;

	/* its line is that of the title; its bytes are known once all are made */
	if (add_part(cut, title, title, NULL, err) < 0)
		return -1;
	pl_buf_addf(made, "%s\n", text);
	cut->parts->items[cut->parts->count - 1].len = made->len - from - 1;
	if (made->full)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' has too many tables", cut->name);
	return 0;
}

/* Makes a part of each table that vLLM's client has printed in a log. */
static int cut_tables(struct cut *cut, const char *text, size_t len, struct pl_err *err)
{
	struct store_parts *parts = cut->parts;
	auto_buf made = PL_BUF(STORE_PARTS_BYTES_MAX);
	const char *title;
	size_t at = 0;

	for (json_t *flat; (flat = res_console_next(text, len, &at, &title)) != NULL;) {
		int added = add_table(cut, title, flat, &made, err);
		json_decref(flat);
		if (added < 0)
			return -1;
	}
	if (parts->count == 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s' has a table of vllm bench serve without 'Successful "
				  "requests:' or 'Benchmark duration (s):'",
				  cut->name);
	parts->made = pl_strdup(pl_buf_text(&made));
	for (size_t i = 0, from = 0; i < parts->count; from += parts->items[i++].len + 1) {
		struct store_part *part = &parts->items[i];
		part->bytes = parts->made + from;
		part->name = parts->count == 1 ? pl_strdup(cut->name)
					       : pl_asprintf("%s:%d", cut->name, part->line);
	}
	return 0;
}

static int cut_text(struct store_parts *parts, size_t len, const char *name, struct pl_err *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8: some editors write it */
	const char *text = parts->text, *end = text + len;
	struct cut cut = { .parts = parts, .name = name, .counted = text, .line = 1 };
	const char *at = len >= 3 && memcmp(text, mark, 3) == 0 ? text + 3 : text;

	at = pl_scan_blanks(at, end);
	if (at == end)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is empty", name);
	if (res_console_is(text, len))
		return cut_tables(&cut, text, len, err);
	if (has_lines(name, at, end))
		return cut_lines(&cut, at, end, err);
	if (*at != '[')
		return add_part(&cut, at, end, pl_strdup(name), err);
	/* Refuses text after the closing bracket of an array, because it would be lost silently. */
	const char *after = pl_scan_value(at, end, "");
	if (after == end && (end == at || end[-1] != ']'))
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s' is incomplete: its array is not closed", name);
	if (pl_scan_blanks(after, end) != end)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s': unexpected data after the end of the array", name);
	return cut_array(&cut, at + 1, end, err);
}

int store_parts_of(const char *bytes, size_t len, const char *name, struct store_parts *ret,
		   struct pl_err *err)
{
	auto_store_parts parts = { 0 };
	size_t text_len = len;

	if (pl_zst_is(bytes, len)) {
		if (pl_zst_unpack(bytes, len, STORE_PARTS_BYTES_MAX, name, &parts.text, &text_len,
				  err) < 0)
			return -1;
	} else if (pl_gz_is(bytes, len)) {
		if (pl_gz_unpack(bytes, len, STORE_PARTS_BYTES_MAX, name, &parts.text, &text_len,
				 err) < 0)
			return -1;
	} else if (len > STORE_PARTS_BYTES_MAX) {
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is larger than %s", name,
				  pl_text_from_bytes(STORE_PARTS_BYTES_MAX,
						     (char[PL_BYTES_TEXT_BYTES]){ 0 }));
	} else {
		parts.text = pl_alloc(len + 1);
		memcpy(parts.text, bytes, len);
	}
	if (cut_text(&parts, text_len, name, err) < 0)
		return -1;
	*ret = parts;
	parts = (struct store_parts){ 0 };
	return 0;
}

void store_parts_done(struct store_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		free(parts->items[i].name);
	free(parts->items);
	free(parts->text);
	free(parts->made);
	*parts = (struct store_parts){ 0 };
}

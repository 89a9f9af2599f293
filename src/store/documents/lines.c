#include "store/documents/lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "base/text.h"

/* More levels than any readable document has. */
#define DEPTH_MAX 2048

struct walk {
	const char *end;
	const char **wanted; /* sorted pointers */
	size_t count;
	json_t *lines;
	struct pl_buf path;  /* of the current value */
	const char *counted; /* lines are counted up to here */
	int line;
};

void store_pointer_add(struct pl_buf *pointer, const char *key)
{
	pl_buf_add_char(pointer, '/');
	for (const char *c = key; *c != '\0'; c++) {
		if (*c == '~' || *c == '/')
			pl_buf_add_text(pointer, *c == '~' ? "~0" : "~1");
		else
			pl_buf_add_char(pointer, *c);
	}
}

/* Records the line of `at` if the path is one of the pointers. */
static void note(struct walk *walk, const char *at)
{
	const char *path = pl_buf_text(&walk->path);

	if (json_object_get(walk->lines, path) == NULL)
		return;
	for (const char *end_of_line;
	     (end_of_line = memchr(walk->counted, '\n', (size_t)(at - walk->counted))) != NULL;
	     walk->line++)
		walk->counted = end_of_line + 1;
	json_object_set_new(walk->lines, path, json_integer(walk->line));
}

static void leave(struct walk *walk, size_t len)
{
	walk->path.len = len;
	walk->path.data[len] = '\0';
}

/* Returns whether a pointer leads below the path. */
static bool leads_on(struct walk *walk)
{
	size_t from = 0, to = walk->count, len = walk->path.len;

	pl_buf_add_char(&walk->path, '/');
	const char *below = pl_buf_text(&walk->path);
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (strcmp(walk->wanted[middle], below) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	bool leads = from < walk->count && pl_text_starts(walk->wanted[from], below);
	leave(walk, len);
	return leads;
}

static const char *walk_value(struct walk *walk, const char *at, unsigned depth);

/* Skips the value at the path; it is followed by a comma or the end of its container. */
static const char *go_in(struct walk *walk, const char *at, unsigned depth)
{
	const char *after = depth < DEPTH_MAX && leads_on(walk)
				    ? walk_value(walk, at, depth)
				    : pl_scan_value(at, walk->end, ",]}");

	return pl_scan_blanks(after, walk->end);
}

/* at: after the bracket. */
static const char *walk_object(struct walk *walk, const char *at, unsigned depth)
{
	size_t len = walk->path.len;

	while ((at = pl_scan_blanks(at, walk->end)) < walk->end && *at == '"') {
		const char *after = pl_scan_string(at, walk->end);
		const char *colon = pl_scan_blanks(after, walk->end);
		if (colon == walk->end || *colon != ':')
			return walk->end;
		/* at: its opening quote. */
		auto_json json_t *decoded = NULL;
		auto_free char *key = NULL;
		if (memchr(at, '\\', (size_t)(after - at)) != NULL)
			decoded = json_loadb(at, (size_t)(after - at), JSON_DECODE_ANY, NULL);
		if (decoded == NULL)
			key = pl_strndup(at + 1, after - at < 2 ? 0 : (size_t)(after - at) - 2);
		store_pointer_add(&walk->path, decoded != NULL ? json_string_value(decoded) : key);
		note(walk, at);
		at = go_in(walk, pl_scan_blanks(colon + 1, walk->end), depth + 1);
		leave(walk, len);
		if (at < walk->end && *at == ',')
			at++;
	}
	return at < walk->end && *at == '}' ? at + 1 : walk->end;
}

static const char *walk_array(struct walk *walk, const char *at, unsigned depth)
{
	size_t len = walk->path.len;

	for (size_t i = 0; (at = pl_scan_blanks(at, walk->end)) < walk->end && *at != ']'; i++) {
		pl_buf_addf(&walk->path, "/%zu", i);
		note(walk, at);
		at = go_in(walk, at, depth + 1);
		leave(walk, len);
		if (at == walk->end || (*at != ',' && *at != ']'))
			return walk->end;
		at += *at == ',';
	}
	return at < walk->end ? at + 1 : at;
}

static const char *walk_value(struct walk *walk, const char *at, unsigned depth)
{
	if (at < walk->end && *at == '{')
		return walk_object(walk, at + 1, depth);
	if (at < walk->end && *at == '[')
		return walk_array(walk, at + 1, depth);
	return pl_scan_value(at, walk->end, ",]}");
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void store_lines_find(const char *bytes, size_t len, json_t *lines)
{
	struct walk walk = { .end = bytes + len,
			     .wanted = pl_alloc_array(json_object_size(lines) + 1,
						      sizeof(*walk.wanted)),
			     .lines = lines,
			     .path = PL_BUF(SIZE_MAX / 2),
			     .counted = bytes,
			     .line = 1 };
	const char *at = pl_scan_blanks(bytes, walk.end);

	PL_JSON_EACH_MEMBER(pointer, line, lines)
		walk.wanted[walk.count++] = pointer;
	qsort(walk.wanted, walk.count, sizeof(*walk.wanted), compare);
	pl_buf_add_text(&walk.path, "");
	note(&walk, at);
	go_in(&walk, at, 0);
	pl_buf_done(&walk.path);
	free(walk.wanted);
}

static char *pointer_to_key(const json_t *fault)
{
	auto_buf pointer = PL_BUF(SIZE_MAX / 2);
	const char *key = json_string_value(json_object_get(fault, "key"));

	pl_buf_add_text(&pointer, json_string_value(json_object_get(fault, "pointer")));
	if (key != NULL)
		store_pointer_add(&pointer, key);
	return pl_buf_take(&pointer);
}

void store_lines_of_faults(const char *bytes, size_t len, int first, json_t *faults)
{
	auto_json json_t *lines = json_object();

	PL_JSON_EACH(fault, faults) {
		auto_free char *to_key = pointer_to_key(fault);
		json_object_set_new(lines, to_key, json_null());
		json_object_set_new(lines, json_string_value(json_object_get(fault, "pointer")),
				    json_null());
	}
	store_lines_find(bytes, len, lines);
	PL_JSON_EACH(fault, faults) {
		auto_free char *to_key = pointer_to_key(fault);
		const json_t *line = json_object_get(lines, to_key);
		if (!json_is_integer(line))
			line = json_object_get(
				lines, json_string_value(json_object_get(fault, "pointer")));
		if (json_is_integer(line) && json_object_get(fault, "line") == NULL)
			json_object_set_new(fault, "line",
					    json_integer(json_integer_value(line) + first - 1));
	}
}

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

static int parse(const char *text, size_t len, const char *source, size_t flags, bool is_wide,
		 json_t **ret, struct pl_err *err)
{
	json_error_t fault;
	/* jansson silently uses the last of two equal keys: half of the input would be ignored. */
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | flags,
				  &fault);

	/* jansson has reals for all numbers or for none */
	if (json == NULL && is_wide && json_error_code(&fault) == json_error_numeric_overflow)
		json = json_loadb(text, len,
				  JSON_REJECT_DUPLICATES | JSON_DECODE_ANY |
					  JSON_DECODE_INT_AS_REAL | flags,
				  &fault);
	/* of no memory, jansson says nothing */
	if (json == NULL && fault.text[0] == '\0')
		pl_must(NULL);
	if (json == NULL) {
		char reason[sizeof(fault.text) + 32];
		if (json_error_code(&fault) == json_error_stack_overflow)
			snprintf(reason, sizeof(reason), "more than %d levels of lists and objects",
				 JSON_PARSER_MAX_DEPTH);
		else
			snprintf(reason, sizeof(reason), "not valid JSON: %s", fault.text);
		return pl_err_set_at(err, PL_ERR_INVALID, source, fault.line, fault.column, reason);
	}
	*ret = json;
	return 0;
}

/*
 * Memory that a value takes from malloc() with jansson 2.14: the reference-counted head, a table of
 * 8 slots (also for an empty list or object), a slot in its list; for a member the node of its key.
 * Strings also take their length.
 */
#define LIST_BYTES   128
#define OBJECT_BYTES 240
#define VALUE_BYTES  40
#define MEMBER_BYTES 100
#define STRING_BYTES 48
/* Maximum memory per byte of text: "{}," is three bytes. */
#define BYTES_PER_BYTE_MAX ((OBJECT_BYTES + VALUE_BYTES) / 3 + 1)

/* Returns the position after the string that starts at `at`, or the end. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

/* *at: one byte, or a string, further. */
static size_t memory_of(const char **at, const char *end)
{
	const char *begin = *at;

	switch (*(*at)++) {
	case '"':
		*at = skip_string(begin, end);
		return STRING_BYTES + (size_t)(*at - begin);
	case '[':
		return LIST_BYTES;
	case '{':
		return OBJECT_BYTES;
	case ',':
		return VALUE_BYTES;
	case ':':
		return MEMBER_BYTES;
	default:
		return 0;
	}
}

static void position_of(const char *text, const char *at, int *ret_line, int *ret_column)
{
	const char *line = text;

	*ret_line = 1;
	for (const char *end; (end = memchr(line, '\n', (size_t)(at - line))) != NULL;
	     line = end + 1)
		++*ret_line;
	*ret_column = (int)(at - line) + 1;
}

int pl_json_check_memory(const char *text, size_t len, size_t max_bytes, const char *source,
			 struct pl_err *err)
{
	const char *end = text + len;
	size_t bytes = 0;

	if (len <= max_bytes / BYTES_PER_BYTE_MAX)
		return 0;
	for (const char *at = text; at < end;) {
		const char *value = at;
		bytes += memory_of(&at, end);
		if (bytes <= max_bytes)
			continue;
		char reason[160];
		int line, column;
		position_of(text, value, &line, &column);
		snprintf(reason, sizeof(reason),
			 "too many values: they exceed the memory limit of %zu MiB",
			 max_bytes >> 20);
		return pl_err_set_at(err, PL_ERR_INVALID, source, line, column, reason);
	}
	return 0;
}

size_t pl_json_memory(const char *text, size_t len)
{
	const char *end = text + len;
	size_t bytes = 0;

	for (const char *at = text; at < end;)
		bytes += memory_of(&at, end);
	return bytes;
}

int pl_json_parse(const char *text, size_t len, const char *source, json_t **ret,
		  struct pl_err *err)
{
	return parse(text, len, source, 0, false, ret, err);
}

int pl_json_parse_texts(const char *text, size_t len, const char *source, json_t **ret,
			struct pl_err *err)
{
	return parse(text, len, source, JSON_ALLOW_NUL, false, ret, err);
}

int pl_json_parse_wide(const char *text, size_t len, const char *source, json_t **ret,
		       struct pl_err *err)
{
	return parse(text, len, source, 0, true, ret, err);
}

/*
 * "Modified UTF-8", as in Java: C0 80 is an overlong zero, which strict decoders reject and valid
 * text never contains, so it is unambiguous.
 */
char *pl_json_to_ctext(const json_t *string)
{
	const char *text = json_string_value(string);
	size_t len = json_string_length(string);
	auto_buf buf = PL_BUF(SIZE_MAX / 2);

	if (text == NULL)
		return NULL;
	for (size_t at = 0; at < len;) {
		size_t plain = strnlen(text + at, len - at);
		pl_buf_add(&buf, text + at, plain);
		at += plain;
		if (at < len) {
			pl_buf_add_text(&buf, "\xC0\x80");
			at++;
		}
	}
	return pl_buf_take(&buf);
}

json_t *pl_json_from_ctext(const char *text)
{
	auto_buf buf = PL_BUF(SIZE_MAX / 2);

	for (const char *nul; (nul = strstr(text, "\xC0\x80")) != NULL; text = nul + 2) {
		pl_buf_add(&buf, text, (size_t)(nul - text));
		pl_buf_add_char(&buf, '\0');
	}
	pl_buf_add_text(&buf, text);
	return json_stringn(pl_buf_text(&buf), buf.len);
}

int pl_json_read_file(const char *path, json_t **ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (pl_file_read(path, PL_JSON_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return pl_json_parse(text, len, path, ret, err);
}

json_t *pl_json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *pl_json_or_null(json_t *json)
{
	return json != NULL ? json : json_null();
}

json_t *pl_json_count(double value)
{
	return isfinite(value) ? json_integer((json_int_t)llround(value)) : json_null();
}

json_t *pl_json_i64(int64_t number, bool is_known)
{
	return is_known ? json_integer(number) : json_null();
}

json_t *pl_json_of_text(const char *text)
{
	return text != NULL ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
}

char *pl_json_to_plain(const json_t *value)
{
	return json_is_string(value) ? pl_strdup(json_string_value(value))
				     : pl_json_to_text(value, PL_JSON_COMPACT);
}

bool pl_json_has(const json_t *list, const json_t *wanted)
{
	PL_JSON_EACH(item, list) {
		if (json_equal(item, wanted))
			return true;
	}
	return false;
}

bool pl_json_has_text(const json_t *list, const char *text)
{
	PL_JSON_EACH(item, list) {
		if (pl_text_equal(json_string_value(item), text))
			return true;
	}
	return false;
}

json_t *pl_json_words(const char *words)
{
	json_t *list = json_array();

	while (words != NULL && *words != '\0') {
		size_t len = strcspn(words, " ");
		json_array_append_new(list, json_stringn(words, len));
		words += len + strspn(words + len, " ");
	}
	return list;
}

json_t *pl_json_text(const char *text)
{
	json_t *json = text != NULL ? json_string(text) : json_null();
	auto_buf quoted = PL_BUF(SIZE_MAX / 2);

	if (json != NULL)
		return json;
	pl_text_add_json(&quoted, text, strlen(text), false);
	/*
	 * Uses our writer, which replaces invalid bytes with U+FFFD: jansson rejects the whole
	 * text.
	 */
	return json_loadb(quoted.data, quoted.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

struct writer {
	enum pl_json_style style;
	struct pl_buf *buf;
	bool ok;
};

struct member {
	uint64_t
		begins; /* the first bytes of the key, of which the greatest counts most: most keys differ in them */
	const char *key;
	const json_t *value;
};

static void write_value(struct writer *w, const json_t *json, int depth);

/* Adds nothing once the limit was reached: the buffer is then truncated, and `ok` is false. */
static void put_bytes(struct writer *w, const char *text, size_t len)
{
	w->ok = w->ok && pl_buf_add(w->buf, text, len);
}

/* Inline: most texts are a bracket or a comma, and the length is known then. */
static inline void put(struct writer *w, const char *text)
{
	put_bytes(w, text, strlen(text));
}

/* Blanks per level; 0: everything on one line. */
static int indent_of(enum pl_json_style style)
{
	if (style == PL_JSON_PYTHON_4)
		return 4;
	return style == PL_JSON_INDENT || style == PL_JSON_PYTHON_2 ? 2 : 0;
}

static bool is_python(enum pl_json_style style)
{
	return style == PL_JSON_PYTHON || style == PL_JSON_PYTHON_2 || style == PL_JSON_PYTHON_4;
}

static void put_newline(struct writer *w, int depth)
{
	int indent = indent_of(w->style);

	if (indent == 0)
		return;
	put(w, "\n");
	for (int i = 0; i < depth * indent; i++)
		put(w, " ");
}

static void put_string(struct writer *w, const char *text, size_t len)
{
	w->ok = w->ok && pl_text_add_json(w->buf, text, len, is_python(w->style));
}

static int compare_members(const void *a, const void *b)
{
	const struct member *one = a, *other = b;

	if (one->begins != other->begins)
		return one->begins < other->begins ? -1 : 1;
	return strcmp(one->key, other->key);
}

static uint64_t beginning_of(const char *key)
{
	uint64_t begins = 0;

	for (size_t i = 0; i < sizeof(begins); i++) {
		begins = begins << 8 | (unsigned char)*key;
		key += *key != '\0';
	}
	return begins;
}

static void write_sorted(struct writer *w, const json_t *json, int depth)
{
	size_t count = json_object_size(json), at = 0;
	auto_free struct member *members = pl_alloc_array(count, sizeof(*members));

	PL_JSON_EACH_MEMBER(key, value, json)
		members[at++] = (struct member){ beginning_of(key), key, value };
	qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 0; i < count; i++) {
		put(w, i == 0 ? "{" : ",");
		put_string(w, members[i].key, strlen(members[i].key));
		put(w, ":");
		write_value(w, members[i].value, depth + 1);
	}
	put(w, count == 0 ? "{}" : "}");
}

static void write_object(struct writer *w, const json_t *json, int depth)
{
	size_t left = json_object_size(json);

	put(w, "{");
	/*
	 * In insertion order, which jansson preserves since 2.8: documents are read in the order of
	 * writing, and equal ones have equal bytes.
	 */
	PL_JSON_EACH_MEMBER(key, value, json) {
		put_newline(w, depth + 1);
		put_string(w, key, strlen(key));
		put(w, w->style == PL_JSON_COMPACT ? ":" : ": ");
		write_value(w, value, depth + 1);
		if (--left > 0)
			put(w, w->style == PL_JSON_PYTHON ? ", " : ",");
	}
	if (json_object_size(json) > 0)
		put_newline(w, depth);
	put(w, "}");
}

/* Lists of numbers are written on one line: a result has thousands of them. */
static bool is_flat(const json_t *array)
{
	PL_JSON_EACH(item, array) {
		if (json_is_object(item) || json_is_array(item))
			return false;
	}
	return true;
}

static void write_array(struct writer *w, const json_t *json, int depth)
{
	size_t count = json_array_size(json);
	bool flat = w->style == PL_JSON_INDENT && is_flat(json);

	put(w, "[");
	for (size_t i = 0; i < count; i++) {
		if (!flat)
			put_newline(w, depth + 1);
		write_value(w, json_array_get(json, i), depth + 1);
		if (i + 1 < count)
			put(w, flat || w->style == PL_JSON_PYTHON ? ", " : ",");
	}
	if (count > 0 && !flat)
		put_newline(w, depth);
	put(w, "]");
}

static void write_value(struct writer *w, const json_t *json, int depth)
{
	char number[PL_F64_TEXT_BYTES];

	switch (json_typeof(json)) {
	case JSON_OBJECT:
		(w->style == PL_JSON_SORTED ? write_sorted : write_object)(w, json, depth);
		break;
	case JSON_ARRAY:
		write_array(w, json, depth);
		break;
	case JSON_STRING:
		put_string(w, json_string_value(json), json_string_length(json));
		break;
	case JSON_INTEGER:
		put_bytes(w, number,
			  (size_t)(pl_text_put_i64(number, json_integer_value(json)) - number));
		break;
	/*
	 * jansson's own writer prints 17 digits; vLLM's files, and people, have the shortest that
	 * reads back.
	 */
	case JSON_REAL:
		pl_text_from_f64(json_real_value(json), number);
		put(w, number);
		break;
	case JSON_TRUE:
		put(w, "true");
		break;
	case JSON_FALSE:
		put(w, "false");
		break;
	case JSON_NULL:
		put(w, "null");
		break;
	}
}

bool pl_json_write(const json_t *json, enum pl_json_style style, struct pl_buf *buf)
{
	struct writer w = { .style = style, .buf = buf, .ok = true };

	write_value(&w, json, 0);
	return w.ok;
}

char *pl_json_to_text(const json_t *json, enum pl_json_style style)
{
	auto_buf buf = PL_BUF(SIZE_MAX / 2);

	pl_json_write(json, style, &buf);
	return pl_buf_take(&buf);
}

int pl_json_write_file(const json_t *json, const char *path, struct pl_err *err)
{
	auto_buf buf = PL_BUF(SIZE_MAX / 2);

	pl_json_write(json, PL_JSON_INDENT, &buf);
	pl_buf_add_char(&buf, '\n');
	return pl_file_write(path, buf.data, buf.len, err);
}

bool pl_json_add_i64(struct pl_buf *buf, const char *before, int64_t number, int64_t none)
{
	size_t len = strlen(before);
	char *room = pl_buf_reserve(buf, len + PL_I64_TEXT_BYTES);

	if (room == NULL)
		return false;
	char *end = mempcpy(room, before, len);
	end = number == none ? mempcpy(end, "null", 4) : pl_text_put_i64(end, number);
	buf->len += (size_t)(end - room);
	*end = '\0';
	return true;
}

json_t *pl_json_get_path(const json_t *json, const char *dotted)
{
	const json_t *at = json;

	while (at != NULL && *dotted != '\0') {
		size_t len = strcspn(dotted, ".");
		auto_free char *key = pl_strndup(dotted, len);
		at = json_object_get(at, key);
		dotted += len + (dotted[len] == '.');
	}
	return (json_t *)at;
}

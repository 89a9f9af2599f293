/*
 * A conversation is read with io/jwalk.h, which skips what is not needed. If that rejects it, or if
 * it has parts, it is parsed as JSON by a parser that accepts Python's output.
 */
#include "bench/data/conversations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/scan.h"
#include "base/text.h"
#include "io/jwalk.h"
#include "result/flat/python_json.h"

#define WINDOW_BYTES ((size_t)4 << 20)
/* The limit of one conversation. */
#define WINDOW_BYTES_MAX ((size_t)1 << 30)
#define MARK             "\xef\xbb\xbf"

/* The part of the file in memory. */
struct window {
	const char *path;
	int fd;      /* -1: all is in it */
	char *owned; /* NULL: data is borrowed */
	const char *data;
	size_t len, room;
	size_t first_room;  /* of the first read */
	size_t at;          /* the data before it was processed */
	size_t counted;     /* lines up to here */
	size_t line;        /* of `counted`, from 1 */
	size_t column_base; /* bytes of that line before data */
	size_t line_start;  /* in data, where it begins there */
	bool is_over;
	size_t entry; /* how many values began */
};

/* The two turns of a conversation. The caller owns the texts. */
struct pending {
	char *texts[2];
	size_t count;
	bool has_list;
	bool has_media;
	bool lacks_text; /* a turn of the two has none */
	bool is_mended;
};

static const char *const list_names[] = { "conversations", "conversation", "messages", "items" };
static const char *const text_names[] = { "value", "content", "text" };
static const char *const media_names[] = { "image", "images", "video", "videos" };
static const char *const system_roles[] = { "system", "developer" };

/* ---- the window ---------------------------------------------------------------------------- */

static void count_lines(struct window *window, size_t to)
{
	while (window->counted < to) {
		const char *from = window->data + window->counted;
		const char *found = memchr(from, '\n', to - window->counted);
		if (found == NULL) {
			window->counted = to;
			return;
		}
		window->line++;
		window->counted = window->line_start = (size_t)(found - window->data) + 1;
		window->column_base = 0;
	}
}

static int fault(struct window *window, size_t at, const char *what, struct pl_err *err)
{
	count_lines(window, at);
	return pl_err_invalid(err, "%s:%zu:%zu: %s", window->path, window->line,
			      window->column_base + at - window->line_start + 1, what);
}

/* Drops processed data. */
static void shift(struct window *window)
{
	count_lines(window, window->at);
	window->column_base += window->at - window->line_start;
	/* nothing was read yet */
	if (window->owned == NULL)
		return;
	memmove(window->owned, window->owned + window->at, window->len - window->at);
	window->len -= window->at;
	window->at = window->counted = window->line_start = 0;
}

/* Reads more data. *ret_more: there is more than before. */
static int read_on(struct window *window, bool *ret_more, struct pl_err *err)
{
	size_t before = window->len - window->at;

	*ret_more = false;
	if (window->is_over)
		return 0;
	shift(window);
	if (window->len == window->room) {
		if (window->room >= WINDOW_BYTES_MAX)
			return fault(window, window->at, "a conversation is larger than 1 GiB",
				     err);
		window->room = window->room == 0 ? window->first_room : 2 * window->room;
		window->owned = pl_realloc_array(window->owned, window->room, 1);
		window->data = window->owned;
	}
	while (window->len < window->room && !window->is_over) {
		ssize_t got = TEMP_FAILURE_RETRY(
			read(window->fd, window->owned + window->len, window->room - window->len));
		if (got < 0)
			return pl_err_errno(err, "could not read '%s'", window->path);
		window->is_over = got == 0;
		window->len += (size_t)got;
	}
	*ret_more = window->len > before;
	return 0;
}

/* Passes blanks. *ret: the byte after them; '\0' at the end. */
static int next_byte(struct window *window, char *ret, struct pl_err *err)
{
	bool more = true;

	*ret = '\0';
	while (more) {
		const char *end = window->data + window->len;
		window->at = (size_t)(pl_scan_blanks(window->data + window->at, end) -
				      window->data);
		if (window->at < window->len) {
			*ret = window->data[window->at];
			return 0;
		}
		if (read_on(window, &more, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- a conversation, by the walker --------------------------------------------------------- */

static bool is_one_of(const struct io_jwalk *walk, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (io_jwalk_is(walk, names[i]))
			return true;
	}
	return false;
}

#define IS_ONE_OF(walk, names) is_one_of(walk, names, PL_ARRAY_SIZE(names))

/* Returns 1 if \uXXXX is the high half of a pair, 2 if it is the low one, else 0. */
static int half_of(const char *at, const char *end)
{
	if (end - at < 6 || at[0] != '\\' || at[1] != 'u' || (at[2] | 0x20) != 'd')
		return 0;
	int digit = pl_hex_value(at[3]);
	return digit < 8 ? 0 : digit < 12 ? 1 : 2;
}

/* Returns whether the string has half of a surrogate pair without its other half. */
static bool has_half(const struct io_jwalk *text)
{
	const char *end = text->text + text->len;

	for (const char *at = text->text; at < end; at++) {
		if (*at != '\\')
			continue;
		int half = half_of(at, end);
		if (half == 2 || (half == 1 && half_of(at + 6, end) != 2))
			return true;
		at += half == 1 ? 11 : 1;
	}
	return false;
}

/* Returns a C string, owned by the caller. */
static char *text_of(const struct io_jwalk *string, bool *ret_mended)
{
	char *text = pl_alloc(string->len + 1);
	size_t len = string->len;

	if (!string->escaped) {
		memcpy(text, string->text, len);
		return text;
	}
	*ret_mended = *ret_mended || has_half(string);
	/* U+FFFD is shorter than the escape that it replaces */
	len = io_jwalk_decode(string, text, string->len + 1);
	if (len == (size_t)-1)
		len = 0;
	if (memchr(text, '\0', len) != NULL) {
		auto_json json_t *json = json_stringn(text, len);
		free(text);
		return pl_json_to_ctext(json);
	}
	text[len] = '\0';
	return text;
}

/* Reads a turn after its '{'. Returns false if it is not one, or needs the other parser. */
static bool walk_turn(struct io_jwalk *walk, struct pending *pending)
{
	struct io_jwalk text = { .text = NULL };
	bool is_system = false, is_text = false;
	enum io_jwalk_token token;

	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		bool is_role = io_jwalk_is(walk, "role");
		bool is_content = IS_ONE_OF(walk, text_names);
		token = io_jwalk_next(walk);
		if (is_role && token == IO_JWALK_STRING)
			is_system = IS_ONE_OF(walk, system_roles);
		if (is_content && token == IO_JWALK_ARRAY)
			return false;
		if (is_content && !is_text) {
			is_text = token == IO_JWALK_STRING;
			text = *walk;
		}
		if ((token == IO_JWALK_OBJECT || token == IO_JWALK_ARRAY) &&
		    io_jwalk_skip(walk) == IO_JWALK_ERROR)
			return false;
		if (token == IO_JWALK_ERROR)
			return false;
	}
	if (token != IO_JWALK_END)
		return false;
	if (is_system && pending->count == 0)
		return true;
	if (pending->count < 2 && is_text)
		pending->texts[pending->count] = text_of(&text, &pending->is_mended);
	pending->lacks_text = pending->lacks_text || (pending->count < 2 && !is_text);
	pending->count++;
	return true;
}

/* Reads the turns after '['. */
static bool walk_turns(struct io_jwalk *walk, struct pending *pending)
{
	enum io_jwalk_token token;

	pending->has_list = true;
	while ((token = io_jwalk_next(walk)) != IO_JWALK_END) {
		if (token != IO_JWALK_OBJECT)
			return false;
		if (pending->count >= 2) {
			if (io_jwalk_skip(walk) == IO_JWALK_ERROR)
				return false;
		} else if (!walk_turn(walk, pending)) {
			return false;
		}
	}
	return true;
}

/* False: the walker cannot read it. */
static bool walk_value(struct io_jwalk *walk, struct pending *pending)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token == IO_JWALK_ARRAY)
		return io_jwalk_skip(walk) != IO_JWALK_ERROR;
	if (token != IO_JWALK_OBJECT)
		return token != IO_JWALK_ERROR && token != IO_JWALK_DONE;
	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		bool is_list = IS_ONE_OF(walk, list_names);
		pending->has_media = pending->has_media || IS_ONE_OF(walk, media_names);
		token = io_jwalk_next(walk);
		if (is_list && token == IO_JWALK_ARRAY) {
			/* a second list is for the other parser to choose from */
			if (pending->has_list || !walk_turns(walk, pending))
				return false;
		} else if (token == IO_JWALK_ERROR ||
			   ((token == IO_JWALK_OBJECT || token == IO_JWALK_ARRAY) &&
			    io_jwalk_skip(walk) == IO_JWALK_ERROR)) {
			return false;
		}
	}
	return token == IO_JWALK_END;
}

/* ---- a conversation, as JSON --------------------------------------------------------------- */

/* Joins the text parts; others are media. The caller owns the result; NULL: no text. */
static char *text_of_json(const json_t *turn, struct pending *pending)
{
	const json_t *value = NULL;

	for (size_t i = 0; i < PL_ARRAY_SIZE(text_names) && value == NULL; i++)
		value = json_object_get(turn, text_names[i]);
	if (!json_is_array(value))
		return pl_json_to_ctext(value);
	auto_buf text = PL_BUF(WINDOW_BYTES_MAX);
	PL_JSON_EACH(part, value) {
		auto_free char *more = pl_json_to_ctext(json_object_get(part, "text"));
		if (more != NULL)
			pl_buf_add_text(&text, more);
		else
			pending->has_media = true;
	}
	return text.len > 0 && !text.full ? pl_buf_take(&text) : NULL;
}

static void take_json(const json_t *json, struct pending *pending)
{
	const json_t *list = NULL;

	for (size_t i = 0; i < PL_ARRAY_SIZE(list_names) && !json_is_array(list); i++)
		list = json_object_get(json, list_names[i]);
	for (size_t i = 0; i < PL_ARRAY_SIZE(media_names); i++)
		pending->has_media = pending->has_media ||
				     json_object_get(json, media_names[i]) != NULL;
	PL_JSON_EACH(turn, list) {
		const char *role = pl_json_get_text(turn, "role");
		if (pending->count == 0 && role != NULL && PL_TEXT_IS_ONE_OF(role, system_roles))
			continue;
		if (pending->count < 2) {
			char *text = text_of_json(turn, pending);
			pending->texts[pending->count] = text;
			pending->lacks_text = pending->lacks_text || text == NULL;
		}
		pending->count++;
	}
}

static void turns_done(struct pending *pending)
{
	free(pending->texts[0]);
	free(pending->texts[1]);
	*pending = (struct pending){ 0 };
}

/* Replaces bytes that are not UTF-8 with U+FFFD. The caller owns the result. */
static char *as_utf8(const char *text, size_t len)
{
	auto_free char *copy = pl_strndup(text, len);
	auto_json json_t *clean = pl_json_text(copy);

	return pl_strdup(json_string_value(clean));
}

/* False: it is not JSON, whatever is replaced. */
static bool mend_value(const char *text, size_t len, struct pending *pending)
{
	auto_json json_t *json = NULL;

	turns_done(pending);
	if (pl_json_parse_texts(text, len, "", &json, PL_ERR_IGNORED) < 0) {
		auto_free char *clean = as_utf8(text, len);
		if (res_python_json_parse(clean, strlen(clean), "", &json, NULL, PL_ERR_IGNORED) <
		    0)
			return false;
		pending->is_mended = true;
	}
	take_json(json, pending);
	return true;
}

/* ---- the file ------------------------------------------------------------------------------ */

/* Finds the end by brackets and quotes alone, or, for lines, by the line end. */
static const char *value_end(const struct window *window, bool is_array)
{
	const char *at = window->data + window->at, *end = window->data + window->len;
	const char *newline;

	if (is_array)
		return pl_scan_value(at, end, ",]");
	newline = memchr(at, '\n', (size_t)(end - at));
	return newline != NULL ? newline : end;
}

/* The value at window->at, which is passed. */
static int read_value(struct window *window, bool is_array, struct pending *pending,
		      struct pl_err *err)
{
	bool more = true;

	while (true) {
		struct io_jwalk walk;
		io_jwalk_init(&walk, window->data + window->at, window->len - window->at);
		const char *limit = window->data + window->len;
		bool is_walked = walk_value(&walk, pending);
		/* a number may continue in the next part */
		if (is_walked && (walk.at < limit || window->is_over)) {
			window->at = (size_t)(walk.at - window->data);
			return 0;
		}
		turns_done(pending);
		/* nor does the walker know whether the rest of a string or of a word comes; no line ends within one */
		bool is_cut = !window->is_over &&
			      (is_walked ||
			       (!is_array &&
				memchr(walk.at, '\n', (size_t)(limit - walk.at)) == NULL));
		const char *end = is_cut ? limit : value_end(window, is_array);
		if (end == limit && !window->is_over) {
			if (read_on(window, &more, err) < 0)
				return -1;
			continue;
		}
		const char *begin = window->data + window->at;
		if (!mend_value(begin, (size_t)(end - begin), pending))
			return fault(window, (size_t)(walk.at - window->data), "not valid JSON",
				     err);
		window->at = (size_t)(end - window->data);
		return 0;
	}
}

static int add_turns(const struct window *window, struct pending *pending,
		     struct bench_entries *into, struct pl_err *err)
{
	if (pending->is_mended) {
		into->first_mended = into->mended == 0 ? window->entry : into->first_mended;
		into->mended++;
	}
	if (pending->count < 2)
		return 0;
	if (pending->lacks_text)
		return pl_err_invalid(err,
				      "%s: entry %zu: the first two turns must have a string "
				      "'value' or 'content'",
				      window->path, window->entry);
	into->with_media += pending->has_media;
	struct bench_entry entry = {
		.prompt = pl_take(pending->texts[0]),
		.completion = pl_take(pending->texts[1]),
		.output_tokens = RES_NO_COUNT,
	};
	bench_entries_add(into, &entry);
	return 0;
}

static int read_entry(struct window *window, bool is_array, struct bench_entries *into,
		      struct pl_err *err)
{
	struct pending pending = { 0 };

	window->entry++;
	int done = read_value(window, is_array, &pending, err);
	if (done == 0)
		done = add_turns(window, &pending, into, err);
	turns_done(&pending);
	return done;
}

/* Reads what follows '[', to the end of the file. */
static int read_array(struct window *window, struct bench_entries *into, struct pl_err *err)
{
	char byte;

	for (bool is_first = true;; is_first = false) {
		if (next_byte(window, &byte, err) < 0)
			return -1;
		if (byte == ']' && is_first)
			break;
		if (read_entry(window, true, into, err) < 0 || next_byte(window, &byte, err) < 0)
			return -1;
		if (byte == ']')
			break;
		if (byte != ',')
			return fault(window, window->at,
				     byte == '\0' ? "not valid JSON: the array is not closed"
						  : "not valid JSON: expected ',' or ']'",
				     err);
		window->at++;
	}
	window->at++;
	if (next_byte(window, &byte, err) < 0)
		return -1;
	if (window->at < window->len)
		return fault(window, window->at, "not valid JSON: text after the end of the array",
			     err);
	return 0;
}

static int read_lines(struct window *window, struct bench_entries *into, struct pl_err *err)
{
	char byte;

	while (true) {
		if (next_byte(window, &byte, err) < 0)
			return -1;
		if (window->at == window->len)
			return 0;
		if (byte != '{')
			return fault(window, window->at,
				     "not valid JSON: expected one object per line", err);
		if (read_entry(window, false, into, err) < 0)
			return -1;
	}
}

static int read_all(struct window *window, struct bench_entries *into, struct pl_err *err)
{
	bool more;
	char byte;

	if (read_on(window, &more, err) < 0)
		return -1;
	if (window->len >= strlen(MARK) && memcmp(window->data, MARK, strlen(MARK)) == 0)
		window->at = strlen(MARK);
	if (next_byte(window, &byte, err) < 0)
		return -1;
	if (byte == '{')
		return read_lines(window, into, err);
	if (byte != '[')
		return fault(window, window->at,
			     "expected an array of conversations, or one per line", err);
	window->at++;
	return read_array(window, into, err);
}

int bench_conversations_read(const char *path, int fd, struct bench_entries *into,
			     struct pl_err *err)
{
	return bench_conversations_read_by(path, fd, WINDOW_BYTES, into, err);
}

int bench_conversations_read_by(const char *path, int fd, size_t bytes, struct bench_entries *into,
				struct pl_err *err)
{
	struct window window = {
		.path = path, .fd = fd, .data = "", .first_room = bytes, .line = 1
	};
	int done = read_all(&window, into, err);

	free(window.owned);
	return done;
}

int bench_conversations_parse(const char *path, const char *text, size_t len,
			      struct bench_entries *into, struct pl_err *err)
{
	struct window window = {
		.path = path, .fd = -1, .data = text, .len = len, .line = 1, .is_over = true
	};

	return read_all(&window, into, err);
}

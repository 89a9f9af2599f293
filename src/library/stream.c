#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/library.h"

#define LEVEL_BYTES_MAX 40

static void report(struct library_stream *stream, const char *source, const char *level,
		   const char *text)
{
	if (stream->callbacks.log != NULL)
		stream->callbacks.log(stream->callbacks.log_data, source, level, text);
}

static void note_error(struct library_stream *stream, const char *text)
{
	free(stream->last_error);
	stream->last_error = pl_strdup(text);
}

/* A message of the program: an object, or a line that it wrote before it read its options. */
static void take_message(struct library_stream *stream, const char *level, const char *text)
{
	if (pl_text_equal(level, "error"))
		note_error(stream, text);
	report(stream, "profllm", level, text);
}

static void take_text(struct library_stream *stream, const char *line)
{
	static const char program[] = "profllm: ";
	const char *text = line;
	const char *level = NULL;

	if (pl_text_starts(text, program))
		text += strlen(program);
	for (size_t i = 0; i < 2; i++) {
		static const char *const levels[] = { "error", "warning" };
		size_t len = strlen(levels[i]);
		if (pl_text_starts(text, levels[i]) && text[len] == ':' && text[len + 1] == ' ') {
			level = levels[i];
			text += len + 2;
			break;
		}
	}
	take_message(stream, level, text);
}

/* The last lines of the server's log, of which the first may have been reported before. */
static void take_server_lines(struct library_stream *stream, const json_t *snapshot)
{
	PL_JSON_EACH(one, json_object_get(snapshot, "log")) {
		const char *text = pl_json_get_text(one, "text");
		const char *severity = pl_json_get_text(one, "severity");
		int64_t number = pl_json_get_i64(one, "line");
		char level[LEVEL_BYTES_MAX] = "";
		if (text == NULL || number <= stream->server_line)
			continue;
		for (size_t i = 0; severity != NULL && severity[i] != '\0' && i + 1 < sizeof(level);
		     i++)
			level[i] = (char)tolower((unsigned char)severity[i]);
		stream->server_line = number;
		report(stream, "server", severity != NULL ? level : NULL, text);
	}
}

static double number_at(const json_t *snapshot, const char *path)
{
	const json_t *value = pl_json_get_path(snapshot, path);

	return json_is_number(value) ? json_number_value(value) : -1;
}

static void take_snapshot(struct library_stream *stream, const json_t *snapshot)
{
	take_server_lines(stream, snapshot);
	if (stream->callbacks.progress == NULL)
		return;
	auto_free char *text = pl_json_to_text(snapshot, PL_JSON_COMPACT);
	const struct profllm_progress progress = {
		.phase = pl_json_path_text(snapshot, "phase.name"),
		.step = pl_json_path_text(snapshot, "phase.step"),
		.elapsed_s = number_at(snapshot, "elapsed_s"),
		.remaining_s = number_at(snapshot, "requests.remaining_s"),
		.request_total = number_at(snapshot, "requests.total"),
		.request_done = number_at(snapshot, "requests.done"),
		.request_failed = number_at(snapshot, "requests.failed"),
		.request_in_flight = number_at(snapshot, "requests.in_flight"),
		.json = text,
	};
	stream->callbacks.progress(stream->callbacks.progress_data, &progress);
}

static void take_head(struct library_stream *stream, const json_t *head)
{
	int64_t version = pl_json_get_i64(head, "version");

	stream->is_known = version == LIBRARY_STREAM_VERSION;
	if (stream->is_known)
		return;
	auto_free char *text = pl_asprintf("the progress of the program has version %lld, this "
					   "library reads version %d; install the same version of "
					   "both",
					   (long long)version, LIBRARY_STREAM_VERSION);
	note_error(stream, text);
}

static void take_object(struct library_stream *stream, const json_t *object)
{
	const char *message = pl_json_get_text(object, "message");
	const char *phase = pl_json_get_text(object, "phase");
	json_t *problem = json_object_get(object, "problem");
	json_t *value;

	if ((value = json_object_get(object, "stream")) != NULL) {
		take_head(stream, value);
		return;
	}
	if (json_is_object(problem)) {
		if (stream->problems == NULL)
			stream->problems = library_json(json_array());
		library_json_add(stream->problems, problem);
	}
	if (message != NULL)
		take_message(stream, pl_json_get_text(object, "level"), message);
	if (!stream->is_known)
		return;
	if (phase != NULL && stream->callbacks.phase != NULL)
		stream->callbacks.phase(stream->callbacks.phase_data, phase);
	if (json_is_object(value = json_object_get(object, "snapshot")))
		take_snapshot(stream, value);
	if (json_is_object(value = json_object_get(object, "end"))) {
		json_decref(stream->end);
		stream->end = json_incref(value);
	}
}

/* The host expects UTF-8; other bytes become U+FFFD. */
static void take_bytes(struct library_stream *stream, const char *line)
{
	auto_json json_t *valid = library_json(pl_json_text(line));

	take_text(stream, json_string_value(valid));
}

static void take_line(struct library_stream *stream)
{
	auto_json json_t *object = NULL;
	const char *text = pl_buf_text(&stream->line);
	size_t len = stream->line.len;

	if (stream->is_long) {
		take_message(stream, "warning", "left out a line that is too long");
	} else if (len > 0) {
		if (text[0] == '{' &&
		    library_json_parse(text, len, "line", &object, PL_ERR_IGNORED) == 0)
			take_object(stream, object);
		else
			take_bytes(stream, text);
	}
	stream->is_long = false;
	pl_buf_clear(&stream->line);
}

void library_stream_feed(struct library_stream *stream, const char *bytes, size_t len)
{
	if (stream->line.max == 0)
		pl_buf_init(&stream->line, LIBRARY_LINE_BYTES_MAX);
	while (len > 0) {
		const char *end = memchr(bytes, '\n', len);
		size_t part = end != NULL ? (size_t)(end - bytes) : len;
		/* one that does not fit has no byte added, so that it is known from its first */
		if (!stream->is_long && !pl_buf_add(&stream->line, bytes, part)) {
			stream->is_long = true;
			pl_buf_clear(&stream->line);
		}
		if (end == NULL)
			return;
		take_line(stream);
		bytes += part + 1;
		len -= part + 1;
	}
}

void library_stream_end(struct library_stream *stream)
{
	if (stream->line.len > 0 || stream->is_long)
		take_line(stream);
}

void library_stream_done(struct library_stream *stream)
{
	pl_buf_done(&stream->line);
	json_decref(stream->problems);
	json_decref(stream->end);
	free(stream->last_error);
}

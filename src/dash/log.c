/*
 * The log of an experiment's server (dash/log/log.h): its artifact, or else the last lines, which the document of a
 * failure contains.
 */
#include <string.h>

#include "base/log.h"
#include "dash/artifacts.h"
#include "dash/log/indexes.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "store/artifacts/artifact.h"

#define ROWS_DEFAULT   200
#define TAIL_BYTES_MAX (64u << 20)
#define RETRY_S        1

/* The lines of a response. */
struct view {
	struct dash_log *log;
	struct dash_log_index index;
	struct dash_log_matches matches;
	struct dash_log_wanted wanted[DASH_LOG_ROWS_MAX];
	size_t count;
};

static int64_t number_of(const struct dash_request *request, const char *name, int64_t usual)
{
	const json_t *value = json_object_get(request->query, name);

	return json_is_integer(value) ? json_integer_value(value) : usual;
}

/* Adds the lines from `first` to `last` that exist and are not wanted yet. Returns false if there are too many. */
static bool want(struct view *view, int64_t first, int64_t last)
{
	int64_t after = view->count > 0 ? view->wanted[view->count - 1].line + 1 : 1;

	first = first > after ? first : after;
	last = last < view->index.lines ? last : view->index.lines;
	for (int64_t line = first; line <= last; line++) {
		if (view->count == DASH_LOG_ROWS_MAX)
			return false;
		view->wanted[view->count++] = (struct dash_log_wanted){ .line = line };
	}
	return true;
}

/* The lines of the matches, at most `limit`, with the lines around them. A long line is shown from its match on. */
static void want_matches(struct view *view, int64_t limit, int64_t context)
{
	const struct dash_log_matches *matches = &view->matches;

	for (size_t i = 0; i < matches->count && (int64_t)i < limit; i++) {
		int64_t line = matches->items[i].line;
		if (!want(view, line - context, line + context))
			return;
	}
	for (size_t i = 0, row = 0; i < matches->count && row < view->count;) {
		if (view->wanted[row].line < matches->items[i].line) {
			row++;
			continue;
		}
		if (view->wanted[row].line == matches->items[i].line)
			view->wanted[row].from = matches->items[i].from;
		i++;
	}
}

static void want_lines(const struct dash_request *request, struct view *view)
{
	int64_t limit = number_of(request, "limit", ROWS_DEFAULT);
	int64_t tail = number_of(request, "tail", 0), around = number_of(request, "around", 0);
	int64_t first = number_of(request, "offset", 0) + 1;

	if (tail > 0) {
		first = view->index.lines - tail + 1;
		limit = tail;
	} else if (around > 0) {
		/* a full page, also at both ends */
		int64_t last = around + (limit - 1) / 2;
		last = last < view->index.lines ? last : view->index.lines;
		first = last - limit + 1;
	}
	first = first > 1 ? first : 1;
	(void)want(view, first, first + limit - 1);
}

/* Returns false if the parameters contradict each other; the response is set then. */
static bool check(const struct dash_request *request, struct dash_answer *answer)
{
	static const char *const places[] = { "tail", "offset", "around" };
	const char *search = pl_json_get_text(request->query, "search");
	const char *first = NULL;

	for (size_t i = 0; i < PL_ARRAY_SIZE(places); i++) {
		if (json_object_get(request->query, places[i]) == NULL)
			continue;
		bool starts_search = strcmp(places[i], "offset") == 0;
		if (first != NULL || (search != NULL && !starts_search)) {
			dash_refuse(answer, 422, "'%s' and '%s' exclude each other",
				    first != NULL ? first : "search", places[i]);
			return false;
		}
		first = places[i];
	}
	if (search != NULL && strpbrk(search, "\r\n") != NULL) {
		dash_refuse(answer, 422, "search: found a line break, expected a part of a line");
		return false;
	}
	if (search != NULL && strlen(search) > DASH_LOG_NEEDLE_BYTES) {
		dash_refuse(answer, 422, "search: found %zu bytes, expected at most %d",
			    strlen(search), DASH_LOG_NEEDLE_BYTES);
		return false;
	}
	return true;
}

static json_t *matches_json(const struct dash_log_matches *matches)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < matches->count; i++)
		json_array_append_new(lines, json_integer(matches->items[i].line));
	return json_pack("{s:o, s:o}", "lines", lines, "next_offset",
			 pl_json_i64(matches->next - 1, matches->next > 0));
}

/* Fills the response with what the request wants of the log. */
static int look(const struct dash_request *request, struct view *view, json_t **ret,
		struct pl_err *err)
{
	const char *search = pl_json_get_text(request->query, "search");
	auto_json json_t *found = json_null();
	json_t *rows = NULL;

	if (search != NULL) {
		if (dash_log_search(view->log, &view->index, search,
				    number_of(request, "offset", 0) + 1, DASH_LOG_SEARCH_BYTES,
				    &view->matches, err) < 0)
			return -1;
		want_matches(view, number_of(request, "limit", ROWS_DEFAULT),
			     number_of(request, "context", 0));
		found = matches_json(&view->matches);
	} else {
		want_lines(request, view);
	}
	if (dash_log_rows(view->log, &view->index, view->wanted, view->count, &rows, err) < 0)
		return -1;
	*ret = json_pack("{s:I, s:I, s:b, s:o, s:o, s:O}", "lines", (json_int_t)view->index.lines,
			 "bytes", (json_int_t)view->index.bytes, "truncated", view->index.is_cut,
			 "cause_line", pl_json_i64(view->index.cause, view->index.cause > 0),
			 "rows", rows, "matches", found);
	return 0;
}

static void respond(const struct dash_request *request, struct view *view, const char *source,
		    const char *name, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	if (look(request, view, &json, &err) < 0) {
		dash_refuse_error(answer, &err);
		return;
	}
	json_object_set_new(json, "source", json_string(source));
	json_object_set_new(json, "name", pl_json_text(name));
	dash_answer_json(answer, 200, json);
}

/* Takes the kept index, or makes it. */
static int find_index(const struct dash_request *request, const char *sha256, const char *cause,
		      struct view *view, struct pl_err *err)
{
	struct dash_log_indexes *indexes = request->context->logs;
	int rc = 0;

	if (dash_log_indexes_find(indexes, sha256, cause, &view->index))
		return 0;
	dash_log_indexes_begin(indexes, sha256);
	/* another request may have made it meanwhile */
	if (!dash_log_indexes_find(indexes, sha256, cause, &view->index)) {
		rc = dash_log_index_make(view->log, cause, &view->index, err);
		if (rc == 0)
			dash_log_indexes_add(indexes, sha256, cause, &view->index);
	}
	dash_log_indexes_end(indexes, sha256);
	return rc;
}

static void refuse_file(const struct dash_request *request, const struct store_artifact *artifact,
			const struct pl_err *err, struct dash_answer *answer)
{
	if (err->code == PL_ERR_INVALID)
		dash_refuse(answer, 422, "%s", err->text);
	else if (err->code == PL_ERR_NOT_FOUND)
		dash_refuse(answer, 404,
			    "the file of artifact '%s' of experiment '%s' is missing on "
			    "the server; upload it again (PUT)",
			    artifact->name, request->words[0]);
	else
		dash_refuse_stored(answer, err);
}

static void send_file(const struct dash_request *request, const struct store_artifact *artifact,
		      const char *cause, struct view *view, struct dash_answer *answer)
{
	struct dash_log_indexes *indexes = request->context->logs;
	int64_t bytes = artifact->bytes;
	struct pl_err err = PL_ERR_INIT;
	int fd = -1;

	if (store_artifact_open(request->context->store, artifact->sha256, &fd, &err) < 0 ||
	    dash_log_open(fd, artifact->name, request->cancel_token, &view->log, &err) < 0) {
		refuse_file(request, artifact, &err, answer);
		return;
	}
	/* the size of a compressed log is unknown until it was read */
	if (dash_log_is_packed(view->log))
		bytes = dash_log_indexes_find(indexes, artifact->sha256, cause, &view->index)
				? view->index.bytes
				: DASH_LOG_UNPACKED_MAX;
	if (!dash_log_indexes_enter(indexes, bytes)) {
		dash_refuse(answer, 503, "other large logs are being read; retry later");
		answer->retry_s = RETRY_S;
		return;
	}
	if (find_index(request, artifact->sha256, cause, view, &err) < 0)
		refuse_file(request, artifact, &err, answer);
	else
		respond(request, view, "artifact", artifact->name, answer);
	dash_log_indexes_leave(indexes, bytes);
}

/* Appends error.log_tail, which is a text or a list of lines. */
static void add_tail(const json_t *tail, struct pl_buf *text)
{
	if (json_is_string(tail))
		pl_buf_add(text, json_string_value(tail), json_string_length(tail));
	PL_JSON_EACH(line, tail) {
		pl_buf_add(text, json_string_value(line), json_string_length(line));
		pl_buf_add_char(text, '\n');
	}
}

/* Returns the stored log, or else one that is not stored or lost; NULL: none. */
static const struct store_artifact *log_of(const struct store_artifacts *artifacts)
{
	const struct store_artifact *other = NULL;

	for (size_t i = 0; i < artifacts->count; i++) {
		const struct store_artifact *artifact = &artifacts->items[i];
		if (strcmp(artifact->kind, "server_log") != 0)
			continue;
		if (artifact->stored_at != NULL && !artifact->is_lost)
			return artifact;
		other = artifact;
	}
	return other;
}

void dash_get_log(const struct dash_request *request, struct dash_answer *answer)
{
	auto_free struct view *view = pl_alloc(sizeof(*view));
	auto_artifacts artifacts = { 0 };
	auto_store_entry entry = { .id = 0 };
	struct pl_err err = PL_ERR_INIT;

	if (!check(request, answer) || !dash_find_experiment(request, &entry, answer) ||
	    !dash_find_artifacts(request, &artifacts, answer))
		return;
	const struct store_artifact *artifact = log_of(&artifacts);
	const json_t *tail = pl_json_get_path(entry.document, "error.log_tail");
	const char *cause = pl_json_path_text(entry.document, "error.log_line");
	auto_buf text = PL_BUF(TAIL_BYTES_MAX);
	if (artifact != NULL && artifact->stored_at != NULL && !artifact->is_lost) {
		send_file(request, artifact, cause, view, answer);
	} else if (json_is_string(tail) || json_array_size(tail) > 0) {
		add_tail(tail, &text);
		view->log = dash_log_open_text(pl_buf_text(&text), text.len);
		if (dash_log_index_make(view->log, cause, &view->index, &err) < 0)
			dash_refuse_error(answer, &err);
		else
			respond(request, view, "log_tail", artifact != NULL ? artifact->name : NULL,
				answer);
	} else if (artifact != NULL) {
		dash_refuse(answer, 404,
			    "the log '%s' of experiment '%s' was not uploaded, or its file is "
			    "missing on the server",
			    artifact->name, request->words[0]);
	} else {
		dash_refuse(answer, 404, "experiment '%s' has no server log", request->words[0]);
	}
	dash_log_close(view->log);
}

/* Annotations of trends (store/analysis/annotation.h). */
#include <string.h>

#include "base/json.h"
#include "dash/problem.h"
#include "dash/saved/saved.h"
#include "mirror/instant.h"
#include "store/analysis/annotation.h"

static const struct dash_saved annotation_kind = { "annotation", "annotations", "/api/annotations",
						   STORE_ANNOTATIONS_MAX };

/* ---- reading --------------------------------------------------------------------------------- */

/* Sets the response and returns false if the member is a text that is not a time. */
static bool read_time(const json_t *members, const char *key, int64_t otherwise, int64_t *ret_us,
		      struct dash_answer *answer)
{
	const char *text = pl_json_get_text(members, key);
	auto_free char *pointer = pl_asprintf("/%s", key);

	*ret_us = otherwise;
	if (text == NULL || mirror_instant_parse(text, ret_us))
		return true;
	auto_free char *detail = pl_asprintf("%s: found '%s', expected a time in RFC 3339", pointer,
					     text);
	dash_problem_answer(answer, &(struct dash_problem){ .status = 422,
							    .detail = detail,
							    .pointer = pointer,
							    .found = text,
							    .expected = "a time in RFC 3339" });
	return false;
}

/* Versions have no time, so they are in every range. */
static bool is_within(const json_t *annotation, int64_t from_us, int64_t to_us)
{
	const char *text = pl_json_get_text(annotation, "at_time");
	int64_t at_us;

	return text == NULL || !mirror_instant_parse(text, &at_us) ||
	       (at_us >= from_us && at_us <= to_us);
}

void dash_list_annotations(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *annotations = NULL;
	auto_json json_t *some = json_array();
	struct pl_err err = PL_ERR_INIT;
	int64_t from_us, to_us;

	if (!read_time(request->query, "from", INT64_MIN, &from_us, answer) ||
	    !read_time(request->query, "to", INT64_MAX, &to_us, answer))
		return;
	if (store_annotation_list(request->context->store, &annotations, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	PL_JSON_EACH(annotation, annotations) {
		if (is_within(annotation, from_us, to_us))
			json_array_append(some, annotation);
	}
	dash_answer_json(answer, 200, json_pack("{s:O}", "annotations", some));
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool is_set(const json_t *members, const char *key)
{
	const json_t *value = json_object_get(members, key);

	return value != NULL && !json_is_null(value);
}

static bool refuse_pair(struct dash_answer *answer, const char *pointer, const char *detail)
{
	dash_problem_answer(answer, &(struct dash_problem){
					    .status = 422, .detail = detail, .pointer = pointer });
	return false;
}

/*
 * Checks the rules that the schema does not have. *ret: the members to store, with times in UTC, a new reference.
 * Returns false if the response is set.
 */
static bool read_body(const struct dash_request *request, bool is_new, json_t **ret,
		      struct dash_answer *answer)
{
	const json_t *body = request->body;
	bool has_time = is_set(body, "at_time"), has_version = is_set(body, "version");
	bool names_place = json_object_get(body, "at_time") != NULL ||
			   json_object_get(body, "version") != NULL;
	int64_t at_us;

	if (has_time && has_version)
		return refuse_pair(answer, "/version",
				   "/version: found at_time and version, expected one of them");
	if (!has_time && !has_version && (is_new || names_place))
		return refuse_pair(answer, "", "found neither at_time nor version, expected one");
	if ((json_object_get(body, "field") != NULL) != (json_object_get(body, "value") != NULL) ||
	    is_set(body, "field") != is_set(body, "value"))
		return refuse_pair(answer, "/value",
				   "/value: found field or value alone, expected both");
	if (!read_time(body, "at_time", 0, &at_us, answer))
		return false;
	*ret = json_copy((json_t *)body);
	if (has_time) {
		char text[MIRROR_INSTANT_BYTES];
		mirror_instant_format(at_us, text);
		json_object_set_new(*ret, "at_time", json_string(text));
	}
	return true;
}

void dash_add_annotation(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_saved_outcome outcome;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *members = NULL;
	json_t *added = NULL;

	if (!read_body(request, true, &members, answer))
		return;
	if (store_annotation_add(request->context->store, members, &outcome, &added, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	dash_saved_answer(&annotation_kind, request, outcome, 201, added, answer);
}

void dash_change_annotation(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request), revision = dash_request_revision(request);
	enum store_saved_outcome outcome = STORE_SAVED_NONE;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *members = NULL;
	json_t *changed = NULL;

	if (!read_body(request, false, &members, answer))
		return;
	if (id > 0 && store_annotation_change(request->context->store, id, revision, members,
					      &outcome, &changed, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_saved_answer(&annotation_kind, request, outcome, 200, changed, answer);
}

void dash_remove_annotation(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request), revision = dash_request_revision(request);
	enum store_saved_outcome outcome = STORE_SAVED_NONE;
	struct pl_err err = PL_ERR_INIT;

	if (id > 0 &&
	    store_annotation_remove(request->context->store, id, revision, &outcome, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_saved_answer(&annotation_kind, request, outcome, 204, NULL, answer);
}

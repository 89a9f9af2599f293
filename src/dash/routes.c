/*
 * A route is found by comparing its parts, row by row: this takes less time for the few dozen rows than parsing the
 * header. Paths outside /api belong to the web UI (dash/page.h).
 */
#include "dash/routes.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/unique.h"
#include "dash/access/access.h"
#include "dash/coding.h"
#include "dash/memory.h"
#include "dash/page.h"
#include "dash/problem.h"
#include "mirror/mirror.h"
#include "result/fields/fields.h"
#include "schema/former.h"
#include "store/documents/document.h"
#include "store/store.h"

#define BODY_FAULTS_MAX 100
/* How long a response waits for a data version. */
#define AWAIT_NS      (2 * PL_NS_PER_S)
#define AWAIT_STEP_NS (10 * PL_NS_PER_MS)

/* Requests that wait for a data version: at most one of a lane, so that threads remain for requests that need not wait. */
static atomic_bool has_waiter[DASH_LANE_COUNT];

enum tag { TAG_NONE, TAG_DATA, TAG_PROGRAM, TAG_OWN };

struct dash_route {
	const char *method;
	const char *path;
	dash_handler_fn *handler;
	enum tag tag;
	enum dash_lane lane;
};

static const struct dash_route routes[] = {
#define ROUTE(method, path, handler, tag, lane) \
	{ method, path, dash_##handler, TAG_##tag, DASH_LANE_##lane },
#include "tbl/routes.h"
};

void dash_match_done(struct dash_match *match)
{
	for (size_t i = 0; i < DASH_WORDS_MAX; i++)
		free(match->words[i]);
	*match = (struct dash_match){ 0 };
}

/* ---- matching ------------------------------------------------------------------------------ */

/* Overwrites placeholders of an earlier row that did not match. */
static bool matches(const char *pattern, const char *path, struct dash_match *match)
{
	size_t words = 0;

	while (*pattern != '\0') {
		if (*pattern != '{') {
			if (*pattern++ != *path++)
				return false;
			continue;
		}
		size_t len = strcspn(path, "/");
		if (len == 0)
			return false;
		free(match->words[words]);
		match->words[words++] = pl_strndup(path, len);
		pattern = strchr(pattern, '}') + 1;
		path += len;
	}
	return *path == '\0';
}

static bool is_api(const char *path)
{
	return strcmp(path, "/api") == 0 || pl_text_starts(path, "/api/") ||
	       strcmp(path, "/metrics") == 0;
}

/* HEAD is GET without the body, which the HTTP library omits. */
static bool is_method(const struct dash_route *route, const char *method)
{
	return strcmp(route->method, method) == 0 ||
	       (strcmp(method, "HEAD") == 0 && strcmp(route->method, "GET") == 0);
}

static void refuse_path(const char *path, struct dash_answer *answer)
{
	const char *paths[PL_ARRAY_SIZE(routes)];

	for (size_t i = 0; i < PL_ARRAY_SIZE(routes); i++)
		paths[i] = routes[i].path;
	const char *nearest = pl_text_nearest(path, paths, PL_ARRAY_SIZE(paths));
	auto_free char *detail =
		nearest != NULL
			? pl_asprintf("'%s' does not exist (did you mean '%s'?)", path, nearest)
			: pl_asprintf("'%s' does not exist; see /api/openapi.yaml", path);
	dash_problem_answer(answer, &(struct dash_problem){
					    .status = 404, .detail = detail, .nearest = nearest });
}

static void refuse_method(const char *method, const char *path, struct dash_answer *answer)
{
	dash_refuse(answer, 405, "found %s, but '%s' accepts %s", method, path, answer->allow);
}

static void allow(struct dash_answer *answer, const char *method)
{
	size_t len = strlen(answer->allow);

	snprintf(answer->allow + len, sizeof(answer->allow) - len, "%s%s%s", len > 0 ? ", " : "",
		 method, strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

/* Returns false if no route fits; answer->allow then has the methods of the path. */
static bool find(const struct dash_head *head, struct dash_match *match, struct dash_answer *answer)
{
	const char *path = head->target->path;

	for (size_t i = 0; i < PL_ARRAY_SIZE(routes); i++) {
		if (!matches(routes[i].path, path, match))
			continue;
		if (is_method(&routes[i], head->method)) {
			match->route = &routes[i];
			answer->allow[0] = '\0';
			return true;
		}
		allow(answer, routes[i].method);
	}
	return false;
}

static void refuse_route(const struct dash_head *head, struct dash_answer *answer)
{
	if (answer->allow[0] == '\0')
		refuse_path(head->target->path, answer);
	else
		refuse_method(head->method, head->target->path, answer);
}

static bool check_coding(const struct dash_head *head, const struct dash_match *match,
			 struct dash_answer *answer)
{
	bool unpacks = dash_operation_unpacks(match->operation);

	if (unpacks ? dash_coding_is_known(head->coding) : dash_coding_is_plain(head->coding))
		return true;
	dash_refuse(answer, 415, "Content-Encoding: found '%.100s', expected %s", head->coding,
		    unpacks ? "gzip, zstd, or none" : "none");
	return false;
}

bool dash_routes_begin(const struct dash_context *context, const struct dash_head *head,
		       struct dash_match *ret, struct dash_answer *answer)
{
	*ret = (struct dash_match){ 0 };
	answer->path = head->target->path;
	if (!is_api(head->target->path)) {
		if (strcmp(head->method, "GET") == 0 || strcmp(head->method, "HEAD") == 0)
			return true;
		allow(answer, "GET");
		refuse_method(head->method, head->target->path, answer);
		return false;
	}
	bool is_found = find(head, ret, answer);
	if (is_found)
		ret->operation = dash_contract_find(context->contract, ret->route->method,
						    ret->route->path);
	/* the only check of access: nothing else of the request was used before; a path that no route has is not open */
	if (!dash_access_check(context->access, head,
			       is_found ? dash_operation_role(ret->operation) : DASH_ROLE_READ,
			       &ret->user, answer))
		return false;
	if (!is_found) {
		refuse_route(head, answer);
		return false;
	}
	ret->bytes_max = dash_operation_bytes_max(ret->operation);
	ret->is_stream = ret->route->lane == DASH_LANE_STREAM;
	if (!check_coding(head, ret, answer))
		return false;
	if (ret->bytes_max > 0 && !dash_operation_takes(ret->operation, head->media)) {
		dash_refuse(answer, 415, "Content-Type: found %s%s%s, expected %s",
			    head->media != NULL ? "'" : "none",
			    head->media != NULL ? head->media : "", head->media != NULL ? "'" : "",
			    dash_operation_media(ret->operation));
		return false;
	}
	return true;
}

/* ---- the request --------------------------------------------------------------------------- */

void dash_call_done(struct dash_call *call)
{
	json_decref(call->query);
	json_decref(call->body);
	free(call->unpacked);
	free(call->question);
	dash_memory_give(call->unpacked_bytes);
	dash_memory_give(call->body_bytes);
	*call = (struct dash_call){ 0 };
}

/* Returns whether it contains a relative time: "now-30d", "today". */
static bool is_relative(const json_t *json)
{
	const char *text = json_string_value(json);

	if (text != NULL)
		return pl_text_starts(text, "now") || pl_text_starts(text, "today");
	PL_JSON_EACH(item, json) {
		if (is_relative(item))
			return true;
	}
	PL_JSON_EACH_MEMBER(key, value, json) {
		if (is_relative(value))
			return true;
	}
	return false;
}

/*
 * A tag is made of the request, the data version, the second if the request has a relative time, and the server's
 * start, because versions count within one database and the next server on this port may have another one. It is a weak
 * tag, because the response contains its duration.
 */
static int read_version(struct dash_call *call, enum tag tag, struct dash_answer *answer,
			struct pl_err *err)
{
	const struct dash_context *context = call->request.context;
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	long long second = 0;

	/* the version in memory: results on disk may be newer for a moment */
	if (tag == TAG_DATA && store_snapshot_get(context->store, &snapshot, err) < 0)
		return -1;
	if (tag == TAG_DATA)
		call->version = answer->data_version = mirror_snapshot_version(snapshot);
	/* no earlier response is new enough */
	if (tag == TAG_DATA && call->version < call->awaited)
		return 0;
	if (tag == TAG_DATA && (is_relative(call->query) || is_relative(call->body)))
		second = pl_clock_real_ns() / PL_NS_PER_S;
	bool is_tagged = tag == TAG_DATA || tag == TAG_PROGRAM;
	bool is_shared = call->lane == DASH_LANE_SHARED || call->lane == DASH_LANE_ANALYSIS;
	if (!is_tagged && !is_shared)
		return 0;
	auto_free char *query = res_field_canonical(call->query);
	auto_free char *body = call->body != NULL ? res_field_canonical(call->body) : NULL;
	auto_free char *question = pl_asprintf("%s %lld\n%s\n%s", call->request.path, second, query,
					       body != NULL ? body : "");
	if (is_tagged)
		snprintf(answer->tag, sizeof(answer->tag), "W/\"%08x-%lld-%016llx\"",
			 (unsigned)context->start, (long long)call->version,
			 (unsigned long long)pl_hash_text(PL_HASH_NONE, question));
	if (is_shared)
		call->question = pl_take(question);
	return 0;
}

/* RFC 9110, 13.1.2: comma-separated tags, compared without their W/. */
static bool has_tag(const char *list, const char *tag)
{
	if (list == NULL || tag[0] == '\0')
		return false;
	return strstr(list, tag + (pl_text_starts(tag, "W/") ? strlen("W/") : 0)) != NULL;
}

/* Returns false if refused. */
static bool read_awaited(const struct dash_head *head, int64_t *ret, struct dash_answer *answer)
{
	const char *text = head->data_version;

	*ret = 0;
	if (text == NULL || (pl_text_to_i64(text, ret) && *ret >= 0))
		return true;
	dash_refuse(answer, 400,
		    "X-Data-Version: found '%.40s', expected a whole number of 0 or more", text);
	return false;
}

enum reach { REACHED, BEHIND, REFUSED };

static enum reach look_for_version(const struct dash_call *call, struct dash_answer *answer)
{
	struct store *store = call->request.context->store;
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	struct pl_err err = PL_ERR_INIT;
	int64_t version = 0;

	bool is_known = store_data_version(store, &version, &err) == 0;
	if (store_snapshot_get(store, &snapshot, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return REFUSED;
	}
	answer->data_version = mirror_snapshot_version(snapshot);
	if (answer->data_version >= call->awaited)
		return REACHED;
	if (!is_known || version >= call->awaited)
		return BEHIND;
	dash_refuse(
		answer, 412,
		"X-Data-Version: found %lld, expected at most %lld, the version of the database",
		(long long)call->awaited, (long long)version);
	return REFUSED;
}

/*
 * Waits until the results in memory have the version that the client knows from another response. They lack it while the
 * database is unreachable. Returns false if refused.
 */
static bool await_version(const struct dash_call *call, struct dash_answer *answer)
{
	int64_t end_ns = pl_clock_now_ns() + AWAIT_NS;
	enum reach reach = look_for_version(call, answer);

	if (reach == BEHIND && !atomic_exchange(&has_waiter[call->lane], true)) {
		while (reach == BEHIND && pl_clock_now_ns() < end_ns) {
			pl_clock_sleep_until(pl_clock_now_ns() + AWAIT_STEP_NS);
			reach = look_for_version(call, answer);
		}
		atomic_store(&has_waiter[call->lane], false);
	}
	if (reach == BEHIND) {
		answer->retry_s = 1;
		dash_refuse(answer, 503, "data version %lld is unavailable here; retry later",
			    (long long)call->awaited);
	}
	return reach == REACHED;
}

/* Sets the version that has the change of this response. */
static void set_data_version(const struct dash_match *match, const struct dash_call *call,
			     struct dash_answer *answer)
{
	/* a job whose results are stored is read like a change */
	bool changes = match->route->lane == DASH_LANE_WRITE ||
		       match->route->handler == dash_get_job;

	if (changes && answer->status < 400 &&
	    store_data_version(call->request.context->store, &answer->data_version,
			       PL_ERR_IGNORED) < 0)
		answer->data_version = 0;
}

/* ret->body stays NULL if the contract leaves the body to the handler. Returns false if refused. */
static bool read_body(const struct dash_head *head, const struct dash_match *match,
		      const char *bytes, size_t len, struct dash_call *ret,
		      struct dash_answer *answer)
{
	const struct schema *schema = dash_operation_schema(match->operation, head->media);
	struct pl_err err = PL_ERR_INIT;
	auto_schema_faults faults = { 0 };

	if (schema == NULL)
		return true;
	size_t memory = pl_json_memory(bytes, len);
	if (memory <= PL_JSON_MEMORY_BYTES_MAX) {
		if (!dash_memory_take(memory, answer))
			return false;
		ret->body_bytes = memory;
	}
	if (store_json_parse(bytes, len, "body", &ret->body, &err) < 0) {
		dash_refuse_error(answer, &err);
		return false;
	}
	schema_rename_former(ret->body);
	if (schema_check(schema, ret->body, BODY_FAULTS_MAX, &faults))
		return true;
	dash_refuse_faults(answer, &faults);
	return false;
}

/* Frees the values of several results: the handler stores the bytes, maybe much later. */
static void drop_values(const struct dash_match *match, struct dash_call *call)
{
	if (match->route->handler != dash_upload_batch || !json_is_array(call->body))
		return;
	json_array_clear(call->body);
	dash_memory_give(call->body_bytes);
	call->body_bytes = 0;
}

/* The author of a change is its user, whatever the client names. */
static void set_author(const struct dash_match *match, struct dash_call *call)
{
	const char *name = match->user.name;

	if (name[0] == '\0')
		return;
	/* a part of an upload has the author of its upload */
	if (dash_operation_has_query_author(match->operation) &&
	    json_object_get(call->query, "job_id") == NULL)
		json_object_set_new(call->query, "author", json_string(name));
	if (dash_operation_has_body_author(match->operation) && json_is_object(call->body))
		json_object_set_new(call->body, "author", json_string(name));
}

bool dash_routes_read(const struct dash_context *context, const struct dash_head *head,
		      const struct dash_match *match, const char *bytes, size_t len,
		      struct dash_call *ret, struct dash_answer *answer)
{
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	*ret = (struct dash_call){ 0 };
	answer->path = head->target->path;
	if (match->route == NULL) {
		dash_page_answer(head->target->path, head->accept_coding, answer);
		return false;
	}
	if (dash_operation_query(match->operation, head->target, &ret->query, &faults, &err) < 0) {
		if (faults.count > 0)
			dash_refuse_faults(answer, &faults);
		else
			dash_refuse_error(answer, &err);
		return false;
	}
	if (!dash_coding_undo(head->coding, bytes, len, match->bytes_max, &ret->unpacked, &len,
			      answer))
		return false;
	if (ret->unpacked != NULL) {
		if (!dash_memory_take(len, answer))
			return false;
		ret->unpacked_bytes = len;
		bytes = ret->unpacked;
	}
	if (!read_body(head, match, bytes, len, ret, answer))
		return false;
	drop_values(match, ret);
	set_author(match, ret);
	ret->lane = match->route->lane;
	ret->request = (struct dash_request){ .context = context,
					      .path = head->target->path,
					      .query = ret->query,
					      .body = ret->body,
					      .bytes = bytes,
					      .len = len,
					      .media = head->media,
					      .head = head,
					      .user = &match->user };
	memcpy(ret->request.words, match->words, sizeof(ret->request.words));
	if (!read_awaited(head, &ret->awaited, answer))
		return false;
	if (read_version(ret, match->route->tag, answer, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return false;
	}
	/* the client already has the response to this very request */
	if (!dash_operation_can_be_304(match->operation) ||
	    !has_tag(head->if_none_match, answer->tag))
		return true;
	dash_answer_unchanged(answer);
	return false;
}

void dash_routes_answer(const struct dash_match *match, const struct dash_call *call,
			struct dash_answer *answer)
{
	answer->path = call->request.path;
	bool waits = call->awaited > call->version && call->lane != DASH_LANE_NOW &&
		     call->lane != DASH_LANE_WRITE;
	if (waits && !await_version(call, answer))
		return;
	match->route->handler(&call->request, answer);
	/* its version was unknown when tags are made */
	if (waits && match->route->tag == TAG_DATA)
		answer->is_partial = true;
	set_data_version(match, call, answer);
	/* here, because this thread may take its time */
	dash_coding_pack(call->request.head->accept_coding, answer);
}

void dash_routes_end(const struct dash_head *head, const struct dash_match *match,
		     struct dash_answer *answer)
{
	/* a response from the cache may have been compressed differently for another client */
	if (match->route != NULL)
		dash_coding_pack(head->accept_coding, answer);
	/* no cache may give the response of one user to another */
	if (match->user.role != DASH_ROLE_NONE && answer->cache == NULL)
		answer->cache = "private, no-cache";
	if (answer->status >= 400)
		answer->tag[0] = '\0';
	else if (answer->is_partial) /* only for these responses */
		snprintf(answer->tag, sizeof(answer->tag), "W/\"%08x\"", pl_unique_u32());
	else if ((answer->status == 200 || answer->status == 206) &&
		 (match->route == NULL || dash_operation_can_be_304(match->operation)) &&
		 (pl_text_equal(head->if_none_match, "*") ||
		  has_tag(head->if_none_match, answer->tag)))
		dash_answer_unchanged(answer);
}

/* ---- rows and contract --------------------------------------------------------------------- */

static const struct dash_route *row_of(const char *method, const char *path)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(routes); i++) {
		if (strcmp(routes[i].method, method) == 0 && strcmp(routes[i].path, path) == 0)
			return &routes[i];
	}
	return NULL;
}

size_t dash_route_count(void)
{
	return PL_ARRAY_SIZE(routes) + 2;
}

size_t dash_route_index(const struct dash_match *match, int status)
{
	if (match->route != NULL)
		return (size_t)(match->route - routes);
	return PL_ARRAY_SIZE(routes) + (status == 200 || status == 206 || status == 304 ? 0 : 1);
}

void dash_route_at(size_t index, const char **ret_method, const char **ret_path)
{
	bool is_row = index < PL_ARRAY_SIZE(routes);

	*ret_method = is_row ? routes[index].method : "GET";
	*ret_path = is_row ? routes[index].path : index == PL_ARRAY_SIZE(routes) ? "web" : "none";
}

int dash_routes_check(const struct dash_contract *contract, struct pl_err *err)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(routes); i++) {
		const struct dash_route *row = &routes[i];
		const struct dash_operation *operation = dash_contract_find(contract, row->method,
									    row->path);
		if (operation == NULL)
			return pl_err_set(err, PL_ERR_INTERNAL,
					  "api/openapi.yaml has no %s %s, a row of "
					  "src/tbl/routes.h",
					  row->method, row->path);
		if (dash_operation_can_be_304(operation) !=
		    (row->tag != TAG_NONE && strcmp(row->method, "GET") == 0))
			return pl_err_set(err, PL_ERR_INTERNAL,
					  "%s %s: 304 in api/openapi.yaml and the tag in "
					  "src/tbl/routes.h do not match",
					  row->method, row->path);
	}
	for (size_t i = 0; i < dash_contract_count(contract); i++) {
		const char *method, *path;
		dash_contract_at(contract, i, &method, &path);
		if (row_of(method, path) == NULL)
			return pl_err_set(err, PL_ERR_INTERNAL,
					  "src/tbl/routes.h has no row for %s %s of "
					  "api/openapi.yaml",
					  method, path);
	}
	return 0;
}

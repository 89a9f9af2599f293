/*
 * Files that the dashboard has received before. Their results may have been deleted or pruned since. So each result is
 * checked, and a file is sent again if its result is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "upload/upload_priv.h"

#define KNOWN_MAX  2000 /* per request, because its body is limited */
#define PAGE_ITEMS 1000
#define LOOK_MAX   32
#define PAUSE_NS   (PL_NS_PER_S / 10)

/* A page of the items of an earlier upload. */
struct page {
	char *job_id;
	int64_t offset;
	json_t *items;
};

/* A file that was received before and whose result must be checked. */
struct candidate {
	size_t file;
	json_t *item;
	char *job_id;
};

static void page_done(struct page *page)
{
	free(page->job_id);
	json_decref(page->items);
	*page = (struct page){ 0 };
}

/* ---- by its bytes -------------------------------------------------------------------------- */

int upload_list_received(struct upload *upload, const char *job_id, const size_t *files,
			 size_t count, json_t **ret, struct pl_err *err)
{
	auto_json json_t *known = json_object();

	for (size_t at = 0; at < count;) {
		auto_json json_t *sha256 = json_array();
		for (; at < count && json_array_size(sha256) < KNOWN_MAX; at++)
			json_array_append_new(sha256,
					      json_string(upload->results[files[at]].sha256));
		auto_json json_t *body = json_pack("{s:O, s:s*}", "sha256", sha256, "job_id",
						   job_id);
		auto_json json_t *answer = NULL;
		if (upload_request_json(upload, "POST", "/api/upload/known", body, 200, &answer,
					err) < 0)
			return -1;
		PL_JSON_EACH(one, json_object_get(answer, "known")) {
			const char *hex = pl_json_get_text(one, "sha256");
			if (hex != NULL)
				json_object_set(known, hex, one);
		}
	}
	*ret = json_incref(known);
	return 0;
}

size_t *upload_files_in(const struct upload *upload, enum upload_state state, size_t *ret_count)
{
	size_t *files = pl_alloc_array(upload->count, sizeof(*files));

	*ret_count = 0;
	for (size_t i = 0; i < upload->count; i++) {
		if (upload->results[i].state == state)
			files[(*ret_count)++] = i;
	}
	return files;
}

/* ---- its items ----------------------------------------------------------------------------- */

static bool is_state(const json_t *one, const char *state)
{
	return pl_text_equal(pl_json_get_text(one, "state"), state);
}

static bool is_waiting(const json_t *known)
{
	PL_JSON_EACH_MEMBER(sha256, one, (json_t *)known) {
		if (is_state(one, "queued") || is_state(one, "parsed") || is_state(one, "valid"))
			return true;
	}
	return false;
}

/* Uploads that another command has just left, perhaps because it was ended, are waited for. */
static int list_settled(struct upload *upload, json_t **ret, struct pl_err *err)
{
	int64_t began_ns = pl_clock_now_ns();
	size_t count;
	auto_free size_t *files = upload_files_in(upload, UPLOAD_WAITING, &count);

	for (;;) {
		auto_json json_t *known = NULL;
		if (upload_list_received(upload, NULL, files, count, &known, err) < 0)
			return -1;
		if (!is_waiting(known) || pl_clock_now_ns() - began_ns >= upload->wait_ns) {
			*ret = json_incref(known);
			return 0;
		}
		pl_clock_sleep_until(pl_clock_now_ns() + PAUSE_NS);
	}
}

/* Returns the item at that index of the upload; NULL: none. Borrowed from the page. */
static const json_t *find_item(struct upload *upload, struct page *page, const char *job_id,
			       int64_t index)
{
	/* the index from the dashboard may be any number */
	bool is_here = pl_text_equal(page->job_id, job_id) && index >= page->offset &&
		       (uint64_t)index - (uint64_t)page->offset < json_array_size(page->items);

	if (!is_here) {
		auto_free char *path = pl_asprintf("/api/upload/status/%s?offset=%lld&limit=%d",
						   job_id, (long long)index, PAGE_ITEMS);
		json_t *job = NULL;
		page_done(page);
		if (upload_request_json(upload, "GET", path, NULL, 200, &job, PL_ERR_IGNORED) < 0)
			return NULL;
		page->job_id = pl_strdup(job_id);
		page->offset = index;
		page->items = json_incref(json_object_get(job, "items"));
		json_decref(job);
	}
	const json_t *item = json_array_get(page->items, (size_t)(index - page->offset));
	return item != NULL && pl_json_get_i64(item, "index") == index ? item : NULL;
}

/*
 * Returns whether it is one of several documents in a file ("r.jsonl:3", "r.json[2]"): then the others would have to be
 * checked, too.
 */
static bool is_of_many(const char *name)
{
	size_t len = name != NULL ? strlen(name) : 0;
	bool has_bracket = len > 0 && name[len - 1] == ']';
	size_t at = has_bracket ? len - 1 : len;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at > 0 && at < len && name[at - 1] == (has_bracket ? '[' : ':');
}

static bool take_candidate(struct upload *upload, struct page *page, const json_t *known,
			   struct candidate *ret)
{
	const char *job_id = pl_json_get_text(known, "job_id");

	if (job_id == NULL || !(is_state(known, "stored") || is_state(known, "duplicate")) ||
	    !json_is_integer(json_object_get(known, "index")))
		return false;
	const json_t *item = find_item(upload, page, job_id, pl_json_get_i64(known, "index"));
	if (item == NULL || !(is_state(item, "stored") || is_state(item, "duplicate")) ||
	    is_of_many(pl_json_get_text(item, "name")) || pl_json_get_i64(item, "id") <= 0)
		return false;
	ret->item = json_copy((json_t *)item);
	ret->job_id = pl_strdup(job_id);
	return true;
}

/* ---- its result ---------------------------------------------------------------------------- */

static void settle(struct upload *upload, struct candidate *candidate)
{
	struct upload_result *result = &upload->results[candidate->file];

	json_object_set_new(candidate->item, "state", json_string("duplicate"));
	json_object_set_new(candidate->item, "name",
			    pl_json_text(upload->files[candidate->file].name));
	result->state = UPLOAD_RECEIVED;
	result->status_url = pl_asprintf("/api/upload/status/%s", candidate->job_id);
	result->items = json_pack("[O]", candidate->item);
}

/* Checks the results over one connection. A file without a response is sent. */
static void look(struct upload *upload, struct candidate *candidates, size_t count)
{
	struct io_fetch fetches[LOOK_MAX] = { 0 };
	struct io_reply replies[LOOK_MAX] = { 0 };
	char *paths[LOOK_MAX];

	for (size_t i = 0; i < count; i++) {
		paths[i] = upload_path(upload, "/api/data/experiments/%lld/raw",
				       (long long)pl_json_get_i64(candidates[i].item, "id"));
		fetches[i] = upload_fetch(upload, "HEAD", paths[i]);
	}
	bool is_requested = io_fetch_batch(fetches, count, 1, replies, PL_ERR_IGNORED) == 0;
	for (size_t i = 0; i < count; i++) {
		if (is_requested && replies[i].status == 200)
			settle(upload, &candidates[i]);
		io_reply_done(&replies[i]);
		free(paths[i]);
		json_decref(candidates[i].item);
		free(candidates[i].job_id);
	}
}

int upload_find_received(struct upload *upload, struct pl_err *err)
{
	struct candidate candidates[LOOK_MAX];
	struct page page = { 0 };
	auto_json json_t *known = NULL;
	size_t count = 0;

	if (list_settled(upload, &known, err) < 0)
		return -1;
	for (size_t i = 0; i < upload->count; i++) {
		const struct upload_result *result = &upload->results[i];
		candidates[count] = (struct candidate){ .file = i };
		if (result->state == UPLOAD_WAITING &&
		    take_candidate(upload, &page, json_object_get(known, result->sha256),
				   &candidates[count]))
			count++;
		if (count == LOOK_MAX || (count > 0 && i + 1 == upload->count)) {
			look(upload, candidates, count);
			count = 0;
		}
	}
	page_done(&page);
	return 0;
}

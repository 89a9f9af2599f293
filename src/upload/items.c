/*
 * Maps items to files. An item has an index, and the dashboard reports the index of each file's first item. Page by
 * page, each item belongs to the file with the last first item at or before it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "upload/upload_priv.h"

#define PAGE_ITEMS 1000
#define ITEMS_MAX  1000000

struct sent_file {
	int64_t first; /* index; -1: unknown, because a later upload contains the same file */
	size_t file;
};

static int compare_sent_files(const void *a, const void *b)
{
	const struct sent_file *one = a, *other = b;

	if (one->first != other->first)
		return (one->first > other->first) - (one->first < other->first);
	return (one->file > other->file) - (one->file < other->file);
}

/* Sorted by first item; free(). */
static int list_files_sent(struct upload *upload, struct sent_file **ret, size_t *ret_count,
			   struct pl_err *err)
{
	auto_json json_t *known = NULL;
	auto_free size_t *files = upload_files_in(upload, UPLOAD_SENT, ret_count);

	if (upload_list_received(upload, upload->job_id, files, *ret_count, &known, err) < 0)
		return -1;
	struct sent_file *sent_files = pl_alloc_array(*ret_count, sizeof(*sent_files));
	for (size_t i = 0; i < *ret_count; i++) {
		const json_t *one = json_object_get(known, upload->results[files[i]].sha256);
		bool is_reported = pl_text_equal(pl_json_get_text(one, "job_id"), upload->job_id) &&
				   json_is_integer(json_object_get(one, "index"));
		sent_files[i] = (struct sent_file){
			.first = is_reported ? pl_json_get_i64(one, "index") : -1, .file = files[i]
		};
	}
	if (*ret_count > 0)
		qsort(sent_files, *ret_count, sizeof(*sent_files), compare_sent_files);
	*ret = sent_files;
	return 0;
}

/* "r.json", "r.jsonl:3", "r.json[2]" */
static bool is_named_after(const char *item, const char *file)
{
	size_t len = strlen(file);

	return item != NULL && strncmp(item, file, len) == 0 &&
	       (item[len] == '\0' || item[len] == ':' || item[len] == '[');
}

/* Finds the file by name if its index is unknown. */
static size_t file_by_name(const struct upload *upload, const struct sent_file *sent_files,
			   size_t count, const char *name, size_t otherwise)
{
	for (size_t i = 0; i < count && sent_files[i].first < 0; i++) {
		if (is_named_after(name, upload->files[sent_files[i].file].name))
			return sent_files[i].file;
	}
	return otherwise;
}

/* A file that the dashboard has not read when the upload is canceled has no item; it gets one in the state of the others. */
static void end_without_items(struct upload *upload, const struct sent_file *sent_files,
			      size_t count)
{
	bool is_cancelled = pl_text_equal(pl_json_get_text(upload->job, "state"), "cancelled");

	for (size_t i = 0; i < count; i++) {
		size_t file = sent_files[i].file;
		struct upload_result *result = &upload->results[file];
		if (json_array_size(result->items) > 0)
			continue;
		if (!is_cancelled) {
			upload_fail(result, "the dashboard does not report its outcome");
			continue;
		}
		json_array_append_new(result->items,
				      json_pack("{s:n, s:n, s:o, s:s, s:s}", "index", "id", "name",
						pl_json_text(upload->files[file].name), "state",
						"cancelled", "message",
						"the upload was canceled before it was read"));
	}
}

/* A finished job has a fixed number of items, and the page at an offset contains those from that index on. */
static int check_page(const json_t *items, json_int_t taken, json_int_t total,
		      json_int_t total_before, struct pl_err *err)
{
	json_int_t next = taken;

	if (total > ITEMS_MAX || (taken > 0 && total != total_before))
		return pl_err_set(err, PL_ERR_IO,
				  "the dashboard reports %lld items, expected %s%lld",
				  (long long)total, taken > 0 ? "" : "at most ",
				  (long long)(taken > 0 ? total_before : ITEMS_MAX));
	PL_JSON_EACH(item, (json_t *)items) {
		json_int_t index = pl_json_get_i64(item, "index");
		if (index != next || next >= total)
			return pl_err_set(
				err, PL_ERR_IO,
				"the dashboard reports item %lld of %lld, expected item %lld",
				(long long)index, (long long)total, (long long)next);
		next++;
	}
	return 0;
}

int upload_take_items(struct upload *upload, struct pl_err *err)
{
	auto_free struct sent_file *sent_files = NULL;
	size_t count = 0, at = 0;
	json_int_t taken = 0, total = 1;

	if (list_files_sent(upload, &sent_files, &count, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		upload->results[sent_files[i].file].items = json_array();
	while (count > 0 && taken < total) {
		auto_free char *path = pl_asprintf("/api/upload/status/%s?offset=%lld&limit=%d",
						   upload->job_id, (long long)taken, PAGE_ITEMS);
		auto_json json_t *job = NULL;
		if (upload_request_json(upload, "GET", path, NULL, 200, &job, err) < 0)
			return -1;
		const json_t *items = json_object_get(job, "items");
		json_int_t total_before = total;
		total = pl_json_get_i64(job, "total");
		if (check_page(items, taken, total, total_before, err) < 0)
			return -1;
		if (json_array_size(items) == 0)
			break;
		PL_JSON_EACH(item, (json_t *)items) {
			int64_t index = pl_json_get_i64(item, "index");
			const char *name = pl_json_get_text(item, "name");
			while (at + 1 < count && sent_files[at + 1].first <= index)
				(at)++;
			size_t file = sent_files[at].file;
			if (!is_named_after(name, upload->files[file].name))
				file = file_by_name(upload, sent_files, count, name, file);
			json_array_append(upload->results[file].items, item);
		}
		taken += (json_int_t)json_array_size(items);
	}
	end_without_items(upload, sent_files, count);
	return 0;
}

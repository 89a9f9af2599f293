/* The sums of a trace as JSON. Times are ns; begins are from the begin of the span. */
#include <stdlib.h>
#include <string.h>

#include "trace/trace_priv.h"

#define DEVICES_MAX 256

static int compare_names(const void *left, const void *right)
{
	const struct trace_name *a = *(struct trace_name *const *)left,
				*b = *(struct trace_name *const *)right;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return strcmp(a->text, b->text);
}

static json_t *name_json(const struct trace_name *name, int64_t total_ns)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:o}", "name", pl_json_text(name->text), "count",
			 (json_int_t)name->count, "total_ns", (json_int_t)name->total_ns, "max_ns",
			 (json_int_t)name->max_ns, "share",
			 total_ns > 0 ? json_real((double)name->total_ns / (double)total_ns)
				      : json_null());
}

/* The names of one group with the largest sums. */
static json_t *group_json(const struct trace_reader *reader, enum trace_group group)
{
	const struct trace_name *total = &reader->totals[group];
	auto_free const struct trace_name **list = pl_alloc_array(reader->name_count,
								  sizeof(struct trace_name *));
	json_t *top = json_array();
	size_t count = 0;

	for (size_t i = 0; i < TRACE_NAMES_ROOM; i++) {
		if (reader->names[i].text != NULL && reader->names[i].group == group)
			list[count++] = &reader->names[i];
	}
	if (count > 0)
		qsort(list, count, sizeof(struct trace_name *), compare_names);
	for (size_t i = 0; i < count && i < TRACE_TOP; i++)
		json_array_append_new(top, name_json(list[i], total->total_ns));
	return json_pack("{s:I, s:I, s:I, s:I, s:o}", "count", (json_int_t)total->count, "total_ns",
			 (json_int_t)total->total_ns, "names", (json_int_t)count, "unnamed",
			 (json_int_t)reader->others[group].count, "top", top);
}

static json_t *device_json(const struct trace_reader *reader, int64_t device, int64_t busy_ns)
{
	int64_t span_ns = reader->end_ns - reader->begin_ns;

	return json_pack("{s:o, s:I, s:o}", "device", pl_json_i64(device, device >= 0), "busy_ns",
			 (json_int_t)busy_ns, "busy_share",
			 span_ns > 0 ? json_real((double)busy_ns / (double)span_ns) : json_null());
}

/* After trace_busy_join(). */
static json_t *devices_json(const struct trace_reader *reader, json_t **ret_share)
{
	json_t *list = json_array();
	double span_ns = (double)(reader->end_ns - reader->begin_ns), busy_ns = 0;
	size_t devices = 0;

	for (size_t i = 0; i < reader->busy_count && !reader->busy_lost;) {
		int64_t device = reader->busy[i].device, sum_ns = 0;
		for (; i < reader->busy_count && reader->busy[i].device == device; i++)
			sum_ns += reader->busy[i].end_ns - reader->busy[i].begin_ns;
		busy_ns += (double)sum_ns;
		if (devices++ < DEVICES_MAX)
			json_array_append_new(list, device_json(reader, device, sum_ns));
	}
	*ret_share = devices > 0 && span_ns > 0 ? json_real(busy_ns / span_ns / (double)devices)
						: json_null();
	return list;
}

static json_t *categories_json(const struct trace_reader *reader)
{
	json_t *list = json_array();

	for (size_t i = 0; i < reader->category_count; i++) {
		const struct trace_category *category = &reader->categories[i];
		json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "category",
						      pl_json_text(category->name), "count",
						      (json_int_t)category->count, "total_ns",
						      (json_int_t)category->total_ns));
	}
	return list;
}

static json_t *longest_json(const struct trace_reader *reader)
{
	json_t *list = json_array();

	for (size_t i = 0; i < reader->longest_count; i++) {
		const struct trace_longest *one = &reader->longest[i];
		json_array_append_new(
			list, json_pack("{s:o, s:o, s:I, s:I}", "name", pl_json_text(one->name),
					"category", pl_json_text(one->category), "begin_ns",
					(json_int_t)(one->begin_ns - reader->begin_ns),
					"duration_ns", (json_int_t)one->duration_ns));
	}
	return list;
}

json_t *trace_reader_summary(struct trace_reader *reader)
{
	json_t *share = NULL;
	json_t *devices = devices_json(reader, &share);

	return json_pack("{s:b, s:I, s:I, s:I, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "whole",
			 trace_reader_is_whole(reader), "events", (json_int_t)reader->events,
			 "complete_events", (json_int_t)reader->complete, "skipped",
			 (json_int_t)reader->skipped, "recorded_rank",
			 pl_json_i64(reader->rank, reader->rank >= 0), "span_ns",
			 (json_int_t)(reader->end_ns - reader->begin_ns), "gpu_busy_share", share,
			 "gpus", devices, "kernels", group_json(reader, TRACE_KERNELS),
			 "operations", group_json(reader, TRACE_OPERATIONS), "longest",
			 longest_json(reader), "categories", categories_json(reader));
}

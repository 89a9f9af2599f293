#include "sweep/brief.h"

#include <stdlib.h>

#include "base/text.h"
#include "result/brief/brief.h"
#include "result/files.h"
#include "result/read.h"

/* The runs of one combination: rows of summary.json, and the documents of those that have a result. */
struct combination {
	const json_t *first; /* row of its first run; borrowed */
	json_t **documents;  /* owned references */
	size_t count;
	size_t room;
	json_t *paths;
};

struct combinations {
	struct combination *items;
	size_t count;
	size_t room;
};

static void combinations_done(struct combinations *all)
{
	for (size_t i = 0; i < all->count; i++) {
		for (size_t k = 0; k < all->items[i].count; k++)
			json_decref(all->items[i].documents[k]);
		free(all->items[i].documents);
		json_decref(all->items[i].paths);
	}
	free(all->items);
}
#define auto_combinations __attribute__((cleanup(combinations_done), unused)) struct combinations

static struct combination *combination_of(struct combinations *all, const json_t *row)
{
	const char *id = pl_json_get_text(row, "combination");

	for (size_t i = all->count; i-- > 0;) {
		if (pl_text_equal(pl_json_get_text(all->items[i].first, "combination"), id))
			return &all->items[i];
	}
	struct combination *made = PL_PUSH(all->items, all->count, all->room);
	*made = (struct combination){ .first = row, .paths = json_array() };
	return made;
}

static int add_run(const struct res_fields *fields, const char *folder, struct combinations *all,
		   const json_t *row, struct pl_err *err)
{
	struct combination *combination = combination_of(all, row);
	const char *result = pl_json_get_text(row, "result");
	json_t *document = NULL;

	if (result == NULL)
		return 0;
	auto_free char *path = pl_asprintf("%s/%s", folder, result);
	if (res_read_file(fields, path, &document, err) < 0)
		return -1;
	json_array_append_new(combination->paths, pl_json_text(path));
	*PL_PUSH(combination->documents, combination->count, combination->room) = document;
	return 0;
}

static json_t *combination_json(const struct res_fields *fields, const char *folder,
				const struct combination *one)
{
	const json_t *row = one->first;
	size_t completed = 0, simulated = 0;
	auto_free json_t **items = pl_alloc_array(one->count, sizeof(json_t *));

	for (size_t i = 0; i < one->count; i++) {
		json_t *document = one->documents[i];
		if (!pl_text_equal(pl_json_get_text(document, "status"), "completed"))
			continue;
		simulated += json_is_true(
			pl_json_get_path(document, "environment.engine.simulated"));
		items[completed++] = document;
	}
	json_t *parameters = json_object_get(row, "parameters");
	return json_pack("{s:s, s:o, s:s?, s:O?, s:s?, s:I, s:b, s:O, s:o}", "id",
			 pl_json_get_text(row, "combination"), "side",
			 json_sprintf("%s#%s", folder, pl_json_get_text(row, "combination")),
			 "label", pl_json_get_text(row, "label"), "parameters", parameters,
			 "verdict", res_brief_verdict(items, completed), "n", (json_int_t)completed,
			 "simulated", simulated > 0, "results", one->paths, "metrics",
			 res_brief_metrics(fields, items, completed));
}

int sweep_brief(const struct res_fields *fields, const char *folder,
		const struct sweep_outcome *outcome, size_t skipped, json_t **ret,
		struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/%s", folder, RES_SWEEP_SUMMARY);
	auto_combinations all = { 0 };
	auto_json json_t *summary = NULL;
	json_t *list;
	size_t n = 0, with_runs = 0;
	const char *verdict = "trusted";

	if (pl_json_read_file(path, &summary, err) < 0)
		return -1;
	PL_JSON_EACH(row, json_object_get(summary, "runs")) {
		if (!pl_json_get_true(row, "removed") &&
		    add_run(fields, folder, &all, row, err) < 0)
			return -1;
	}
	list = json_array();
	for (size_t i = 0; i < all.count; i++) {
		json_t *one = combination_json(fields, folder, &all.items[i]);
		const char *own = pl_json_get_text(one, "verdict");
		n += (size_t)pl_json_get_i64(one, "n");
		with_runs += pl_json_get_i64(one, "n") > 0;
		json_array_append_new(list, one);
		if (own == NULL || verdict == NULL)
			verdict = NULL;
		else if (pl_text_equal(verdict, "trusted") || pl_text_equal(own, "client_limited"))
			verdict = own;
	}
	*ret = json_pack("{s:s?, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:s}", "verdict",
			 with_runs > 0 ? verdict : NULL, "n", (json_int_t)n, "runs",
			 (json_int_t)outcome->runs, "finished", (json_int_t)outcome->over, "failed",
			 (json_int_t)outcome->failed, "partial", (json_int_t)outcome->partial,
			 "not_uploaded", (json_int_t)outcome->not_sent, "skipped",
			 (json_int_t)skipped, "folder", folder, "combinations", list, "proof",
			 "not proven: the combinations are in the order of the file, not ranked. "
			 "Compare the "
			 "'side' of two combinations to prove a difference.");
	return 0;
}

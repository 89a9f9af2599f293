#include "sweep/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

void sweep_tasks_done(struct sweep_tasks *tasks)
{
	free(tasks->items);
}

/*
 * Groups the valid cells by server, in order of first appearance in the file; `ends`: index after the last cell of each
 * server.
 */
static size_t group(const struct sweep_plan *plan, size_t *cells, size_t *ends, size_t *ret_servers)
{
	auto_json json_t *servers = json_object();
	auto_free size_t *of = pl_alloc_array(plan->count, sizeof(*of));
	size_t count = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const json_t *known = json_object_get(servers, plan->cells[i].server);
		if (plan->cells[i].falls_out)
			continue;
		of[i] = known != NULL ? (size_t)json_integer_value(known)
				      : json_object_size(servers);
		if (known == NULL)
			json_object_set_new(servers, plan->cells[i].server,
					    json_integer((json_int_t)of[i]));
		ends[of[i]]++;
		count++;
	}
	*ret_servers = json_object_size(servers);
	/* from counts to starts; incremented to ends while filling */
	for (size_t i = 0, begin = 0; i < *ret_servers; i++) {
		size_t end = ends[i];
		ends[i] = begin;
		begin += end;
	}
	for (size_t i = 0; i < plan->count; i++) {
		if (!plan->cells[i].falls_out)
			cells[ends[of[i]]++] = i;
	}
	return count;
}

static void add(struct sweep_tasks *tasks, const struct sweep_plan *plan, size_t cell,
		int64_t repeat)
{
	struct sweep_task *task = &tasks->items[tasks->count++];

	task->cell = cell;
	task->repeat = repeat;
	if (repeat == 1)
		snprintf(task->key, sizeof(task->key), "%s", plan->cells[cell].id);
	else
		snprintf(task->key, sizeof(task->key), "%s.%d", plan->cells[cell].id, (int)repeat);
}

static bool has_repeat(const struct sweep_settings *settings, size_t cell, int64_t repeat)
{
	return settings->cell_repeats == NULL || repeat <= settings->cell_repeats[cell];
}

/* Adds one block: each cell once. */
static void add_block(struct sweep_tasks *tasks, const struct sweep_plan *plan,
		      const struct sweep_settings *settings, const size_t *cells,
		      const size_t *ends, size_t servers, int64_t repeat, struct pl_pyrandom *rng)
{
	auto_free size_t *order = pl_alloc_array(servers, sizeof(*order));

	for (size_t i = 0; i < servers; i++)
		order[i] = i;
	pl_pyrandom_shuffle(rng, order, servers, sizeof(*order));
	for (size_t i = 0; i < servers; i++) {
		size_t from = order[i] > 0 ? ends[order[i] - 1] : 0;
		size_t count = ends[order[i]] - from;
		auto_free size_t *loads = (size_t *)pl_memdup(cells + from, count * sizeof(*cells));
		pl_pyrandom_shuffle(rng, loads, count, sizeof(*loads));
		for (size_t k = 0; k < count; k++) {
			if (has_repeat(settings, loads[k], repeat))
				add(tasks, plan, loads[k], repeat);
		}
	}
}

void sweep_tasks_make(const struct sweep_plan *plan, const struct sweep_settings *settings,
		      struct sweep_tasks *ret)
{
	auto_free size_t *cells = pl_alloc_array(plan->count, sizeof(*cells));
	auto_free size_t *ends = pl_alloc_array(plan->count, sizeof(*ends));
	size_t servers;
	size_t count = group(plan, cells, ends, &servers);
	struct pl_pyrandom rng;

	ret->items = pl_alloc_array(count * (size_t)settings->repeats, sizeof(*ret->items));
	ret->count = 0;
	pl_pyrandom_seed(&rng, (uint64_t)settings->seed);
	if (settings->order == SWEEP_INTERLEAVED) {
		for (int64_t repeat = 1; repeat <= settings->repeats; repeat++)
			add_block(ret, plan, settings, cells, ends, servers, repeat, &rng);
		return;
	}
	for (size_t i = 0; i < servers; i++) {
		for (int64_t repeat = 1; repeat <= settings->repeats; repeat++) {
			for (size_t k = i > 0 ? ends[i - 1] : 0; k < ends[i]; k++) {
				if (has_repeat(settings, cells[k], repeat))
					add(ret, plan, cells[k], repeat);
			}
		}
	}
}

/* Returns whether a run with this row must be run or retried. row NULL: there is none yet. */
static bool is_left(const json_t *row, const struct sweep_settings *settings)
{
	const char *status = pl_json_get_text(row, "status");
	const char *verdict = pl_json_get_text(row, "verdict");

	if (status == NULL || strcmp(status, "interrupted") == 0)
		return true;
	for (size_t i = 0; i < settings->retry_count; i++) {
		if (strcmp(settings->retry[i], status) == 0 ||
		    pl_text_equal(settings->retry[i], verdict))
			return true;
	}
	return false;
}

void sweep_tasks_leave(struct sweep_tasks *tasks, const json_t *rows,
		       const struct sweep_settings *settings)
{
	size_t left = 0;

	for (size_t i = 0; i < tasks->count; i++) {
		if (is_left(json_object_get(rows, tasks->items[i].key), settings))
			tasks->items[left++] = tasks->items[i];
	}
	tasks->count = left;
}

bool sweep_same_server(const struct sweep_plan *plan, const struct sweep_tasks *tasks, size_t i,
		       size_t k)
{
	return i < tasks->count && k < tasks->count &&
	       strcmp(plan->cells[tasks->items[i].cell].server,
		      plan->cells[tasks->items[k].cell].server) == 0;
}

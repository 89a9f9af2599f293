/*
 * Cells: all combinations of a part's axes, or a sample of them. Axes that are not sampled are
 * combined with every point of the sample. The first axis changes slowest, so the cells of one
 * server configuration are consecutive if the server's keys come first.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/sweep/sweep_priv.h"

#define LABEL_BYTES_MAX (1u << 20)

/* A part on its way to cells. */
struct making {
	struct exp_sweep_reader *sweep;
	struct exp_part *part;
	size_t sampled;  /* axes */
	size_t settings; /* of a cell */
	double *points;  /* [samples * sampled]; NULL: no sample */
	size_t samples;
	size_t combinations; /* of the other axes */
};

static bool is_over(const struct exp_sweep_reader *sweep, const struct exp_sample *sample,
		    const struct exp_axis *axis)
{
	for (size_t i = 0; sample->over != NULL && i < sample->over->count; i++) {
		const char *wanted = sample->over->items[i]->text;
		for (size_t k = 0; k < axis->key_count; k++) {
			if (exp_same_name(wanted, axis->keys[k]))
				return true;
		}
	}
	(void)sweep;
	return sample->over == NULL;
}

/* Each key of `over` has to be an axis. */
static bool check_over(const struct exp_sweep_reader *sweep, const struct exp_part *part)
{
	const struct pl_yaml *over = part->sample.over;
	bool all = true;

	for (size_t i = 0; over != NULL && i < over->count; i++) {
		struct pl_nearest nearest = { .name = over->items[i]->text };
		bool known = false;
		for (const struct exp_axis *axis = part->axes; axis != NULL; axis = axis->next) {
			for (size_t k = 0; k < axis->key_count; k++) {
				known = known || exp_same_name(nearest.name, axis->keys[k]);
				pl_nearest_try(&nearest, axis->keys[k]);
			}
		}
		if (known)
			continue;
		option_reader_add(sweep->reader, OPTION_ERROR, over->items[i], "sweep.sample.over",
				  NULL, "a key that varies in this section", nearest.found);
		all = false;
	}
	return all;
}

/* Checks that every axis has values, and that no key is in two of them. */
static bool check_axes(const struct making *making)
{
	json_t *keys = json_object();
	bool all = true;

	for (const struct exp_axis *axis = making->part->axes; axis != NULL; axis = axis->next) {
		for (size_t i = 0; i < axis->key_count; i++) {
			auto_free char *key = pl_asprintf("sweep.%s", axis->keys[i]);
			if (json_object_get(keys, key) != NULL) {
				option_reader_refuse(making->sweep->reader, axis->at, key,
						     "a duplicate key", "each key only once");
				all = false;
			}
			json_object_set_new(keys, key, json_true());
		}
		if (axis->count > 0 || axis->sampled)
			continue;
		auto_free char *key = pl_asprintf("sweep.%s", axis->keys[0]);
		option_reader_refuse(making->sweep->reader, axis->at, key,
				     "a range without 'step' or 'count'",
				     "'step', 'count', 'scale: 2^k' or a sample");
		all = false;
	}
	json_decref(keys);
	return all;
}

/* How many there are; false with a problem: none, or too many. */
static bool count_all(struct making *making)
{
	struct exp_part *part = making->part;
	const struct exp_sample *sample = &part->sample;
	size_t total;

	making->samples = sample->at != NULL ? (size_t)sample->count : 1;
	making->combinations = 1;
	for (struct exp_axis *axis = part->axes; axis != NULL; axis = axis->next) {
		axis->sampled = sample->at != NULL && is_over(making->sweep, sample, axis);
		making->sampled += axis->sampled;
		making->settings += axis->key_count;
	}
	if (!check_over(making->sweep, part) || !check_axes(making))
		return false;
	total = making->samples;
	for (const struct exp_axis *axis = part->axes; axis != NULL; axis = axis->next) {
		if (axis->sampled)
			continue;
		making->combinations *= axis->count;
		if (__builtin_mul_overflow(total, axis->count, &total) ||
		    total > EXP_SWEEP_CELLS_MAX)
			break;
	}
	const char *wrong = making->settings == 0 ? "no key" : NULL;
	const char *expected = "at least one key with values";
	if (total > EXP_SWEEP_CELLS_MAX) {
		wrong = "more than 100000 combinations";
		expected = "fewer combinations, or a sample of them";
	} else if (making->sampled > EXP_SAMPLE_DIMENSIONS_MAX) {
		wrong = "a sample over more than 16 axes";
		expected = "at most 16; name them in 'over'";
	}
	if (wrong != NULL)
		option_reader_refuse(making->sweep->reader, part->at,
				     part->name != NULL ? "sweep.sets" : "sweep", wrong, expected);
	return wrong == NULL;
}

/* Which step of an axis; `*rest` is the combination's number, the last axis its lowest digit. */
static void take_steps(const struct making *making, size_t sample, size_t rest,
		       const struct exp_setting **settings)
{
	size_t below = making->combinations;
	size_t dimension = 0;
	size_t filled = 0;

	for (const struct exp_axis *axis = making->part->axes; axis != NULL; axis = axis->next) {
		const struct exp_setting *step;
		if (axis->sampled) {
			double share = making->points[sample * making->sampled + dimension++];
			step = exp_axis_share(making->sweep, axis, share);
		} else {
			below /= axis->count;
			step = exp_axis_step(axis, rest / below);
			rest %= below;
		}
		for (size_t k = 0; k < axis->key_count; k++)
			settings[filled++] = &step[k];
	}
}

static json_t *make_point(const struct exp_sweep_cell *cell)
{
	json_t *point = json_object();

	for (size_t i = 0; i < cell->setting_count; i++)
		json_object_set_new(point, cell->settings[i]->key,
				    pl_yaml_to_json(cell->settings[i]->value));
	return point;
}

static bool fits(const struct making *making, const struct exp_sweep_cell *cell)
{
	for (const struct exp_condition *condition = making->part->conditions; condition != NULL;
	     condition = condition->next) {
		if (!exp_condition_holds(making->sweep, condition, cell))
			return false;
	}
	return true;
}

/* One combination: a cell, unless a condition leaves it out or it is one already. */
static void add_cell(const struct making *making, size_t sample, size_t combination)
{
	struct exp_sweep *sweep = making->sweep->sweep;
	struct exp_sweep_cell cell = {
		.set = making->part->name,
		.settings = pl_arena_alloc(sweep->arena,
					   making->settings * sizeof(const struct exp_setting *)),
		.setting_count = making->settings,
	};

	take_steps(making, sample, combination, cell.settings);
	cell.point = make_point(&cell);
	auto_json json_t *same = json_copy(cell.point);
	auto_free char *name = json_dumps(same, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	bool is_merged = json_object_get(making->sweep->seen, name) != NULL;
	if (is_merged || !fits(making, &cell)) {
		sweep->merged += is_merged;
		sweep->left_out += !is_merged;
		json_decref(cell.point);
		return;
	}
	json_object_set_new(making->sweep->seen, name, json_true());
	*PL_PUSH(sweep->cells, sweep->count, sweep->room) = cell;
}

void exp_cells_make(struct exp_sweep_reader *sweep, struct exp_part *part)
{
	struct making making = { .sweep = sweep, .part = part };
	size_t before = sweep->sweep->count + sweep->sweep->merged;
	bool all_known = true;

	for (const struct exp_condition *condition = part->conditions; condition != NULL;
	     condition = condition->next)
		all_known = exp_condition_check(sweep, condition, part) && all_known;
	if (!count_all(&making) || !all_known)
		return;
	if (part->sample.at != NULL)
		making.points = exp_sample_points(part->sample.method, making.samples,
						  making.sampled, (uint64_t)part->sample.seed);
	for (size_t i = 0; i < making.samples; i++) {
		for (size_t k = 0; k < making.combinations; k++)
			add_cell(&making, i, k);
	}
	free(making.points);
	if (sweep->sweep->count + sweep->sweep->merged == before)
		option_reader_refuse(sweep->reader,
				     part->conditions != NULL ? part->conditions->at : part->at,
				     "sweep.where", "a condition that excludes every combination",
				     "a condition that at least one combination meets");
}

/* ---- labels ---- */

/* Returns "max_num_seqs" if no other key has that ending, otherwise the whole key. */
static const char *short_key(const struct exp_sweep_cell *cell, const char *key)
{
	const char *last = strrchr(key, '.') + 1;

	for (size_t i = 0; i < cell->setting_count; i++) {
		const char *other = cell->settings[i]->key;
		if (strcmp(other, key) != 0 && strcmp(strrchr(other, '.') + 1, last) == 0)
			return key;
	}
	return last;
}

void exp_cells_label(struct exp_sweep *sweep)
{
	for (size_t i = 0; i < sweep->count; i++) {
		struct exp_sweep_cell *cell = &sweep->cells[i];
		auto_buf label = PL_BUF(LABEL_BYTES_MAX);
		PL_JSON_EACH_MEMBER(key, value, cell->point) {
			auto_free char *text = pl_json_to_plain(value);
			pl_buf_addf(&label, "%s%s=%s", label.len > 0 ? " " : "",
				    short_key(cell, key), text);
		}
		cell->label = pl_buf_take(&label);
	}
}

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/groups/keys_priv.h"
#include "query/series/analysis_priv.h"

#define HOST  "environment.hostname"
#define SHARE "share"

/* New hardware starts a segment: model and number of GPUs, and the driver. */
static const char *const hardware_ids[SERIES_HARDWARE_FIELDS] = {
	"system.hardware_info.gpu_name",
	"launch.gpus.name",
	"derived.gpu_count",
	"environment.gpu_driver",
};

const struct series_row *query_analysis_row(const struct analysis *analysis, size_t item,
					    size_t point)
{
	return analysis->set.configurations[analysis->items[item].configuration].rows[point];
}

/* Combines the identities of several columns; 0 if none is recorded. */
static void read_hardware(struct analysis *analysis)
{
	const struct series_set *set = &analysis->set;
	auto_free uint64_t *identities = pl_alloc_array(set->bitmap_count + 1, sizeof(*identities));

	analysis->hardware_of = pl_alloc_array(set->bitmap_count + 1, sizeof(uint64_t));
	analysis->host_of = pl_alloc_array(set->bitmap_count + 1, sizeof(uint64_t));
	for (size_t i = 0; i < SERIES_HARDWARE_FIELDS; i++) {
		const struct mirror_column *column = mirror_view_column(set->view, hardware_ids[i]);
		analysis->hardware[i] = column;
		if (column == NULL || !mirror_column_is_recorded(column))
			continue;
		query_series_identities(set, column, identities);
		for (size_t k = 0; k < set->bitmap_count; k++) {
			if (identities[k] != 0)
				analysis->hardware_of[k] =
					query_keys_mix(query_keys_mix(analysis->hardware_of[k], i),
						       identities[k]) |
					1;
		}
	}
	analysis->host = mirror_view_column(set->view, HOST);
	if (analysis->host != NULL)
		query_series_identities(set, analysis->host, analysis->host_of);
}

/* ---- one series ---------------------------------------------------------------------------------- */

/* Codes of one series, in order of appearance: they depend only on its points. */
struct codes {
	uint64_t *seen;
	uint32_t count;
};

static uint32_t code_of(struct codes *codes, uint64_t identity)
{
	if (identity == 0)
		return 0;
	for (uint32_t i = codes->count; i > 0; i--) {
		if (codes->seen[i - 1] == identity)
			return i;
	}
	codes->seen[codes->count++] = identity;
	return codes->count;
}

static enum res_change_scale scale_of(const struct res_field *field)
{
	return strcmp(field->unit, SHARE) == 0 ? RES_SCALE_LOGIT : RES_SCALE_LOG;
}

static void fill_points(const struct analysis *analysis,
			const struct series_configuration *configuration, const double *numbers,
			struct res_change_point *points)
{
	struct codes hardware = { pl_alloc_array(configuration->count, sizeof(uint64_t)), 0 };
	struct codes host = { pl_alloc_array(configuration->count, sizeof(uint64_t)), 0 };
	struct codes version = { pl_alloc_array(configuration->count, sizeof(uint64_t)), 0 };

	for (size_t i = 0; i < configuration->count; i++) {
		const struct series_row *row = configuration->rows[i];
		points[i] = (struct res_change_point){
			.at = row->position,
			.id = row->order,
			.value = numbers[row->index],
			.hardware = code_of(&hardware, analysis->hardware_of[row->index]),
			.host = code_of(&host, analysis->host_of[row->index]),
			.version = code_of(&version, row->version),
		};
	}
	free(hardware.seen);
	free(host.seen);
	free(version.seen);
}

/* is_here: `at` is a position of this axis. */
static size_t point_of(const struct series_configuration *configuration, int64_t experiment,
		       int64_t at, bool is_here)
{
	size_t i = 0;

	while (experiment > 0 && i < configuration->count &&
	       configuration->rows[i]->id != experiment)
		i++;
	if (experiment > 0 && i < configuration->count)
		return i;
	for (i = 0; is_here && i < configuration->count; i++) {
		if (configuration->rows[i]->at >= at)
			return i;
	}
	return configuration->count;
}

/* A later decision about the same position replaces an earlier one. */
static void decide(struct series_item *item, int64_t at, enum res_change_decision_kind kind,
		   size_t *room)
{
	for (size_t i = 0; i < item->decision_count; i++) {
		if (item->decisions[i].at == at) {
			item->decisions[i].kind = kind;
			return;
		}
	}
	*PL_PUSH(item->decisions, item->decision_count,
		 *room) = (struct res_change_decision){ at, kind };
}

static enum res_change_decision_kind kind_of(const char *name)
{
	enum res_change_decision_kind kind = RES_DECISION_WRONG;

	while (kind > RES_DECISION_NONE && !pl_text_equal(name, res_change_decision_name(kind)))
		kind--;
	return kind;
}

static void place_decisions(const struct analysis *analysis,
			    const struct series_configuration *configuration,
			    struct series_item *item)
{
	size_t room = 0;

	item->placed = json_array();
	PL_JSON_EACH(decision, json_object_get(analysis->decisions, item->key)) {
		int64_t experiment = pl_json_get_i64(decision, "experiment_id");
		int64_t at = pl_json_get_i64(decision, "at");
		bool is_by_version = analysis->set.is_by_version;
		bool is_here = pl_text_equal(pl_json_get_text(decision, "order_by"),
					     is_by_version ? "version" : "time");
		/* a time remains if the result is deleted; the rank of a version may be that of another one by then */
		size_t point = point_of(configuration, experiment, at,
					is_here && (experiment == 0 || !is_by_version));
		bool is_placed = point < configuration->count;
		const char *kind = pl_json_get_text(decision, "kind");
		json_array_append_new(item->placed,
				      json_pack("{s:o, s:I, s:o, s:s}", "index",
						pl_json_i64((int64_t)point, is_placed), "at",
						(json_int_t)at, "experiment_id",
						pl_json_i64(experiment, experiment > 0), "kind",
						kind));
		if (is_placed)
			decide(item, configuration->rows[point]->position, kind_of(kind), &room);
	}
}

static void sort_decisions(struct analysis *analysis)
{
	analysis->decisions = json_object();
	PL_JSON_EACH(decision, analysis->inputs->decisions) {
		const char *series = pl_json_get_text(decision, "series");
		json_t *list = json_object_get(analysis->decisions, series);
		if (list == NULL) {
			list = json_array();
			json_object_set_new(analysis->decisions, series, list);
		}
		json_array_append(list, decision);
	}
}

/* Everything that the analysis of the series depends on. */
static void hash_series(const struct analysis *analysis, const struct res_change_series *series,
			char hex[PL_SHA256_HEX_BYTES])
{
	auto_buf bytes = PL_BUF(64u << 20);

	pl_buf_addf(&bytes, "%d %d %s %d %d %a", QUERY_ANALYSIS_VERSION, analysis->is_sensitive,
		    series->key, series->direction, series->scale, series->effect_min);
	for (size_t i = 0; i < series->decision_count; i++)
		pl_buf_addf(&bytes, "\n%lld %d", (long long)series->decisions[i].at,
			    series->decisions[i].kind);
	for (size_t i = 0; i < series->count; i++) {
		const struct res_change_point *point = &series->points[i];
		pl_buf_addf(&bytes, "\n%lld %s %u %u %u ", (long long)point->at, point->id,
			    point->hardware, point->host, point->version);
		pl_buf_add(&bytes, &point->value, sizeof(point->value));
	}
	pl_sha256(pl_buf_text(&bytes), bytes.len, hex);
}

static void add_series(struct analysis *analysis, size_t configuration, size_t metric,
		       const double *numbers)
{
	const struct series_configuration *rows = &analysis->set.configurations[configuration];
	const struct series_metric *about = &analysis->metrics[metric];
	struct series_item *item = &analysis->items[analysis->count];
	struct res_change_series *series = &analysis->series[analysis->count];

	*item = (struct series_item){ .configuration = configuration,
				      .metric = metric,
				      .key = pl_asprintf("%s:%s", rows->key, about->field->id) };
	place_decisions(analysis, rows, item);
	*series = (struct res_change_series){
		.key = item->key,
		.points = pl_alloc_array(rows->count, sizeof(*series->points)),
		.count = rows->count,
		.decisions = item->decisions,
		.decision_count = item->decision_count,
		.direction = about->field->direction,
		.scale = scale_of(about->field),
		.effect_min = about->effect_min,
	};
	fill_points(analysis, rows, numbers, series->points);
	hash_series(analysis, series, analysis->hashes[analysis->count]);
	analysis->count++;
}

/* ---- all series ---------------------------------------------------------------------------------- */

static bool has_number(const struct series_configuration *configuration, const double *numbers)
{
	for (size_t i = 0; i < configuration->count; i++) {
		if (isfinite(numbers[configuration->rows[i]->index]))
			return true;
	}
	return false;
}

static void count_without_metric(struct analysis *analysis, double *const *numbers)
{
	const struct series_set *set = &analysis->set;

	for (size_t i = 0; i < set->row_count; i++) {
		bool has_any = false;
		for (size_t k = 0; k < analysis->metric_count && !has_any; k++)
			has_any = isfinite(numbers[k][set->rows[i].index]);
		analysis->no_metric += !has_any;
	}
}

static void free_numbers(double **numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(numbers[i]);
	free(numbers);
}

int query_analysis_read_points(struct analysis *analysis, struct pl_err *err)
{
	struct series_set *set = &analysis->set;
	size_t most = set->configuration_count * analysis->metric_count + 1;
	double **numbers = pl_alloc_array(analysis->metric_count + 1, sizeof(*numbers));
	int result = 0;

	read_hardware(analysis);
	sort_decisions(analysis);
	analysis->items = pl_alloc_array(most, sizeof(*analysis->items));
	analysis->series = pl_alloc_array(most, sizeof(*analysis->series));
	analysis->analyses = pl_alloc_array(most, sizeof(*analysis->analyses));
	analysis->hashes = pl_alloc_array(most, sizeof(*analysis->hashes));
	for (size_t i = 0; i < analysis->metric_count && result == 0; i++) {
		numbers[i] = pl_alloc_array(set->bitmap_count + 1, sizeof(**numbers));
		query_series_numbers(set, analysis->metrics[i].column, numbers[i]);
		result = mirror_view_goes_on(set->view, err);
	}
	if (result == 0)
		count_without_metric(analysis, numbers);
	for (size_t i = 0; i < set->configuration_count && result == 0; i++) {
		for (size_t k = 0; k < analysis->metric_count; k++) {
			if (!analysis->metrics[k].is_optional ||
			    has_number(&set->configurations[i], numbers[k]))
				add_series(analysis, i, k, numbers[k]);
		}
		result = mirror_view_goes_on(set->view, err);
	}
	free_numbers(numbers, analysis->metric_count);
	return result;
}

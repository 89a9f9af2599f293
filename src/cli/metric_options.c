#include "cli/metric_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void cli_metrics_done(struct cli_metrics *metrics)
{
	for (size_t i = 0; i < metrics->id_count; i++)
		free(metrics->ids[i]);
	free(metrics->ids);
	free(metrics->items);
}

/* "p99_ttft_ms" means results.p99_ttft_ms. */
static char *id_of(const struct res_fields *fields, const char *name)
{
	struct res_field field;
	char *id = pl_asprintf("results.%s", name);
	bool is_itself = res_fields_resolve(fields, name, &field, NULL) == 0;

	if (!is_itself &&
	    (strchr(name, '.') == NULL || res_fields_resolve(fields, id, &field, NULL) == 0))
		return id;
	free(id);
	return pl_strdup(name);
}

/* Compares the name with the ids without "results.", because they would make all ids similar. */
static int refuse_metric(const struct res_fields *fields, const char *option, const char *name,
			 struct pl_err *err)
{
	static const char section[] = "results.";
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < res_fields_count(fields); i++) {
		const char *id = res_fields_at(fields, i)->id;
		pl_nearest_try(&nearest, pl_text_starts(id, section) ? id + strlen(section) : id);
	}
	return pl_err_invalid(err, "%s: unknown metric '%s'%s%s%s", option, name,
			      nearest.found != NULL ? " (did you mean '" : "",
			      nearest.found != NULL ? nearest.found : "",
			      nearest.found != NULL ? "'?)" : "");
}

int cli_metrics_add(const struct res_fields *fields, const char *option, const char *name,
		    struct cli_metrics *ret, struct pl_err *err)
{
	struct res_field field;
	char *id = id_of(fields, name);

	*PL_PUSH(ret->ids, ret->id_count, ret->id_room) = id;
	if (res_fields_resolve(fields, id, &field, NULL) < 0)
		return refuse_metric(fields, option, name, err);
	if (field.type != RES_FIELD_NUMBER && field.type != RES_FIELD_COUNT)
		return pl_err_invalid(err, "%s '%s': expected a metric, but '%s' is not numeric",
				      option, name, id);
	*PL_PUSH(ret->items, ret->count, ret->room) = field;
	return 0;
}

int cli_metrics_read(const struct res_fields *fields, const struct pl_opt_list *lists,
		     struct cli_metrics *ret, struct pl_err *err)
{
	for (size_t i = 0; i < lists->count; i++) {
		auto_free char *copy = pl_strdup(lists->items[i]);
		for (char *rest = copy, *name; (name = strsep(&rest, ",")) != NULL;) {
			if (cli_metrics_add(fields, "--metrics", pl_text_trim(name), ret, err) < 0)
				return -1;
		}
	}
	return 0;
}

int cli_metrics_complete(const struct res_fields *fields, struct cli_metrics *metrics,
			 struct pl_err *err)
{
	static const char *const defaults[] = { "output_throughput", "median_ttft_ms",
						"median_tpot_ms" };
	bool has_none = metrics->count == 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(defaults) && has_none; i++) {
		if (cli_metrics_add(fields, "--metrics", defaults[i], metrics, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < metrics->count; i++) {
		if (metrics->items[i].direction == RES_FIELD_NEITHER)
			return pl_err_invalid(
				err, "--metrics '%s': expected a metric with a better direction",
				metrics->items[i].id);
	}
	return 0;
}

int cli_share_read(const char *option, const char *text, double *ret, struct pl_err *err)
{
	auto_free char *number = pl_strdup(text);
	size_t len = strlen(number);
	bool is_percent = len > 0 && number[len - 1] == '%';
	double value;

	if (is_percent)
		number[len - 1] = '\0';
	if (!pl_text_to_f64(number, &value) || !(value > 0) || !(value < (is_percent ? 100 : 1)))
		return pl_err_invalid(err, "%s: found '%s', expected a share such as 5%% or 0.05",
				      option, text);
	*ret = is_percent ? value / 100 : value;
	return 0;
}

#include "result/slo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static int parse_limit(const char *text, struct res_slo *slo, struct pl_err *err)
{
	const char *colon = strchr(text, ':');
	double *into = NULL;
	double value = NAN;

	if (colon == NULL || strchr(colon + 1, ':') != NULL)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'goodput': found '%s', expected NAME:MILLISECONDS", text);
	auto_free char *name = pl_strndup(text, (size_t)(colon - text));
	if (pl_text_equal(name, "ttft"))
		into = &slo->ttft_ms;
	else if (pl_text_equal(name, "tpot"))
		into = &slo->tpot_ms;
	else if (pl_text_equal(name, "e2el"))
		into = &slo->e2el_ms;
	if (into == NULL)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'goodput': found '%s', expected one of ttft, tpot, e2el", name);
	if (!pl_text_to_f64(colon + 1, &value) || isnan(value) || value < 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'goodput': '%s': found '%s', expected a number from 0", name,
				  colon + 1);
	*into = value;
	return 0;
}

/* One item of the list may hold several limits, as a command line's words do. */
static int parse_item(const char *item, struct res_slo *slo, struct pl_err *err)
{
	auto_free char *words = pl_strdup(item);
	char *save = NULL;

	for (char *word = strtok_r(words, " \t", &save); word != NULL;
	     word = strtok_r(NULL, " \t", &save)) {
		if (parse_limit(word, slo, err) < 0)
			return -1;
	}
	return 0;
}

int res_slo_parse(const json_t *list, struct res_slo *ret, struct pl_err *err)
{
	struct res_slo slo = { NAN, NAN, NAN };
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)list, i, item)
	{
		if (!json_is_string(item))
			return pl_err_set(err, PL_ERR_INVALID, "'goodput': expected texts");
		if (parse_item(json_string_value(item), &slo, err) < 0)
			return -1;
	}
	*ret = slo;
	return 0;
}

int res_percentiles_parse(const char *text, double **ret, size_t *ret_count, struct pl_err *err)
{
	auto_free double *all = pl_alloc_array(strlen(text) + 1, sizeof(double));
	auto_free char *copy = pl_strdup(text);
	char *rest = copy;
	size_t count = 0;
	char *word;

	while ((word = strsep(&rest, ",")) != NULL) {
		double value = NAN;
		word = pl_text_trim(word);
		if (!pl_text_to_f64(word, &value) || !(value >= 0 && value <= 100))
			return pl_err_set(
				err, PL_ERR_INVALID,
				"'metric_percentiles': found '%s', expected numbers from 0 to 100",
				word);
		all[count++] = value;
	}
	*ret = pl_take(all);
	*ret_count = count;
	return 0;
}

void res_percentile_text(double percentile, char text[PL_F64_TEXT_BYTES])
{
	pl_text_from_f64(percentile, text);
	if (pl_text_ends(text, ".0"))
		text[strlen(text) - 2] = '\0';
}

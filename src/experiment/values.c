/*
 * Texts with a form of their own, for the checks and for those who use the values: one parser, so
 * that what was accepted can be read.
 *
 *   goodput               "ttft:200 tpot:50", milliseconds
 *   metric_percentiles    "50,90,99.9"
 *   random_range_ratio    "0.5", or {"input": 0.2, "output": 0.5}
 *   source_addresses      "10.0.0.1", "[::1]"
 */
#include "experiment/values.h"

#include <math.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static bool add_limit(struct exp_slo *slo, const char *text, const char **ret_expected)
{
	const char *colon = strchr(text, ':');
	double *into = NULL;
	double value = NAN;

	*ret_expected = EXP_SLO_FORM;
	if (colon == NULL || !pl_text_to_f64(colon + 1, &value) || !(value >= 0))
		return false;
	auto_free char *name = pl_strndup(text, (size_t)(colon - text));
	if (pl_text_equal(name, "ttft"))
		into = &slo->ttft_ms;
	else if (pl_text_equal(name, "tpot"))
		into = &slo->tpot_ms;
	else if (pl_text_equal(name, "e2el"))
		into = &slo->e2el_ms;
	*ret_expected = "ttft, tpot or e2el";
	if (into == NULL)
		return false;
	*into = value;
	return true;
}

/* One item may hold several, as one word on the command line does. */
bool exp_slo_add(struct exp_slo *slo, const char *item, const char **ret_expected)
{
	auto_free char *words = pl_strdup(item);
	char *save = NULL;
	size_t count = 0;

	for (char *word = strtok_r(words, " \t", &save); word != NULL;
	     word = strtok_r(NULL, " \t", &save), count++) {
		if (!add_limit(slo, word, ret_expected))
			return false;
	}
	*ret_expected = EXP_SLO_FORM;
	return count > 0;
}

int exp_slo_parse(const json_t *list, struct exp_slo *ret, struct pl_err *err)
{
	struct exp_slo slo = { NAN, NAN, NAN };

	PL_JSON_EACH(item, list) {
		const char *text = json_is_string(item) ? json_string_value(item) : "";
		const char *expected;
		if (!exp_slo_add(&slo, text, &expected))
			return pl_err_invalid(err, "'goodput': found '%s', expected %s", text,
					      expected);
	}
	*ret = slo;
	return 0;
}

bool exp_percentile_parse(const char *text, double *ret)
{
	auto_free char *copy = pl_strdup(text);
	double value;

	if (!pl_text_to_f64(pl_text_trim(copy), &value) || !(value >= 0 && value <= 100))
		return false;
	*ret = value;
	return true;
}

int exp_percentiles_parse(const char *text, double **ret, size_t *ret_count, struct pl_err *err)
{
	auto_free double *all = pl_alloc_array(strlen(text) + 1, sizeof(double));
	auto_free char *copy = pl_strdup(text);
	size_t count = 0;

	for (char *rest = copy, *word; (word = strsep(&rest, ",")) != NULL;) {
		if (!exp_percentile_parse(word, &all[count++]))
			return pl_err_invalid(
				err,
				"'metric_percentiles': found '%s', expected numbers from 0 to 100",
				word);
	}
	*ret = pl_take(all);
	*ret_count = count;
	return 0;
}

/* Formats it as in a metric's name: "p99", not "p99.0". */
void exp_percentile_text(double percentile, char text[PL_F64_TEXT_BYTES])
{
	pl_text_from_f64(percentile, text);
	if (pl_text_ends(text, ".0"))
		text[strlen(text) - 2] = '\0';
}

bool exp_range_ratio_parse(const char *text, struct exp_range_ratio *ret)
{
	auto_json json_t *both = NULL;
	double ratio = NAN;

	if (pl_text_to_f64(text, &ratio)) {
		*ret = (struct exp_range_ratio){ ratio, ratio };
	} else {
		both = json_loads(text, 0, NULL);
		const json_t *input = json_object_get(both, "input");
		const json_t *output = json_object_get(both, "output");
		if (!json_is_number(input) || !json_is_number(output))
			return false;
		/* ignore further keys: vLLM reads only these two */
		*ret = (struct exp_range_ratio){ json_number_value(input),
						 json_number_value(output) };
	}
	return ret->input >= 0 && ret->input < 1 && ret->output >= 0 && ret->output < 1;
}

/* AI_NUMERICHOST: a name would ask a server, and may mean several addresses. */
bool exp_address_parse(const char *text, struct exp_address *ret)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
					.ai_family = AF_UNSPEC,
					.ai_flags = AI_NUMERICHOST };
	struct addrinfo *found = NULL;
	size_t len = strlen(text);
	bool bracketed = len > 2 && text[0] == '[' && text[len - 1] == ']';
	auto_free char *bare = bracketed ? pl_strndup(text + 1, len - 2) : pl_strdup(text);

	if (bare[0] == '\0' || getaddrinfo(bare, NULL, &hints, &found) != 0)
		return false;
	*ret = (struct exp_address){ .len = found->ai_addrlen };
	memcpy(&ret->addr, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return true;
}

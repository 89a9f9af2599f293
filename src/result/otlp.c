#include "result/otlp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Units of fields in UCUM, which names what it counts in braces. */
static const struct {
	const char *unit, *ucum;
} units[] = {
	{ "ms", "ms" },
	{ "s", "s" },
	{ "req", "{request}" },
	{ "req/s", "{request}/s" },
	{ "tok", "{token}" },
	{ "tok/s", "{token}/s" },
	{ "J/tok", "J/{token}" },
	{ "chunks/s", "{chunk}/s" },
	{ "share", "1" },
	{ "", "1" },
	{ "count", "1" },
	{ "s/s", "1" },
	{ "%", "%" },
	{ "g", "g" },
	{ "currency", "{currency}" },
	{ "currency/h", "{currency}/h" },
};

static json_t *unit_of(const char *unit)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].unit, unit) == 0)
			return json_string(units[i].ucum);
	}
	return json_sprintf("{%s}", unit);
}

static bool is_exported(const struct res_field *field)
{
	return (field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT) &&
	       (pl_text_starts(field->id, "results.") || pl_text_starts(field->id, "derived."));
}

/* 64-bit integers are texts in the JSON encoding. */
static json_t *integer(int64_t value)
{
	return json_sprintf("%lld", (long long)value);
}

/* Returns NULL if the result does not have the number. */
static json_t *metric_of(const struct res_fields *fields, const struct res_field *field,
			 const json_t *result, int64_t time_ns)
{
	auto_value value = { 0 };
	json_t *point;

	res_field_value(fields, field, result, &value);
	if (value.state != RES_VALUE_PRESENT || value.kind != RES_VALUE_NUMBER ||
	    !isfinite(value.number))
		return NULL;
	point = json_pack("{s:o}", "timeUnixNano", integer(time_ns));
	if (field->type == RES_FIELD_COUNT && fabs(value.number) < 0x1p53)
		json_object_set_new(point, "asInt", integer((int64_t)value.number));
	else
		json_object_set_new(point, "asDouble", json_real(value.number));
	return json_pack("{s:o, s:s, s:o, s:{s:[o]}}", "name",
			 json_sprintf("profllm.%s", field->id), "description", field->help, "unit",
			 unit_of(field->unit), "gauge", "dataPoints", point);
}

static void add_attribute(json_t *attributes, const char *key, const char *value)
{
	json_array_append_new(attributes, json_pack("{s:s, s:{s:o}}", "key", key, "value",
						    "stringValue", pl_json_text(value)));
}

static json_t *attributes_of(const struct res_fields *fields, const json_t *result,
			     const char *program_version)
{
	/* the model of a server of our own, or that of the requests */
	static const char *const rows[][3] = {
		{ "profllm.run_id", "run.run_id", NULL },
		{ "profllm.suite", "run.suite", NULL },
		{ "profllm.name", "run.name", NULL },
		{ "profllm.model", "server.model", "benchmark.model" },
		{ "profllm.engine_version", "environment.engine.version", NULL },
		{ "profllm.status", "run.status", NULL },
		{ "profllm.verdict", "quality.verdict", NULL },
	};
	json_t *attributes = json_array();

	add_attribute(attributes, "service.name", "profllm");
	add_attribute(attributes, "service.version", program_version);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		bool is_set = false;
		for (size_t k = 1; k < 3 && rows[i][k] != NULL && !is_set; k++) {
			const struct res_field *field = res_fields_find(fields, rows[i][k]);
			auto_value value = { 0 };
			if (field == NULL)
				continue;
			res_field_value(fields, field, result, &value);
			is_set = value.state == RES_VALUE_PRESENT && value.kind == RES_VALUE_TEXT;
			if (is_set)
				add_attribute(attributes, rows[i][0], value.text);
		}
	}
	return attributes;
}

json_t *res_otlp_request(const struct res_fields *fields, const json_t *result,
			 const char *program_version, int64_t time_ns, size_t *ret_count)
{
	json_t *metrics = json_array();

	for (size_t i = 0; i < res_fields_count(fields); i++) {
		const struct res_field *field = res_fields_at(fields, i);
		json_t *metric = is_exported(field) ? metric_of(fields, field, result, time_ns)
						    : NULL;
		if (metric != NULL)
			json_array_append_new(metrics, metric);
	}
	if (ret_count != NULL)
		*ret_count = json_array_size(metrics);
	return json_pack("{s:[{s:{s:o}, s:[{s:{s:s, s:s}, s:o}]}]}", "resourceMetrics", "resource",
			 "attributes", attributes_of(fields, result, program_version),
			 "scopeMetrics", "scope", "name", "profllm", "version", program_version,
			 "metrics", metrics);
}

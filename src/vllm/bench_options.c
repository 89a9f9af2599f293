#include "vllm/bench_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/secret.h"

#define STATE_NOW   false
#define STATE_LATER true

#define ORIGIN_VLLM     0
#define ORIGIN_OURS     1
#define ORIGIN_OLD_VLLM 2

static const struct vllm_bench_row rows[] = {
#define BENCH(type_, name_, def_, min_, max_, choices_, state_, origin_, help_) \
	{ .name = #name_,                                                       \
	  .type = VLLM_BENCH_##type_,                                           \
	  .offset = offsetof(struct vllm_bench, name_),                         \
	  .def = def_,                                                          \
	  .min = min_,                                                          \
	  .max = max_,                                                          \
	  .choices = choices_,                                                  \
	  .later = STATE_##state_,                                              \
	  .ours = ORIGIN_##origin_ == ORIGIN_OURS,                              \
	  .old = ORIGIN_##origin_ == ORIGIN_OLD_VLLM,                           \
	  .help = help_ },
#include "tbl/bench_args.h"
#undef BENCH
};

const struct vllm_bench_row *vllm_bench_row(enum vllm_bench_id id)
{
	return &rows[id];
}

enum vllm_bench_id vllm_bench_find(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		size_t at = 0;
		while (at < len && (name[at] == '-' ? '_' : name[at]) == rows[i].name[at])
			at++;
		if (at == len && rows[i].name[at] == '\0')
			return (enum vllm_bench_id)i;
	}
	return VLLM_BENCH_COUNT;
}

static void *member(struct vllm_bench *bench, const struct vllm_bench_row *row)
{
	return (char *)bench + row->offset;
}

static void set_json(json_t **member_json, const json_t *value)
{
	json_t *copy = json_is_null(value) ? NULL : json_deep_copy(value);

	json_decref(*member_json);
	*member_json = copy;
}

static double to_f64(const json_t *value)
{
	double number = NAN;

	if (json_is_string(value))
		(void)pl_text_to_f64(json_string_value(value), &number);
	else if (json_is_number(value))
		number = json_number_value(value);
	return number;
}

void vllm_bench_set(struct vllm_bench *bench, enum vllm_bench_id id, const json_t *value)
{
	const struct vllm_bench_row *row = &rows[id];
	void *into = member(bench, row);

	switch (row->type) {
	case VLLM_BENCH_BOOL:
		*(bool *)into = json_is_true(value);
		break;
	case VLLM_BENCH_TRI:
		*(int *)into = json_is_null(value) ? -1 : json_is_true(value);
		break;
	case VLLM_BENCH_I64:
	case VLLM_BENCH_DUR:
		*(int64_t *)into = json_is_integer(value) ? json_integer_value(value)
							  : OPTION_NO_I64;
		break;
	case VLLM_BENCH_F64:
		*(double *)into = to_f64(value);
		break;
	case VLLM_BENCH_TEXT:
		free(*(char **)into);
		*(char **)into = pl_strdup(json_string_value(value));
		break;
	case VLLM_BENCH_JSON:
	case VLLM_BENCH_LIST:
		set_json(into, value);
		break;
	}
}

/* The row's default as vllm_bench_set() takes it. */
static json_t *default_value(const struct vllm_bench_row *row)
{
	int64_t number = 0;
	double real = 0;

	if (strcmp(row->def, "null") == 0)
		return json_null();
	switch (row->type) {
	case VLLM_BENCH_BOOL:
	case VLLM_BENCH_TRI:
		return json_boolean(strcmp(row->def, "true") == 0);
	case VLLM_BENCH_I64:
		return pl_text_to_i64(row->def, &number) ? json_integer(number) : json_null();
	case VLLM_BENCH_DUR:
		return pl_text_to_duration_ns(row->def, &number) ? json_integer(number)
								 : json_null();
	case VLLM_BENCH_F64:
		if (!pl_text_to_f64(row->def, &real))
			return json_null();
		return isinf(real) ? json_string(row->def) : json_real(real);
	case VLLM_BENCH_TEXT:
		return json_string(row->def);
	case VLLM_BENCH_JSON:
	case VLLM_BENCH_LIST:
		return json_loads(row->def, 0, NULL);
	}
	return json_null();
}

void vllm_bench_init(struct vllm_bench *bench)
{
	memset(bench, 0, sizeof(*bench));
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *value = default_value(&rows[i]);
		vllm_bench_set(bench, (enum vllm_bench_id)i, value);
	}
}

void vllm_bench_done(struct vllm_bench *bench)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		void *into = member(bench, &rows[i]);
		if (rows[i].type == VLLM_BENCH_TEXT)
			free(*(char **)into);
		else if (rows[i].type == VLLM_BENCH_JSON || rows[i].type == VLLM_BENCH_LIST)
			json_decref(*(json_t **)into);
	}
	memset(bench, 0, sizeof(*bench));
}

bool vllm_bench_thresholds(const char *text, double ret_ms[2])
{
	auto_free char *copy = pl_strdup(text != NULL ? text : "");
	double limits_ms[2] = { 0 };
	size_t count = 0;

	for (char *rest = copy, *one; (one = strsep(&rest, ",")) != NULL; count++) {
		double value;
		if (count == 2 || !pl_text_to_f64(pl_text_trim(one), &value) || isnan(value))
			return false;
		limits_ms[count] = value;
	}
	if (count != 2)
		return false;
	memcpy(ret_ms, limits_ms, sizeof(limits_ms));
	return true;
}

/* "NAME=***" for each "NAME=value". */
static json_t *without_values(const json_t *headers)
{
	json_t *shown = json_array();
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)headers, i, item)
	{
		const char *text = json_string_value(item);
		json_array_append_new(shown,
				      json_sprintf("%.*s=***", (int)strcspn(text, "="), text));
	}
	return shown;
}

static json_t *f64_to_json(double value)
{
	if (isinf(value))
		return json_string(value > 0 ? "inf" : "-inf");
	return pl_json_number(value);
}

json_t *vllm_bench_get(const struct vllm_bench *bench, enum vllm_bench_id id)
{
	const struct vllm_bench_row *row = &rows[id];
	const void *from = (const char *)bench + row->offset;
	json_t *json;

	switch (row->type) {
	case VLLM_BENCH_BOOL:
		return json_boolean(*(const bool *)from);
	case VLLM_BENCH_TRI:
		return *(const int *)from < 0 ? json_null() : json_boolean(*(const int *)from);
	case VLLM_BENCH_I64:
		if (*(const int64_t *)from == OPTION_NO_I64)
			return json_null();
		return json_integer(*(const int64_t *)from);
	case VLLM_BENCH_DUR:
		return option_duration_to_json(*(const int64_t *)from);
	case VLLM_BENCH_F64:
		return f64_to_json(*(const double *)from);
	case VLLM_BENCH_TEXT:
		return pl_json_text(*(char *const *)from);
	case VLLM_BENCH_JSON:
	case VLLM_BENCH_LIST:
		json = *(json_t *const *)from;
		if (json == NULL)
			return json_null();
		return id == VLLM_BENCH_header ? without_values(json) : json_deep_copy(json);
	}
	return json_null();
}

json_t *vllm_bench_to_json(const struct vllm_bench *bench)
{
	json_t *json = json_object();

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *value = vllm_bench_get(bench, (enum vllm_bench_id)i);
		json_object_set_new(json, rows[i].name, vllm_secret_json_shown(value));
	}
	return json;
}

bool vllm_bench_is_default(const struct vllm_bench *bench, enum vllm_bench_id id)
{
	struct vllm_bench plain;

	vllm_bench_init(&plain);
	auto_json json_t *mine = vllm_bench_get(bench, id);
	auto_json json_t *theirs = vllm_bench_get(&plain, id);
	vllm_bench_done(&plain);
	return json_equal(mine, theirs);
}

/* What is expected, in words; and the words that an item of lora_modules is. */
#include "vllm/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/bench_options.h"

enum { CHOICES_SHOWN_MAX = 16 };

static void add_number(struct pl_buf *buf, const struct vllm_spec *spec, double value)
{
	char number[PL_F64_TEXT_BYTES];

	if (spec->kind == VLLM_KIND_DURATION) {
		auto_json json_t *duration = vllm_duration_to_json((int64_t)value);
		pl_buf_add_text(buf, json_string_value(duration));
		return;
	}
	if (value == floor(value) && fabs(value) < 1e15) {
		pl_buf_addf(buf, "%.0f", value);
		return;
	}
	pl_text_from_f64(value, number);
	pl_buf_add_text(buf, number);
}

static void add_bounds(struct pl_buf *buf, const struct vllm_spec *spec)
{
	const char *exclusive = spec->exclusive != NULL ? spec->exclusive : "";
	bool above = strcmp(exclusive, "min") == 0 || strcmp(exclusive, "both") == 0;
	bool below = strcmp(exclusive, "max") == 0 || strcmp(exclusive, "both") == 0;
	bool has_min = isfinite(spec->min);
	bool has_max = isfinite(spec->max);

	if (has_min && has_max && !above && !below) {
		pl_buf_add_text(buf, " from ");
		add_number(buf, spec, spec->min);
		pl_buf_add_text(buf, " to ");
		add_number(buf, spec, spec->max);
		return;
	}
	if (has_min) {
		pl_buf_add_text(buf, above ? " above " : " of at least ");
		add_number(buf, spec, spec->min);
	}
	if (has_max) {
		pl_buf_add_text(buf, has_min ? " and" : below ? "" : " of");
		pl_buf_add_text(buf, below ? " below " : " at most ");
		add_number(buf, spec, spec->max);
	}
}

static void add_value(struct pl_buf *buf, const json_t *value)
{
	auto_free char *text = json_is_string(value) && json_string_length(value) > 0
				       ? pl_strdup(json_string_value(value))
				       : pl_json_to_text(value, PL_JSON_COMPACT);

	pl_buf_add_text(buf, text);
}

/* "a, b or c"; long lists are cut. */
static void add_choices(struct pl_buf *buf, const char *choices)
{
	auto_json json_t *list = json_loads(choices, 0, NULL);
	size_t count = json_array_size(list);
	size_t shown = count > CHOICES_SHOWN_MAX ? CHOICES_SHOWN_MAX : count;

	for (size_t i = 0; i < shown; i++) {
		if (i > 0)
			pl_buf_add_text(buf, i + 1 == count ? " or " : ", ");
		add_value(buf, json_array_get(list, i));
	}
	if (shown < count)
		pl_buf_addf(buf, " … (%zu in all)", count);
}

static const char *noun(enum vllm_kind kind)
{
	static const char *const nouns[] = {
		[VLLM_KIND_BOOL] = "true or false",
		[VLLM_KIND_INT] = "an integer",
		[VLLM_KIND_HUMAN_INT] = "an integer (32k, 1.5m and 4K too)",
		[VLLM_KIND_FLOAT] = "a number",
		[VLLM_KIND_TEXT] = "a text",
		[VLLM_KIND_ENUM] = "a text",
		[VLLM_KIND_OBJECT] = "a mapping",
		[VLLM_KIND_LIST] = "a list",
		[VLLM_KIND_DURATION] = "a duration such as 30s or 100ms",
		[VLLM_KIND_ANY] = "any value",
	};

	return nouns[kind];
}

static bool has_bounds(enum vllm_kind kind)
{
	return kind == VLLM_KIND_INT || kind == VLLM_KIND_HUMAN_INT || kind == VLLM_KIND_FLOAT ||
	       kind == VLLM_KIND_DURATION;
}

static void add_list(struct pl_buf *buf, const struct vllm_spec *spec)
{
	switch (spec->items) {
	case VLLM_KIND_INT:
		pl_buf_add_text(buf, "a list of integers");
		return;
	case VLLM_KIND_FLOAT:
		pl_buf_add_text(buf, "a list of numbers");
		return;
	case VLLM_KIND_ENUM:
		pl_buf_add_text(buf, "a list of ");
		add_choices(buf, spec->choices);
		return;
	case VLLM_KIND_ANY:
		pl_buf_add_text(buf, "a list");
		return;
	default:
		pl_buf_add_text(buf, "a list of texts");
	}
}

void vllm_spec_describe(const struct vllm_spec *spec, struct pl_buf *buf)
{
	if (spec->kind == VLLM_KIND_LIST)
		add_list(buf, spec);
	else if (spec->choices != NULL)
		add_choices(buf, spec->choices);
	else
		pl_buf_add_text(buf, noun(spec->kind));
	if (spec->not_empty)
		pl_buf_add_text(buf, " with at least one item");
	if (spec->choices == NULL && has_bounds(spec->kind))
		add_bounds(buf, spec);
	if (spec->also_accepts != NULL && strstr(spec->also_accepts, "bool") != NULL)
		pl_buf_add_text(buf, ", or true or false");
	if (spec->also_accepts != NULL && strstr(spec->also_accepts, "json") != NULL)
		pl_buf_add_text(buf, ", or a mapping");
	if (spec->special_values != NULL) {
		pl_buf_add_text(buf, ", or ");
		add_choices(buf, spec->special_values);
	}
	if (spec->nullable)
		pl_buf_add_text(buf, ", or null");
}

bool vllm_is_adapter(const json_t *module)
{
	const char *text = json_string_value(module);
	const char *equals = text != NULL ? strchr(text, '=') : NULL;
	auto_json json_t *parsed = NULL;

	if (equals != NULL && strchr(text, ',') == NULL && strchr(equals + 1, '=') == NULL)
		return true;
	parsed = text != NULL ? json_loads(text, 0, NULL) : NULL;
	return json_is_string(json_object_get(text != NULL ? parsed : module, "name")) &&
	       json_is_string(json_object_get(text != NULL ? parsed : module, "path"));
}

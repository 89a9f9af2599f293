/* A load's options as words of `vllm bench serve`, in the forms its argparse takes. */
#include "vllm/bench/write.h"

#include "base/mem.h"
#include "base/text.h"

#define VALUE_BYTES_MAX (16u << 20)

/* A value that begins as a flag must be joined. */
void vllm_bench_pair_add(json_t *argv, const char *flag, const char *value)
{
	if (value[0] == '-') {
		json_array_append_new(argv, json_sprintf("%s=%s", flag, value));
		return;
	}
	json_array_append_new(argv, json_string(flag));
	json_array_append_new(argv, json_string(value));
}

/* Formats numbers, and objects as JSON. */
static char *plain_text(const json_t *value)
{
	char text[PL_F64_TEXT_BYTES];

	if (!json_is_real(value))
		return pl_json_to_text(value, PL_JSON_PYTHON);
	pl_text_from_f64(json_real_value(value), text);
	return pl_strdup(text);
}

/* {"(256, 256, 1)": 0.5} as Python writes it: {(256, 256, 1): 0.5} */
static char *literal_text(const json_t *object)
{
	struct pl_buf buf;

	pl_buf_init(&buf, VALUE_BYTES_MAX);
	pl_buf_add_char(&buf, '{');
	PL_JSON_EACH_MEMBER(key, member, object) {
		auto_free char *number = plain_text(member);
		pl_buf_addf(&buf, "%s%s: %s", buf.len > 1 ? ", " : "", key, number);
	}
	pl_buf_add_char(&buf, '}');
	return pl_buf_take(&buf);
}

static char *joined_text(const json_t *list)
{
	struct pl_buf buf;

	pl_buf_init(&buf, VALUE_BYTES_MAX);
	PL_JSON_EACH(item, list) {
		pl_buf_addf(&buf, "%s%s", item_at > 0 ? "," : "", json_string_value(item));
	}
	return pl_buf_take(&buf);
}

/* Returns false if one of several words begins like a flag, which a command line cannot express. */
static bool add_items(json_t *argv, const char *flag, const json_t *list)
{
	size_t count = json_array_size(list);

	for (size_t i = 0; count > 1 && i < count; i++) {
		if (json_string_value(json_array_get(list, i))[0] == '-')
			return false;
	}
	if (count > 0)
		vllm_bench_pair_add(argv, flag, json_string_value(json_array_get(list, 0)));
	for (size_t i = 1; i < count; i++)
		json_array_append(argv, json_array_get(list, i));
	return true;
}

bool vllm_bench_words_add(const struct vllm_bench *bench, enum vllm_bench_id id, json_t *argv)
{
	return vllm_bench_row_words_add(bench, vllm_bench_row(id), argv);
}

bool vllm_bench_row_words_add(const struct vllm_bench *bench, const struct option_row *row,
			      json_t *argv)
{
	auto_json json_t *value = vllm_bench_get(bench, vllm_bench_find(row->name));
	auto_free char *text = NULL;

	if (json_is_null(value))
		return true;
	if (json_is_boolean(value)) {
		const char *flag = json_is_true(value) ? row->flag : row->negative_flag;
		if (flag != NULL)
			json_array_append_new(argv, json_string(flag));
		return true;
	}
	if (json_is_array(value) && !row->commas)
		return add_items(argv, row->flag, value);
	if (json_is_string(value))
		text = pl_strdup(json_string_value(value));
	else if (json_is_array(value))
		text = joined_text(value);
	else
		text = row->literal ? literal_text(value) : plain_text(value);
	vllm_bench_pair_add(argv, row->flag, text);
	return true;
}

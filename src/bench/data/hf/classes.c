/*
 * The rules of vLLM's classes: which fields of a record make the prompt, and which one its completion. The instructions
 * around code of blazedit and next_edit are ours, of about the same length.
 */
#include "base/json.h"
#include "base/text.h"
#include "bench/data/hf/hf_priv.h"

#include <stdlib.h>
#include <string.h>

#define EDITABLE_START "<|editable_region_start|>"

static const struct hf_class classes[] = {
#define HF_CLASS(id_, state, names_, split_, output_len_, columns_, traits_, needs_) \
	{ .id = #id_,                                                                \
	  .names = names_,                                                           \
	  .split = split_,                                                           \
	  .output_len = output_len_,                                                 \
	  .columns = columns_,                                                       \
	  .traits = traits_,                                                         \
	  .needs = needs_,                                                           \
	  .make = HF_FUNCTION_##state(id_) },
#define HF_FUNCTION_NOW(id)   bench_hf_make_##id
#define HF_FUNCTION_LATER(id) NULL
#define HF_FUNCTION_TOOLS(id) NULL
#include "tbl/hf_classes.h"
};

int bench_hf_class_find(const char *name, const struct hf_class **ret, struct pl_err *err)
{
	auto_buf names = PL_BUF(1 << 16);

	for (size_t i = 0; i < PL_ARRAY_SIZE(classes); i++) {
		if (classes[i].needs == NULL)
			pl_buf_addf(&names, "%s%s", names.len > 0 ? " " : "", classes[i].names);
		if (!pl_text_has_word(classes[i].names, ' ', name))
			continue;
		if (classes[i].needs != NULL)
			return pl_err_invalid(err,
					      "dataset '%s' needs %s in the requests, which this "
					      "version does not send",
					      name, classes[i].needs);
		*ret = &classes[i];
		return 0;
	}
	return pl_err_invalid(err,
			      "found dataset '%s', expected one of %s; name the one that a local "
			      "copy is of with --hf-name (hf_name), or use dataset 'custom'",
			      name, pl_buf_text(&names));
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Returns a text of the record; NULL and an error if it is none. */
static const json_t *text_of(const json_t *record, const char *key, struct pl_err *err)
{
	const json_t *value = json_object_get(record, key);

	if (json_is_string(value))
		return value;
	pl_err_set(err, PL_ERR_INVALID, "expected an object with a string '%s'", key);
	return NULL;
}

static int take_text(const json_t *record, const char *key, char **ret, struct pl_err *err)
{
	const json_t *text = text_of(record, key, err);

	if (text == NULL)
		return -1;
	*ret = pl_json_to_ctext(text);
	return 0;
}

/* Two texts, for a prompt that is made of both. */
struct texts {
	char *a;
	char *b;
};

static void texts_done(struct texts *texts)
{
	free(texts->a);
	free(texts->b);
}
#define auto_texts __attribute__((cleanup(texts_done), unused)) struct texts

static int take_texts(const json_t *record, const char *a, const char *b, struct texts *ret,
		      struct pl_err *err)
{
	return take_text(record, a, &ret->a, err) < 0 || take_text(record, b, &ret->b, err) < 0 ? -1
												: 0;
}

/* Returns a number, which a CSV file has as a text. */
static int number_of(const json_t *record, const char *key, double *ret, struct pl_err *err)
{
	const json_t *value = json_object_get(record, key);

	if (json_is_number(value)) {
		*ret = json_number_value(value);
		return 0;
	}
	if (json_is_string(value) && pl_text_to_f64(json_string_value(value), ret))
		return 0;
	return pl_err_invalid(err, "expected an object with a number '%s'", key);
}

/* ---- classes --------------------------------------------------------------------------------- */

int bench_hf_make_instruct_coder(const struct vllm_bench *bench, const json_t *record,
				 struct bench_entry *ret, struct pl_err *err)
{
	auto_texts texts = { 0 };

	(void)bench;
	if (take_texts(record, "input", "instruction", &texts, err) < 0)
		return -1;
	/* the wire text of vLLM */
	ret->prompt = pl_asprintf("%s\n\n%s Just output the code, do not include any explanation.",
				  texts.a, texts.b);
	return 0;
}

int bench_hf_make_mt_bench(const struct vllm_bench *bench, const json_t *record,
			   struct bench_entry *ret, struct pl_err *err)
{
	const json_t *turn = json_array_get(json_object_get(record, "turns"), 0);

	(void)bench;
	if (!json_is_string(turn))
		return pl_err_invalid(err, "expected an object with 'turns', a list of strings");
	ret->prompt = pl_json_to_ctext(turn);
	return 0;
}

int bench_hf_make_human_eval(const struct vllm_bench *bench, const json_t *record,
			     struct bench_entry *ret, struct pl_err *err)
{
	(void)bench;
	return take_text(record, "prompt", &ret->prompt, err);
}

int bench_hf_make_gsm8k(const struct vllm_bench *bench, const json_t *record,
			struct bench_entry *ret, struct pl_err *err)
{
	(void)bench;
	return take_text(record, "question", &ret->prompt, err);
}

int bench_hf_make_conversation(const struct vllm_bench *bench, const json_t *record,
			       struct bench_entry *ret, struct pl_err *err)
{
	const json_t *turns = json_object_get(record, "conversations");
	const json_t *prompt = json_object_get(json_array_get(turns, 0), "value");
	const json_t *completion = json_object_get(json_array_get(turns, 1), "value");

	(void)bench;
	if (!json_is_array(turns))
		return pl_err_invalid(err, "expected an object with 'conversations', a list");
	if (json_array_size(turns) < 2)
		return 0;
	if (!json_is_string(prompt) || !json_is_string(completion))
		return pl_err_invalid(err, "expected 'conversations' with a string 'value' in "
					   "each of the first two turns");
	ret->prompt = pl_json_to_ctext(prompt);
	ret->completion = pl_json_to_ctext(completion);
	return 0;
}

int bench_hf_make_aimo(const struct vllm_bench *bench, const json_t *record,
		       struct bench_entry *ret, struct pl_err *err)
{
	(void)bench;
	return take_text(record, "problem", &ret->prompt, err) < 0 ||
			       take_text(record, "solution", &ret->completion, err) < 0
		       ? -1
		       : 0;
}

int bench_hf_make_next_edit(const struct vllm_bench *bench, const json_t *record,
			    struct bench_entry *ret, struct pl_err *err)
{
	auto_texts texts = { 0 };
	auto_free char *output = NULL;

	(void)bench;
	if (take_texts(record, "events", "input", &texts, err) < 0 ||
	    take_text(record, "output", &output, err) < 0)
		return -1;
	ret->prompt = pl_asprintf(
		"### Task:\nA developer edits a file. Read the edits so far, and then rewrite the "
		"excerpt with the change that follows next. Take the location of the cursor into "
		"account.\n\n### Edits:\n\n%s\n\n### Excerpt:\n\n%s\n\n### Result:\n\n",
		texts.a, texts.b);
	const char *region = strstr(output, EDITABLE_START);
	ret->completion = pl_strdup(region != NULL ? region : output);
	return 0;
}

int bench_hf_make_blazedit(const struct vllm_bench *bench, const json_t *record,
			   struct bench_entry *ret, struct pl_err *err)
{
	auto_texts texts = { 0 };
	double distance;

	if (number_of(record, "norm_distance", &distance, err) < 0)
		return -1;
	if (distance < bench->blazedit_min_distance || distance > bench->blazedit_max_distance)
		return 0;
	if (take_texts(record, "code", "change_request", &texts, err) < 0)
		return -1;
	ret->prompt = pl_asprintf("Apply the requested changes to this file, and write the whole "
				  "new file.\n\nFile before the changes:\n```python\n%s\n```\n\n"
				  "Requested changes:\n%s\n\nWrite the file after the changes "
				  "below.",
				  texts.a, texts.b);
	return 0;
}

/* A system message and a question. The template needs both, so the prompt is the question. */
int bench_hf_make_mlperf(const struct vllm_bench *bench, const json_t *record,
			 struct bench_entry *ret, struct pl_err *err)
{
	(void)bench;
	return take_text(record, "question", &ret->prompt, err) < 0 ||
			       take_text(record, "output", &ret->completion, err) < 0 ||
			       take_text(record, "system_prompt", &ret->system, err) < 0
		       ? -1
		       : 0;
}

/*
 * custom_audio: one JSON object per line, with a recording and a prompt: `audio` is the path of a WAV or FLAC file, or an
 * object with the samples in `array` and their `sampling_rate`. The backend openai-audio sends the recording
 * alone, a chat the prompt and the recording.
 */
#include "bench/data/dataset_priv.h"

#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "bench/media/audio.h"
#include "experiment/kinds.h"

#define FROM_RECORDS (-1)

/* Limit of all recordings together; the bodies have them again. */
#define AUDIO_BYTES_MAX ((size_t)4 << 30)

/* A path, or made from samples at once. NULL: refused. */
static json_t *audio_of(const struct vllm_bench *bench, const json_t *value, size_t line_no,
			struct pl_err *err)
{
	const char *path = json_is_object(value) ? pl_json_get_text(value, "path")
						 : json_string_value(value);
	const json_t *samples = json_object_get(value, "array");
	struct pl_err why = PL_ERR_INIT;
	json_t *audio = NULL;

	if (json_is_array(samples)) {
		if (bench_audio_from_samples(samples, pl_json_get_i64(value, "sampling_rate"),
					     &audio, &why) == 0)
			return audio;
		return (void)pl_err_invalid(err, "%s:%zu: 'audio': %s", bench->dataset_path,
					    line_no, why.text),
		       NULL;
	}
	if (path == NULL || *path == '\0')
		return (void)pl_err_invalid(
			       err,
			       "%s:%zu: expected an object with 'audio', the path of a "
			       "file or an object with 'array' and 'sampling_rate'",
			       bench->dataset_path, line_no),
		       NULL;
	if (pl_file_check_regular(path, err) < 0)
		return (void)pl_err_wrap(err, "%s:%zu", bench->dataset_path, line_no), NULL;
	return json_pack("{s:s}", "path", path);
}

static int take_line(const struct vllm_bench *bench, const json_t *json, size_t line_no,
		     struct bench_entries *into, struct pl_err *err)
{
	const json_t *prompt = json_object_get(json, "prompt");
	struct bench_entry entry = { .output_tokens = RES_NO_COUNT };

	if (prompt != NULL && !json_is_string(prompt) && !json_is_null(prompt))
		return pl_err_invalid(err, "%s:%zu: 'prompt': expected a string",
				      bench->dataset_path, line_no);
	if (bench_custom_output(bench, json, line_no, &entry.output_tokens, err) < 0)
		return -1;
	entry.media = audio_of(bench, json_object_get(json, "audio"), line_no, err);
	if (entry.media == NULL)
		return -1;
	entry.prompt = json_is_string(prompt) ? pl_json_to_ctext(prompt) : pl_strdup("");
	bench_entries_add(into, &entry);
	return 0;
}

static int parse(const struct vllm_bench *bench, char *text, size_t len, struct bench_entries *into,
		 struct pl_err *err)
{
	return bench_json_lines(bench, text, len, JSON_REJECT_DUPLICATES, take_line, into, err);
}

/* Reads the file into the object that names it, which copies of the sample share. */
static int load_audio(json_t *audio, size_t *total, struct pl_err *err)
{
	const char *path = pl_json_get_text(audio, "path");
	auto_json json_t *read = NULL;

	if (json_object_get(audio, "bytes") == NULL) {
		if (bench_audio_read(path, &read, err) < 0)
			return -1;
		json_object_update(audio, read);
		*total += json_string_length(json_object_get(audio, "bytes"));
	}
	if (*total <= AUDIO_BYTES_MAX)
		return 0;
	return pl_err_invalid(err,
			      "the recordings have more than %zu GiB; use fewer or shorter "
			      "ones",
			      AUDIO_BYTES_MAX >> 30);
}

/* The part of a chat, made once for all copies. */
static json_t *part_of(json_t *audio)
{
	json_t *part = json_object_get(audio, "part");

	if (part == NULL) {
		part = bench_audio_part(audio);
		json_object_set_new(audio, "part", part);
	}
	return json_incref(part);
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	int64_t len = bench_dataset_output_len(bench, bench->custom_output_len);
	bool is_form = exp_backend_has(bench->backend, EXP_BACKEND_FORM);
	size_t total = 0;
	const struct bench_sampling how = {
		.seed = (uint64_t)bench->seed,
		.output_len = len == FROM_RECORDS ? RES_NO_COUNT : len,
	};

	if (bench_entries_sample(work, &how, err) < 0)
		return -1;
	for (size_t i = 0; i < work->into->count; i++) {
		struct bench_sample *sample = &work->into->samples[i];
		sample->audio = pl_take(sample->media);
		if (load_audio(sample->audio, &total, err) < 0)
			return pl_err_wrap(err, "dataset '%s'", bench->dataset_path);
		if (is_form)
			continue;
		sample->media = json_array();
		json_array_append_new(sample->media, part_of(sample->audio));
	}
	return 0;
}

const struct bench_dataset_kind bench_dataset_custom_audio = { .parse = parse,
							       .nothing = "no recordings",
							       .build = build };

/*
 * custom_image: one JSON object per line, with a prompt and its images: `prompt` and `image_files`, or `content`, a list of
 * typed parts that is sent as it is. A file is named to the server as file://PATH, or sent inline with
 * custom_ensure_client_side_data.
 */
#include "bench/data/dataset_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/media.h"
#include "base/text.h"
#include "bench/media/part.h"

#define FROM_RECORDS    (-1)
#define IMAGE_BYTES_MAX ((size_t)64 << 20)
#define IMAGES_MAX      4096 /* in one record */

/* Limit of all files that are sent inline, as text; the bodies have them again. */
#define INLINE_BYTES_MAX ((size_t)4 << 30)

#define FILE_SCHEME "file://"

/* One record while it is read. */
struct record {
	const struct vllm_bench *bench;
	size_t line_no;
};

static bool is_local(const char *reference)
{
	static const char *const remote[] = { "http://", "https://", "data:image/" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(remote); i++) {
		if (pl_text_starts(reference, remote[i]))
			return false;
	}
	return true;
}

static const char *path_of(const char *reference)
{
	return pl_text_starts(reference, FILE_SCHEME) ? reference + strlen(FILE_SCHEME) : reference;
}

/* Files that are sent inline must be readable; they are read when the dataset is built. */
static int check_reference(const struct record *record, const char *reference, struct pl_err *err)
{
	if (!record->bench->custom_ensure_client_side_data ||
	    pl_text_starts(reference, "data:image/"))
		return 0;
	if (!is_local(reference))
		return pl_err_invalid(
			err,
			"%s:%zu: image '%.200s' is not a local file, which "
			"{benchmark.custom_ensure_client_side_data} needs; download it "
			"first",
			record->bench->dataset_path, record->line_no, reference);
	if (pl_file_check_regular(path_of(reference), err) < 0)
		return pl_err_wrap(err, "%s:%zu: image", record->bench->dataset_path,
				   record->line_no);
	return 0;
}

/* An image's reference as a URL; new reference. NULL: refused. */
static json_t *url_of(const struct record *record, const json_t *value, struct pl_err *err)
{
	const char *text = json_string_value(value);

	if (text == NULL || *text == '\0')
		return (void)pl_err_invalid(err,
					    "%s:%zu: an image must be a path, a URL or inline data",
					    record->bench->dataset_path, record->line_no),
		       NULL;
	if (check_reference(record, text, err) < 0)
		return NULL;
	if (!is_local(text) || pl_text_starts(text, FILE_SCHEME))
		return json_incref((json_t *)value);
	auto_free char *url = pl_asprintf(FILE_SCHEME "%s", text);
	return json_string(url);
}

/* {"type": "image_url", "image_url": URL or {"url": URL, …}}; further keys stay. */
static json_t *take_url_part(const struct record *record, const json_t *part, struct pl_err *err)
{
	const json_t *held = json_object_get(part, "image_url");
	json_t *url = url_of(record, json_is_object(held) ? json_object_get(held, "url") : held,
			     err);

	if (url == NULL)
		return NULL;
	json_t *copy = json_is_object(held) ? json_copy((json_t *)held) : json_object();
	json_object_set_new(copy, "url", url);
	return json_pack("{s:s, s:o}", "type", "image_url", "image_url", copy);
}

/* A part of `content`, as it is sent; its text is added to `text`. NULL: refused. */
static json_t *take_part(const struct record *record, const json_t *part, struct pl_buf *text,
			 struct pl_err *err)
{
	const char *type = pl_json_get_text(part, "type");

	if (pl_text_equal(type, "text") && json_is_string(json_object_get(part, "text"))) {
		auto_free char *words = pl_json_to_ctext(json_object_get(part, "text"));
		pl_buf_addf(text, "%s%s", text->len > 0 ? "\n" : "", words);
		return json_incref((json_t *)part);
	}
	if (pl_text_equal(type, "image")) {
		json_t *url = url_of(record, json_object_get(part, "image"), err);
		return url != NULL ? bench_media_url_part("image_url", url) : NULL;
	}
	if (pl_text_equal(type, "image_url"))
		return take_url_part(record, part, err);
	return (void)pl_err_invalid(err,
				    "%s:%zu: 'content': expected parts of type text, image or "
				    "image_url",
				    record->bench->dataset_path, record->line_no),
	       NULL;
}

static int take_content(const struct record *record, const json_t *content,
			struct bench_entry *entry, struct pl_err *err)
{
	auto_buf text = PL_BUF((size_t)64 << 20);
	auto_json json_t *parts = json_array();

	if (!json_is_array(content) || json_array_size(content) == 0 ||
	    json_array_size(content) > IMAGES_MAX)
		return pl_err_invalid(err, "%s:%zu: 'content': expected a list of 1 to %d parts",
				      record->bench->dataset_path, record->line_no, IMAGES_MAX);
	PL_JSON_EACH(part, content) {
		json_t *taken = take_part(record, part, &text, err);
		if (taken == NULL)
			return -1;
		json_array_append_new(parts, taken);
	}
	entry->prompt = pl_strdup(pl_buf_text(&text));
	entry->messages = json_pack("[{s:s, s:O}]", "role", "user", "content", parts);
	return 0;
}

static int take_files(const struct record *record, const json_t *json, struct bench_entry *entry,
		      struct pl_err *err)
{
	const json_t *files = json_object_get(json, "image_files");
	const json_t *prompt = json_object_get(json, "prompt");
	auto_json json_t *media = json_array();

	if (!json_is_string(prompt) || !json_is_array(files) || json_array_size(files) == 0 ||
	    json_array_size(files) > IMAGES_MAX)
		return pl_err_invalid(err,
				      "%s:%zu: expected an object with 'content', or with a string "
				      "'prompt' and a list 'image_files' of 1 to %d images",
				      record->bench->dataset_path, record->line_no, IMAGES_MAX);
	PL_JSON_EACH(file, files) {
		json_t *url = url_of(record, file, err);
		if (url == NULL)
			return -1;
		json_array_append_new(media, bench_media_url_part("image_url", url));
	}
	entry->prompt = pl_json_to_ctext(prompt);
	entry->media = json_incref(media);
	return 0;
}

static int take_line(const struct vllm_bench *bench, const json_t *json, size_t line_no,
		     struct bench_entries *into, struct pl_err *err)
{
	const struct record record = { bench, line_no };
	const json_t *content = json_object_get(json, "content");
	struct bench_entry entry = { .output_tokens = RES_NO_COUNT };

	if (bench_custom_output(bench, json, line_no, &entry.output_tokens, err) < 0 ||
	    (content != NULL ? take_content(&record, content, &entry, err)
			     : take_files(&record, json, &entry, err)) < 0)
		return -1;
	bench_entries_add(into, &entry);
	return 0;
}

static int parse(const struct vllm_bench *bench, char *text, size_t len, struct bench_entries *into,
		 struct pl_err *err)
{
	return bench_json_lines(bench, text, len, JSON_REJECT_DUPLICATES, take_line, into, err);
}

/* Puts the bytes of a file in the place of its URL. Copies of a sample share the part. */
static int put_inline(json_t *part, size_t *total, struct pl_err *err)
{
	json_t *held = json_object_get(part, "image_url");
	const char *url = pl_json_get_text(held, "url");
	auto_free char *bytes = NULL;
	size_t len;

	if (url == NULL || !is_local(url))
		return 0;
	if (pl_file_read(path_of(url), IMAGE_BYTES_MAX, &bytes, &len, err) < 0)
		return -1;
	const char *type = pl_media_type(bytes, len);
	if (type == NULL || !pl_text_starts(type, "image/"))
		return pl_err_invalid(err, "'%s': found no JPEG, PNG, GIF or WebP image",
				      path_of(url));
	json_t *data = bench_media_data_url(type, bytes, len);
	*total += json_string_length(data);
	json_object_set_new(held, "url", data);
	if (*total <= INLINE_BYTES_MAX)
		return 0;
	return pl_err_invalid(err, "the images have more than %zu GiB; use fewer or smaller ones",
			      INLINE_BYTES_MAX >> 30);
}

static int put_all_inline(json_t *parts, size_t *total, struct pl_err *err)
{
	PL_JSON_EACH(part, parts) {
		if (put_inline(part, total, err) < 0)
			return -1;
	}
	return 0;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	int64_t len = bench_dataset_output_len(bench, bench->custom_output_len);
	size_t total = 0;
	const struct bench_sampling how = {
		.seed = (uint64_t)bench->seed,
		.output_len = len == FROM_RECORDS ? RES_NO_COUNT : len,
	};

	if (bench_entries_sample(work, &how, err) < 0)
		return -1;
	for (size_t i = 0; bench->custom_ensure_client_side_data && i < work->into->count; i++) {
		struct bench_sample *sample = &work->into->samples[i];
		json_t *message = json_array_get(sample->messages, 0);
		if (put_all_inline(sample->media, &total, err) < 0 ||
		    put_all_inline(json_object_get(message, "content"), &total, err) < 0)
			return pl_err_wrap(err, "dataset '%s'", bench->dataset_path);
	}
	return 0;
}

const struct bench_dataset_kind bench_dataset_custom_image = { .parse = parse,
							       .nothing = "no prompts",
							       .build = build };

/*
 * random-mm: prompts of generated tokens as in dataset random, each with images of random pixels. The pixels of
 * a request are drawn after its text is complete, from the same generator.
 */
#include "bench/data/random_prompts.h"

#include <stdlib.h>

#include "base/json.h"
#include "bench/data/random_media.h"
#include "bench/media/jpeg.h"
#include "bench/media/part.h"
#include "experiment/media.h"

/* Limit of all encoded media together; the bodies have them again. */
#define MEDIA_BYTES_MAX ((size_t)4 << 30)
/* Limit of one encoded item. */
#define ITEM_BYTES_MAX ((size_t)1 << 30)

struct plan {
	const struct vllm_bench *bench;
	struct exp_media media;
	struct bench_jpeg *jpeg; /* NULL: there are no images */
	json_t **parts;          /* [num_prompts] arrays */
	json_t *current;         /* of the request that is drawn */
	size_t bytes;            /* of all media so far */
};

static void plan_done(struct plan *plan)
{
	for (int64_t i = 0; plan->parts != NULL && i < plan->bench->num_prompts; i++)
		json_decref(plan->parts[i]);
	free(plan->parts);
	bench_jpeg_free(plan->jpeg);
	exp_media_done(&plan->media);
}
#define auto_plan __attribute__((cleanup(plan_done), unused)) struct plan

static bool has_kind(const struct exp_media *media, enum exp_modality modality)
{
	for (size_t i = 0; i < media->count; i++) {
		if (exp_media_modality(&media->buckets[i]) == modality)
			return true;
	}
	return false;
}

/* The options must be valid (experiment/check_media.c). */
static int open_encoders(struct plan *plan, struct pl_err *err)
{
	const char *key;

	if (exp_media_read(plan->bench, &plan->media, &key, err) < 0)
		return pl_err_wrap(err, "{%s}", key);
	if (has_kind(&plan->media, EXP_VIDEO))
		return pl_err_invalid(err,
				      "{benchmark.random_mm_bucket_config} has sizes with several "
				      "frames, and this version sends no generated videos");
	if (has_kind(&plan->media, EXP_IMAGE) && plan->media.most > 0 &&
	    bench_jpeg_new(&plan->jpeg, err) < 0)
		return pl_err_wrap(err, "dataset 'random-mm'");
	return 0;
}

static int check(const struct vllm_bench *bench, struct pl_err *err)
{
	auto_plan plan = { .bench = bench };

	return open_encoders(&plan, err);
}

static int take_item(void *user, const struct bench_random_item *item, struct pl_err *err)
{
	struct plan *plan = user;
	auto_buf bytes = PL_BUF(ITEM_BYTES_MAX);

	if (bench_jpeg_encode(plan->jpeg, item->pixels, item->size.width, item->size.height, &bytes,
			      err) < 0)
		return -1;
	json_t *url = bench_media_data_url("image/jpeg", pl_buf_text(&bytes), bytes.len);
	plan->bytes += json_string_length(url);
	json_array_append_new(plan->current, bench_media_url_part("image_url", url));
	if (plan->bytes > MEDIA_BYTES_MAX)
		return pl_err_invalid(err,
				      "the images have more than %zu GiB; use fewer or smaller "
				      "ones",
				      MEDIA_BYTES_MAX >> 30);
	return 0;
}

static int draw_media(void *user, size_t i, struct pl_pcg64 *rng, struct pl_err *err)
{
	struct plan *plan = user;

	plan->current = plan->parts[i] = json_array();
	return bench_random_media_draw(&plan->media, rng, take_item, plan, err);
}

static int64_t input_len(const struct vllm_bench *bench)
{
	return bench->input_len != OPTION_NO_I64 ? bench->input_len : bench->random_input_len;
}

static void add_all(struct bench_dataset_work *work, struct plan *plan,
		    const struct bench_random_draws *draws, struct bench_fit *fits)
{
	for (size_t i = 0; i < draws->count; i++) {
		struct bench_sample sample = {
			.prompt = pl_take(fits[i].text),
			.media = pl_take(plan->parts[i]),
			.prompt_tokens = (int64_t)fits[i].ids.count,
			.output_tokens = draws->output_lens[i],
		};
		bench_dataset_add(work, &sample);
	}
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	size_t prefix_len = (size_t)bench->random_prefix_len;
	struct bench_ids prefix = { 0 };
	auto_random *random = NULL;
	auto_draws draws = { 0 };
	auto_plan plan = { .bench = bench };
	const struct bench_random_more more = { draw_media, &plan };

	if (open_encoders(&plan, err) < 0 || bench_random_new(work, &random, err) < 0)
		return -1;
	if (bench_random_sends_ids(random))
		return pl_err_invalid(err, "dataset 'random-mm' needs a tokenizer; the server has "
					   "no usable /tokenize and /detokenize");
	if (bench_random_draw(work, random, (size_t)bench->num_prompts, input_len(bench),
			      bench_dataset_output_len(bench, bench->random_output_len),
			      bench->random_prefix_len, &draws, err) < 0 ||
	    bench_dataset_take_tokens(work, bench->random_prefix_len, err) < 0)
		return -1;
	if (bench_random_make_prefix(work, random, prefix_len, &prefix, err) < 0)
		return pl_err_wrap(err, "prefix of the random prompts");
	plan.parts = pl_alloc_array(draws.count, sizeof(*plan.parts));
	auto_free struct bench_fit *fits = pl_alloc_array(draws.count, sizeof(*fits));
	int done = bench_random_make(work, random, &draws, &prefix, 0, &more, fits, err);
	if (done == 0) {
		add_all(work, &plan, &draws, fits);
		bench_random_note(work, random);
	}
	for (size_t i = 0; i < draws.count; i++)
		bench_fit_done(&fits[i]);
	free(prefix.ids);
	return done < 0 ? pl_err_wrap(err, "random prompts") : 0;
}

const struct bench_dataset_kind bench_dataset_random_mm = { .check = check, .build = build };

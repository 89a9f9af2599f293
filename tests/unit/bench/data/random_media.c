/* random-mm: the vectors of vLLM's generator, and the images of a request. */
#include "bench/data/random_media.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/media.h"
#include "bench/data/dataset_made.h"

#define ITEMS_MAX 16

struct items {
	struct exp_media_bucket sizes[ITEMS_MAX];
	uint8_t first[ITEMS_MAX][6];
	uint8_t last[ITEMS_MAX][3];
	size_t count;
};

static int take(void *user, const struct bench_random_item *item, struct pl_err *err)
{
	struct items *items = user;
	size_t bytes = (size_t)item->size.height * item->size.width * item->size.frames * 3;

	(void)err;
	assert_true(items->count < ITEMS_MAX && bytes >= 6);
	items->sizes[items->count] = item->size;
	memcpy(items->first[items->count], item->pixels, 6);
	memcpy(items->last[items->count++], item->pixels + bytes - 3, 3);
	return 0;
}

static void draw_offsets(struct pl_pcg64 *rng, size_t count)
{
	pl_pcg64_seed(rng, 0);
	for (size_t i = 0; i < count; i++)
		(void)pl_pcg64_integers(rng, 0, 50257);
}

static void read_media(struct built *b, struct exp_media *media)
{
	const char *key;

	assert_int_equal(exp_media_read(&b->bench, media, &key, &b->err), 0);
}

static void defaults(void **state)
{
	static const uint32_t sizes[3][2] = { { 256, 256 }, { 720, 1280 }, { 720, 1280 } };
	static const uint8_t first[3][6] = { { 248, 189, 16, 69, 29, 240 },
					     { 89, 4, 138, 17, 126, 27 },
					     { 144, 59, 21, 137, 248, 46 } };
	static const uint8_t last[3][3] = { { 173, 174, 253 }, { 140, 205, 93 }, { 10, 118, 184 } };
	struct items items = { 0 };
	struct exp_media media;
	struct pl_pcg64 rng;
	struct built b;

	(void)state;
	built_init(&b, 0, 3, 4, 2);
	read_media(&b, &media);
	draw_offsets(&rng, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(bench_random_media_draw(&media, &rng, take, &items, &b.err), 0);
		assert_int_equal(items.count, i + 1);
		assert_int_equal(items.sizes[i].height, sizes[i][0]);
		assert_int_equal(items.sizes[i].width, sizes[i][1]);
		assert_int_equal(items.sizes[i].frames, 1);
		assert_memory_equal(items.first[i], first[i], 6);
		assert_memory_equal(items.last[i], last[i], 3);
	}
	exp_media_done(&media);
	built_done(&b);
}

static void set_json(json_t **field, const char *text)
{
	json_decref(*field);
	*field = pl_json_of_text(text);
	assert_non_null(*field);
}

/* A kind that reaches its limit is drawn no more; A is an image of 4 x 4, B a video of 2 frames. */
static void limits(void **state)
{
	static const char *const wanted[] = { "AB", "BABA", "AAB", "A" };
	static const uint8_t first[4][3] = {
		{ 169, 61, 125 }, { 73, 196, 247 }, { 163, 214, 49 }, { 27, 59, 136 }
	};
	struct exp_media media;
	struct pl_pcg64 rng;
	struct built b;

	(void)state;
	built_init(&b, 0, 4, 4, 2);
	b.bench.random_mm_base_items_per_request = 3;
	b.bench.random_mm_num_mm_items_range_ratio = 0.5;
	set_json(&b.bench.random_mm_limit_mm_per_prompt, "{\"image\": 2, \"video\": 2}");
	set_json(&b.bench.random_mm_bucket_config,
		 "{\"(4, 4, 1)\": 0.6, \"(2,3,2)\": 0.4, \"8, 8, 1\": 0}");
	read_media(&b, &media);
	assert_int_equal(media.count, 2);
	draw_offsets(&rng, 4);
	for (size_t i = 0; i < 4; i++) {
		struct items items = { 0 };
		assert_int_equal(bench_random_media_draw(&media, &rng, take, &items, &b.err), 0);
		assert_int_equal(items.count, strlen(wanted[i]));
		for (size_t k = 0; k < items.count; k++)
			assert_int_equal(items.sizes[k].frames, wanted[i][k] == 'A' ? 1 : 2);
		assert_memory_equal(items.first[0], first[i], 3);
	}
	exp_media_done(&media);
	built_done(&b);
}

static void images_of_requests(void **state)
{
	static const uint32_t sizes[3][2] = { { 256, 256 }, { 720, 1280 }, { 720, 1280 } };
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 50257, 0, "t50256");
	built_init(&b, 0, 3, 4, 2);
	set_text(&b.bench.dataset_name, "random-mm");
	set_text(&b.bench.backend, "openai-chat");
	build(&b, &test);
	assert_int_equal(b.dataset->count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct bench_sample *sample = &b.dataset->samples[i];
		const json_t *part = json_array_get(sample->media, 0);
		const char *url = json_string_value(
			json_object_get(json_object_get(part, "image_url"), "url"));
		assert_int_equal(json_array_size(sample->media), 1);
		assert_int_equal(sample->prompt_tokens, 4);
		assert_int_equal(sample->output_tokens, 2);
		assert_true(pl_text_starts(url, "data:image/jpeg;base64,/9j/"));
		/* noise has little to compress */
		assert_true(strlen(url) > (size_t)sizes[i][0] * sizes[i][1] / 4);
	}
	/* images do not move the generators of the later draws */
	assert_true(pl_pyrandom_random(&b.py) == 0.8444218515250481);
	assert_true(pl_nplegacy_double(&b.np) == 0.5488135039273248);
	built_done(&b);
}

static void refused(void **state)
{
	static const struct {
		const char *buckets, *caps, *key, *message;
		int64_t items;
	} rows[] = {
		{ "{\"(0, 4, 1)\": 1}", NULL, "bucket_config", "found size '(0, 4, 1)'", 1 },
		{ "{\"(4, 4)\": 1}", NULL, "bucket_config", "(height, width, frames)", 1 },
		{ "{\"(4, 4, 1, 1)\": 1}", NULL, "bucket_config", "(height, width, frames)", 1 },
		{ "{\"(65501, 4, 1)\": 1}", NULL, "bucket_config", "65500", 1 },
		{ "{\"(65500, 65500, 1)\": 1}", NULL, "bucket_config", "2^28", 1 },
		{ "{\"(4, 4, 1)\": -0.5}", NULL, "bucket_config", "at least 0", 1 },
		{ "{\"(4, 4, 1)\": \"1\"}", NULL, "bucket_config", "at least 0", 1 },
		{ "{\"(4, 4, 1)\": 0}", NULL, "bucket_config", "above 0", 1 },
		{ "{}", NULL, "bucket_config", "above 0", 1 },
		{ "[]", NULL, "bucket_config", "sizes with their shares", 1 },
		{ "{\"(4, 4, 1)\": 1}", "{\"video\": 1}", "limit_mm_per_prompt", "'image'", 1 },
		{ "{\"(4, 4, 2)\": 1}", "{\"image\": 1}", "limit_mm_per_prompt", "'video'", 1 },
		{ "{\"(4, 4, 1)\": 1}", "{\"image\": -1}", "limit_mm_per_prompt", "'image'", 1 },
		{ "{\"(4, 4, 1)\": 1}", "{\"image\": 2}", "base_items", "allows 2", 3 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct exp_media media;
		struct built b;
		const char *key;
		built_init(&b, 0, 1, 4, 2);
		b.bench.random_mm_base_items_per_request = rows[i].items;
		set_json(&b.bench.random_mm_bucket_config, rows[i].buckets);
		if (rows[i].caps != NULL)
			set_json(&b.bench.random_mm_limit_mm_per_prompt, rows[i].caps);
		assert_int_equal(exp_media_read(&b.bench, &media, &key, &b.err), -1);
		assert_non_null(strstr(b.err.text, rows[i].message));
		assert_non_null(strstr(key, rows[i].key));
		built_done(&b);
	}
}

/* A library that is missing, and one that is another, are named. */
static void without_the_library(void **state)
{
	static const char *const libraries[] = { "/nowhere/libjpeg.so.62", "libm.so.6" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(libraries); i++) {
		struct built b;
		built_init(&b, 0, 1, 4, 2);
		set_text(&b.bench.dataset_name, "random-mm");
		setenv("PROFLLM_JPEG_LIB", libraries[i], 1);
		assert_int_equal(bench_dataset_check(&b.bench, &b.err), -1);
		assert_non_null(strstr(b.err.text, "libjpeg62-turbo"));
		built_done(&b);
	}
	unsetenv("PROFLLM_JPEG_LIB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(limits),
		cmocka_unit_test(images_of_requests),
		cmocka_unit_test(refused),
		cmocka_unit_test(without_the_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

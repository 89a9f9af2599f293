/* The checks of datasets with images, videos or audio (experiment/check.c). */
#include "experiment/check_priv.h"

#include "base/mem.h"
#include "base/text.h"
#include "experiment/kinds.h"
#include "experiment/media.h"
#include "experiment/offline.h"

#define NAMES_BYTES_MAX 4096

static void add_backends(struct pl_buf *names, unsigned trait, unsigned without)
{
	for (unsigned i = 0; exp_backend_at(i) != NULL; i++) {
		const struct exp_backend *backend = exp_backend_at(i);
		if (!backend->later && (backend->traits & trait) && !(backend->traits & without))
			pl_buf_addf(names, "%s%s", names->len > 0 ? ", " : "", backend->name);
	}
}

/* A form has no sampling parameters in vLLM's client, which refuses them. */
static void check_form(struct exp_checker *c)
{
	static const enum vllm_bench_id sampling[] = {
		VLLM_BENCH_top_p,
		VLLM_BENCH_top_k,
		VLLM_BENCH_min_p,
		VLLM_BENCH_temperature,
		VLLM_BENCH_frequency_penalty,
		VLLM_BENCH_presence_penalty,
		VLLM_BENCH_repetition_penalty,
	};
	const char *path = c->bench->endpoint;

	for (size_t i = 0; i < PL_ARRAY_SIZE(sampling); i++) {
		if (!c->experiment->bench_set[sampling[i]])
			continue;
		auto_free char *key = pl_asprintf("benchmark.%s",
						  vllm_bench_row(sampling[i])->name);
		auto_free char *text = pl_asprintf("backend '%s' takes no sampling options; use "
						   "{benchmark.extra_body}",
						   c->bench->backend);
		exp_refuse_for(c, key, text);
	}
	/* vLLM's client fails with other names */
	PL_JSON_EACH_MEMBER(name, value, c->bench->extra_body) {
		bool plain = true;
		for (const char *at = name; *at != '\0'; at++)
			plain &= *at >= ' ' && *at < 127;
		if (!plain)
			exp_refuse_text(c, "benchmark.extra_body", name,
					"ASCII characters in the names of a form");
	}
	if (path != NULL && (path[0] != '/' || !(pl_text_ends(path, "transcriptions") ||
						 pl_text_ends(path, "translations"))))
		exp_refuse_text(c, "benchmark.endpoint", path,
				"a path that begins with '/' and ends with 'transcriptions' or "
				"'translations' for backend 'openai-audio'");
}

/* Media go to a backend that sends them; a backend for audio gets audio. */
void exp_check_media(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;
	const struct exp_dataset *dataset = exp_dataset_find(bench->dataset_name);
	const struct exp_backend *backend = exp_backend_find(bench->backend);
	const struct vllm_bench_kind *kind = exp_offline_kind(c->experiment);
	auto_buf names = PL_BUF(NAMES_BYTES_MAX);

	/* the mode of a kind without a server is checked by exp_check_kind_mode() */
	if (kind != NULL && !kind->at_server)
		return;
	if (pl_text_equal(bench->client, "vllm") || dataset == NULL || backend == NULL ||
	    dataset->later)
		return;
	if (backend->traits & EXP_BACKEND_FORM)
		check_form(c);
	/* generated media have no embedding in vLLM */
	unsigned without = dataset->traits & EXP_DATASET_TOKENS ? EXP_BACKEND_POOLS : 0;
	unsigned needed = dataset->traits & EXP_DATASET_IMAGES  ? EXP_BACKEND_MEDIA
			  : dataset->traits & EXP_DATASET_AUDIO ? EXP_BACKEND_AUDIO
								: 0;
	if (needed != 0 && (!(backend->traits & needed) || (backend->traits & without))) {
		add_backends(&names, needed, without);
		auto_free char *expected = pl_asprintf("one of %s for dataset '%s'",
						       pl_buf_text(&names), dataset->name);
		exp_refuse_text(c, "benchmark.backend", backend->name, expected);
	} else if ((backend->traits & EXP_BACKEND_FORM) && needed != EXP_BACKEND_AUDIO) {
		auto_free char *expected = pl_asprintf("a dataset of audio for backend '%s': "
						       "custom_audio",
						       backend->name);
		exp_refuse_text(c, "benchmark.dataset_name", dataset->name, expected);
	}
}

void exp_check_random_media(struct exp_checker *c)
{
	struct pl_err err = PL_ERR_INIT;
	struct exp_media media;
	const char *key;

	if (!pl_text_equal(c->bench->dataset_name, "random-mm"))
		return;
	if (exp_media_read(c->bench, &media, &key, &err) == 0)
		exp_media_done(&media);
	else if (!exp_is_refused(c, key))
		exp_refuse_for(c, key, err.text);
}

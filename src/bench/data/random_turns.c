/* Generated conversations: each turn is a user's message of random tokens. */
#include "bench/data/turns.h"

#include <stdlib.h>

#include "base/rng.h"
#include "base/text.h"
#include "bench/data/random_prompts.h"

/* The lengths and texts of all turns, and the parts that prompts share. */
struct plan {
	size_t sessions;
	size_t turns;             /* of all conversations */
	size_t *counts;           /* [sessions] turns of each */
	bool shares;              /* prompts have shared parts and no history */
	struct bench_fit *firsts; /* [sessions] */
	struct bench_fit *others; /* [turns - sessions] */
	struct bench_fit common;  /* part shared by all */
	struct bench_fit *starts; /* [sessions] part shared by a conversation */
};

static int64_t first_len(const struct vllm_bench *bench)
{
	return bench->input_len != OPTION_NO_I64 ? bench->input_len : bench->random_input_len;
}

static int64_t other_len(const struct vllm_bench *bench)
{
	return bench->per_turn_input_len > 0 ? bench->per_turn_input_len : first_len(bench);
}

/* Python's randint(): min to max, or num_turns for all. */
static void draw_counts(struct bench_dataset_work *work, struct plan *plan)
{
	const struct vllm_bench *bench = work->bench;
	int64_t least = bench->multi_turn_min_turns > 0 ? bench->multi_turn_min_turns : 1;
	int64_t most = bench->multi_turn_max_turns;

	plan->sessions = (size_t)bench->num_prompts;
	plan->counts = pl_alloc_array(plan->sessions, sizeof(*plan->counts));
	for (size_t i = 0; i < plan->sessions; i++) {
		int64_t turns = bench->multi_turn_num_turns;
		if (most > 0)
			turns = least + (int64_t)pl_pyrandom_below(work->pyrandom,
								   (uint64_t)(most - least + 1));
		plan->counts[i] = (size_t)turns;
		plan->turns += (size_t)turns;
	}
}

static int64_t shared_len(const struct vllm_bench *bench, double ratio)
{
	/* the shorter of both lengths, so that the parts fit into each prompt */
	int64_t len = first_len(bench) < other_len(bench) ? first_len(bench) : other_len(bench);

	return (int64_t)(ratio * (double)len);
}

/* Draws and fits `count` texts around a mean length; their output lengths go to `outputs`. */
static int make(struct bench_dataset_work *work, struct bench_random *random, size_t count,
		int64_t len, int64_t *outputs, struct bench_fit **ret, struct pl_err *err)
{
	static const struct bench_ids none;
	auto_draws draws = { 0 };

	*ret = pl_alloc_array(count, sizeof(**ret));
	if (bench_random_draw(work, random, count, len,
			      bench_dataset_output_len(work->bench, work->bench->random_output_len),
			      0, &draws, err) < 0)
		return -1;
	for (size_t i = 0; i < count && outputs != NULL; i++)
		outputs[i] = draws.output_lens[i];
	return bench_random_make(work, random, &draws, &none, 0, NULL, *ret, err);
}

static json_t *message(const char *text)
{
	return json_pack("[{s:s, s:o}]", "role", "user", "content", pl_json_text(text));
}

static void add_all(struct bench_dataset_work *work, const struct plan *plan,
		    const int64_t *first_outputs, const int64_t *other_outputs)
{
	const struct vllm_bench *bench = work->bench;
	size_t other = 0;

	work->into->session_count = plan->sessions;
	for (size_t s = 0; s < plan->sessions; s++) {
		for (size_t t = 0; t < plan->counts[s]; t++) {
			const struct bench_fit *fit = t == 0 ? &plan->firsts[s]
							     : &plan->others[other];
			auto_free char *text = pl_asprintf(
				"%s%s%s", plan->common.text != NULL ? plan->common.text : "",
				plan->starts != NULL ? plan->starts[s].text : "", fit->text);
			struct bench_sample sample = {
				.messages = message(text),
				.prompt_tokens = RES_NO_COUNT,
				.output_tokens = t == 0 ? first_outputs[s] : other_outputs[other],
				.session = (uint32_t)(s + 1),
				.turn = (uint32_t)t,
				.gap_s = (double)bench->multi_turn_delay_ms / 1e3,
				.grows = !plan->shares,
				.keeps_response = true,
				.min_tokens = true,
			};
			other += t > 0;
			bench_dataset_add(work, &sample);
		}
	}
}

static int make_shared(struct bench_dataset_work *work, struct bench_random *random,
		       struct plan *plan, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	int64_t common = shared_len(bench, bench->multi_turn_prefix_global_ratio);
	int64_t start = shared_len(bench, bench->multi_turn_prefix_conversation_ratio);

	if (common > 0) {
		struct bench_fit *one = NULL;
		int done = make(work, random, 1, common, NULL, &one, err);
		plan->common = *one;
		free(one);
		if (done < 0)
			return -1;
	}
	return start > 0 ? make(work, random, plan->sessions, start, NULL, &plan->starts, err) : 0;
}

static int make_all(struct bench_dataset_work *work, struct bench_random *random, struct plan *plan,
		    struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	size_t others = plan->turns - plan->sessions;
	auto_free int64_t *first_outputs = pl_alloc_array(plan->sessions, sizeof(int64_t));
	auto_free int64_t *other_outputs = pl_alloc_array(others, sizeof(int64_t));
	int64_t shared = shared_len(bench, bench->multi_turn_prefix_global_ratio) +
			 shared_len(bench, bench->multi_turn_prefix_conversation_ratio);

	if (first_len(bench) - shared < 1 || other_len(bench) - shared < 1)
		return pl_err_invalid(err, "the shared parts leave no token of a prompt's own; "
					   "lower {benchmark.multi_turn_prefix_global_ratio}");
	plan->shares = shared > 0;
	if (make_shared(work, random, plan, err) < 0 ||
	    make(work, random, plan->sessions, first_len(bench) - shared, first_outputs,
		 &plan->firsts, err) < 0 ||
	    make(work, random, others, other_len(bench) - shared, other_outputs, &plan->others,
		 err) < 0)
		return -1;
	add_all(work, plan, first_outputs, other_outputs);
	return 0;
}

static void fits_free(struct bench_fit *fits, size_t count)
{
	for (size_t i = 0; i < count && fits != NULL; i++)
		bench_fit_done(&fits[i]);
	free(fits);
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	auto_random *random = NULL;
	struct plan plan = { 0 };

	if (bench_random_new(work, &random, err) < 0)
		return -1;
	draw_counts(work, &plan);
	int done = make_all(work, random, &plan, err);
	if (done == 0)
		bench_random_note(work, random);
	work->into->chat_template = "server";
	fits_free(plan.firsts, plan.sessions);
	fits_free(plan.others, plan.turns - plan.sessions);
	fits_free(plan.starts, plan.sessions);
	bench_fit_done(&plan.common);
	free(plan.counts);
	return done < 0 ? pl_err_wrap(err, "random conversations") : 0;
}

const struct bench_dataset_kind bench_dataset_random_turns = { .build = build };

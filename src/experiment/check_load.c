/*
 * The checks of the load's options, separately and in combination. One function per check, in the
 * order of the list in experiment/check.c. Keys are in braces ("{benchmark.seed}"), so that errors
 * of a command line name the flag. Options that vLLM's client accepts are accepted, even without
 * effect: then they cause a warning.
 */
#include "experiment/check_priv.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "experiment/kinds.h"
#include "experiment/offline.h"
#include "experiment/values.h"
#include "option/value.h"

#define NAMES_BYTES_MAX 4096

/*
 * Reports a missing option at the one that requires it. Not if the missing option was rejected,
 * because it is missing only for that reason.
 */
static void refuse_missing(struct exp_checker *c, const char *key, const char *anchor,
			   const char *found, const char *expected)
{
	if (exp_is_refused(c, key))
		return;
	exp_problem_report(c->experiment, anchor, c->problems, .key = key, .found = found,
			   .expected = expected);
}

/* The same, with "is missing; X needs it" as the message. */
static void refuse_unset(struct exp_checker *c, const char *key, const char *anchor,
			 const char *reason)
{
	if (exp_is_refused(c, key))
		return;
	exp_problem_report(c->experiment, anchor, c->problems, .key = key, .expected = reason,
			   .expected_is_reason = true);
}

/* The same, for an option that only the anchor needs. */
static void refuse_absent(struct exp_checker *c, const char *key, const char *anchor)
{
	auto_free char *reason = pl_asprintf("is missing; {%s} needs it", anchor);

	refuse_unset(c, key, anchor, reason);
}

/* A text whose form or name is not known, with the name that was likely meant. */
static void report_name(struct exp_checker *c, enum option_severity severity, const char *key,
			const char *text, const char *expected, const char *nearest)
{
	auto_free char *found = pl_asprintf("text '%s'", text);

	exp_problem_report(c->experiment, NULL, c->problems, .severity = severity, .key = key,
			   .found = found, .expected = expected, .nearest = nearest);
}

/* ---- texts with a form of their own ---- */

/* The text is not shown: it may be the key of an API. */
void exp_check_header(struct exp_checker *c)
{
	PL_JSON_EACH(item, c->bench->header) {
		const char *text = json_string_value(item);
		if (strchr(text, '=') == NULL || text[0] == '=')
			exp_refuse_text(c, "benchmark.header", "***", "KEY=VALUE");
		else if (strpbrk(text, "\r\n") != NULL)
			exp_refuse(c, "benchmark.header", "a line break in a header",
				   "names and values without line breaks");
	}
}

void exp_check_metadata(struct exp_checker *c)
{
	PL_JSON_EACH(item, c->bench->metadata) {
		/* vLLM takes an empty key */
		if (strchr(json_string_value(item), '=') == NULL)
			exp_refuse_text(c, "benchmark.metadata", json_string_value(item),
					"KEY=VALUE");
	}
}

void exp_check_goodput(struct exp_checker *c)
{
	static const char *const names[] = { "ttft", "tpot", "e2el", NULL };
	struct exp_slo slo;

	PL_JSON_EACH(item, c->bench->goodput) {
		const char *text = json_string_value(item), *expected;
		auto_free char *name = pl_strndup(text, strcspn(text, ":"));
		if (exp_slo_add(&slo, text, &expected))
			continue;
		/* with a wrong format no name was meant */
		const char *suggestion = strcmp(expected, EXP_SLO_FORM) != 0
						 ? option_key_nearest(name, names)
						 : NULL;
		report_name(c, OPTION_ERROR, "benchmark.goodput", text, expected, suggestion);
	}
}

void exp_check_percentiles(struct exp_checker *c)
{
	auto_free char *percentiles = pl_strdup(c->bench->metric_percentiles);
	double percentile;

	for (char *rest = percentiles, *one; (one = strsep(&rest, ",")) != NULL;) {
		if (!exp_percentile_parse(one, &percentile))
			exp_refuse_text(c, "benchmark.metric_percentiles", pl_text_trim(one),
					"numbers from 0 to 100, separated by commas");
	}
}

/* A warning: vLLM accepts any name and ignores unknown ones. */
void exp_check_percentile_metrics(struct exp_checker *c)
{
	static const char *const names[] = {
		"ttft", "tpot", "itl", "e2el", "client_queue_time", "e2el_including_client_queue",
		NULL
	};
	auto_free char *metrics = pl_strdup(c->bench->percentile_metrics);

	for (char *rest = metrics, *one; (one = strsep(&rest, ",")) != NULL;) {
		bool known = false;
		for (size_t i = 0; names[i] != NULL; i++)
			known = known || strcmp(names[i], one) == 0;
		if (!known)
			report_name(c, OPTION_WARNING, "benchmark.percentile_metrics", one,
				    "ttft, tpot, itl, e2el, client_queue_time or "
				    "e2el_including_client_queue",
				    option_key_nearest(one, names));
	}
}

void exp_check_thresholds(struct exp_checker *c)
{
	const char *text = c->bench->timeline_itl_thresholds;
	double limits_ms[2];

	if (c->bench->plot_timeline && !vllm_bench_thresholds(text, limits_ms))
		exp_refuse_text(c, "benchmark.timeline_itl_thresholds", text != NULL ? text : "",
				"two numbers of milliseconds, separated by a comma");
}

/* The prefix is sent in a header. */
void exp_check_request_id_prefix(struct exp_checker *c)
{
	static const char key[] = "benchmark.request_id_prefix";
	const char *prefix = c->bench->request_id_prefix;
	bool is_plain = true;

	for (const char *at = prefix; at != NULL && *at != '\0'; at++)
		is_plain = is_plain && (unsigned char)*at >= ' ' && *at != 127;
	if (!is_plain)
		exp_refuse(c, key, "a control character", "a single line of text");
	if (prefix == NULL || strlen(prefix) <= EXP_ID_PREFIX_MAX)
		return;
	auto_free char *found = pl_asprintf("%zu bytes", strlen(prefix));
	auto_free char *expected = pl_asprintf("at most %d", EXP_ID_PREFIX_MAX);
	exp_refuse(c, key, found, expected);
}

static bool is_any(const struct exp_address *address)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address->addr;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address->addr;

	if (address->addr.ss_family == AF_INET)
		return v4->sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr);
}

/* One address of the list; `known`: the addresses before it. Equal as addresses, not as texts:
 * "::1" and "0:0:0:0:0:0:0:1" are one. One that was refused has len 0. */
static void check_source(struct exp_checker *c, const char *text, struct exp_address *known,
			 size_t count)
{
	static const char key[] = "benchmark.source_addresses";
	struct exp_address *address = &known[count];

	if (!exp_address_parse(text, address)) {
		exp_refuse_text(c, key, text, "an IPv4 or IPv6 address");
		return;
	}
	if (is_any(address))
		exp_refuse_text(c, key, text,
				"a specific address, because this one means any address");
	for (size_t i = 0; i < count; i++) {
		if (address->len > 0 && known[i].len == address->len &&
		    memcmp(&known[i].addr, &address->addr, address->len) == 0)
			exp_refuse_text(c, key, text, "each address only once");
	}
}

void exp_check_source_addresses(struct exp_checker *c)
{
	const json_t *list = c->bench->source_addresses;
	auto_free struct exp_address *known = pl_alloc_array(json_array_size(list) + 1,
							     sizeof(*known));

	for (size_t i = 0; i < json_array_size(list); i++)
		check_source(c, json_string_value(json_array_get(list, i)), known, i);
}

/* The backend determines the path of requests. */
void exp_check_endpoint(struct exp_checker *c)
{
	const struct exp_backend *backend = exp_backend_find(c->bench->backend);
	const char *path = c->bench->endpoint;

	if (path == NULL || backend == NULL || backend->suffix == NULL ||
	    (path[0] == '/' && pl_text_ends(path, backend->suffix)))
		return;
	auto_free char *expected = pl_asprintf("a path that begins with '/' and ends with '%s' for "
					       "backend '%s'",
					       backend->suffix, backend->name);
	exp_refuse_text(c, "benchmark.endpoint", path, expected);
}

/* ---- the data set ---- */

/* Returns output_len if it is set, otherwise `own`; and the key of the value. */
static int64_t output_len(const struct exp_checker *c, int64_t set_len, const char **key)
{
	if (c->bench->output_len == OPTION_NO_I64)
		return set_len;
	*key = "benchmark.output_len";
	return c->bench->output_len;
}

static bool is_dataset(const struct exp_checker *c, const char *name)
{
	return pl_text_equal(c->bench->dataset_name, name);
}

/* Otherwise the load would not be the requested one. */
void exp_check_dataset_file(struct exp_checker *c)
{
	const struct exp_dataset *dataset = exp_dataset_find(c->bench->dataset_name);
	static const char key[] = "benchmark.dataset_path";

	if (dataset == NULL)
		return;
	if ((dataset->traits & (EXP_DATASET_FILE | EXP_DATASET_BUILT_IN)) == EXP_DATASET_FILE &&
	    c->bench->dataset_path == NULL) {
		auto_free char *reason = pl_asprintf("is missing; dataset '%s' needs a file",
						     dataset->name);
		refuse_unset(c, key, "benchmark.dataset_name", reason);
	} else if (!(dataset->traits & EXP_DATASET_FILE) && c->bench->dataset_path != NULL) {
		auto_free char *reason = pl_asprintf(
			"found '%s', but dataset '%s' reads no file; remove it, or set "
			"{benchmark.dataset_name} to the format of the file",
			c->bench->dataset_path, dataset->name);
		exp_refuse_for(c, key, reason);
	}
}

void exp_check_dataset_tokenizer(struct exp_checker *c)
{
	const char *name = c->bench->dataset_name;

	if (!c->bench->skip_tokenizer_init || exp_dataset_has(name, EXP_DATASET_UNCOUNTED))
		return;
	/* in vLLM's words */
	auto_free char *reason = pl_asprintf("Tokenizer must be initialized for the '%s' dataset.",
					     name);
	exp_refuse_for(c, "benchmark.skip_tokenizer_init", reason);
}

void exp_check_num_prompts(struct exp_checker *c)
{
	auto_buf names = PL_BUF(NAMES_BYTES_MAX);

	if (c->bench->num_prompts >= 1 || exp_dataset_has(c->bench->dataset_name, EXP_DATASET_ALL))
		return;
	for (unsigned i = 0; exp_dataset_at(i) != NULL; i++) {
		if (exp_dataset_at(i)->traits & EXP_DATASET_ALL)
			pl_buf_addf(&names, "%s'%s'", names.len > 0 ? " or " : "",
				    exp_dataset_at(i)->name);
	}
	auto_free char *expected = pl_asprintf(
		"an integer of at least 1, or 0 (to send all records) if dataset_name is %s",
		pl_buf_text(&names));
	exp_refuse_number(c, "benchmark.num_prompts", c->bench->num_prompts, expected);
}

void exp_check_range_ratio(struct exp_checker *c)
{
	const char *text = c->bench->random_range_ratio;
	struct exp_range_ratio ratio;

	if (text != NULL && !exp_range_ratio_parse(text, &ratio))
		exp_refuse_text(c, "benchmark.random_range_ratio", text,
				"a number from 0 to below 1, or {input: a, output: b} with two "
				"such numbers");
}

/*
 * A prompt without tokens is invalid; special tokens, which are unknown here, take some more. The
 * shortest length of the range decides, because some prompt will have it.
 */
void exp_check_random_prompts(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;
	bool set_len = bench->input_len == OPTION_NO_I64;
	int64_t len = set_len ? bench->random_input_len : bench->input_len;
	const char *key = set_len ? "benchmark.random_input_len" : "benchmark.input_len";
	struct exp_range_ratio ratio = { 0, 0 };

	if (!is_dataset(c, "random"))
		return;
	if (bench->random_range_ratio != NULL &&
	    !exp_range_ratio_parse(bench->random_range_ratio, &ratio))
		return;
	if ((double)bench->random_prefix_len + floor((double)len * (1 - ratio.input)) >= 1)
		return;
	auto_free char *found = pl_asprintf("number %lld", (long long)len);
	refuse_missing(c, key, "benchmark.random_range_ratio", found,
		       "a length that leaves at least one token per prompt, given "
		       "{benchmark.random_range_ratio} and {benchmark.random_prefix_len}");
}

void exp_check_prefix_prompts(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;
	int64_t prefixes = bench->prefix_repetition_num_prefixes;
	int64_t prefix = bench->prefix_repetition_prefix_len;
	int64_t suffix = bench->prefix_repetition_suffix_len;

	if (!is_dataset(c, "prefix_repetition"))
		return;
	if (prefixes < 1 || (bench->num_prompts > 0 && bench->num_prompts < prefixes)) {
		auto_free char *expected = pl_asprintf(
			"an integer from 1 to {benchmark.num_prompts} (%lld)",
			(long long)bench->num_prompts);
		exp_refuse_number(c, "benchmark.prefix_repetition_num_prefixes", prefixes,
				  expected);
	}
	if (prefix < 0 || suffix < 0 || prefix + suffix < 1)
		exp_refuse_number(c, "benchmark.prefix_repetition_prefix_len", prefix,
				  "lengths that leave at least one token per prompt, given "
				  "{benchmark.prefix_repetition_suffix_len}");
}

void exp_check_output_length(struct exp_checker *c)
{
	const char *key;
	int64_t len;

	if (is_dataset(c, "custom") || is_dataset(c, "custom_image") ||
	    is_dataset(c, "custom_audio")) {
		key = "benchmark.custom_output_len";
		len = output_len(c, c->bench->custom_output_len, &key);
		if (len < 1 && len != -1)
			exp_refuse_number(c, key, len, "-1 or an integer of at least 1");
	} else if (is_dataset(c, "spec_bench")) {
		key = "benchmark.spec_bench_output_len";
		len = output_len(c, c->bench->spec_bench_output_len, &key);
		if (len < 1)
			exp_refuse_number(c, key, len, "an integer of at least 1");
	} else if (is_dataset(c, "speed_bench")) {
		key = "benchmark.speed_bench_output_len";
		len = output_len(c, c->bench->speed_bench_output_len, &key);
		if (len < 1)
			exp_refuse_number(c, key, len, "an integer of at least 1");
	} else if (is_dataset(c, "hf")) {
		key = "benchmark.hf_output_len";
		len = output_len(c, c->bench->hf_output_len, &key);
		if (len < 1 && len != OPTION_NO_I64)
			exp_refuse_number(c, key, len, "an integer of at least 1");
	}
}

void exp_check_token_ids(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;

	if (!bench->prompt_token_ids || !exp_dataset_has(bench->dataset_name, EXP_DATASET_TOKENS) ||
	    exp_backend_has(bench->backend, EXP_BACKEND_TAKES_IDS))
		return;
	auto_free char *expected = pl_asprintf("false, because backend '%s' accepts no token ids",
					       bench->backend);
	exp_refuse(c, "benchmark.prompt_token_ids", "true", expected);
}

/* vLLM's client reports itself what it cannot send. */
static bool is_vllm_client(const struct exp_checker *c)
{
	return pl_text_equal(c->bench->client, "vllm");
}

/* The message names the backends for the reader of an experiment file. */
static void add_backends(struct pl_buf *names, enum exp_backend_trait trait)
{
	for (unsigned i = 0; exp_backend_at(i) != NULL; i++) {
		const struct exp_backend *backend = exp_backend_at(i);
		if (!backend->later && (backend->traits & trait))
			pl_buf_addf(names, "%s%s", names->len > 0 ? ", " : "", backend->name);
	}
}

void exp_check_prompts_per_request(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;
	auto_buf names = PL_BUF(NAMES_BYTES_MAX);

	if (bench->random_batch_size == 1 || !is_dataset(c, "random") || is_vllm_client(c) ||
	    exp_backend_has(bench->backend, EXP_BACKEND_LISTS))
		return;
	add_backends(&names, EXP_BACKEND_LISTS);
	auto_free char *expected = pl_asprintf("1, because backend '%s' sends one prompt per "
					       "request; several need one of %s",
					       bench->backend, pl_buf_text(&names));
	exp_refuse_number(c, "benchmark.random_batch_size", bench->random_batch_size, expected);
}

/*
 * A query with documents comes from dataset random-rerank only, and a list of prompts is its form too.
 * Probes are single prompts.
 */
void exp_check_pairs(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;
	const struct exp_dataset *dataset = exp_dataset_find(bench->dataset_name);
	bool has_pairs = dataset != NULL && (dataset->traits & EXP_DATASET_PAIRS);
	bool takes_pairs = exp_backend_has(bench->backend, EXP_BACKEND_PAIRS);
	bool takes_lists = exp_backend_has(bench->backend, EXP_BACKEND_LISTS);
	auto_buf names = PL_BUF(NAMES_BYTES_MAX);

	if (is_vllm_client(c))
		return;
	if (takes_pairs && dataset != NULL && !has_pairs && !dataset->later) {
		auto_free char *expected = pl_asprintf("a dataset of queries with documents for "
						       "backend '%s': random-rerank",
						       bench->backend);
		exp_refuse_text(c, "benchmark.dataset_name", dataset->name, expected);
	}
	if (has_pairs && !takes_pairs && !takes_lists) {
		add_backends(&names, EXP_BACKEND_PAIRS);
		add_backends(&names, EXP_BACKEND_LISTS);
		auto_free char *expected = pl_asprintf(
			"one of %s, because dataset '%s' has several "
			"texts per request",
			pl_buf_text(&names), dataset->name);
		exp_refuse_text(c, "benchmark.backend", bench->backend, expected);
	}
	if (has_pairs && bench->no_reranker) {
		static const char least[] =
			"at least 2 with {benchmark.no_reranker}, one of them for "
			"the query";
		if (bench->num_prompts < 2)
			exp_refuse_number(c, "benchmark.num_prompts", bench->num_prompts, least);
		if (bench->random_batch_size < 2)
			exp_refuse_number(c, "benchmark.random_batch_size",
					  bench->random_batch_size, least);
	}
	if (takes_pairs && bench->probe_request_rate > 0) {
		auto_free char *expected = pl_asprintf(
			"0, because probes are single prompts, which "
			"backend '%s' cannot send",
			bench->backend);
		exp_refuse(c, "benchmark.probe_request_rate", "a rate above 0", expected);
	}
}

void exp_check_self_timed(struct exp_checker *c)
{
	/* vLLM's client reports it itself */
	if (pl_text_equal(c->bench->client, "native") && c->bench->self_timed >= 0 &&
	    !exp_dataset_has(c->bench->dataset_name, EXP_DATASET_TIMED))
		exp_refuse_for(c, "benchmark.self_timed",
			       "it applies only to {benchmark.dataset_name} timed_trace");
}

void exp_check_profile_window(struct exp_checker *c)
{
	if (c->bench->profile && c->bench->profile_batch_threshold != OPTION_NO_I64)
		exp_refuse_for(c, "benchmark.profile_batch_threshold",
			       "{benchmark.profile} already profiles the whole run; remove one of "
			       "them");
}

/* Texts could merge tokens at the end of the shared part. */
void exp_check_warm_prompts(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;

	if (bench->random_cache_hit_fraction <= 0 || !is_dataset(c, "random"))
		return;
	if (!bench->prompt_token_ids || bench->multi_turn)
		exp_refuse_for(c, "benchmark.random_cache_hit_fraction",
			       "it needs {benchmark.prompt_token_ids}, and no "
			       "{benchmark.multi_turn}");
	if (bench->random_cache_ratio <= 0)
		exp_refuse(c, "benchmark.random_cache_ratio", "0",
			   "a share above 0 with {benchmark.random_cache_hit_fraction}");
}

/* As many requests as num_prompts may be. */
#define TURNS_MAX INT64_C(100000000)

static void check_turn_count(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;
	int64_t turns = bench->multi_turn_max_turns > 0 ? bench->multi_turn_max_turns
							: bench->multi_turn_num_turns;

	if (!is_dataset(c, "random") || bench->num_prompts < 1 ||
	    turns <= TURNS_MAX / bench->num_prompts)
		return;
	auto_free char *expected = pl_asprintf("at most %lld for conversations of up to %lld turns",
					       (long long)(TURNS_MAX / turns), (long long)turns);
	exp_refuse_number(c, "benchmark.num_prompts", bench->num_prompts, expected);
}

/* Turns are chats: completions have no messages. */
void exp_check_multi_turn(struct exp_checker *c)
{
	static const char *const datasets[] = { "random", "sharegpt", "custom" };
	const struct vllm_bench *bench = c->bench;

	if (!bench->multi_turn)
		return;
	if (!pl_text_equal(bench->backend, "openai-chat"))
		exp_refuse_text(c, "benchmark.backend", bench->backend,
				"openai-chat for {benchmark.multi_turn}");
	if (!PL_TEXT_IS_ONE_OF(bench->dataset_name, datasets))
		exp_refuse_text(c, "benchmark.dataset_name", bench->dataset_name,
				"random, sharegpt or custom for {benchmark.multi_turn}");
	if (bench->multi_turn_max_turns > 0 &&
	    bench->multi_turn_max_turns < bench->multi_turn_min_turns)
		exp_refuse_number(c, "benchmark.multi_turn_max_turns", bench->multi_turn_max_turns,
				  "at least {benchmark.multi_turn_min_turns}");
	if (bench->threads > 1)
		exp_refuse_number(c, "benchmark.threads", bench->threads,
				  "1, because one worker holds all conversations");
	if (json_object_get(bench->extra_body, "messages") != NULL)
		exp_refuse(c, "benchmark.extra_body", "key 'messages'",
			   "other keys, because {benchmark.multi_turn} sends its own messages");
	check_turn_count(c);
}

void exp_check_cache_bust(struct exp_checker *c)
{
	const char *mark = c->bench->cache_bust;

	if (pl_text_equal(mark, "none") ||
	    exp_dataset_has(c->bench->dataset_name, EXP_DATASET_TIMED))
		return;
	exp_refuse_text(c, "benchmark.cache_bust", mark,
			"none, because only {benchmark.dataset_name} timed_trace has these marks");
}

/* ---- the rate ---- */

/* The strategy requires the rates, so a missing one is reported at the strategy. */
void exp_check_ramp(struct exp_checker *c)
{
	static const char strategy[] = "benchmark.ramp_up_strategy";
	static const char start[] = "benchmark.ramp_up_start_rps";
	static const char end[] = "benchmark.ramp_up_end_rps";
	const struct vllm_bench *bench = c->bench;
	bool has_start = bench->ramp_up_start_rps != OPTION_NO_I64;
	bool has_end = bench->ramp_up_end_rps != OPTION_NO_I64;

	if (bench->ramp_up_strategy == NULL)
		return;
	if (!has_start)
		refuse_absent(c, start, strategy);
	if (!has_end)
		refuse_absent(c, end, strategy);
	if (has_start && bench->ramp_up_start_rps == 0)
		exp_refuse_number(c, start, 0, "a rate above 0");
	if (has_start && has_end && bench->ramp_up_start_rps > bench->ramp_up_end_rps)
		exp_refuse_number(c, end, bench->ramp_up_end_rps,
				  "a rate of at least {benchmark.ramp_up_start_rps}");
	if (!isinf(bench->request_rate))
		exp_refuse_for(c, "benchmark.request_rate",
			       "cannot be combined with {benchmark.ramp_up_strategy}");
}

/* ---- options without effect ---- */

/* Setting a default explicitly changes nothing, so it causes no warning. */
static bool is_set(const struct exp_checker *c, enum vllm_bench_id id)
{
	return c->experiment->bench_set[id] && !vllm_bench_is_default(c->bench, id);
}

static void warn_idle(struct exp_checker *c, enum vllm_bench_id id, const char *without)
{
	auto_free char *key = pl_asprintf("benchmark.%s", vllm_bench_row(id)->name);
	auto_free char *reason = pl_asprintf("it has no effect without %s", without);

	if (is_set(c, id))
		exp_warn_for(c, key, reason);
}

/* vLLM ignores these options, and a user who names a file without saving the result gets none. */
static void warn_of_files(struct exp_checker *c)
{
	static const enum vllm_bench_id idle[] = { VLLM_BENCH_save_detailed, VLLM_BENCH_metadata,
						   VLLM_BENCH_result_dir,
						   VLLM_BENCH_result_filename };
	const struct vllm_bench *bench = c->bench;

	if (bench->save_result || bench->append_result || bench->plot_timeline ||
	    bench->plot_dataset_stats)
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(idle); i++)
		warn_idle(c, idle[i], "{benchmark.save_result} or {benchmark.append_result}");
}

/*
 * Options that begin with a dataset's name apply only to that dataset and to those whose names
 * begin with it: random_input_len applies to random and random-mm. A warning, because a file used
 * with several datasets may keep the options of all.
 */
static void warn_of_dataset(struct exp_checker *c, enum vllm_bench_id id)
{
	const char *option = vllm_bench_row(id)->name;

	for (unsigned i = 0; exp_dataset_at(i) != NULL; i++) {
		const char *name = exp_dataset_at(i)->name;
		size_t len = strlen(name);
		auto_free char *start = pl_strdup(name);
		for (char *at = start; *at != '\0'; at++)
			*at = *at == '-' ? '_' : *at;
		if (strncmp(option, start, len) != 0 || option[len] != '_' ||
		    strncmp(c->bench->dataset_name, name, len) == 0)
			continue;
		auto_free char *wanted = pl_asprintf("{benchmark.dataset_name} %s", name);
		warn_idle(c, id, wanted);
	}
}

/* Pooling requests have no output and no sampling: vLLM drops these options. */
static void warn_of_tokens(struct exp_checker *c)
{
	static const enum vllm_bench_id idle[] = {
		VLLM_BENCH_top_p,
		VLLM_BENCH_top_k,
		VLLM_BENCH_min_p,
		VLLM_BENCH_temperature,
		VLLM_BENCH_frequency_penalty,
		VLLM_BENCH_presence_penalty,
		VLLM_BENCH_repetition_penalty,
		VLLM_BENCH_logprobs,
		VLLM_BENCH_output_len,
		VLLM_BENCH_random_output_len,
	};
	const struct vllm_bench *bench = c->bench;

	if (!exp_backend_has(bench->backend, EXP_BACKEND_POOLS))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(idle); i++)
		warn_idle(c, idle[i], "a backend that generates tokens");
	PL_JSON_EACH(item, bench->goodput) {
		if (!pl_text_starts(json_string_value(item), "e2el:"))
			exp_warn_for(c, "benchmark.goodput",
				     "limits other than e2el have no effect without a backend that "
				     "generates tokens");
	}
	if (exp_backend_has(bench->backend, EXP_BACKEND_PAIRS)) {
		warn_idle(c, VLLM_BENCH_extra_body, "a backend other than vllm-rerank");
		warn_idle(c, VLLM_BENCH_ignore_eos, "a backend other than vllm-rerank");
	}
}

static void warn_of_turns(struct exp_checker *c)
{
	static const enum vllm_bench_id generated[] = {
		VLLM_BENCH_multi_turn_num_turns,
		VLLM_BENCH_multi_turn_prefix_global_ratio,
		VLLM_BENCH_multi_turn_prefix_conversation_ratio,
		VLLM_BENCH_per_turn_input_len,
	};
	static const enum vllm_bench_id all[] = { VLLM_BENCH_multi_turn_min_turns,
						  VLLM_BENCH_multi_turn_max_turns,
						  VLLM_BENCH_multi_turn_delay_ms };
	const struct vllm_bench *bench = c->bench;
	bool turns = bench->multi_turn;

	for (size_t i = 0; i < PL_ARRAY_SIZE(generated) && (!turns || !is_dataset(c, "random"));
	     i++)
		warn_idle(c, generated[i],
			  turns ? "{benchmark.dataset_name} random" : "{benchmark.multi_turn}");
	for (size_t i = 0; i < PL_ARRAY_SIZE(all) && !turns; i++)
		warn_idle(c, all[i], "{benchmark.multi_turn}");
	/* a trace has sessions too */
	if (!turns && !exp_dataset_has(bench->dataset_name, EXP_DATASET_TIMED))
		warn_idle(c, VLLM_BENCH_multi_turn_concurrency, "{benchmark.multi_turn}");
	if (turns && is_set(c, VLLM_BENCH_random_prefix_len))
		exp_warn_for(c, "benchmark.random_prefix_len",
			     "it has no effect with {benchmark.multi_turn}; see "
			     "{benchmark.multi_turn_prefix_global_ratio}");
}

void exp_check_idle(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;

	warn_of_files(c);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		if (c->experiment->bench_set[i] && !vllm_bench_row((enum vllm_bench_id)i)->later)
			warn_of_dataset(c, (enum vllm_bench_id)i);
	}
	if (isinf(bench->request_rate) && bench->ramp_up_strategy == NULL)
		warn_idle(c, VLLM_BENCH_burstiness, "{benchmark.request_rate}");
	if (bench->ramp_up_strategy == NULL) {
		warn_idle(c, VLLM_BENCH_ramp_up_start_rps, "{benchmark.ramp_up_strategy}");
		warn_idle(c, VLLM_BENCH_ramp_up_end_rps, "{benchmark.ramp_up_strategy}");
	}
	warn_of_tokens(c);
	warn_of_turns(c);
	if (!exp_backend_has(bench->backend, EXP_BACKEND_CHAT))
		warn_idle(c, VLLM_BENCH_vllm_metrics, "{benchmark.backend} openai-chat");
	if (!exp_dataset_has(bench->dataset_name, EXP_DATASET_PAIRS))
		warn_idle(c, VLLM_BENCH_no_reranker, "{benchmark.dataset_name} random-rerank");
	if (bench->profile_batch_threshold == OPTION_NO_I64)
		warn_idle(c, VLLM_BENCH_profile_duration, "{benchmark.profile_batch_threshold}");
	if (!is_dataset(c, "hf")) {
		warn_idle(c, VLLM_BENCH_no_stream, "{benchmark.dataset_name} hf");
		warn_idle(c, VLLM_BENCH_bfcl_categories, "{benchmark.dataset_name} hf");
		warn_idle(c, VLLM_BENCH_blazedit_min_distance, "{benchmark.dataset_name} hf");
		warn_idle(c, VLLM_BENCH_blazedit_max_distance, "{benchmark.dataset_name} hf");
	}
	if (bench->lora_modules == NULL)
		warn_idle(c, VLLM_BENCH_lora_assignment, "{benchmark.lora_modules}");
}

void exp_check_pictures(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;

	if (bench->plot_dataset_stats && !bench->save_result && !bench->append_result &&
	    !bench->plot_timeline)
		exp_refuse_for(c, "benchmark.plot_dataset_stats",
			       "it needs {benchmark.save_result}, {benchmark.append_result} or "
			       "{benchmark.plot_timeline}");
}

/* ---- options of a later version ---- */

#define LATER       "this version does not support it"
#define LATER_VALUE "which this version does not support"
#define VLLM_CLIENT "set benchmark.client to vllm to use vLLM's own client"

/*
 * A file that is not run now may be for another version. The command line of `bench serve` does not
 * offer vLLM's client here: its note is printed after all problems.
 */
static void report_later(struct exp_checker *c, const char *key, const char *value,
			 const char *what, const char *instead)
{
	auto_free char *found = value != NULL ? pl_asprintf("'%s'", value) : NULL;
	bool is_reported = c->experiment->voice == OPTION_AS_FILE;
	auto_free char *reason = pl_asprintf("%s%s%s", what, is_reported ? "; " : "",
					     is_reported ? instead : "");

	exp_problem_report(c->experiment, NULL, c->problems,
			   .severity = c->options->runs ? OPTION_ERROR : OPTION_WARNING, .key = key,
			   .found = found, .expected = reason, .expected_is_reason = true);
}

static void report_key_later(void *user, const struct option_row *row)
{
	report_later(user, row->name, NULL, LATER, row->instead);
}

/* Reports values that our load generator does not support yet. */
static void check_values_later(struct exp_checker *c)
{
	const struct vllm_bench *bench = c->bench;
	const struct exp_dataset *dataset = exp_dataset_find(bench->dataset_name);
	const struct exp_backend *backend = exp_backend_find(bench->backend);

	if (dataset != NULL && dataset->later)
		report_later(c, "benchmark.dataset_name", dataset->name, LATER_VALUE, VLLM_CLIENT);
	if (backend != NULL && backend->later)
		report_later(c, "benchmark.backend", backend->name, LATER_VALUE, VLLM_CLIENT);
}

void exp_check_not_in_this_version(struct exp_checker *c)
{
	bool is_native = !pl_text_equal(c->bench->client, "vllm") &&
			 !exp_is_in_process(c->experiment);

	/* a server that was pasted is run elsewhere */
	if (!c->options->is_command)
		exp_keys_each_later(c->experiment, report_key_later, c);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		enum vllm_bench_id id = (enum vllm_bench_id)i;
		const struct option_row *row = vllm_bench_row(id);
		auto_free char *key = pl_asprintf("benchmark.%s", row->name);
		/* vLLM's client has features that ours lacks */
		if (row->later && (row->ours || is_native) && is_set(c, id))
			report_later(c, key, NULL, LATER, row->ours ? row->instead : VLLM_CLIENT);
	}
	if (is_native)
		check_values_later(c);
	/* alone it is refused as a server without an API */
	if (!c->options->is_command && pl_json_get_true(c->experiment->server, "headless") &&
	    exp_is_one_of_nodes(c->experiment->server))
		report_later(
			c, "server.headless", NULL, LATER,
			"start the nodes yourself and set launch.url to the API of the first one");
}

#include "sim/scrape.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "sim/server_priv.h"

#define LABELS_MAX    4096
#define RESET_SCRAPES 10

static const struct {
	const char *method;
	const char *path;
} routes[] = {
#define ROUTE(method, path, handler, model) { method, path },
#include "tbl/sim_routes.h"
	[SIM_ROUTE_NONE] = { "POST", "none" },
};

struct scrape {
	struct pl_buf *out;
	struct pl_buf labels; /* engine="0",model_name="…" */
	double created_s;
};

/* Adds every label that vLLM has on each family, because a reader that sums over engines requires them. */
static void add_value(struct scrape *scrape, const char *family, const char *further, double value)
{
	char text[PL_F64_TEXT_BYTES];

	pl_text_from_f64(value, text);
	pl_buf_addf(scrape->out, "%s{%s%s} %s\n", family, pl_buf_text(&scrape->labels), further,
		    text);
}

static void add_head(struct scrape *scrape, const char *family, const char *type, const char *help)
{
	pl_buf_addf(scrape->out, "# HELP %s %s\n# TYPE %s %s\n", family, help, family, type);
}

static void add_gauge(struct scrape *scrape, const char *family, const char *help, double value)
{
	add_head(scrape, family, "gauge", help);
	add_value(scrape, family, "", value);
}

/*
 * `family` without _total; `kinds` (ended by NULL) with one value each, or NULL and one value. A
 * counter of the Python client has two families: NAME_total and, as a gauge, when it began
 * (NAME_created).
 */
static void add_counter(struct scrape *scrape, const char *family, const char *help,
			const char *const *kinds, const double *values)
{
	char name[96];

	for (int created = 0; created < 2; created++) {
		snprintf(name, sizeof(name), "%s_%s", family, created ? "created" : "total");
		add_head(scrape, name, created ? "gauge" : "counter", help);
		for (size_t i = 0; kinds == NULL ? i == 0 : kinds[i] != NULL; i++)
			add_value(scrape, name, kinds != NULL ? kinds[i] : "",
				  created ? scrape->created_s : values[i]);
	}
}

static void add_one(struct scrape *scrape, const char *family, const char *help, double value)
{
	add_counter(scrape, family, help, NULL, &value);
}

static void add_counters(struct scrape *scrape, const struct sim_engine_stats *stats)
{
	static const char *const sources[] = { ",source=\"local_compute\"",
					       ",source=\"local_cache_hit\"",
					       ",source=\"external_kv_transfer\"", NULL };
	static const char *const reasons[] = { ",finished_reason=\"stop\"",
					       ",finished_reason=\"length\"",
					       ",finished_reason=\"abort\"",
					       ",finished_reason=\"error\"", NULL };
	/* The counts by source must add up to the total: vllm:prompt_tokens. */
	double by_source[] = { (double)(stats->prompt_tokens - stats->cached_tokens),
			       (double)stats->cached_tokens, 0 };
	double by_reason[] = { (double)stats->finished[SIM_FINISH_STOP],
			       (double)stats->finished[SIM_FINISH_LENGTH],
			       (double)stats->finished[SIM_FINISH_ABORT], 0 };

	add_one(scrape, "vllm:prefix_cache_queries", "Tokens looked up in the prefix cache.",
		(double)stats->prefix_queries);
	add_one(scrape, "vllm:prefix_cache_hits", "Tokens found in the prefix cache.",
		(double)stats->prefix_hits);
	add_one(scrape, "vllm:num_preemptions", "Requests that lost their place in the batch.",
		(double)stats->preemptions);
	add_one(scrape, "vllm:prompt_tokens", "Tokens of prompts that came through.",
		(double)stats->prompt_tokens);
	add_counter(scrape, "vllm:prompt_tokens_by_source", "The same, by where they came from.",
		    sources, by_source);
	add_one(scrape, "vllm:prompt_tokens_cached", "Tokens of prompts found in a cache.",
		(double)stats->cached_tokens);
	add_one(scrape, "vllm:generation_tokens", "Tokens said.", (double)stats->generated_tokens);
	add_counter(scrape, "vllm:request_success", "Requests by how they ended.", reasons,
		    by_reason);
}

static void add_drafts(struct scrape *scrape, const struct sim_engine_stats *stats, uint32_t drafts)
{
	static const char at[] = "vllm:spec_decode_num_accepted_tokens_per_pos";
	char labels[SIM_DRAFTS_MAX][32];
	const char *kinds[SIM_DRAFTS_MAX + 1] = { NULL };
	double values[SIM_DRAFTS_MAX];

	if (drafts == 0)
		return;
	/* A position that never occurred is still on the page, with 0: vLLM creates all labels at its start. */
	for (uint32_t i = 0; i < drafts; i++) {
		snprintf(labels[i], sizeof(labels[i]), ",position=\"%u\"", i);
		kinds[i] = labels[i];
		values[i] = (double)stats->accepted_at[i];
	}
	add_one(scrape, "vllm:spec_decode_num_drafts", "Drafts made.", (double)stats->drafts);
	add_one(scrape, "vllm:spec_decode_num_draft_tokens", "Tokens drafted.",
		(double)stats->draft_tokens);
	add_one(scrape, "vllm:spec_decode_num_accepted_tokens", "Drafted tokens accepted.",
		(double)stats->accepted_tokens);
	add_counter(scrape, at, "The same, by place in the draft.", kinds, values);
}

static void add_http(struct scrape *scrape, const struct sim_metrics *metrics)
{
	static const char *const classes[] = { "2xx", "4xx", "5xx" };

	add_head(scrape, "http_requests_total", "counter", "Answers by method, status, handler.");
	for (size_t i = 0; i <= SIM_ROUTE_NONE; i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(classes); k++) {
			if (metrics->answers[i][k] > 0)
				pl_buf_addf(scrape->out,
					    "http_requests_total{handler=\"%s\",method=\"%s\","
					    "status=\"%s\"} %llu.0\n",
					    routes[i].path, routes[i].method, classes[k],
					    (unsigned long long)metrics->answers[i][k]);
		}
	}
	add_head(scrape, "http_request_size_bytes", "summary", "Bodies of requests by handler.");
	for (size_t i = 0; i < SIM_ROUTE_NONE; i++) {
		uint64_t n = metrics->answers[i][0] + metrics->answers[i][1] +
			     metrics->answers[i][2];

		if (n > 0)
			pl_buf_addf(scrape->out,
				    "http_request_size_bytes_count{handler=\"%s\"} %llu.0\n"
				    "http_request_size_bytes_sum{handler=\"%s\"} %llu.0\n",
				    routes[i].path, (unsigned long long)n, routes[i].path,
				    (unsigned long long)metrics->request_bytes[i]);
	}
}

/* A label's value: backslash, quote and line feed are escaped. */
static void add_label_text(struct pl_buf *labels, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\n')
			pl_buf_add_text(labels, "\\n");
		else if (*text == '"' || *text == '\\')
			pl_buf_addf(labels, "\\%c", *text);
		else
			pl_buf_add_char(labels, *text);
	}
}

/*
 * Returns the engine's totals. With --sim-metrics-fault reset_counters, every 10th scrape is the first one with
 * counters that restart.
 */
static void count_from_zero(struct sim_server *server, struct sim_engine_stats *stats)
{
	struct sim_engine_stats *zero = &server->scrape_zero;

	sim_server_stats(server, stats);
	if (server->options->faults.metrics != SIM_METRICS_RESET_COUNTERS)
		return;
	/* Simulates a restarted server: all counters drop at once. */
	if (server->scrapes++ % RESET_SCRAPES == RESET_SCRAPES - 1) {
		*zero = *stats;
		server->metrics = (struct sim_metrics){ 0 };
	}
	/* Gauges (running, waiting, blocks) are current values and stay. */
	for (size_t i = 0; i < PL_ARRAY_SIZE(stats->finished); i++)
		stats->finished[i] -= zero->finished[i];
	stats->preemptions -= zero->preemptions;
	stats->prefix_queries -= zero->prefix_queries;
	stats->prefix_hits -= zero->prefix_hits;
	stats->prompt_tokens -= zero->prompt_tokens;
	stats->cached_tokens -= zero->cached_tokens;
	stats->generated_tokens -= zero->generated_tokens;
	stats->drafts -= zero->drafts;
	stats->draft_tokens -= zero->draft_tokens;
	stats->accepted_tokens -= zero->accepted_tokens;
	for (size_t i = 0; i < SIM_DRAFTS_MAX; i++)
		stats->accepted_at[i] -= zero->accepted_at[i];
}

void sim_scrape(struct sim_server *server, struct pl_buf *out)
{
	struct scrape scrape = { .out = out, .created_s = (double)server->started_s };
	struct sim_engine_stats stats;

	count_from_zero(server, &stats);
	pl_buf_init(&scrape.labels, LABELS_MAX);
	pl_buf_add_text(&scrape.labels, "engine=\"0\",model_name=\"");
	add_label_text(&scrape.labels, server->limits.names[0]);
	pl_buf_add_char(&scrape.labels, '"');
	struct rusage usage = { 0 };
	char text[PL_F64_TEXT_BYTES];
	getrusage(RUSAGE_SELF, &usage);
	pl_text_from_f64(scrape.created_s, text);
	add_head(&scrape, "process_start_time_seconds", "gauge",
		 "Start of the process, Unix time.");
	pl_buf_addf(scrape.out, "process_start_time_seconds %s\n", text);
	pl_text_from_f64((double)pl_clock_cpu_process_ns() / 1e9, text);
	add_head(&scrape, "process_cpu_seconds_total", "counter", "CPU time spent.");
	pl_buf_addf(scrape.out, "process_cpu_seconds_total %s\n", text);
	pl_text_from_f64((double)usage.ru_maxrss * 1024, text);
	add_head(&scrape, "process_resident_memory_bytes", "gauge", "Largest resident memory.");
	pl_buf_addf(scrape.out, "process_resident_memory_bytes %s\n", text);
	int level = server->sleep_level;
	static const char family[] = "vllm:num_requests_waiting_by_reason";
	static const char sleep[] = "vllm:engine_sleep_state";
	add_gauge(&scrape, "vllm:num_requests_running", "Requests in the batch.", stats.running);
	add_gauge(&scrape, "vllm:num_requests_waiting", "Requests that wait.", stats.waiting);
	add_head(&scrape, family, "gauge", "Requests that wait, by why.");
	add_value(&scrape, family, ",reason=\"capacity\"", stats.waiting);
	add_value(&scrape, family, ",reason=\"deferred\"", 0);
	add_head(&scrape, sleep, "gauge", "Whether the engine sleeps.");
	add_value(&scrape, sleep, ",sleep_state=\"awake\"", level == 0);
	add_value(&scrape, sleep, ",sleep_state=\"weights_offloaded\"", level == 1);
	add_value(&scrape, sleep, ",sleep_state=\"discard_all\"", level == 2);
	add_gauge(&scrape, "vllm:kv_cache_usage_perc",
		  "Part of the KV cache in use; 1 is all of it.",
		  stats.blocks > 0 ? (double)stats.blocks_held / stats.blocks : 0);
	add_counters(&scrape, &stats);
	add_drafts(&scrape, &stats, server->engine_config.draft_tokens);
	sim_metrics_write(&server->metrics, pl_buf_text(&scrape.labels), scrape.created_s, out);
	double util = server->options->memory_utilisation;
	char memory[PL_F64_TEXT_BYTES];
	pl_text_from_f64(util, memory);
	add_head(&scrape, "vllm:cache_config_info", "gauge", "The KV cache's settings.");
	pl_buf_addf(scrape.out,
		    "vllm:cache_config_info{block_size=\"%u\",cache_dtype=\"auto\","
		    "enable_prefix_caching=\"%s\",engine=\"0\",gpu_memory_utilization=\"%s\","
		    "kv_cache_size_tokens=\"%llu\",num_gpu_blocks=\"%u\"} 1.0\n",
		    server->engine_config.block_size,
		    server->engine_config.prefix_caching ? "True" : "False", memory,
		    (unsigned long long)server->engine_config.block_count *
			    server->engine_config.block_size,
		    server->engine_config.block_count);
	add_http(&scrape, &server->metrics);
	pl_buf_done(&scrape.labels);
}

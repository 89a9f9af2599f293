/*
 * The performance of a run, by the simplest model of an engine with the right shape: a step reads the weights and the
 * keys and values of all running requests, or computes their tokens, whichever takes longer; prompts are computed in
 * between; requests without room wait.
 */
#include <string.h>

#include "base/text.h"
#include "demo/history_priv.h"

#define MEMORY_REACHED  0.75 /* of the bandwidth by the data sheet */
#define COMPUTE_REACHED 0.50
#define STEP_S          0.0011 /* of a step, whatever is in it */
#define EAGER_LAYER_S   0.00007
#define TALK_LAYER_S    0.00001 /* between GPUs, twice a layer */
#define OTHER_BYTES     3.5e9   /* activations and graphs */
#define ROUNDS          24      /* until a rate's load has settled */
#define OVERLOADED      0.97
#define REGRESSIONS     3

static const struct demo_fate fates[] = {
	{ 0.008, RES_STATUS_LAUNCH_FAILED, RES_STAGE_LAUNCH, RES_CAUSE_CRASHED, PL_ERR_LAUNCH,
	  "the server ended with status 1 before it was ready",
	  "RuntimeError: Engine core initialization failed." },
	{ 0.004, RES_STATUS_LAUNCH_FAILED, RES_STAGE_LAUNCH, RES_CAUSE_PORT_IN_USE, PL_ERR_LAUNCH,
	  "the server ended with status 1 before it was ready",
	  "OSError: [Errno 98] Address already in use" },
	{ 0.004, RES_STATUS_LAUNCH_FAILED, RES_STAGE_LAUNCH, RES_CAUSE_READY_TIMEOUT,
	  PL_ERR_TIMEOUT, "the server was not ready within 900 s", NULL },
	{ 0.003, RES_STATUS_LAUNCH_FAILED, RES_STAGE_LAUNCH, RES_CAUSE_NCCL_ERROR, PL_ERR_LAUNCH,
	  "the server ended with status 1 before it was ready",
	  "RuntimeError: NCCL error: unhandled system error" },
	{ 0.004, RES_STATUS_FAILED, RES_STAGE_MEASURE, RES_CAUSE_CRASHED, PL_ERR_FAILED,
	  "the server ended by signal 6 during the run",
	  "CUDA error: an illegal memory access was encountered" },
	{ 0.004, RES_STATUS_TIMEOUT, RES_STAGE_MEASURE, RES_CAUSE_RUN_TIMEOUT, PL_ERR_TIMEOUT,
	  "the run took longer than run_timeout, 1800 s", NULL },
	{ 0.003, RES_STATUS_INTERRUPTED, RES_STAGE_MEASURE, RES_CAUSE_SIGNAL, PL_ERR_INTERRUPTED,
	  "ended by signal 2", NULL },
	{ 0.012, RES_STATUS_PARTIAL, RES_STAGE_MEASURE, RES_CAUSE_UNKNOWN, PL_ERR_NONE, NULL,
	  NULL },
};

static const struct demo_fate out_of_memory = {
	1,
	RES_STATUS_LAUNCH_FAILED,
	RES_STAGE_LAUNCH,
	RES_CAUSE_OUT_OF_MEMORY,
	PL_ERR_LAUNCH,
	"the server ended with status 1 before it was ready",
	"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB."
};
static const struct demo_fate kv_too_small = {
	1,
	RES_STATUS_LAUNCH_FAILED,
	RES_STAGE_LAUNCH,
	RES_CAUSE_KV_CACHE_TOO_SMALL,
	PL_ERR_LAUNCH,
	"the server ended with status 1 before it was ready",
	"ValueError: To serve at least one request with the models's max seq len, more KV cache "
	"memory is needed"
};

/* Releases that were slower at something, by index among those used. */
static const struct {
	size_t since, until;
	double experts, prefill, all;
} regressions[REGRESSIONS] = {
	{ 4, 6, 1.18, 1, 1 },
	{ 8, 10, 1, 1.30, 1 },
	{ 13, 14, 1, 1, 1.09 },
};

/* A run as the engine sees it. */
struct engine {
	const struct demo_model *model;
	double gpus;
	double bytes_per_s, flops;
	double weight_bytes; /* of a number */
	double kv_token_bytes;
	double step_s;
	double slower, prefill_slower; /* the release's */
	double input, output;
};

double demo_requested(const json_t *section, const char *key, double other)
{
	const json_t *value = json_object_get(section, key);

	if (pl_text_equal(json_string_value(value), "inf"))
		return INFINITY;
	return json_is_number(value) ? json_number_value(value) : other;
}

static bool asks(const json_t *section, const char *key, const char *text)
{
	const char *there = json_string_value(json_object_get(section, key));

	return there != NULL && strcmp(there, text) == 0;
}

static struct engine engine_of(const struct demo_plan *plan)
{
	double gpus = demo_requested(plan->server, "tensor_parallel_size", 1);
	const json_t *compiled = json_object_get(plan->server, "compilation_config");
	bool is_fp8 = asks(plan->server, "quantization", "fp8");
	bool is_eager = json_is_true(json_object_get(plan->server, "enforce_eager")) ||
			(compiled != NULL && pl_json_get_i64(compiled, "mode") == 0);
	struct engine engine = {
		.model = plan->model,
		.gpus = gpus,
		.bytes_per_s = MEMORY_REACHED * plan->gpu->bandwidth_bytes_per_s * gpus,
		.flops = COMPUTE_REACHED * plan->gpu->bf16_flops * gpus * (is_fp8 ? 1.6 : 1),
		.weight_bytes = is_fp8 ? 1.03 : 2,
		.kv_token_bytes = plan->model->kv_token_bytes *
				  (asks(plan->server, "kv_cache_dtype", "fp8") ? 0.5 : 1),
		.step_s = STEP_S + (is_eager ? EAGER_LAYER_S * plan->model->layers : 0) +
			  2 * plan->model->layers * TALK_LAYER_S * log2(gpus),
		.input = demo_requested(plan->load, "random_input_len", 1024),
		.output = demo_requested(plan->load, "random_output_len", 128),
	};

	engine.slower = 1.15 - 0.02 * (double)plan->release;
	engine.prefill_slower = 1.10 - 0.012 * (double)plan->release;
	for (size_t i = 0; i < REGRESSIONS; i++) {
		if (plan->release < regressions[i].since || plan->release > regressions[i].until)
			continue;
		engine.slower *= regressions[i].all;
		engine.prefill_slower *= regressions[i].prefill;
		if (plan->model->experts > 0)
			engine.slower *= regressions[i].experts;
	}
	return engine;
}

static double active_numbers(const struct engine *engine)
{
	return engine->model->dense + engine->model->experts * engine->model->expert_share;
}

/* One token of each of so many requests. */
static double step_s(const struct engine *engine, double requests)
{
	const struct demo_model *model = engine->model;
	/* more tokens use a larger share of the experts */
	double experts = model->experts * (1 - pow(1 - model->expert_share, fmax(requests, 1)));
	double bytes = engine->weight_bytes * (model->dense + experts) +
		       engine->kv_token_bytes * requests * (engine->input + engine->output / 2);
	double computed_s = 2 * active_numbers(engine) * requests / engine->flops;

	return engine->slower * (engine->step_s + fmax(bytes / engine->bytes_per_s, computed_s));
}

static double prefill_s(const struct engine *engine)
{
	return engine->prefill_slower *
	       (2 * engine->step_s + 2 * active_numbers(engine) * engine->input / engine->flops);
}

/* From one token to the next, with the prompts of those who come meanwhile. */
static double token_s(const struct engine *engine, double requests)
{
	return step_s(engine, requests) + requests / engine->output * prefill_s(engine);
}

static double request_s(const struct engine *engine, double requests)
{
	return prefill_s(engine) + engine->output * token_s(engine, requests);
}

static const struct demo_fate *draw_fate(struct demo_dice *dice)
{
	double share = demo_share(dice);

	for (size_t i = 0; i < PL_ARRAY_SIZE(fates); i++) {
		if (share < fates[i].share)
			return &fates[i];
		share -= fates[i].share;
	}
	return NULL;
}

/* Closed loop: requests beyond the engine's room wait. */
static void set_closed(const struct engine *engine, double room, double at_once,
		       struct demo_figures *figures)
{
	double running = fmin(at_once, room);

	figures->running = running;
	figures->load = running / room;
	figures->queue_ms = 1e3 * (at_once - running) / running * request_s(engine, running);
	figures->ttft_ms = 1e3 * prefill_s(engine) * (1 + 0.12 * sqrt(running)) + figures->queue_ms;
}

/* Open loop: as many run as arrive during one response; beyond the capacity they queue. */
static void set_open(const struct engine *engine, double room, struct demo_figures *figures)
{
	double running = 1;

	for (int i = 0; i < ROUNDS; i++)
		running = fmin(room, figures->rate * request_s(engine, fmax(running, 1)));
	double most = room / request_s(engine, room);
	double busy = figures->rate / most;
	if (busy >= OVERLOADED) {
		double after = fmax(0.02, 1 - 1 / busy);
		figures->queue_ms = 1e3 * after * figures->prompts / most / 2;
		busy = OVERLOADED;
		running = room;
	} else {
		figures->queue_ms = 1e3 * prefill_s(engine) * busy * busy / (1 - busy) / 2;
	}
	figures->running = running;
	figures->load = busy;
	figures->ttft_ms = 1e3 * prefill_s(engine) * (1 + 0.12 * sqrt(running)) + figures->queue_ms;
}

static void set_ends(struct demo_figures *figures, struct demo_dice *dice)
{
	enum res_status status = figures->fate != NULL ? figures->fate->status
						       : RES_STATUS_COMPLETED;

	figures->completed = figures->prompts;
	if (status == RES_STATUS_PARTIAL)
		figures->completed = floor(figures->prompts * (0.4 + 0.5 * demo_share(dice)));
	else if (status != RES_STATUS_COMPLETED)
		figures->completed = floor(figures->prompts * 0.5 * demo_share(dice));
}

void demo_figures(const struct demo_plan *plan, struct demo_figures *ret)
{
	struct demo_dice dice = plan->dice;
	struct engine engine = engine_of(plan);

	*ret = (struct demo_figures){
		.fate = draw_fate(&dice),
		.input = engine.input,
		.output = engine.output,
		.prompts = demo_requested(plan->load, "num_prompts", 200),
		.rate = demo_requested(plan->load, "request_rate", INFINITY),
		.concurrency = demo_requested(plan->load, "max_concurrency", 0),
	};
	double share = demo_requested(plan->server, "gpu_memory_utilization", 0.92);
	double all = plan->model->dense + plan->model->experts;
	ret->gpus = engine.gpus;
	ret->max_len = fmin(demo_requested(plan->server, "max_model_len", plan->model->max_len),
			    plan->model->max_len);
	ret->weights_bytes = engine.weight_bytes * all / engine.gpus;
	ret->kv_bytes = share * (double)plan->gpu->memory_bytes - ret->weights_bytes - OTHER_BYTES;
	ret->kv_tokens = fmax(0, ret->kv_bytes * engine.gpus / engine.kv_token_bytes);
	if (ret->kv_bytes <= 0)
		ret->fate = &out_of_memory;
	else if (ret->kv_tokens < ret->max_len)
		ret->fate = &kv_too_small;
	double room = fmin(demo_requested(plan->server, "max_num_seqs", 256),
			   fmax(1, ret->kv_tokens / (engine.input + engine.output)));
	if (isinf(ret->rate))
		set_closed(&engine, room, ret->concurrency > 0 ? ret->concurrency : ret->prompts,
			   ret);
	else
		set_open(&engine, room, ret);
	/* large steps start prompts early and delay tokens */
	double batch = log2(demo_requested(plan->server, "max_num_batched_tokens", 8192) / 8192);
	double slower = demo_noise(&dice, 0.04) * (1 - 0.12 * batch);
	ret->ttft_ms *= slower;
	ret->queue_ms *= slower;
	ret->tpot_ms = 1e3 * token_s(&engine, ret->running) * demo_noise(&dice, 0.015) *
		       (1 + 0.025 * batch);
	ret->e2el_ms = ret->ttft_ms + (engine.output - 1) * ret->tpot_ms;
	ret->spread = 0.03 + 0.35 * ret->load * ret->load;
	set_ends(ret, &dice);
	double served_s = (ret->e2el_ms - ret->queue_ms) / 1e3;
	ret->duration_s = ret->prompts / fmin(ret->running / served_s, ret->rate) + served_s;
	ret->start_s = (14 + ret->weights_bytes / 2.2e9 + 0.4 * plan->model->layers) *
		       demo_noise(&dice, 0.08);
}

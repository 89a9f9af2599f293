#include "sim/job.h"

#include <stdlib.h>

#include "base/clock.h"
#include "sim/answer.h"
#include "sim/conn.h"
#include "sim/events.h"
#include "sim/faulty.h"
#include "sim/pooled_answer.h"
#include "sim/server_priv.h"
#include "sim/tokenizer.h"
#include "sim/transcription.h"

#define ANSWER_MAX (256u << 20)

static double seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

/* The same prompt and seed give the same response. */
static uint64_t choice_seed(const struct sim_server *server, const struct sim_request *request,
			    uint32_t prompt, uint32_t copy)
{
	uint64_t seed = sim_token_mix((uint64_t)server->options->seed, request->seed);

	for (size_t i = 0; i < request->prompts[prompt].count; i++)
		seed = sim_token_mix(seed, request->prompts[prompt].ids[i]);
	return sim_token_mix(seed, copy);
}

static void add_choice(struct sim_job *job, uint32_t index)
{
	const struct sim_request *request = &job->request;
	struct sim_choice *choice = &job->choices[index];
	const struct sim_prompt *prompt;

	choice->job = job;
	choice->index = index;
	choice->prompt = index / request->n;
	/* Choices are numbered prompt by prompt: n of the first, n of the second … */
	choice->seed = choice_seed(job->server, request, choice->prompt, index % request->n);
	prompt = &request->prompts[choice->prompt];
	struct sim_sequence_spec spec = (struct sim_sequence_spec){
		.prompt = prompt->ids,
		.prompt_tokens = prompt->count,
		.max_tokens = request->max_tokens,
		.min_tokens = request->min_tokens,
		.ignore_eos = request->ignore_eos,
		.pooled = request->pooled,
		.encoder_ns = job->server->options->encoder_ns * prompt->media_tokens,
		.media_end = prompt->media_end,
		.seed = choice->seed,
		.user = choice,
	};
	choice->sequence = sim_engine_add(job->server->engine, &spec, job->times.queued_ns);
	if (request->stream)
		sim_event_prepare(choice);
}

void sim_job_free(struct sim_job *job)
{
	LIST_REMOVE(job, link);
	for (uint32_t i = 0; i < job->choice_count; i++)
		free(job->choices[i].head);
	free(job->choices);
	free(job->held_events);
	pl_buf_done(&job->held);
	sim_request_done(&job->request);
	free(job);
}

/* The connection can take the next request before its response is completely sent: sends are in order. */
struct sim_conn *sim_job_close(struct sim_job *job, const char *status)
{
	struct sim_server *server = job->server;
	struct sim_conn *conn = job->conn;

	io_timer_stop(server->loop, &job->frontend_timer);
	sim_event_log_set_times(job->log_id, &job->times);
	sim_event_log_end(server->log, pl_take(job->log_id), pl_clock_now_ns(), job->tokens,
			  job->cached_tokens, status);
	server->stalled -= job->stalled_choices;
	job->over = true;
	job->conn = NULL;
	server->any_dead = true;
	if (conn != NULL)
		conn->job = NULL;
	return conn;
}

/* The handles go with it: the engine forgets an aborted sequence with its next step. */
void sim_job_leave_engine(struct sim_job *job)
{
	for (uint32_t i = 0; i < job->choice_count; i++) {
		if (job->choices[i].sequence != NULL)
			sim_engine_abort(job->server->engine, pl_take(job->choices[i].sequence));
	}
}

void sim_job_abort(struct sim_job *job)
{
	if (job->over)
		return;
	sim_job_leave_engine(job);
	sim_job_close(job, "aborted");
	sim_event_log_flush(job->server->log);
}

/* Returns false if the client has disconnected, and the job has ended. */
static bool send_event(struct sim_job *job, const char *bytes, size_t len, uint32_t choice,
		       uint32_t tokens)
{
	if (job->server->odd_events)
		return sim_send_event(job, bytes, len, choice, tokens);
	int64_t now_ns = pl_clock_now_ns();
	if (!sim_conn_send(job->conn, bytes, len))
		return false;
	sim_event_log_token(job->server->log, job->log_id, now_ns, pl_clock_now_ns() - now_ns,
			    choice, tokens, (uint32_t)len);
	return true;
}

static bool send_roles(struct sim_job *job)
{
	for (uint32_t i = 0; i < job->choice_count; i++) {
		size_t len;
		const char *bytes = sim_event_role(&job->choices[i], &len);

		if (!send_event(job, bytes, len, i, 0))
			return false;
	}
	return true;
}

/* Returns the number of tokens that an event waits for. */
static int64_t least_tokens(const struct sim_choice *choice)
{
	const struct sim_options *options = choice->job->server->options;

	if (choice->sent == 0 || options->faults.merge_tokens > 1)
		return options->faults.merge_tokens;
	return options->stream_interval;
}

static bool stream_token(struct sim_choice *choice)
{
	struct sim_job *job = choice->job;
	uint32_t tokens = choice->claimed_tokens - choice->sent;
	size_t len;

	/* The last event comes whatever it holds. */
	if (choice->finish == SIM_FINISH_NONE && tokens < least_tokens(choice))
		return true;

	/* vLLM sends the roles of all choices before the first token of any, not when the request arrives. */
	bool has_roles = job->request.api != SIM_COMPLETIONS && !sim_api_is_audio(job->request.api);
	if (!job->begun && has_roles && !send_roles(job))
		return false;
	job->begun = true;
	const char *bytes = sim_event_tokens(choice, &len);
	choice->sent = choice->claimed_tokens;
	return send_event(job, bytes, len, choice->index, tokens);
}

static void finish_job(struct sim_job *job)
{
	struct sim_server *server = job->server;
	struct sim_conn *conn = job->conn;
	const char *status = job->spoiled ? "error" : "completed";
	bool counted = job->counted && !job->spoiled;
	auto_buf body = PL_BUF(ANSWER_MAX);

	if (job->request.stream) {
		size_t len;
		const char *bytes = sim_event_end(job, &len);

		if (job->server->odd_events ? !sim_send_event(job, bytes, len, 0, SIM_NO_TOKEN)
					    : !sim_conn_send(conn, bytes, len))
			return;
		sim_job_close(job, status);
		sim_conn_end_request(conn);
	} else {
		struct sim_pooled_form form = { .type = "application/json" };
		if (job->request.pooled)
			sim_pooled_answer_write(job, &body, &form);
		else
			sim_answer_write(job, &body);
		if (job->spoiled)
			body.len /= 2;
		sim_job_close(job, status);
		sim_conn_answer_with(conn, 200, form.type, form.headers, pl_buf_text(&body),
				     body.len);
		free(form.headers);
	}
	/* After the response: a crash after n requests lets the n-th one complete. */
	server->completed += counted;
	if (sim_engine_is_due(server))
		server->engine_stopped = true;
	sim_conn_resume(conn);
}

static void observe_finish(struct sim_job *job, const struct sim_sequence *seq)
{
	struct sim_metrics *metrics = &job->server->metrics;
	int64_t decode_ns = seq->last_token_ns - seq->first_token_ns;

	sim_metrics_observe(metrics, SIM_HIST_PROMPT_TOKENS, seq->prompt_tokens);
	sim_metrics_observe(metrics, SIM_HIST_GENERATION_TOKENS, seq->generated);
	sim_metrics_observe(metrics, SIM_HIST_PARAMS_N, job->request.n);
	if (!seq->pooled)
		sim_metrics_observe(metrics, SIM_HIST_PARAMS_MAX_TOKENS, seq->max_tokens);
	sim_metrics_observe(metrics, SIM_HIST_E2E,
			    seconds(job->arrival_lag_ns + seq->last_token_ns - seq->added_ns));
	sim_metrics_observe(metrics, SIM_HIST_QUEUE, seconds(seq->admitted_ns - seq->added_ns));
	sim_metrics_observe(metrics, SIM_HIST_INFERENCE,
			    seconds(seq->last_token_ns - seq->admitted_ns));
	sim_metrics_observe(metrics, SIM_HIST_PREFILL,
			    seconds(seq->first_token_ns - seq->admitted_ns));
	sim_metrics_observe(metrics, SIM_HIST_DECODE, seconds(decode_ns));
	sim_metrics_observe(metrics, SIM_HIST_TPOT,
			    seq->generated > 1 ? seconds(decode_ns) / (seq->generated - 1) : 0);
	sim_metrics_observe(metrics, SIM_HIST_PREEMPTIONS, seq->preemptions);
	sim_metrics_observe(metrics, SIM_HIST_PREFILL_COMPUTED,
			    seq->prompt_tokens - seq->cached_tokens);
}

static void note_times(struct sim_job *job, const struct sim_sequence *seq)
{
	job->times.scheduled_ns = seq->admitted_ns;
	job->times.first_token_ns = seq->first_token_ns;
	job->times.last_token_ns = seq->last_token_ns;
}

void sim_job_token(struct sim_choice *choice, const struct sim_output *output)
{
	struct sim_job *job = choice->job;
	struct sim_metrics *metrics = &job->server->metrics;

	/* Accepted drafts arrive in the same step as their token: one gap for all, as vLLM counts. */
	if (output->index == 0)
		sim_metrics_observe(metrics, SIM_HIST_TTFT,
				    seconds(job->arrival_lag_ns + output->gap_ns));
	else if (output->part == 0)
		sim_metrics_observe(metrics, SIM_HIST_ITL, seconds(output->gap_ns));
	if (choice->index == 0)
		note_times(job, output->sequence);
	choice->claimed_tokens += !job->request.pooled;
	job->tokens += !job->request.pooled;
	if (output->more) /* one output per step */
		return;
	choice->finish = output->sequence->finish;
	if (choice->finish != SIM_FINISH_NONE) {
		observe_finish(job, output->sequence);
		job->cached_tokens += output->sequence->cached_tokens;
		choice->sequence = NULL;
		job->open_choices--;
	}
	if (job->fault != SIM_FAULT_NONE && sim_fault_strikes(job))
		return;
	if (job->request.stream && !stream_token(choice))
		return;
	if (job->open_choices > 0)
		return;
	uint32_t most = 0;
	for (uint32_t i = 0; i < job->choice_count; i++) {
		if (job->choices[i].claimed_tokens > most)
			most = job->choices[i].claimed_tokens;
	}
	if (!job->request.pooled)
		sim_metrics_observe(&job->server->metrics, SIM_HIST_MAX_GENERATION_TOKENS, most);
	finish_job(job);
}

/* The front end passes the request to the engine. */
static void queue_job(struct sim_job *job, int64_t now_ns)
{
	struct sim_server *server = job->server;
	const struct sim_request *request = &job->request;

	job->times.queued_ns = now_ns;
	if (!server->options->late_arrival)
		job->arrival_lag_ns = now_ns - job->arrival_ns;
	for (uint32_t i = 0; i < job->choice_count; i++)
		add_choice(job, i);
	/* like vLLM's, the header is sent before anything is computed: long before the first token */
	if (request->stream)
		sim_conn_begin_stream(job->conn);
	if (request->stream && request->api == SIM_RESPONSES && !job->over) {
		size_t len;
		const char *bytes = sim_event_begin(job, &len);
		send_event(job, bytes, len, 0, 0);
	}
	sim_server_wake_engine(server);
}

static void on_frontend_done(struct io_loop *loop, struct io_timer *timer)
{
	struct sim_job *job = timer->data;
	struct sim_server *server = job->server;

	(void)loop;
	queue_job(job, pl_clock_now_ns());
	server->calls->rest(server);
}

static void begin_job(struct sim_conn *conn, struct sim_request *request, enum sim_fault fault)
{
	static const char *const ids[SIM_APIS] = {
		[SIM_COMPLETIONS] = "cmpl-",    [SIM_CHAT] = "chatcmpl-",
		[SIM_RESPONSES] = "resp_",      [SIM_TRANSCRIBE] = "transcribe-",
		[SIM_TRANSLATE] = "translate-", [SIM_EMBEDDINGS] = "embd-",
		[SIM_INFINITY] = "infinity-",   [SIM_POOLING] = "pool-",
		[SIM_RERANK] = "rerank-",       [SIM_SCORE] = "score-",
	};
	struct sim_server *server = conn->server;
	struct sim_job *job = pl_alloc(sizeof(*job));
	int64_t real_ns = pl_clock_real_ns();

	job->server = server;
	job->request = *request;
	if (server->options->faults.no_usage)
		job->request.include_usage = job->request.continuous_usage = false;
	job->created_s = real_ns / PL_NS_PER_S;
	/* Time and address of the connection: unique among live jobs. */
	snprintf(job->id, sizeof(job->id), "%s%016llx", ids[request->api],
		 (unsigned long long)sim_token_mix((uint64_t)real_ns, (uint64_t)(uintptr_t)conn));
	job->choice_count = (uint32_t)request->prompt_count * request->n;
	job->open_choices = job->choice_count;
	job->choices = pl_alloc_array(job->choice_count, sizeof(*job->choices));
	job->counted = conn->request_id != NULL;
	if (job->counted)
		sim_drift_count(&server->drift);
	job->fault = fault;
	job->fault_at = (uint64_t)request->max_tokens * job->choice_count / 2;
	/* The server finds the job to end it, and the connection when the client disconnects. */
	job->conn = conn;
	conn->job = job;
	LIST_INSERT_HEAD(&job->server->jobs, job, link);
	job->arrival_ns = conn->arrival_ns;
	job->times = SIM_EVENT_NO_TIMES;
	job->frontend_timer = (struct io_timer){ .fn = on_frontend_done, .data = job };
	job->log_id = sim_event_log_request(server->log, conn->arrival_ns, conn->request_id,
					    request->prompt_tokens, request->media_tokens);
	if (server->options->frontend_delay_ns == 0) {
		queue_job(job, job->arrival_ns);
		return;
	}
	io_timer_start(server->loop, &job->frontend_timer,
		       job->arrival_ns + server->options->frontend_delay_ns);
}

static void start(struct sim_conn *conn, enum sim_api api)
{
	struct sim_server *server = conn->server;
	enum sim_fault fault = SIM_FAULT_NONE;
	auto_json json_t *body = NULL;
	struct sim_request request;
	auto_refusal refusal = SIM_REFUSAL_INIT;

	if (sim_api_is_audio(api) ? !sim_body_form(conn, &body) : !sim_body_json(conn, &body))
		return;
	if (sim_request_parse(body, api, &server->limits, &request, &refusal) < 0) {
		sim_answer_refusal(conn, &refusal);
		sim_request_done(&request);
	} else {
		/* Faults only apply to requests with a name, never to a health check or a warm-up without one. */
		if (conn->request_id != NULL)
			fault = sim_faults_next(&server->options->faults, &server->faults);
		if (sim_fault_refuse(conn, &request, fault))
			sim_request_done(&request);
		else
			begin_job(conn, &request, fault);
	}
}

void sim_job_completions(struct sim_conn *conn)
{
	start(conn, SIM_COMPLETIONS);
}

void sim_job_chat(struct sim_conn *conn)
{
	start(conn, SIM_CHAT);
}

void sim_job_responses(struct sim_conn *conn)
{
	start(conn, SIM_RESPONSES);
}

void sim_job_transcribe(struct sim_conn *conn)
{
	start(conn, SIM_TRANSCRIBE);
}

void sim_job_translate(struct sim_conn *conn)
{
	start(conn, SIM_TRANSLATE);
}

void sim_job_embeddings(struct sim_conn *conn)
{
	start(conn, SIM_EMBEDDINGS);
}

void sim_job_infinity(struct sim_conn *conn)
{
	start(conn, SIM_INFINITY);
}

void sim_job_pooling(struct sim_conn *conn)
{
	start(conn, SIM_POOLING);
}

void sim_job_rerank(struct sim_conn *conn)
{
	start(conn, SIM_RERANK);
}

void sim_job_score(struct sim_conn *conn)
{
	start(conn, SIM_SCORE);
}

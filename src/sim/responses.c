#include "sim/responses.h"

#include <string.h>

#include "base/text.h"
#include "sim/events.h"
#include "sim/job.h"
#include "sim/server_priv.h"

/* The item with the text is named after the response. */
static void add_item_id(struct pl_buf *out, const struct sim_job *job)
{
	pl_buf_addf(out, "\"msg_%s\"", strchr(job->id, '_') + 1);
}

static void begin_event(struct pl_buf *out, const char *type)
{
	pl_buf_addf(out, "event: %s\ndata: {", type);
}

/* Numbers the events of the stream, so that a client can detect missing ones. */
static void end_event(struct pl_buf *out, struct sim_job *job, const char *type)
{
	pl_buf_addf(out, "\"sequence_number\":%u,\"type\":\"%s\"}\n\n", job->events++, type);
}

static bool is_cut(const struct sim_job *job)
{
	return job->choices[0].finish == SIM_FINISH_LENGTH;
}

static void add_part(struct pl_buf *out, const struct sim_choice *choice, bool whole)
{
	pl_buf_add_text(out, "{\"annotations\":[],\"text\":");
	if (whole)
		sim_event_add_text(out, choice);
	else
		pl_buf_add_text(out, "\"\"");
	pl_buf_add_text(out, ",\"type\":\"output_text\",\"logprobs\":null}");
}

static void add_item(struct pl_buf *out, const struct sim_job *job, bool whole)
{
	pl_buf_add_text(out, "{\"id\":");
	add_item_id(out, job);
	pl_buf_add_text(out, ",\"content\":[");
	if (whole)
		add_part(out, &job->choices[0], true);
	pl_buf_addf(out,
		    "],\"role\":\"assistant\",\"status\":\"%s\",\"type\":\"message\","
		    "\"phase\":null}",
		    whole ? "completed" : "in_progress");
}

/* Includes members that are always 0 or empty here, because clients rely on them. */
static void add_usage(struct pl_buf *out, const struct sim_job *job)
{
	uint32_t claimed_tokens = sim_event_claimed_tokens(job, job->tokens);
	uint32_t cached = job->cached_tokens;

	pl_buf_addf(out,
		    "{\"input_tokens\":%u,\"input_tokens_details\":{\"cached_tokens\":%u,"
		    "\"cache_write_tokens\":0,\"input_tokens_per_turn\":[],"
		    "\"cached_tokens_per_turn\":[]},\"output_tokens\":%u,"
		    "\"output_tokens_details\":{\"reasoning_tokens\":0,\"tool_output_tokens\":0,"
		    "\"output_tokens_per_turn\":[],\"tool_output_tokens_per_turn\":[]},"
		    "\"total_tokens\":%u}",
		    job->request.prompt_tokens, cached, claimed_tokens,
		    job->request.prompt_tokens + claimed_tokens);
}

/* Adds the current response: without a text until it is done. */
static void add_response(struct pl_buf *out, const struct sim_job *job, bool done)
{
	bool cut = done && is_cut(job);

	pl_buf_addf(out, "{\"id\":\"%s\",\"created_at\":%lld,\"incomplete_details\":%s,", job->id,
		    (long long)job->created_s, cut ? "{\"reason\":\"max_output_tokens\"}" : "null");
	pl_buf_add_text(out, "\"instructions\":null,\"metadata\":null,\"model\":");
	pl_text_add_json(out, job->request.model, strlen(job->request.model), false);
	pl_buf_add_text(out, ",\"object\":\"response\",\"output\":[");
	if (done)
		add_item(out, job, true);
	pl_buf_addf(out,
		    "],\"parallel_tool_calls\":true,\"temperature\":1.0,\"tool_choice\":\"none\","
		    "\"tools\":[],\"top_p\":1.0,\"background\":false,\"max_output_tokens\":%u,"
		    "\"max_tool_calls\":null,\"previous_response_id\":null,\"prompt\":null,"
		    "\"reasoning\":null,\"service_tier\":\"auto\",\"status\":\"%s\",\"text\":null,"
		    "\"top_logprobs\":null,\"truncation\":\"disabled\",\"usage\":",
		    job->request.max_tokens,
		    !done ? "in_progress"
		    : cut ? "incomplete"
			  : "completed");
	if (done && !job->server->options->faults.no_usage)
		add_usage(out, job);
	else
		pl_buf_add_text(out, "null");
	pl_buf_add_text(out, ",\"user\":null,\"presence_penalty\":0.0,\"frequency_penalty\":0.0,"
			     "\"kv_transfer_params\":null,\"ec_transfer_params\":null,"
			     "\"input_messages\":null,\"output_messages\":null}");
}

static void add_response_event(struct pl_buf *out, struct sim_job *job, const char *type, bool done)
{
	begin_event(out, type);
	pl_buf_add_text(out, "\"response\":");
	add_response(out, job, done);
	pl_buf_add_char(out, ',');
	end_event(out, job, type);
}

/* Adds the part and item of an event. */
static void add_place(struct pl_buf *out, const struct sim_job *job)
{
	pl_buf_add_text(out, "\"item_id\":");
	add_item_id(out, job);
	pl_buf_add_text(out, ",\"output_index\":0,");
}

static void add_item_event(struct pl_buf *out, struct sim_job *job, const char *type, bool whole)
{
	begin_event(out, type);
	pl_buf_add_text(out, "\"item\":");
	add_item(out, job, whole);
	pl_buf_add_text(out, ",\"output_index\":0,");
	end_event(out, job, type);
}

static void add_part_event(struct pl_buf *out, struct sim_job *job, const char *type, bool whole)
{
	begin_event(out, type);
	pl_buf_add_text(out, "\"content_index\":0,");
	add_place(out, job);
	pl_buf_add_text(out, "\"part\":");
	add_part(out, &job->choices[0], whole);
	pl_buf_add_char(out, ',');
	end_event(out, job, type);
}

/*
 *	created, in_progress | output_item.added, content_part.added | delta … |
 *	output_text.done, content_part.done, output_item.done | completed or incomplete
 *
 * The first two are sent before anything is computed, the next two before the first token.
 */
void sim_responses_begin(struct sim_job *job, struct pl_buf *out)
{
	add_response_event(out, job, "response.created", false);
	add_response_event(out, job, "response.in_progress", false);
}

void sim_responses_open(struct sim_job *job, struct pl_buf *out)
{
	add_item_event(out, job, "response.output_item.added", false);
	add_part_event(out, job, "response.content_part.added", false);
}

void sim_responses_delta_head(struct pl_buf *out)
{
	begin_event(out, "response.output_text.delta");
	pl_buf_add_text(out, "\"content_index\":0,\"delta\":\"");
}

void sim_responses_delta_end(struct sim_job *job, struct pl_buf *out)
{
	pl_buf_add_text(out, "\",");
	add_place(out, job);
	pl_buf_add_text(out, "\"logprobs\":[],");
	end_event(out, job, "response.output_text.delta");
}

void sim_responses_end(struct sim_job *job, struct pl_buf *out)
{
	static const char type[] = "response.output_text.done";

	begin_event(out, type);
	pl_buf_add_text(out, "\"content_index\":0,");
	add_place(out, job);
	pl_buf_add_text(out, "\"logprobs\":[],\"text\":");
	sim_event_add_text(out, &job->choices[0]);
	pl_buf_add_char(out, ',');
	end_event(out, job, type);
	add_part_event(out, job, "response.content_part.done", true);
	add_item_event(out, job, "response.output_item.done", true);
	add_response_event(out, job, is_cut(job) ? "response.incomplete" : "response.completed",
			   true);
}

void sim_responses_answer(const struct sim_job *job, struct pl_buf *out)
{
	add_response(out, job, true);
}

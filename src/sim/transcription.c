#include "sim/transcription.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "sim/answer.h"
#include "sim/conn.h"
#include "sim/events.h"
#include "sim/form.h"
#include "sim/job.h"
#include "sim/media.h"
#include "sim/server_priv.h"
#include "sim/tokenizer.h"

/* vLLM's default of VLLM_MAX_AUDIO_CLIP_FILESIZE_MB. */
#define RECORDING_BYTES_MAX ((size_t)25 << 20)

/* As pydantic reads them. */
static int to_flag(json_t *fields, const char *name, struct sim_refusal *refusal)
{
	static const char *const words[] = { "false", "true", "0", "1", "no", "yes",
					     "off",   "on",   "n", "y", "f",  "t" };
	const char *text = pl_json_get_text(fields, name);

	if (text == NULL)
		return 0;
	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		if (strcasecmp(text, words[i]) != 0)
			continue;
		json_object_set_new(fields, name, json_boolean(i % 2));
		return 0;
	}
	return sim_refuse_form(refusal, "bool_parsing", name,
			       "Input should be a valid boolean, unable to interpret input", "'…'",
			       "");
}

/* In a form, the stream's options are fields of their own. */
static int to_stream_options(json_t *fields, struct sim_refusal *refusal)
{
	if (to_flag(fields, "stream", refusal) < 0 || to_flag(fields, "ignore_eos", refusal) < 0 ||
	    to_flag(fields, "stream_include_usage", refusal) < 0 ||
	    to_flag(fields, "stream_continuous_usage_stats", refusal) < 0)
		return -1;
	if (json_is_true(json_object_get(fields, "stream")))
		json_object_set_new(
			fields, "stream_options",
			json_pack("{s:b, s:b}", "include_usage",
				  json_is_true(json_object_get(fields, "stream_include_usage")),
				  "continuous_usage_stats",
				  json_is_true(json_object_get(fields,
							       "stream_continuous_usage_stats"))));
	return 0;
}

int sim_form_to_body(const char *type, const char *bytes, size_t len, json_t **ret,
		     struct sim_refusal *refusal)
{
	struct sim_form form;
	int done = sim_form_read(type, bytes, len, &form, refusal);

	if (done == 0)
		done = to_stream_options(form.fields, refusal);
	if (done == 0 && form.file == NULL)
		done = sim_refuse_absent(refusal, NULL, "file", "string");
	else if (done == 0 && form.file_len == 0)
		done = sim_refuse(refusal, 400, "BadRequestError", "file",
				  "Invalid or unsupported audio file.");
	else if (done == 0 && form.file_len > RECORDING_BYTES_MAX)
		done = sim_refuse(refusal, 400, "BadRequestError", "audio_filesize_mb",
				  "Maximum file size exceeded");
	if (done == 0) {
		struct sim_media media = sim_media_from_audio(form.file, form.file_len);
		json_object_set_new(form.fields, "file",
				    json_pack("{s:I, s:I}", "tokens", (json_int_t)media.tokens,
					      "seed", (json_int_t)media.seed));
		*ret = json_incref(form.fields);
	}
	sim_form_done(&form);
	return done;
}

bool sim_body_form(struct sim_conn *conn, json_t **ret)
{
	auto_refusal refusal = SIM_REFUSAL_INIT;

	if (sim_form_to_body(conn->content_type, pl_buf_text(&conn->body), conn->body.len, ret,
			     &refusal) == 0)
		return true;
	sim_answer_refusal(conn, &refusal);
	return false;
}

int sim_prompt_from_recording(const json_t *body, const struct sim_limits *limits,
			      struct sim_prompt *ret, struct sim_refusal *refusal)
{
	const json_t *file = json_object_get(body, "file");
	const json_t *text = json_object_get(body, "prompt");
	struct sim_media media = {
		.tokens = (uint32_t)pl_json_get_i64(file, "tokens"),
		.seed = (uint64_t)pl_json_get_i64(file, "seed"),
	};

	if (!limits->media)
		return sim_refuse(refusal, 400, "BadRequestError", NULL,
				  "The model does not support this API");
	if (!json_is_object(file))
		return sim_refuse_absent(refusal, NULL, "file", "string");
	*ret = (struct sim_prompt){
		.ids = pl_alloc_array(media.tokens + json_string_length(text), sizeof(*ret->ids)),
		.count = media.tokens,
		.media_tokens = media.tokens,
		.media_items = 1,
		.media_end = media.tokens,
	};
	sim_media_ids(&media, ret->ids);
	if (json_is_string(text))
		ret->count += sim_token_encode(json_string_value(text), json_string_length(text),
					       ret->ids + ret->count);
	return 0;
}

void sim_transcription_head(const struct sim_job *job, struct pl_buf *out)
{
	pl_buf_addf(out, "data: {\"id\":\"%s\",\"object\":\"%s.chunk\",\"created\":%lld,\"model\":",
		    job->id, job->request.api == SIM_TRANSLATE ? "translation" : "transcription",
		    (long long)job->created_s);
	pl_text_add_json(out, job->request.model, strlen(job->request.model), false);
	pl_buf_add_text(out, ",\"choices\":[");
}

static void add_usage(const struct sim_job *job, uint32_t tokens, struct pl_buf *out)
{
	uint32_t claimed = sim_event_claimed_tokens(job, tokens);

	pl_buf_addf(out,
		    ",\"usage\":{\"prompt_tokens\":%u,\"total_tokens\":%u,"
		    "\"completion_tokens\":%u}",
		    job->request.prompt_tokens, job->request.prompt_tokens + claimed, claimed);
}

void sim_transcription_delta_end(const struct sim_choice *choice, struct pl_buf *out)
{
	const struct sim_job *job = choice->job;

	pl_buf_add_text(out, "\"}");
	if (choice->finish != SIM_FINISH_NONE && !job->server->options->faults.no_finish)
		pl_buf_addf(out, ",\"finish_reason\":\"%s\",\"stop_reason\":null",
			    choice->finish == SIM_FINISH_STOP    ? "stop"
			    : choice->finish == SIM_FINISH_ABORT ? "abort"
								 : "length");
	pl_buf_add_text(out, "}]");
	if (job->request.continuous_usage)
		add_usage(job, choice->claimed_tokens, out);
	pl_buf_add_text(out, "}\n\n");
}

void sim_transcription_end(const struct sim_job *job, struct pl_buf *out)
{
	sim_transcription_head(job, out);
	pl_buf_add_char(out, ']');
	add_usage(job, job->tokens, out);
	pl_buf_add_text(out, "}\n\n");
}

/* The usage is the length of the recording in whole seconds. */
void sim_transcription_answer(const struct sim_job *job, struct pl_buf *out)
{
	uint32_t seconds = (job->request.media_tokens + SIM_AUDIO_TOKENS_PER_S - 1) /
			   SIM_AUDIO_TOKENS_PER_S;

	pl_buf_add_text(out, "{\"text\":");
	sim_event_add_text(out, &job->choices[0]);
	pl_buf_addf(out, ",\"usage\":{\"type\":\"duration\",\"seconds\":%u}}", seconds);
}

#include "sim/events.h"

#include <string.h>

#include "base/text.h"
#include "sim/job.h"
#include "sim/responses.h"
#include "sim/server_priv.h"
#include "sim/tokenizer.h"
#include "sim/transcription.h"

/*
 * The scratch while a chunk is built:
 *   [ FRAME_BYTES: room for the size line, right-aligned ][ data: {…}\n\n ][ \r\n ]
 */
#define FRAME_BYTES 16

#define ADD(buf, literal) pl_buf_add(buf, literal, sizeof(literal) - 1)

static const char *finish_name(const struct sim_choice *choice)
{
	if (choice->finish == SIM_FINISH_NONE || choice->job->server->options->faults.no_finish)
		return "null";
	return choice->finish == SIM_FINISH_STOP    ? "\"stop\""
	       : choice->finish == SIM_FINISH_ABORT ? "\"abort\""
						    : "\"length\"";
}

static void chunk_begin(struct pl_buf *out)
{
	static const char room[FRAME_BYTES];

	pl_buf_clear(out);
	pl_buf_add(out, room, FRAME_BYTES);
}

/*
 * The size of a chunk is known only when it is built; written backwards into the room before
 * it, nothing is moved.
 */
static const char *chunk_end(struct pl_buf *out, size_t *ret_len)
{
	static const char digits[] = "0123456789abcdef";
	size_t size = out->len - FRAME_BYTES;

	/* it may move the bytes: the place comes after it */
	ADD(out, "\r\n");
	char *at = out->data + FRAME_BYTES;
	*--at = '\n';
	*--at = '\r';
	for (; size > 0; size >>= 4)
		*--at = digits[size & 15];
	*ret_len = out->len - (size_t)(at - out->data);
	return at;
}

static void add_number(struct pl_buf *out, uint32_t value)
{
	char digits[PL_I64_TEXT_BYTES];

	pl_buf_add(out, digits, (size_t)(pl_text_put_i64(digits, value) - digits));
}

/* null where ids are not wanted */
static void add_ids(struct pl_buf *out, const struct sim_prompt *prompt, bool wanted)
{
	if (!wanted) {
		ADD(out, "null");
		return;
	}
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < prompt->count; i++) {
		if (i > 0)
			pl_buf_add_char(out, ',');
		add_number(out, prompt->ids[i]);
	}
	pl_buf_add_char(out, ']');
}

/* Written by hand and not by a JSON library: an event is made for each token. */
static void add_event_head(struct pl_buf *out, const struct sim_job *job)
{
	pl_buf_addf(out,
		    "data: {\"id\":\"%s\",\"object\":\"%s\",\"created\":%lld,\"model\":", job->id,
		    job->request.chat ? "chat.completion.chunk" : "text_completion",
		    (long long)job->created_s);
	pl_text_add_json(out, job->request.model, strlen(job->request.model), false);
	ADD(out, ",\"choices\":[");
}

/*
 * Makes the parts that are equal in each event of a choice once: building an event is then two copies and the token's
 * text.
 */
void sim_event_prepare(struct sim_choice *choice)
{
	auto_buf head = PL_BUF(65536);

	if (choice->job->request.api == SIM_RESPONSES) {
		sim_responses_delta_head(&head);
		choice->head_len = head.len;
		choice->head = pl_buf_take(&head);
		return;
	}
	if (sim_api_is_audio(choice->job->request.api)) {
		sim_transcription_head(choice->job, &head);
		pl_buf_add_text(&head, "{\"delta\":{\"content\":\"");
		choice->head_len = head.len;
		choice->head = pl_buf_take(&head);
		return;
	}
	add_event_head(&head, choice->job);
	pl_buf_addf(&head, "{\"index\":%u,%s", choice->index,
		    choice->job->request.chat ? "\"delta\":{\"content\":\"" : "\"text\":\"");
	choice->head_len = head.len;
	choice->head = pl_buf_take(&head);
}

/* --sim-wrong-usage: the log keeps the truth, so that a client's check of usage can be tested. */
uint32_t sim_event_claimed_tokens(const struct sim_job *job, uint32_t tokens)
{
	int64_t claimed = tokens + job->server->options->faults.wrong_usage;

	return claimed > 0 ? (uint32_t)claimed : 0;
}

static void add_usage_members(struct pl_buf *out, const struct sim_job *job, uint32_t prompt,
			      uint32_t completion)
{
	completion = sim_event_claimed_tokens(job, completion);
	ADD(out, "\"usage\":{\"prompt_tokens\":");
	add_number(out, prompt);
	ADD(out, ",\"total_tokens\":");
	add_number(out, prompt + completion);
	ADD(out, ",\"completion_tokens\":");
	add_number(out, completion);
}

/* As in vLLM, which reports no count of 0. Choices of one prompt share its mean. */
static bool add_prompt_details(struct pl_buf *out, const struct sim_job *job)
{
	uint32_t cached = job->cached_tokens / job->request.n;

	if (!job->server->options->prompt_details || cached == 0)
		return false;
	ADD(out, ",\"prompt_tokens_details\":{\"cached_tokens\":");
	add_number(out, cached);
	pl_buf_add_char(out, '}');
	return true;
}

/* As in vLLM, which leaves it out for several choices: its times are those of one sequence. */
static bool has_request_metrics(const struct sim_job *job)
{
	return job->server->options->request_metrics && job->choice_count == 1 &&
	       job->times.first_token_ns >= 0;
}

static void add_ms(struct pl_buf *out, const char *key, double ms)
{
	char text[PL_F64_TEXT_BYTES];

	pl_text_from_f64(ms, text);
	pl_buf_addf(out, "\"%s\":%s", key, text);
}

/* The value of "metrics" of a response. */
static void add_request_metrics(struct pl_buf *out, const struct sim_job *job)
{
	const struct sim_event_times *times = &job->times;
	double prefill_ms = (double)(times->first_token_ns - times->scheduled_ns) / 1e6;
	double decode_ms = (double)(times->last_token_ns - times->first_token_ns) / 1e6;

	pl_buf_add_char(out, '{');
	add_ms(out, "time_to_first_token_ms", prefill_ms);
	pl_buf_add_char(out, ',');
	add_ms(out, "generation_time_ms", decode_ms);
	pl_buf_add_char(out, ',');
	add_ms(out, "queue_time_ms", (double)(times->scheduled_ns - times->queued_ns) / 1e6);
	if (job->tokens > 1) {
		pl_buf_add_char(out, ',');
		add_ms(out, "mean_itl_ms", decode_ms / (job->tokens - 1));
	}
	pl_buf_add_char(out, '}');
}

/* A number like a log probability, the same for the same token: -1 to -11, falling with the
 * rank. */
static double made_up_logprob(uint32_t token, int32_t rank)
{
	return -1.0 - (double)(token % 1000) / 1024.0 - (rank > 0 ? 0.5 * rank : 0.0);
}

static void add_logprob(struct pl_buf *out, uint32_t token, int32_t rank)
{
	char text[PL_F64_TEXT_BYTES];

	pl_text_from_f64(made_up_logprob(token, rank), text);
	pl_buf_add_text(out, text);
}

static void add_piece_json(struct pl_buf *out, uint32_t token)
{
	char piece[SIM_PIECE_BYTES_MAX];
	size_t len = sim_token_piece(token, piece);

	pl_text_add_json(out, piece, len, false);
}

/* The `rank`-th alternative to a token; rank 0 is the token itself. */
static uint32_t alternative(uint32_t token, int32_t rank)
{
	/* 7919 shares no factor with 32,000: all alternatives of a token differ. */
	return (token + (uint32_t)rank * 7919u) % SIM_VOCAB;
}

static void add_chat_logprob(struct pl_buf *out, uint32_t token, int32_t count)
{
	for (int32_t rank = -1; rank < count; rank++) {
		uint32_t id = alternative(token, rank < 0 ? 0 : rank);
		char piece[SIM_PIECE_BYTES_MAX];
		size_t len = sim_token_piece(id, piece);

		if (rank > 0)
			pl_buf_add_char(out, ',');
		ADD(out, "{\"token\":");
		add_piece_json(out, id);
		ADD(out, ",\"logprob\":");
		add_logprob(out, id, rank < 0 ? 0 : rank);
		ADD(out, ",\"bytes\":[");
		for (size_t i = 0; i < len; i++)
			pl_buf_addf(out, "%s%u", i > 0 ? "," : "", (unsigned char)piece[i]);
		ADD(out, "]");
		if (rank < 0)
			ADD(out, ",\"top_logprobs\":[");
		else
			ADD(out, "}");
	}
	ADD(out, "]}");
}

static void add_top_logprobs(struct pl_buf *out, uint32_t token, int32_t count)
{
	pl_buf_add_char(out, '{');
	for (int32_t rank = 0; rank <= count; rank++) {
		uint32_t id = alternative(token, rank);

		if (rank > 0)
			pl_buf_add_char(out, ',');
		add_piece_json(out, id);
		pl_buf_add_char(out, ':');
		add_logprob(out, id, rank);
	}
	pl_buf_add_char(out, '}');
}

/* Adds the choice's tokens first .. first+count-1, whose text begins at byte `offset`. */
static void add_logprobs(struct pl_buf *out, const struct sim_choice *choice, uint32_t first,
			 uint32_t count, uint32_t offset)
{
	static const char *const members[] = { "\"text_offset\":[", "],\"token_logprobs\":[",
					       "],\"tokens\":[", "],\"top_logprobs\":[" };
	int32_t tops = choice->job->request.logprobs;
	bool chat = choice->job->request.chat;

	pl_buf_add_char(out, '{');
	/*
	 * Completions have four parallel lists, chat has one list of objects: the tokens are visited once per list,
	 * because the text is written in order.
	 */
	for (int member = 0; member < (chat ? 1 : 4); member++) {
		pl_buf_add_text(out, chat ? "\"content\":[" : members[member]);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t token = sim_token_draw(choice->seed, first + i);
			char piece[SIM_PIECE_BYTES_MAX];

			if (i > 0)
				pl_buf_add_char(out, ',');
			if (chat)
				add_chat_logprob(out, token, tops);
			else if (member == 0)
				add_number(out, offset);
			else if (member == 1)
				add_logprob(out, token, 0);
			else if (member == 2)
				add_piece_json(out, token);
			else
				add_top_logprobs(out, token, tops);
			offset += member == 0 ? (uint32_t)sim_token_piece(token, piece) : 0;
		}
	}
	ADD(out, "]}");
}

static void add_token_ids(struct pl_buf *out, const struct sim_choice *choice, uint32_t first,
			  uint32_t count)
{
	if (!choice->job->request.return_token_ids) {
		ADD(out, "null");
		return;
	}
	pl_buf_add_char(out, '[');
	for (uint32_t i = 0; i < count; i++)
		pl_buf_addf(out, "%s%u", i > 0 ? "," : "", sim_token_draw(choice->seed, first + i));
	pl_buf_add_char(out, ']');
}

/* Adds the members of a choice of a stream after its text: logprobs, finish_reason, ids. */
static void add_choice_end(struct pl_buf *out, const struct sim_choice *choice)
{
	const struct sim_request *request = &choice->job->request;
	uint32_t at = choice->sent;
	uint32_t count = choice->claimed_tokens - choice->sent;

	pl_buf_add_text(out, request->chat ? "\"},\"logprobs\":" : "\",\"logprobs\":");
	if (request->logprobs < 0)
		ADD(out, "null");
	else
		add_logprobs(out, choice, at, count, choice->text_bytes);
	ADD(out, ",\"finish_reason\":");
	pl_buf_add_text(out, finish_name(choice));
	/* Members as vLLM 0.32.0 writes them, including differences between its two APIs. */
	if (!request->chat || choice->finish != SIM_FINISH_NONE)
		ADD(out, ",\"stop_reason\":null");
	if (!request->chat) {
		ADD(out, ",\"prompt_token_ids\":");
		add_ids(out, &request->prompts[choice->prompt],
			request->return_token_ids && at == 0);
	}
	ADD(out, ",\"token_ids\":");
	add_token_ids(out, choice, at, count);
	ADD(out, "}]");
}

const char *sim_event_begin(struct sim_job *job, size_t *ret_len)
{
	struct pl_buf *out = &job->server->scratch;

	chunk_begin(out);
	sim_responses_begin(job, out);
	return chunk_end(out, ret_len);
}

const char *sim_event_role(struct sim_choice *choice, size_t *ret_len)
{
	const struct sim_request *request = &choice->job->request;
	struct pl_buf *out = &choice->job->server->scratch;

	chunk_begin(out);
	if (request->api == SIM_RESPONSES) {
		sim_responses_open(choice->job, out);
		return chunk_end(out, ret_len);
	}
	add_event_head(out, choice->job);
	pl_buf_addf(out,
		    "{\"index\":%u,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
		    "\"logprobs\":null,\"finish_reason\":null}]",
		    choice->index);
	if (request->continuous_usage) {
		pl_buf_add_char(out, ',');
		add_usage_members(out, choice->job, request->prompt_tokens, 0);
		ADD(out, ",\"completion_tokens_details\":null}");
	}
	ADD(out, ",\"prompt_token_ids\":");
	add_ids(out, &request->prompts[0], request->return_token_ids);
	ADD(out, ",\"prompt_text\":null}\n\n");
	return chunk_end(out, ret_len);
}

/* Letters and digits: no escapes. Returns the bytes added. */
static size_t add_pieces(struct pl_buf *out, const struct sim_choice *choice, uint32_t first,
			 uint32_t after)
{
	size_t before = out->len;

	for (uint32_t i = first; i < after; i++) {
		char piece[SIM_PIECE_BYTES_MAX];
		size_t len = sim_token_piece(sim_token_draw(choice->seed, i), piece);

		pl_buf_add(out, piece, len);
	}
	return out->len - before;
}

const char *sim_event_tokens(struct sim_choice *choice, size_t *ret_len)
{
	struct sim_job *job = choice->job;
	struct pl_buf *out = &job->server->scratch;

	chunk_begin(out);
	pl_buf_add(out, choice->head, choice->head_len);
	size_t len = add_pieces(out, choice, choice->sent, choice->claimed_tokens);
	if (job->request.api == SIM_RESPONSES) {
		sim_responses_delta_end(job, out);
		return chunk_end(out, ret_len);
	}
	if (sim_api_is_audio(job->request.api)) {
		sim_transcription_delta_end(choice, out);
		return chunk_end(out, ret_len);
	}
	add_choice_end(out, choice);
	choice->text_bytes += (uint32_t)len;
	if (job->request.continuous_usage) {
		pl_buf_add_char(out, ',');
		add_usage_members(out, job, (uint32_t)job->request.prompts[choice->prompt].count,
				  choice->claimed_tokens);
		pl_buf_add_text(out,
				job->request.chat ? ",\"completion_tokens_details\":null}" : "}");
	}
	if (choice->finish != SIM_FINISH_NONE && !job->request.include_usage)
		ADD(out, ",\"system_fingerprint\":\"" SIM_FINGERPRINT "\"");
	ADD(out, "}\n\n");
	return chunk_end(out, ret_len);
}

const char *sim_event_end(struct sim_job *job, size_t *ret_len)
{
	/* Two chunks: 14 (e) bytes of [DONE], and the last one, of none. */
	static const char done[] = "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
	struct pl_buf *out = &job->server->scratch;

	chunk_begin(out);
	if (job->request.api == SIM_RESPONSES) {
		sim_responses_end(job, out);
		chunk_end(out, ret_len);
		ADD(out, "0\r\n\r\n");
		*ret_len += 5;
		return out->data + (out->len - *ret_len);
	}
	if (!job->request.include_usage) {
		*ret_len = sizeof(done) - 1;
		return done;
	}
	if (sim_api_is_audio(job->request.api)) {
		sim_transcription_end(job, out);
		chunk_end(out, ret_len);
		pl_buf_add(out, done, sizeof(done) - 1);
		*ret_len += sizeof(done) - 1;
		return out->data + (out->len - *ret_len);
	}
	add_event_head(out, job);
	ADD(out, "],");
	add_usage_members(out, job, job->request.prompt_tokens, job->tokens);
	add_prompt_details(out, job);
	ADD(out, "},\"system_fingerprint\":\"" SIM_FINGERPRINT "\"");
	if (has_request_metrics(job)) {
		ADD(out, ",\"metrics\":");
		add_request_metrics(out, job);
	}
	ADD(out, "}\n\n");
	chunk_end(out, ret_len);
	pl_buf_add(out, done, sizeof(done) - 1);
	/* Both are adjacent in the buffer, so one send() ends the stream. */
	*ret_len += sizeof(done) - 1;
	return out->data + (out->len - *ret_len);
}

void sim_event_add_text(struct pl_buf *out, const struct sim_choice *choice)
{
	pl_buf_add_char(out, '"');
	add_pieces(out, choice, 0, choice->claimed_tokens);
	pl_buf_add_char(out, '"');
}

static void add_whole_choice(struct pl_buf *out, const struct sim_choice *choice)
{
	const struct sim_request *request = &choice->job->request;

	pl_buf_addf(out, "{\"index\":%u,%s", choice->index,
		    request->chat ? "\"message\":{\"role\":\"assistant\",\"content\":"
				  : "\"text\":");
	sim_event_add_text(out, choice);
	if (request->chat)
		ADD(out, ",\"refusal\":null,\"annotations\":null,\"audio\":null,"
			 "\"function_call\":null,\"reasoning\":null}");
	ADD(out, ",\"logprobs\":");
	if (request->logprobs < 0)
		ADD(out, "null");
	else
		add_logprobs(out, choice, 0, choice->claimed_tokens, 0);
	pl_buf_addf(out, ",\"finish_reason\":%s,\"stop_reason\":null,\"token_ids\":",
		    finish_name(choice));
	add_token_ids(out, choice, 0, choice->claimed_tokens);
	if (!request->chat) {
		ADD(out, ",\"prompt_logprobs\":null,\"prompt_token_ids\":");
		add_ids(out, &request->prompts[choice->prompt], request->return_token_ids);
	}
	ADD(out, ",\"routed_experts\":null}");
}

void sim_answer_write(const struct sim_job *job, struct pl_buf *out)
{
	const struct sim_request *request = &job->request;

	if (request->api == SIM_RESPONSES) {
		sim_responses_answer(job, out);
		return;
	}
	if (sim_api_is_audio(request->api)) {
		sim_transcription_answer(job, out);
		return;
	}
	pl_buf_addf(out, "{\"id\":\"%s\",\"object\":\"%s\",\"created\":%lld,\"model\":", job->id,
		    request->chat ? "chat.completion" : "text_completion",
		    (long long)job->created_s);
	pl_text_add_json(out, request->model, strlen(request->model), false);
	ADD(out, ",\"choices\":[");
	for (uint32_t i = 0; i < job->choice_count; i++) {
		if (i > 0)
			pl_buf_add_char(out, ',');
		add_whole_choice(out, &job->choices[i]);
	}
	ADD(out, "],\"service_tier\":null,\"system_fingerprint\":\"" SIM_FINGERPRINT "\",");
	if (job->server->options->faults.no_usage) {
		ADD(out, "\"usage\":null");
	} else {
		add_usage_members(out, job, request->prompt_tokens, job->tokens);
		if (!add_prompt_details(out, job))
			ADD(out, ",\"prompt_tokens_details\":null");
		ADD(out, ",\"completion_tokens_details\":null}");
	}
	if (request->chat) {
		ADD(out, ",\"prompt_logprobs\":null,\"prompt_token_ids\":");
		add_ids(out, &request->prompts[0], request->return_token_ids);
		ADD(out, ",\"prompt_text\":null");
	}
	ADD(out, ",\"kv_transfer_params\":null,\"ec_transfer_params\":null,\"metrics\":");
	if (has_request_metrics(job))
		add_request_metrics(out, job);
	else
		ADD(out, "null");
	pl_buf_add_char(out, '}');
}

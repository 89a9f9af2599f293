#include "sim/tools.h"

#include <stdlib.h>

#include "base/text.h"
#include "sim/answer.h"
#include "sim/conn.h"
#include "sim/server_priv.h"
#include "sim/tokenizer.h"

#define ANSWER_MAX (256u << 20)

static int read_prompt(const json_t *body, const struct sim_limits *limits,
		       struct sim_prompt *prompt, struct sim_refusal *refusal)
{
	const json_t *text = json_object_get(body, "prompt");
	const char *model;

	if (sim_request_find_model(body, limits, &model, refusal) < 0)
		return -1;
	/*
	 * The template of chat, to the token: clients measure lengths here and send the text there.
	 */
	if (json_object_get(body, "messages") != NULL)
		return sim_prompt_from_messages(body, limits, prompt, refusal);
	if (!json_is_string(text))
		return sim_refuse_absent(refusal, text, "prompt", "string");
	sim_prompt_from_text(json_string_value(text), json_string_length(text), prompt);
	return 0;
}

static void add_token_text(struct pl_buf *out, uint32_t id)
{
	char piece[SIM_PIECE_BYTES_MAX];
	size_t len = sim_token_piece(id, piece);

	pl_text_add_json(out, piece, len, true);
}

void sim_tokenize(struct sim_conn *conn)
{
	const struct sim_limits *limits = &conn->server->limits;
	auto_json json_t *body = NULL;
	struct sim_prompt prompt = { 0 };
	auto_refusal refusal = SIM_REFUSAL_INIT;
	auto_buf out = PL_BUF(ANSWER_MAX);

	if (!sim_body_json(conn, &body))
		return;
	if (read_prompt(body, limits, &prompt, &refusal) < 0) {
		sim_answer_refusal(conn, &refusal);
		return;
	}
	/*
	 * By hand, as events are: a long prompt has a million ids, and a JSON document would take a
	 * hundred bytes for each.
	 */
	pl_buf_addf(&out, "{\"count\":%zu,\"max_model_len\":%u,\"tokens\":[", prompt.count,
		    limits->max_model_len);
	for (size_t i = 0; i < prompt.count; i++)
		pl_buf_addf(&out, "%s%u", i > 0 ? "," : "", prompt.ids[i]);
	pl_buf_add_text(&out, "],\"token_strs\":");
	if (!sim_request_flag(body, "return_token_strs", false)) {
		pl_buf_add_text(&out, "null}");
	} else {
		pl_buf_add_char(&out, '[');
		for (size_t i = 0; i < prompt.count; i++) {
			if (i > 0)
				pl_buf_add_char(&out, ',');
			add_token_text(&out, prompt.ids[i]);
		}
		pl_buf_add_text(&out, "]}");
	}
	sim_answer_json(conn, 200, &out);
	free(prompt.ids);
}

/* Invalid UTF-8 becomes U+FFFD, as in any text. */
static void add_decoded(struct pl_buf *out, const struct sim_prompt *prompt)
{
	auto_buf text = PL_BUF(ANSWER_MAX);

	for (size_t i = 0; i < prompt->count; i++) {
		char piece[SIM_PIECE_BYTES_MAX];
		size_t len = sim_token_piece(prompt->ids[i], piece);

		pl_buf_add(&text, piece, len);
	}
	/* Joined before it is checked: a character may be spread over several byte ids. */
	pl_text_add_json(out, pl_buf_text(&text), text.len, true);
}

void sim_detokenize(struct sim_conn *conn)
{
	auto_json json_t *body = NULL;
	struct sim_prompt prompt = { 0 };
	auto_refusal refusal = SIM_REFUSAL_INIT;
	const char *model;
	auto_buf out = PL_BUF(ANSWER_MAX);

	if (!sim_body_json(conn, &body))
		return;
	const json_t *tokens = json_object_get(body, "tokens");
	if (!json_is_array(tokens))
		sim_refuse_absent(&refusal, tokens, "tokens", "list");
	else if (sim_request_find_model(body, &conn->server->limits, &model, &refusal) == 0 &&
		 sim_prompt_from_ids(tokens, "tokens", &prompt, &refusal) == 0) {
		pl_buf_add_text(&out, "{\"prompt\":");
		add_decoded(&out, &prompt);
		pl_buf_add_char(&out, '}');
	}
	if (refusal.status != 0)
		sim_answer_refusal(conn, &refusal);
	else
		sim_answer_json(conn, 200, &out);
	free(prompt.ids);
}

/*
 * What profllm asks for before it draws random prompts; a real vLLM answers only with
 * --enable-tokenizer-info-endpoint.
 */
void sim_tokenizer_info(struct sim_conn *conn)
{
	auto_buf out = PL_BUF(4096);

	pl_buf_addf(&out,
		    "{\"tokenizer_class\":\"ProfllmSimTokenizer\",\"vocab_size\":%u,"
		    "\"added_ids\":{\"bytes\":[%u,%u],\"letter_pairs\":[%u,%u]},"
		    "\"special_ids\":[],\"model_max_length\":%u,\"chat_template\":null}",
		    SIM_VOCAB, SIM_BYTE_ID, SIM_PAIR_ID - 1, SIM_PAIR_ID, SIM_IDS - 1,
		    conn->server->limits.max_model_len);
	sim_answer_json(conn, 200, &out);
}

/*
 * Transcription and translation of audio: a form with the file and the parameters, as vLLM's client sends it. The
 * response is a stream of events like a chat's.
 */
#include "bench/adapters/adapters_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bench/adapters/openai_common.h"

/* The bodies are checked not to contain it. */
#define BOUNDARY "9d1f6f0c3b7e4a58a2c4e1d07b93f65e"

/* A file name as Python's HTTP library quotes it: bytes that URLs reserve become %XX. */
static void add_percent(struct pl_buf *buf, const char *text)
{
	for (const char *at = text; *at != '\0'; at++) {
		unsigned char byte = (unsigned char)*at;
		if (byte < 0x80 && (isalnum(byte) || strchr("_.-~", byte) != NULL))
			pl_buf_add_char(buf, *at);
		else
			pl_buf_addf(buf, "%%%02X", byte);
	}
}

/* A field's name as that library quotes it; it is ASCII (experiment/check_media.c). */
static void add_name(struct pl_buf *buf, const char *name)
{
	pl_buf_add_text(buf, "name=\"");
	for (const char *at = name; *at != '\0'; at++) {
		if (strchr(" \t\"\\", *at) != NULL)
			pl_buf_add_char(buf, '\\');
		pl_buf_add_char(buf, *at);
	}
	pl_buf_add_char(buf, '"');
}

/* A text in Python's form, as in lists: in single quotes, or in double ones if it has only single ones. */
static void add_python_text(struct pl_buf *buf, const json_t *text)
{
	const char *at = json_string_value(text);
	size_t len = json_string_length(text);
	char quote = memchr(at, '\'', len) != NULL && memchr(at, '"', len) == NULL ? '"' : '\'';

	pl_buf_add_char(buf, quote);
	for (size_t i = 0; i < len; i++) {
		unsigned char byte = (unsigned char)at[i];
		if (byte == '\\' || byte == (unsigned char)quote)
			pl_buf_addf(buf, "\\%c", byte);
		else if (byte == '\n' || byte == '\t' || byte == '\r')
			pl_buf_addf(buf, "\\%c", byte == '\n' ? 'n' : byte == '\t' ? 't' : 'r');
		else if (byte < ' ' || byte == 127)
			pl_buf_addf(buf, "\\x%02x", byte);
		else
			pl_buf_add_char(buf, at[i]);
	}
	pl_buf_add_char(buf, quote);
}

/* A value as Python's str() writes it; inside lists and dictionaries, texts have quotes. */
static void add_python(struct pl_buf *buf, const json_t *value, bool inside)
{
	const char *comma = "";

	if (json_is_string(value) && inside) {
		add_python_text(buf, value);
	} else if (json_is_string(value)) {
		pl_buf_add(buf, json_string_value(value), json_string_length(value));
	} else if (json_is_array(value)) {
		pl_buf_add_char(buf, '[');
		PL_JSON_EACH(item, value) {
			pl_buf_add_text(buf, comma);
			add_python(buf, item, true);
			comma = ", ";
		}
		pl_buf_add_char(buf, ']');
	} else if (json_is_object(value)) {
		pl_buf_add_char(buf, '{');
		PL_JSON_EACH_MEMBER(key, member, value) {
			auto_json json_t *name = json_string(key);
			pl_buf_add_text(buf, comma);
			add_python_text(buf, name);
			pl_buf_add_text(buf, ": ");
			add_python(buf, member, true);
			comma = ", ";
		}
		pl_buf_add_char(buf, '}');
	} else if (json_is_boolean(value) || json_is_null(value)) {
		pl_buf_add_text(buf, json_is_null(value)   ? "None"
				     : json_is_true(value) ? "True"
							   : "False");
	} else {
		pl_json_write(value, PL_JSON_PYTHON, buf);
	}
}

static void add_field(struct pl_buf *buf, const char *name, const json_t *value)
{
	pl_buf_add_text(buf, "--" BOUNDARY "\r\nContent-Type: text/plain; charset=utf-8\r\n"
			     "Content-Disposition: form-data; ");
	add_name(buf, name);
	pl_buf_add_text(buf, "\r\n\r\n");
	add_python(buf, value, false);
	pl_buf_add_text(buf, "\r\n");
}

static int add_file(struct pl_buf *buf, const json_t *audio, struct pl_err *err)
{
	const json_t *bytes = json_object_get(audio, "bytes");
	const char *data = json_string_value(bytes);
	size_t len = json_string_length(bytes);

	if (memmem(data, len, BOUNDARY, strlen(BOUNDARY)) != NULL)
		return pl_err_invalid(err, "'%s' contains the boundary of the form",
				      pl_json_get_text(audio, "name"));
	pl_buf_addf(buf,
		    "--" BOUNDARY "\r\nContent-Type: %s\r\n"
		    "Content-Disposition: form-data; name=\"file\"; filename=\"",
		    pl_json_get_text(audio, "type"));
	add_percent(buf, pl_json_get_text(audio, "name"));
	pl_buf_add_text(buf, "\"\r\n\r\n");
	pl_buf_add(buf, data, len);
	pl_buf_add_text(buf, "\r\n");
	return 0;
}

static int encode_audio(const struct bench_encode *encode, const struct bench_sample *sample,
			struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *fields = json_object();

	if (sample->audio == NULL)
		return pl_err_invalid(err, "sample %lld has no audio", (long long)sample->index);
	json_object_set_new(fields, "model", json_string(encode->model));
	json_object_set_new(fields, "max_completion_tokens", json_integer(sample->output_tokens));
	json_object_set_new(fields, "stream", json_true());
	json_object_set_new(fields, "language", json_string("en"));
	json_object_set_new(fields, "stream_include_usage", json_true());
	json_object_set_new(fields, "stream_continuous_usage_stats", json_true());
	if (encode->ignore_eos)
		json_object_set_new(fields, "ignore_eos", json_true());
	if (encode->bench->extra_body != NULL)
		json_object_update(fields, encode->bench->extra_body);
	if (add_file(buf, sample->audio, err) < 0)
		return -1;
	PL_JSON_EACH_MEMBER(name, value, fields) {
		add_field(buf, name, value);
	}
	pl_buf_add_text(buf, "--" BOUNDARY "--\r\n");
	if (buf->full)
		return pl_err_invalid(err, "request body is larger than %zu bytes", buf->max);
	return 0;
}

/* The server counts tokens of its own for audio, which vLLM's client does not take for the prompt's. */
static int decode_audio(const char *data, size_t len, struct bench_event *ret)
{
	int done = bench_openai_decode(data, len, ret);

	ret->usage_prompt = RES_NO_COUNT;
	return done;
}

const struct bench_adapter bench_adapter_openai_audio = {
	.types_last = true,
	.content_type = "multipart/form-data; boundary=" BOUNDARY,
	.has_socket = true,
	.encode = encode_audio,
	.decode = decode_audio,
};

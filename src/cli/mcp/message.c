#include "cli/mcp/message.h"

#include <string.h>

#include "base/text.h"

#define MEMORY_BYTES_MAX (64u << 20)
#define ID_BYTES_MAX     256

const char *const cli_mcp_legacy_versions[] = { "2025-11-25", "2025-06-18", "2024-11-05", NULL };

void cli_mcp_message_done(struct cli_mcp_message *message)
{
	json_decref(message->root);
	*message = (struct cli_mcp_message){ 0 };
}

const char *cli_mcp_text(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	return text != NULL && strlen(text) == json_string_length(value) ? text : NULL;
}

/* Counts brackets outside of strings, so that no parser recurses further. */
static int check_depth(const char *line, size_t len, struct pl_err *err)
{
	size_t depth = 0;
	bool in_text = false;

	for (size_t i = 0; i < len; i++) {
		char c = line[i];
		if (in_text && c == '\\')
			i++;
		else if (c == '"')
			in_text = !in_text;
		else if (!in_text && (c == '[' || c == '{') && ++depth > CLI_MCP_DEPTH_MAX)
			return pl_err_invalid(
				err, "message: found more than %d levels, expected at most that",
				CLI_MCP_DEPTH_MAX);
		else if (!in_text && (c == ']' || c == '}') && depth > 0)
			depth--;
	}
	return 0;
}

static bool is_id(const json_t *id)
{
	return json_is_integer(id) ||
	       (json_is_string(id) && json_string_length(id) <= ID_BYTES_MAX);
}

/* Reads the members of params._meta. */
static void read_meta(struct cli_mcp_message *message)
{
	const json_t *meta = json_object_get(message->params, "_meta");
	const json_t *token = json_object_get(meta, "progressToken");

	message->version = cli_mcp_text(meta, CLI_MCP_META "protocolVersion");
	if (is_id(token))
		message->progress_token = token;
}

static int read_members(struct cli_mcp_message *message, struct pl_err *err)
{
	const json_t *id = json_object_get(message->root, "id");
	const json_t *method = json_object_get(message->root, "method");
	const json_t *params = json_object_get(message->root, "params");

	/* the answer to a request, but this server sends none; an answer to it would be one too many */
	if (method == NULL && (json_object_get(message->root, "result") != NULL ||
			       json_object_get(message->root, "error") != NULL))
		return 0;
	if (id != NULL && !is_id(id))
		return pl_err_invalid(err, "id: expected an integer, or a text of at most %d bytes",
				      ID_BYTES_MAX);
	message->id = id;
	if (!pl_text_equal(pl_json_get_text(message->root, "jsonrpc"), "2.0"))
		return pl_err_invalid(err, "jsonrpc: expected \"2.0\"");
	message->method = cli_mcp_text(message->root, "method");
	if (message->method == NULL)
		return pl_err_invalid(err, "method: expected a text without U+0000");
	/* some clients write null for none */
	if (json_is_null(params))
		params = NULL;
	if (params != NULL && !json_is_object(params))
		return pl_err_invalid(err, "params: expected an object");
	message->params = params;
	read_meta(message);
	return 0;
}

int cli_mcp_message_read(const char *line, size_t len, struct cli_mcp_message *ret,
			 struct pl_err *err)
{
	*ret = (struct cli_mcp_message){ 0 };
	if (check_depth(line, len, err) < 0)
		return CLI_MCP_INVALID_REQUEST;
	if (pl_json_check_memory(line, len, MEMORY_BYTES_MAX, "message", err) < 0)
		return CLI_MCP_INVALID_REQUEST;
	/* U+0000 is refused where a text is used, with a message that names it */
	if (pl_json_parse_texts(line, len, "message", &ret->root, err) < 0)
		return CLI_MCP_PARSE_ERROR;
	if (!json_is_object(ret->root)) {
		pl_err_invalid(err,
			       json_is_array(ret->root)
				       ? "message: found a batch, expected one request per line"
				       : "message: expected an object");
		return CLI_MCP_INVALID_REQUEST;
	}
	return read_members(ret, err) < 0 ? CLI_MCP_INVALID_REQUEST : 0;
}

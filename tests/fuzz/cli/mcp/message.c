/*
 * Any bytes as a message of a client: what is accepted has a method or is a response, and the words of a call never
 * contain a control character, nor start with an option that the tool does not have. A refusal has a reason.
 */
#include "cli/mcp/message.h"

#include <assert.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/mcp/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_words(const struct cli_mcp_tool *tool, const struct pl_strv *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->items[i];
		for (const char *c = word; *c != '\0'; c++)
			assert((unsigned char)*c >= ' ' && *c != 0x7f);
		/* an option of the rows, or of the server itself */
		assert(word[0] != '-' || (word[1] == '-' && word[2] != '\0'));
	}
	assert(words->count >= 1 &&
	       strncmp(tool->words, words->items[0], strlen(words->items[0])) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_mcp_message message = { 0 };
	struct pl_err err = PL_ERR_INIT;
	char root[] = "/proc/self/fdinfo";
	const struct cli_mcp_limits limits = { .root.path = root,
					       .commands = &cli_commands,
					       .allow_run = true,
					       .dashboard = "http://127.0.0.1:1" };

	if (size > CLI_MCP_LINE_BYTES_MAX)
		return 0;
	int code = cli_mcp_message_read((const char *)data, size, &message, &err);
	if (code < 0) {
		assert(err.text[0] != '\0');
		return 0;
	}
	assert(json_is_object(message.root));
	assert(message.id == NULL || json_is_string(message.id) || json_is_integer(message.id));
	for (size_t i = 0; cli_mcp_tool_at(i) != NULL && message.method != NULL; i++) {
		auto_strv words = { 0 };
		struct pl_err why = PL_ERR_INIT;
		const struct cli_mcp_tool *tool = cli_mcp_tool_at(i);
		const json_t *arguments = json_object_get(message.params, "arguments");
		if (cli_mcp_tool_words(tool, &limits, arguments, &words, &why) < 0)
			assert(why.code == PL_ERR_INVALID && why.text[0] != '\0');
		else
			check_words(tool, &words);
	}
	return 0;
}

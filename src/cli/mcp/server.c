#include "cli/mcp/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "cli/mcp/call.h"
#include "cli/mcp/message.h"

#define OUT_BYTES_MAX (64u << 20)
#define OUT_PAUSE     (16u << 20) /* above it, no further message is read */
#define READ_BYTES    65536
#define PROGRESS_NS   (PL_NS_PER_S / 2)
#define END_WRITE_NS  (5 * PL_NS_PER_S)
#define SHELL_SIGNAL  128
#define TOOLS_TTL_MS  3600000
#define SHOWN_BYTES   60
#define FDS           (3 + 2 * CLI_MCP_CALLS_MAX)

static const char instructions[] = "ProfLLM measures LLM servers and reports whether the results "
				   "can be trusted. Report a configuration as better or worse "
				   "only if a finding of the tool 'compare' is 'proven'; otherwise "
				   "say that it is not proven and how many runs are missing. "
				   "Do not rank the metrics of single runs. Results whose verdict "
				   "is not 'trusted' describe the load generator or the host, "
				   "too: follow the advice in 'trust'. Change one thing at a time, "
				   "repeat each configuration at least 3 times (tool 'sweep' "
				   "with 'repeats'), and compare after each round.";

struct server {
	const struct cli_mcp_limits *limits;
	const char *program;
	int signal_fd;
	bool is_ready;    /* after initialize */
	bool in_ended;    /* no more messages */
	bool out_ended;   /* the client closed it */
	bool is_skipping; /* inside of a line that is too long */
	int end_signal;
	struct pl_buf in;
	struct pl_buf out;
	struct cli_mcp_call calls[CLI_MCP_CALLS_MAX];
};

/* ---- sending ---------------------------------------------------------------------------------- */

static void send_json(struct server *server, json_t *message)
{
	auto_free char *text = pl_json_to_text(message, PL_JSON_COMPACT);

	json_decref(message);
	if (!pl_buf_addf(&server->out, "%s\n", text))
		server->out_ended = true; /* a client that reads nothing */
}

static json_t *id_json(const json_t *id)
{
	return id != NULL ? json_incref((json_t *)id) : json_null();
}

static void send_error(struct server *server, const json_t *id, int code, const char *text,
		       json_t *data)
{
	json_t *error = json_pack("{s:i, s:o}", "code", code, "message", pl_json_text(text));

	if (data != NULL)
		json_object_set_new(error, "data", data);
	send_json(server, json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", id_json(id), "error",
				    error));
}

static json_t *server_info(void)
{
	return json_pack("{s:s, s:s, s:s}", "name", "profllm", "title", "ProfLLM", "version",
			 PROFLLM_VERSION);
}

/* Adds what a result of the modern era must have. */
static void send_result(struct server *server, const json_t *id, bool is_modern, json_t *result)
{
	if (is_modern) {
		json_object_set_new(result, "resultType", json_string("complete"));
		json_object_set_new(result, "_meta",
				    json_pack("{s:o}", CLI_MCP_META "serverInfo", server_info()));
	}
	send_json(server, json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", id_json(id),
				    "result", result));
}

/* A failure of a tool is a result, which the model reads. */
static void send_fault(struct server *server, const json_t *id, bool is_modern, const char *text)
{
	send_result(server, id, is_modern,
		    json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
			      pl_json_text(text), "isError", true));
}

static void send_answer(struct server *server, const struct cli_mcp_call *call, json_t *answer)
{
	char *text = pl_json_to_text(answer, PL_JSON_COMPACT);

	send_result(server, call->id, call->is_modern,
		    json_pack("{s:[{s:s, s:o}], s:o, s:b}", "content", "type", "text", "text",
			      pl_json_text(text), "structuredContent", answer, "isError", false));
	free(text);
}

/* ---- calls ------------------------------------------------------------------------------------ */

struct progress {
	struct server *server;
	struct cli_mcp_call *call;
};

/* Sends a line of standard error as progress, at most two per second. */
static void tell(void *user, const char *line)
{
	struct progress *progress = user;
	struct cli_mcp_call *call = progress->call;
	int64_t now_ns = pl_clock_now_ns();

	if (call->token == NULL || call->is_canceled || *line == '\0' ||
	    now_ns - call->told_ns < PROGRESS_NS)
		return;
	call->told_ns = now_ns;
	auto_free char *text = pl_clean_shown(line);
	send_json(progress->server,
		  json_pack("{s:s, s:s, s:{s:O, s:I, s:o}}", "jsonrpc", "2.0", "method",
			    "notifications/progress", "params", "progressToken", call->token,
			    "progress", (json_int_t)call->lines, "message", pl_json_text(text)));
}

static void finish(struct server *server, struct cli_mcp_call *call)
{
	json_t *answer = NULL;

	if (!call->is_canceled && call->is_too_large) {
		auto_free char *text = pl_asprintf(
			"the answer has more than %u bytes; request fewer items",
			CLI_MCP_ANSWER_BYTES_MAX);
		send_fault(server, call->id, call->is_modern, text);
	} else if (!call->is_canceled &&
		   pl_json_parse(pl_buf_text(&call->out), call->out.len, "answer", &answer,
				 PL_ERR_IGNORED) == 0 &&
		   json_is_object(answer)) {
		send_answer(server, call, json_incref(answer));
	} else if (!call->is_canceled) {
		auto_free char *fault = cli_mcp_call_fault(call);
		send_fault(server, call->id, call->is_modern, fault);
	}
	json_decref(answer);
	cli_mcp_call_done(call);
}

/* Returns a free place, or NULL and the reason. */
static struct cli_mcp_call *place_for(struct server *server, const struct cli_mcp_tool *tool,
				      const char **ret_why)
{
	struct cli_mcp_call *place = NULL;

	for (size_t i = 0; i < CLI_MCP_CALLS_MAX; i++) {
		struct cli_mcp_call *call = &server->calls[i];
		if (call->pid == 0)
			place = call;
		else if (call->runs && tool->access == CLI_MCP_RUN) {
			*ret_why =
				"a run is in progress, and a second one would disturb it; wait for "
				"its end, or cancel it";
			return NULL;
		}
	}
	if (place == NULL)
		*ret_why = "4 calls are in progress; wait for the end of one, or cancel it";
	return place;
}

static const char *refusal(const struct server *server, const struct cli_mcp_tool *tool)
{
	if (tool->access == CLI_MCP_RUN && !server->limits->allow_run)
		return "this server is read-only: it starts no server and no load. Start 'profllm "
		       "mcp' "
		       "with --allow-run to permit it";
	if (tool->access == CLI_MCP_ASK && server->limits->dashboard == NULL)
		return "this server has no dashboard. Start 'profllm mcp' with --dashboard URL to "
		       "set one";
	return NULL;
}

static void start_call(struct server *server, const struct cli_mcp_message *message,
		       const struct cli_mcp_tool *tool)
{
	const struct cli_mcp_limits *limits = server->limits;
	bool is_modern = message->version != NULL;
	auto_strv words = { 0 };
	const char *files[] = { server->program, NULL, NULL, NULL };
	struct pl_err err = PL_ERR_INIT;
	const char *why = refusal(server, tool);
	struct cli_mcp_call *call = NULL;

	if (why == NULL &&
	    cli_mcp_tool_words(tool, limits, json_object_get(message->params, "arguments"), &words,
			       &err) < 0)
		why = err.text;
	if (why == NULL)
		call = place_for(server, tool, &why);
	if (call == NULL) {
		send_fault(server, message->id, is_modern, why);
		return;
	}
	files[1] = limits->token_file != NULL ? limits->token_file : limits->ca_file;
	files[2] = limits->token_file != NULL ? limits->ca_file : NULL;
	*call = (struct cli_mcp_call){
		.id = json_incref((json_t *)message->id),
		.token = message->progress_token != NULL
				 ? json_incref((json_t *)message->progress_token)
				 : NULL,
		.is_modern = is_modern,
		.runs = tool->access == CLI_MCP_RUN,
	};
	const struct cli_mcp_start start = { .program = server->program,
					     .words = &words,
					     .folder = limits->root.path,
					     .files = call->runs ? NULL : files };
	if (cli_mcp_call_start(call, &start, &err) == 0)
		return;
	send_fault(server, message->id, is_modern, err.text);
	cli_mcp_call_done(call);
}

static struct cli_mcp_call *call_of(struct server *server, const json_t *id)
{
	for (size_t i = 0; i < CLI_MCP_CALLS_MAX && id != NULL; i++) {
		if (server->calls[i].pid != 0 && json_equal(server->calls[i].id, id))
			return &server->calls[i];
	}
	return NULL;
}

/* ---- methods ---------------------------------------------------------------------------------- */

static json_t *capabilities(void)
{
	return json_pack("{s:{s:b}}", "tools", "listChanged", false);
}

static bool is_date(const char *text)
{
	static const char form[] = "0000-00-00";

	for (size_t i = 0; i < sizeof(form); i++) {
		bool is_digit = text[i] >= '0' && text[i] <= '9';
		if (form[i] == '0' ? !is_digit : text[i] != form[i])
			return false;
	}
	return true;
}

static void initialize(struct server *server, const struct cli_mcp_message *message)
{
	const char *wanted = cli_mcp_text(message->params, "protocolVersion");
	const char *version = cli_mcp_legacy_versions[0];

	if (wanted == NULL) {
		send_error(server, message->id, CLI_MCP_INVALID_PARAMS,
			   "protocolVersion: expected a text", NULL);
		return;
	}
	/*
	 * Revisions are dates. A client accepts older revisions than the one it names, and ends the session if it gets a
	 * newer one.
	 */
	for (size_t i = 0; is_date(wanted) && cli_mcp_legacy_versions[i] != NULL; i++) {
		if (strcmp(cli_mcp_legacy_versions[i], wanted) <= 0) {
			version = cli_mcp_legacy_versions[i];
			break;
		}
	}
	server->is_ready = true;
	send_result(server, message->id, false,
		    json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", version, "capabilities",
			      capabilities(), "serverInfo", server_info(), "instructions",
			      instructions));
}

static json_t *versions_json(void)
{
	json_t *list = json_pack("[s]", CLI_MCP_MODERN_VERSION);

	for (size_t i = 0; cli_mcp_legacy_versions[i] != NULL; i++)
		json_array_append_new(list, json_string(cli_mcp_legacy_versions[i]));
	return list;
}

static void add_ttl(json_t *result, bool is_modern)
{
	if (!is_modern)
		return;
	json_object_set_new(result, "ttlMs", json_integer(TOOLS_TTL_MS));
	json_object_set_new(result, "cacheScope", json_string("private"));
}

static void discover(struct server *server, const struct cli_mcp_message *message)
{
	json_t *result = json_pack("{s:o, s:o, s:s}", "supportedVersions", versions_json(),
				   "capabilities", capabilities(), "instructions", instructions);

	add_ttl(result, true);
	send_result(server, message->id, true, result);
}

static void list_tools(struct server *server, const struct cli_mcp_message *message)
{
	json_t *list = json_array();
	const struct cli_mcp_tool *tool;

	const json_t *cursor = json_object_get(message->params, "cursor");

	if (cursor != NULL && !json_is_null(cursor)) {
		send_error(server, message->id, CLI_MCP_INVALID_PARAMS,
			   "cursor: expected none, because the list has one page", NULL);
		json_decref(list);
		return;
	}
	for (size_t i = 0; (tool = cli_mcp_tool_at(i)) != NULL; i++) {
		if (tool->access != CLI_MCP_ASK || server->limits->dashboard != NULL)
			json_array_append_new(list,
					      cli_mcp_tool_json(server->limits->commands, tool));
	}
	json_t *result = json_pack("{s:o}", "tools", list);
	add_ttl(result, message->version != NULL);
	send_result(server, message->id, message->version != NULL, result);
}

static void call_tool(struct server *server, const struct cli_mcp_message *message)
{
	const char *name = cli_mcp_text(message->params, "name");
	const struct cli_mcp_tool *tool = cli_mcp_tool_find(name);

	if (tool != NULL) {
		start_call(server, message, tool);
		return;
	}
	auto_free char *shown = pl_clean_line(name != NULL ? name : "");
	auto_free char *text = name == NULL
				       ? pl_strdup("name: expected the name of a tool")
				       : pl_asprintf("unknown tool '%.*s'", SHOWN_BYTES, shown);
	send_error(server, message->id, CLI_MCP_INVALID_PARAMS, text, NULL);
}

static void ping(struct server *server, const struct cli_mcp_message *message)
{
	send_result(server, message->id, message->version != NULL, json_object());
}

static const struct method {
	const char *name;
	void (*answer)(struct server *server, const struct cli_mcp_message *message);
	bool is_first; /* allowed before initialize */
} methods[] = {
	{ "initialize", initialize, true },    { "ping", ping, true },
	{ "server/discover", discover, true }, { "tools/list", list_tools, false },
	{ "tools/call", call_tool, false },
};

/* A request of the modern era names its version and the client's capabilities. */
static bool check_meta(struct server *server, const struct cli_mcp_message *message)
{
	const json_t *meta = json_object_get(message->params, "_meta");

	if (message->version == NULL)
		return true;
	if (strcmp(message->version, CLI_MCP_MODERN_VERSION) != 0) {
		auto_free char *shown = pl_clean_line(message->version);
		send_error(server, message->id, CLI_MCP_UNSUPPORTED_VERSION,
			   "Unsupported protocol version",
			   json_pack("{s:o, s:o}", "supported", versions_json(), "requested",
				     pl_json_text(shown)));
		return false;
	}
	if (json_is_object(json_object_get(meta, CLI_MCP_META "clientCapabilities")))
		return true;
	send_error(server, message->id, CLI_MCP_INVALID_PARAMS,
		   "_meta: " CLI_MCP_META "clientCapabilities: expected an object", NULL);
	return false;
}

static void answer_request(struct server *server, const struct cli_mcp_message *message)
{
	const struct method *method = NULL;

	for (size_t i = 0; i < PL_ARRAY_SIZE(methods); i++) {
		if (strcmp(methods[i].name, message->method) == 0)
			method = &methods[i];
	}
	if (call_of(server, message->id) != NULL) {
		send_error(server, message->id, CLI_MCP_INVALID_REQUEST,
			   "id: a request with this id is in progress", NULL);
	} else if (method == NULL) {
		auto_free char *shown = pl_clean_line(message->method);
		auto_free char *text = pl_asprintf("unknown method '%.*s'", SHOWN_BYTES, shown);
		send_error(server, message->id, CLI_MCP_METHOD_NOT_FOUND, text, NULL);
	} else if (!check_meta(server, message)) {
		return;
	} else if (!method->is_first && message->version == NULL && !server->is_ready) {
		send_error(server, message->id, CLI_MCP_INVALID_REQUEST,
			   "the first request must be 'initialize'", NULL);
	} else {
		method->answer(server, message);
	}
}

static void take_notification(struct server *server, const struct cli_mcp_message *message)
{
	struct cli_mcp_call *call;

	if (strcmp(message->method, "notifications/cancelled") != 0)
		return;
	call = call_of(server, json_object_get(message->params, "requestId"));
	if (call == NULL)
		return;
	call->is_canceled = true;
	cli_mcp_call_stop(call, pl_clock_now_ns());
}

static void take_line(struct server *server, const char *line, size_t len)
{
	auto_mcp_message message = { 0 };
	struct pl_err err = PL_ERR_INIT;
	size_t blanks = 0;

	while (blanks < len && strchr(" \t\r", line[blanks]) != NULL)
		blanks++;
	if (blanks == len)
		return;
	int code = cli_mcp_message_read(line, len, &message, &err);
	if (code < 0)
		send_error(server, message.id, code, err.text, NULL);
	else if (message.method == NULL)
		return;
	else if (message.id == NULL)
		take_notification(server, &message);
	else
		answer_request(server, &message);
}

/* ---- the loop --------------------------------------------------------------------------------- */

static void refuse_line(struct server *server)
{
	auto_free char *text = pl_asprintf(
		"message: found more than %u bytes, expected at most that", CLI_MCP_LINE_BYTES_MAX);

	send_error(server, NULL, CLI_MCP_INVALID_REQUEST, text, NULL);
}

static void take_lines(struct server *server)
{
	struct pl_buf *in = &server->in;
	size_t at = 0;
	char *end;

	while (at < in->len && (end = memchr(in->data + at, '\n', in->len - at)) != NULL) {
		size_t len = (size_t)(end - in->data) - at;
		if (!server->is_skipping && len > CLI_MCP_LINE_BYTES_MAX)
			refuse_line(server);
		else if (!server->is_skipping)
			take_line(server, in->data + at, len);
		server->is_skipping = false;
		at += len + 1;
	}
	pl_buf_consume(in, at);
	if (in->len > CLI_MCP_LINE_BYTES_MAX) {
		if (!server->is_skipping)
			refuse_line(server);
		server->is_skipping = true;
		pl_buf_clear(in);
	}
}

static void read_messages(struct server *server)
{
	char data[READ_BYTES];
	ssize_t len = read(STDIN_FILENO, data, sizeof(data));

	if (len == 0 || (len < 0 && errno != EAGAIN && errno != EINTR))
		server->in_ended = true;
	if (len <= 0)
		return;
	(void)pl_buf_add(&server->in, data, (size_t)len);
	take_lines(server);
}

static void write_answers(struct server *server)
{
	ssize_t len = write(STDOUT_FILENO, server->out.data, server->out.len);

	if (len > 0)
		pl_buf_consume(&server->out, (size_t)len);
	else if (len < 0 && errno != EAGAIN && errno != EINTR)
		server->out_ended = true;
}

static void reap(struct server *server)
{
	for (size_t i = 0; i < CLI_MCP_CALLS_MAX; i++) {
		struct cli_mcp_call *call = &server->calls[i];
		if (call->pid == 0 || call->is_reaped ||
		    waitpid(call->pid, &call->status, WNOHANG) != call->pid)
			continue;
		call->is_reaped = true;
		call->reaped_ns = pl_clock_now_ns();
	}
}

static void read_signals(struct server *server)
{
	struct signalfd_siginfo info;

	while (read(server->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD && server->end_signal == 0)
			server->end_signal = (int)info.ssi_signo;
	}
	reap(server);
}

static bool is_ending(const struct server *server)
{
	return server->in_ended || server->out_ended || server->end_signal != 0;
}

static bool has_calls(const struct server *server)
{
	for (size_t i = 0; i < CLI_MCP_CALLS_MAX; i++) {
		if (server->calls[i].pid != 0)
			return true;
	}
	return false;
}

/* Reads the children, and answers finished calls. Returns when something is due. */
static int64_t serve_calls(struct server *server)
{
	int64_t due_ns = INT64_MAX;

	for (size_t i = 0; i < CLI_MCP_CALLS_MAX; i++) {
		struct cli_mcp_call *call = &server->calls[i];
		struct progress progress = { server, call };
		int64_t now_ns = pl_clock_now_ns();
		if (call->pid == 0)
			continue;
		cli_mcp_call_read(call, tell, &progress);
		if (is_ending(server)) {
			call->is_canceled = true;
			cli_mcp_call_stop(call, now_ns);
		}
		if (cli_mcp_call_is_over(call, now_ns)) {
			finish(server, call);
			continue;
		}
		int64_t call_due_ns = cli_mcp_call_tick(call, now_ns);
		due_ns = call_due_ns < due_ns ? call_due_ns : due_ns;
	}
	return due_ns;
}

/* A descriptor below 0 is ignored by poll(). */
static void wait_for_events(struct server *server, int64_t due_ns)
{
	bool reads = !is_ending(server) && server->out.len < OUT_PAUSE;
	bool writes = server->out.len > 0 && !server->out_ended;
	struct pollfd fds[FDS] = {
		{ .fd = reads ? STDIN_FILENO : -1, .events = POLLIN },
		{ .fd = server->out_ended ? -1 : STDOUT_FILENO, .events = writes ? POLLOUT : 0 },
		{ .fd = server->signal_fd, .events = POLLIN },
	};
	int64_t left_ns = due_ns == INT64_MAX ? 0 : due_ns - pl_clock_now_ns();
	const struct timespec left = pl_clock_timespec(left_ns > 0 ? left_ns : 0);

	for (size_t i = 0; i < CLI_MCP_CALLS_MAX; i++) {
		const struct cli_mcp_call *call = &server->calls[i];
		fds[3 + 2 * i] = (struct pollfd){ .fd = call->pid != 0 ? call->out_fd : -1,
						  .events = POLLIN };
		fds[4 + 2 * i] = (struct pollfd){ .fd = call->pid != 0 ? call->err_fd : -1,
						  .events = POLLIN };
	}
	if (ppoll(fds, FDS, due_ns == INT64_MAX ? NULL : &left, NULL) <= 0)
		return;
	if (fds[0].revents != 0)
		read_messages(server);
	if (writes && fds[1].revents != 0)
		write_answers(server);
	else if ((fds[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
		server->out_ended = true;
	if (fds[2].revents != 0)
		read_signals(server);
}

/* Sends the answers that are ready, for a limited time. */
static void write_rest(struct server *server)
{
	int64_t due_ns = pl_clock_now_ns() + END_WRITE_NS;

	while (server->out.len > 0 && !server->out_ended && pl_clock_now_ns() < due_ns) {
		struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };
		if (poll(&fd, 1, 100) > 0)
			write_answers(server);
	}
}

static int open_signals(struct pl_err *err)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	sigset_t signals;

	signal(SIGPIPE, SIG_IGN);
	/* a parent that ignores it would make waitpid() lose each status */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&signals);
	for (size_t i = 0; i < PL_ARRAY_SIZE(numbers); i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	int fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd >= 0 ? fd : pl_err_errno(err, "could not open a signal descriptor");
}

int cli_mcp_serve(const struct cli_mcp_limits *limits, const char *program, struct pl_err *err)
{
	struct server server = { .limits = limits,
				 .program = program,
				 .in = PL_BUF(2 * CLI_MCP_LINE_BYTES_MAX),
				 .out = PL_BUF(OUT_BYTES_MAX) };

	/* a descriptor of ours must not take the place of a closed one, and be read as messages */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return pl_err_errno(err, "could not open '/dev/null'");
	}
	server.signal_fd = open_signals(err);
	if (server.signal_fd < 0)
		return -1;
	/* a client that does not read must not stop the server */
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
	while (!is_ending(&server) || has_calls(&server)) {
		int64_t due_ns = serve_calls(&server);
		if (!is_ending(&server) || has_calls(&server))
			wait_for_events(&server, due_ns);
	}
	write_rest(&server);
	fcntl(STDOUT_FILENO, F_SETFL, flags);
	close(server.signal_fd);
	pl_buf_done(&server.in);
	pl_buf_done(&server.out);
	return server.end_signal != 0 ? SHELL_SIGNAL + server.end_signal : 0;
}

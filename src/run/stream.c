#include "run/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/redact.h"

#define LINE_BYTES_MAX (1u << 20)

/*
 * Returns whether a line of this length can be written without waiting for the reader. A pipe stores every write in
 * pages of its own, so it counts as full when half of its bytes are used.
 */
static bool has_room(size_t len)
{
	struct pollfd standard_error = { .fd = STDERR_FILENO, .events = POLLOUT };
	int room = fcntl(STDERR_FILENO, F_GETPIPE_SZ), used = 0;

	if (poll(&standard_error, 1, 0) <= 0)
		return false;
	if (room <= 0) /* not a pipe */
		return true;
	return ioctl(STDERR_FILENO, FIONREAD, &used) == 0 && (size_t)used + len <= (size_t)room / 2;
}

/* Takes the reference. A single write, so that no other thread's line comes in between. */
static void write_line(const char *key, json_t *value, bool may_wait)
{
	auto_json json_t *line = json_pack("{s:o}", key, value);
	auto_json json_t *shown = pl_redact_json(line, PL_REDACT_OURS);
	auto_buf text = PL_BUF(LINE_BYTES_MAX);

	if (!pl_json_write(shown, PL_JSON_COMPACT, &text) || !pl_buf_add_char(&text, '\n'))
		return;
	if (!may_wait && !has_room(text.len))
		return;
	/* a part of a line would spoil the next one */
	int ignored = pl_fd_write_wait(STDERR_FILENO, text.data, text.len);
	(void)ignored;
}

void run_stream_open(struct run_stream *stream)
{
	stream->is_open = true;
	pl_log_set_format(PL_LOG_JSON);
	write_line("stream",
		   json_pack("{s:i, s:s, s:s}", "version", RUN_STREAM_VERSION, "program", "profllm",
			     "program_version", PROFLLM_VERSION),
		   true);
}

static void take(void *data, const json_t *snapshot)
{
	const struct run_stream *stream = data;

	if (stream->live != NULL)
		stream->live->take(stream->live->data, snapshot);
	write_line("snapshot", json_incref((json_t *)snapshot), false);
}

static void enter(void *data, const char *phase)
{
	(void)data;
	write_line("phase", json_string(phase), true);
}

const struct run_sink *run_stream_sink(struct run_stream *stream, const struct run_sink *live,
				       const char *command)
{
	if (!stream->is_open)
		return live;
	stream->live = live;
	stream->sink = live != NULL ? *live : (struct run_sink){ .command = command };
	stream->sink.take = take;
	stream->sink.enter = enter;
	stream->sink.data = stream;
	return &stream->sink;
}

void run_stream_end(const struct run_stream *stream, int exit_status, const json_t *result,
		    const char *path, const struct pl_err *err)
{
	json_t *error = json_null();

	if (!stream->is_open)
		return;
	if (err != NULL && err->code != PL_ERR_NONE)
		error = json_pack("{s:s, s:o}", "code", pl_err_name(err->code), "message",
				  pl_json_text(err->text));
	write_line("end",
		   json_pack("{s:i, s:o, s:o, s:o}", "exit_status", exit_status & 0xff, "status",
			     pl_json_text(pl_json_get_text(result, "status")), "result",
			     pl_json_text(path), "error", error),
		   true);
}

#include "sim/trace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/gz.h"
#include "base/json.h"
#include "base/text.h"
#include "sim/options.h"

#define TEXT_MAX   (256u << 20)
#define HOST_PID   1000 /* of rank 0; a GPU has its index as pid */
#define GZIP_LEVEL 1

struct step {
	int64_t begin_ns;
	int64_t duration_ns;
	uint32_t sequences;
	uint32_t tokens;
};

/* A file of which a part is written later. */
struct rest {
	int fd;
	char *bytes;
	size_t at;
	size_t len;
};

struct sim_trace {
	char *dir;
	bool packed;
	uint32_t ranks;
	int64_t delay_ns;
	struct io_loop *loop;
	struct io_timer timer;
	bool recording;
	struct step *steps;
	size_t count;
	size_t room;
	struct rest *rests;
	size_t rest_count;
	size_t rest_room;
};

static void write_rests(struct sim_trace *trace, bool finish)
{
	for (size_t i = 0; i < trace->rest_count; i++) {
		struct rest *rest = &trace->rests[i];
		if (finish)
			(void)!pl_fd_write(rest->fd, rest->bytes + rest->at, rest->len - rest->at);
		pl_fd_close(&rest->fd);
		free(rest->bytes);
	}
	trace->rest_count = 0;
}

static void on_timer(struct io_loop *loop, struct io_timer *timer)
{
	(void)loop;
	write_rests(timer->data, true);
}

struct sim_trace *sim_trace_new(const struct sim_options *options, struct io_loop *loop)
{
	auto_json json_t *config = options->profiler != NULL ? pl_json_of_text(options->profiler)
							     : NULL;
	/* the variable of earlier releases has only a path */
	const char *dir = json_is_object(config) ? pl_json_get_text(config, "torch_profiler_dir")
						 : options->profiler;

	if (dir == NULL || dir[0] == '\0')
		return NULL;
	struct sim_trace *trace = pl_alloc(sizeof(*trace));
	trace->dir = pl_strdup(dir);
	trace->packed = !json_is_false(json_object_get(config, "torch_profiler_use_gzip"));
	trace->ranks = (uint32_t)options->tensor_parallel;
	trace->delay_ns = options->trace_delay_ns;
	trace->loop = loop;
	trace->timer = (struct io_timer){ .fn = on_timer, .data = trace };
	return trace;
}

void sim_trace_free(struct sim_trace *trace)
{
	if (trace == NULL)
		return;
	io_timer_stop(trace->loop, &trace->timer);
	write_rests(trace, false);
	free(trace->rests);
	free(trace->steps);
	free(trace->dir);
	free(trace);
}

void sim_trace_start(struct sim_trace *trace)
{
	if (trace == NULL)
		return;
	trace->recording = true;
	trace->count = 0;
}

void sim_trace_step(struct sim_trace *trace, int64_t begin_ns, int64_t duration_ns,
		    const struct sim_step *step)
{
	if (trace == NULL || !trace->recording || trace->count == SIM_TRACE_STEPS_MAX)
		return;
	*PL_PUSH(trace->steps, trace->count, trace->room) = (struct step){
		.begin_ns = begin_ns,
		.duration_ns = duration_ns,
		.sequences = step->work.sequences,
		.tokens = step->tokens,
	};
}

/* ---- the text ---- */

static void add_event(struct pl_buf *text, const char *category, const char *name, uint32_t pid,
		      uint32_t tid, int64_t begin_ns, int64_t duration_ns)
{
	pl_buf_addf(text,
		    "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %u, \"tid\": "
		    "%u, \"ts\": %lld.%03lld, \"dur\": %lld.%03lld}",
		    text->len > 0 && text->data[text->len - 1] != '[' ? ",\n" : "", category, name,
		    pid, tid, (long long)(begin_ns / 1000), (long long)(begin_ns % 1000),
		    (long long)(duration_ns / 1000), (long long)(duration_ns % 1000));
}

/* Shares of a step: matrix products, then attention, during which a second stream writes the cache. The rest is idle. */
static void add_step(struct pl_buf *text, const struct sim_trace *trace, const struct step *step,
		     uint32_t rank)
{
	int64_t begin_ns = step->begin_ns, whole_ns = step->duration_ns;
	uint32_t pid = HOST_PID + rank;
	char name[80];

	snprintf(name, sizeof(name), "simulated_step_sequences_%u_tokens_%u", step->sequences,
		 step->tokens);
	add_event(text, "user_annotation", name, pid, 1, begin_ns, whole_ns);
	add_event(text, "cpu_op", "simulated::schedule", pid, 1, begin_ns, whole_ns / 50);
	add_event(text, "cpu_op", "simulated::forward", pid, 1, begin_ns + whole_ns / 50,
		  whole_ns - whole_ns / 50);
	add_event(text, "kernel", "simulated_gemm", rank, 7, begin_ns + whole_ns / 20,
		  whole_ns / 2);
	add_event(text, "kernel", "simulated_attention", rank, 7,
		  begin_ns + whole_ns / 20 + whole_ns / 2, whole_ns / 4);
	add_event(text, "kernel", "simulated_cache_write", rank, 8,
		  begin_ns + whole_ns / 20 + whole_ns / 2 + whole_ns / 8, whole_ns / 16);
	if (trace->ranks > 1)
		add_event(text, "kernel", "simulated_all_reduce", rank, 7,
			  begin_ns + whole_ns / 20 + whole_ns / 2 + whole_ns / 4, whole_ns / 10);
}

static void add_trace(struct pl_buf *text, const struct sim_trace *trace, uint32_t rank)
{
	pl_buf_addf(text,
		    "{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"simulated\", "
		    "\"rank\": %u, \"world_size\": %u}, \"simulated\": true,\n"
		    "\"displayTimeUnit\": \"ms\", \"traceEvents\": [",
		    rank, trace->ranks);
	for (size_t i = 0; i < trace->count; i++)
		add_step(text, trace, &trace->steps[i], rank);
	pl_buf_add_text(text, "]}\n");
}

/* ---- the files ---- */

/* Takes the bytes. */
static int write_bytes(struct sim_trace *trace, const char *path, char *bytes, size_t len,
		       struct pl_err *err)
{
	size_t first = trace->delay_ns > 0 ? len / 2 : len;
	struct rest rest = { .bytes = bytes, .at = first, .len = len };

	rest.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (rest.fd < 0 || pl_fd_write(rest.fd, bytes, first) < 0) {
		pl_err_errno(err, "could not write '%s'", path);
		pl_fd_close(&rest.fd);
		free(bytes);
		return -1;
	}
	*PL_PUSH(trace->rests, trace->rest_count, trace->rest_room) = rest;
	return 0;
}

static int write_rank(struct sim_trace *trace, uint32_t rank, int64_t real_ns, struct pl_err *err)
{
	auto_buf text = PL_BUF(TEXT_MAX);
	auto_free char *path = pl_asprintf("%s/dp0_pp0_tp%u_dcp0_ep%u_rank%u.%lld.pt.trace.json%s",
					   trace->dir, rank, rank, rank, (long long)real_ns,
					   trace->packed ? ".gz" : "");
	size_t len;

	add_trace(&text, trace, rank);
	if (text.full)
		return pl_err_set(err, PL_ERR_INTERNAL, "'%s' would be too large", path);
	if (!trace->packed) {
		len = text.len;
		return write_bytes(trace, path, pl_buf_take(&text), len, err);
	}
	char *packed = pl_gz_pack(text.data, text.len, GZIP_LEVEL, &len);
	return write_bytes(trace, path, packed, len, err);
}

int sim_trace_stop(struct sim_trace *trace, struct pl_err *err)
{
	int64_t real_ns = pl_clock_real_ns();
	int done = 0;

	if (trace == NULL || !trace->recording)
		return 0;
	trace->recording = false;
	if (pl_file_make_folders(trace->dir, err) < 0)
		return -1;
	for (uint32_t rank = 0; rank < trace->ranks && done == 0; rank++)
		done = write_rank(trace, rank, real_ns, err);
	if (done < 0 || trace->delay_ns == 0)
		write_rests(trace, done == 0);
	else
		io_timer_start(trace->loop, &trace->timer, pl_clock_now_ns() + trace->delay_ns);
	return done;
}

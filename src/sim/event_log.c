#include "sim/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

/*
 * 131,072 records of 48 bytes: 6 MB, and 0.2 s at 600,000 events a second, longer than a disk takes
 * for a write.
 */
#define RING_RECORDS (1u << 17)
#define TEXT_BYTES   (1u << 18) /* per write */
#define LINE_BYTES   512        /* a line without its request id */

enum kind { KIND_REQUEST, KIND_TOKEN, KIND_END, KIND_RESET };

struct sim_event_id {
	struct sim_event_times times;
	uint32_t events;
	uint32_t len;
	char json[]; /* "abc" with quotes, or null */
};

struct record {
	int64_t t_ns;
	struct sim_event_id *id;
	const char *status; /* of a reset: the cache */
	uint32_t index;     /* of an end: tokens that were cached */
	uint32_t choice;
	uint32_t tokens;
	uint32_t bytes;   /* of a request: tokens for media */
	uint32_t took_ns; /* 4 s at most */
	enum kind kind;
};

/*
 *	loop ──put_record──> ring[put % N] ── taken ──> writer: format, write()
 *	     |                                               ^
 *	     └── flush at a batch's end, or half full ──wake─┘  (eventfd)
 *
 * The loop owns `put`, the writer owns `taken`. A release by one and an acquire by the other pass on a record, and
 * later its slot. The size of the ring is a power of two, so both counters may overflow.
 */
struct sim_event_log {
	int fd;
	int wake_fd;
	pthread_t thread;
	struct record *ring;
	_Atomic uint64_t put;   /* records put in; only the loop's thread adds */
	_Atomic uint64_t taken; /* records written; only the writer adds */
	_Atomic bool stopping;
	_Atomic int failed; /* errno of a failed write */
	char *text;
	size_t text_len;
};

/*
 * A failed write is remembered and reported at the end. Later writes are tried, so that a full disk that is emptied
 * loses only a part.
 */
static void write_out(struct sim_event_log *log)
{
	if (pl_fd_write(log->fd, log->text, log->text_len) < 0)
		atomic_store(&log->failed, errno);
	log->text_len = 0;
}

static void add_text(struct sim_event_log *log, const char *text, size_t len)
{
	memcpy(log->text + log->text_len, text, len);
	log->text_len += len;
}
#define ADD(log, literal) add_text(log, literal, sizeof(literal) - 1)

/* printf() would cost more than the rest of the line. */
static void add_number(struct sim_event_log *log, int64_t value)
{
	log->text_len = (size_t)(pl_text_put_i64(log->text + log->text_len, value) - log->text);
}

static void add_time(struct sim_event_log *log, const char *key, int64_t t_ns)
{
	add_text(log, key, strlen(key));
	if (t_ns < 0)
		ADD(log, "null");
	else
		add_number(log, t_ns);
}

static void format(struct sim_event_log *log, const struct record *record)
{
	const struct sim_event_id *id = record->id;

	if (record->kind == KIND_RESET) {
		if (log->text_len + LINE_BYTES > TEXT_BYTES)
			write_out(log);
		ADD(log, "{\"event\":\"reset\",\"request_id\":null,\"t_ns\":");
		add_number(log, record->t_ns);
		ADD(log, ",\"cache\":\"");
		add_text(log, record->status, strlen(record->status));
		ADD(log, "\"}\n");
		return;
	}
	if (log->text_len + LINE_BYTES + id->len > TEXT_BYTES)
		write_out(log);
	if (record->kind == KIND_REQUEST)
		ADD(log, "{\"event\":\"request\",\"request_id\":");
	else if (record->kind == KIND_TOKEN)
		ADD(log, "{\"event\":\"token\",\"request_id\":");
	else
		ADD(log, "{\"event\":\"end\",\"request_id\":");
	add_text(log, id->json, id->len);
	ADD(log, ",\"t_ns\":");
	add_number(log, record->t_ns);
	if (record->kind == KIND_TOKEN) {
		ADD(log, ",\"index\":");
		add_number(log, record->index);
		ADD(log, ",\"choice\":");
		add_number(log, record->choice);
		ADD(log, ",\"tokens\":");
		add_number(log, record->tokens);
		ADD(log, ",\"bytes\":");
		add_number(log, record->bytes);
		ADD(log, ",\"took_ns\":");
		add_number(log, record->took_ns);
	} else if (record->kind == KIND_END) {
		ADD(log, ",\"tokens\":");
		add_number(log, record->tokens);
		ADD(log, ",\"cached_tokens\":");
		add_number(log, record->index);
		add_time(log, ",\"queued_ns\":", id->times.queued_ns);
		add_time(log, ",\"scheduled_ns\":", id->times.scheduled_ns);
		add_time(log, ",\"first_token_ns\":", id->times.first_token_ns);
		add_time(log, ",\"last_token_ns\":", id->times.last_token_ns);
		ADD(log, ",\"status\":\"");
		add_text(log, record->status, strlen(record->status));
		ADD(log, "\"");
	} else {
		ADD(log, ",\"prompt_tokens\":");
		add_number(log, record->tokens);
		if (record->bytes > 0) {
			ADD(log, ",\"media_tokens\":");
			add_number(log, record->bytes);
		}
	}
	ADD(log, "}\n");
}

static void *writer_main(void *data)
{
	struct sim_event_log *log = data;
	uint64_t count;

	for (;;) {
		/* Read before draining: everything that was put before the stop is then written. */
		bool stopping = atomic_load(&log->stopping);

		uint64_t taken = atomic_load_explicit(&log->taken, memory_order_relaxed);
		uint64_t put = atomic_load_explicit(&log->put, memory_order_acquire);
		while (taken < put) {
			struct record *record = &log->ring[taken % RING_RECORDS];

			format(log, record);
			/* The last record of a request: until here the loop owned the handle. */
			if (record->kind == KIND_END)
				free(record->id);
			taken++;
			atomic_store_explicit(&log->taken, taken, memory_order_release);
		}
		write_out(log);
		if (stopping)
			return NULL;
		while (read(log->wake_fd, &count, sizeof(count)) < 0 && errno == EINTR)
			continue;
	}
}

static void wake(struct sim_event_log *log)
{
	uint64_t one = 1;

	while (write(log->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
}

static void put_record(struct sim_event_log *log, const struct record *record)
{
	uint64_t put = atomic_load_explicit(&log->put, memory_order_relaxed);
	uint64_t used = put - atomic_load_explicit(&log->taken, memory_order_acquire);

	if (used == RING_RECORDS / 2 || used == RING_RECORDS)
		wake(log);
	/*
	 * If the disk is too slow for the log, the loop waits, and its lateness shows it. No record is lost, because
	 * tests rely on a complete log.
	 */
	while (put - atomic_load_explicit(&log->taken, memory_order_acquire) == RING_RECORDS)
		sched_yield();
	log->ring[put % RING_RECORDS] = *record;
	atomic_store_explicit(&log->put, put + 1, memory_order_release);
}

int sim_event_log_open(const char *path, struct sim_event_log **ret, struct pl_err *err)
{
	struct sim_event_log *log = pl_alloc(sizeof(*log));

	log->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (log->fd < 0) {
		free(log);
		return pl_err_errno(err, "could not write '%s'", path);
	}
	/* Blocking: the writer sleeps in read(). */
	log->wake_fd = eventfd(0, EFD_CLOEXEC);
	log->ring = pl_alloc_array(RING_RECORDS, sizeof(*log->ring));
	log->text = pl_alloc(TEXT_BYTES);
	if (log->wake_fd < 0 || pthread_create(&log->thread, NULL, writer_main, log) != 0) {
		pl_err_errno(err, "log '%s': could not start its writer", path);
		pl_fd_close(&log->fd);
		pl_fd_close(&log->wake_fd);
		free(log->ring);
		free(log->text);
		free(log);
		return -1;
	}
	*ret = log;
	return 0;
}

int sim_event_log_close(struct sim_event_log *log, struct pl_err *err)
{
	if (log == NULL)
		return 0;
	/* Set before the wake-up: the writer then sees it, drains once more and ends. */
	atomic_store(&log->stopping, true);
	wake(log);
	pthread_join(log->thread, NULL);
	int failed = atomic_load(&log->failed);
	if (close(log->fd) < 0 && failed == 0)
		failed = errno;
	close(log->wake_fd);
	free(log->ring);
	free(log->text);
	free(log);
	errno = failed;
	return failed == 0 ? 0 : pl_err_errno(err, "the log could not be written");
}

struct sim_event_id *sim_event_log_request(struct sim_event_log *log, int64_t t_ns,
					   const char *request_id, uint32_t prompt_tokens,
					   uint32_t media_tokens)
{
	auto_buf json = PL_BUF(TEXT_BYTES / 2);
	struct record record = {
		.kind = KIND_REQUEST, .t_ns = t_ns, .tokens = prompt_tokens, .bytes = media_tokens
	};

	if (log == NULL)
		return NULL;
	/* Quoted once for the request, not once for each event. */
	if (request_id == NULL || !pl_text_add_json(&json, request_id, strlen(request_id), true)) {
		pl_buf_clear(&json);
		pl_buf_add_text(&json, "null");
	}
	struct sim_event_id *id = pl_alloc(sizeof(*id) + json.len);
	memcpy(id->json, json.data, json.len);
	id->len = (uint32_t)json.len;
	id->times = SIM_EVENT_NO_TIMES;
	record.id = id;
	put_record(log, &record);
	return id;
}

void sim_event_log_token(struct sim_event_log *log, struct sim_event_id *id, int64_t t_ns,
			 int64_t took_ns, uint32_t choice, uint32_t tokens, uint32_t bytes)
{
	struct record record = {
		.kind = KIND_TOKEN,
		.t_ns = t_ns,
		.id = id,
		.choice = choice,
		.tokens = tokens,
		.bytes = bytes,
		.took_ns = took_ns < UINT32_MAX ? (uint32_t)took_ns : UINT32_MAX,
	};

	if (id == NULL)
		return;
	record.index = id->events++;
	put_record(log, &record);
}

void sim_event_log_set_times(struct sim_event_id *id, const struct sim_event_times *times)
{
	if (id != NULL)
		id->times = *times;
}

void sim_event_log_end(struct sim_event_log *log, struct sim_event_id *id, int64_t t_ns,
		       uint32_t tokens, uint32_t cached, const char *status)
{
	struct record record = { .kind = KIND_END,
				 .t_ns = t_ns,
				 .id = id,
				 .tokens = tokens,
				 .index = cached,
				 .status = status };

	if (id != NULL)
		put_record(log, &record);
}

void sim_event_log_reset(struct sim_event_log *log, int64_t t_ns, const char *cache)
{
	struct record record = { .kind = KIND_RESET, .t_ns = t_ns, .status = cache };

	if (log == NULL)
		return;
	put_record(log, &record);
	sim_event_log_flush(log);
}

void sim_event_log_flush(struct sim_event_log *log)
{
	if (log != NULL && atomic_load(&log->put) != atomic_load(&log->taken))
		wake(log);
}

/* The clock of each test runs faster: one of its seconds takes some milliseconds. */
#include "dash/live/live.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"

#define SECOND_NS      (50 * PL_NS_PER_MS)
#define FAST_NS        (20 * PL_NS_PER_US) /* an hour takes 72 ms */
#define PATIENCE_NS    (20 * PL_NS_PER_S)
#define TEXT_BYTES_MAX (8u << 20)

/* ---- the stored results -------------------------------------------------------------------- */

static atomic_llong stored_id;
static atomic_llong version;

static int64_t find(void *data, const char *run_id)
{
	(void)data;
	return strcmp(run_id, "stored") == 0 ? atomic_load(&stored_id) : 0;
}

static atomic_bool is_hanging; /* the database */

static int64_t version_of(void *data)
{
	(void)data;
	while (atomic_load(&is_hanging))
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
	return atomic_load(&version);
}

static struct dash_live *begin(int64_t second_ns)
{
	const struct dash_live_options options = { .find = find,
						   .version = version_of,
						   .second_ns = second_ns };
	struct dash_live *live = NULL;
	struct pl_err err = PL_ERR_INIT;

	atomic_store(&stored_id, 0);
	assert_int_equal(dash_live_start(&options, &live, &err), 0);
	return live;
}

/* ---- snapshots ----------------------------------------------------------------------------- */

static enum dash_live_put_result put_as(struct dash_live *live, const char *user,
					const char *run_id, int sequence, bool has_ended)
{
	auto_json json_t *snapshot = json_pack(
		"{s:i, s:f, s:{s:s, s:s, s:s, s:s}, s:{s:s, s:n}, s:{s:i, s:i, s:n}, "
		"s:{s:n}, s:{s:s}, s:o}",
		"sequence", sequence, "elapsed_s", (double)sequence, "run", "run_id", run_id,
		"name", "n", "model", "m", "started_utc", "2026-01-01T00:00:00Z", "phase", "name",
		"measuring", "step", "requests", "done", sequence, "total", 100, "remaining_s",
		"rates", "output_tokens_per_s", "verdict", "state", "trusted", "ended",
		has_ended ? json_pack("{s:i, s:s, s:n}", "exit_status", 0, "state", "completed",
				      "sentence")
			  : json_null());

	return dash_live_put(live, snapshot, user);
}

static enum dash_live_put_result put(struct dash_live *live, const char *run_id, int sequence,
				     bool has_ended)
{
	return put_as(live, NULL, run_id, sequence, has_ended);
}

static json_t *get(struct dash_live *live, const char *run_id)
{
	auto_free char *text = dash_live_get(live, run_id);

	return pl_json_of_text(text);
}

static size_t count_runs(struct dash_live *live)
{
	auto_free char *text = dash_live_list(live);
	auto_json json_t *list = pl_json_of_text(text);

	return json_array_size(json_object_get(list, "runs"));
}

/* ---- a listener ---------------------------------------------------------------------------- */

/* Reads as the server does: pauses when the stream does. */
struct reader {
	struct dash_stream *stream;
	int fds[2];
	pthread_mutex_t lock;
	pthread_cond_t resumed;
	bool is_paused;
	struct pl_buf text;
};

static void pause_stream(struct dash_stream *stream)
{
	struct reader *reader = stream->connection;

	pthread_mutex_lock(&reader->lock);
	reader->is_paused = true;
	pthread_mutex_unlock(&reader->lock);
}

static void resume_stream(struct dash_stream *stream)
{
	struct reader *reader = stream->connection;

	pthread_mutex_lock(&reader->lock);
	assert_true(reader->is_paused);
	reader->is_paused = false;
	pthread_cond_signal(&reader->resumed);
	pthread_mutex_unlock(&reader->lock);
}

static enum dash_live_listen_result open_reader_of(struct dash_live *live, const char *run_id,
						   const char *user, struct reader *reader)
{
	*reader = (struct reader){ .text = PL_BUF(TEXT_BYTES_MAX) };
	pthread_mutex_init(&reader->lock, NULL);
	pthread_cond_init(&reader->resumed, NULL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, reader->fds), 0);
	enum dash_live_listen_result result = dash_live_listen(live, run_id, user, &reader->stream);
	if (result == DASH_LIVE_LISTENS) {
		reader->stream->pause = pause_stream;
		reader->stream->resume = resume_stream;
		reader->stream->connection = reader;
		reader->stream->fd = reader->fds[0];
	}
	return result;
}

static enum dash_live_listen_result open_reader(struct dash_live *live, const char *run_id,
						struct reader *reader)
{
	return open_reader_of(live, run_id, NULL, reader);
}

/* Reads the next bytes. Returns false at the end of the stream. */
static bool read_more(struct reader *reader)
{
	char bytes[7]; /* small, so frames come in pieces */
	ptrdiff_t got;

	while ((got = reader->stream->read(reader->stream, bytes, sizeof(bytes))) ==
	       DASH_STREAM_PAUSED) {
		pthread_mutex_lock(&reader->lock);
		while (reader->is_paused)
			pthread_cond_wait(&reader->resumed, &reader->lock);
		pthread_mutex_unlock(&reader->lock);
	}
	assert_true(got >= 0);
	pl_buf_add(&reader->text, bytes, (size_t)got);
	return got > 0;
}

/* Reads until the text occurs. */
static void read_until(struct reader *reader, const char *text)
{
	while (strstr(pl_buf_text(&reader->text), text) == NULL)
		assert_true(read_more(reader));
}

static void close_reader(struct reader *reader)
{
	if (reader->stream != NULL)
		reader->stream->free(reader->stream);
	close(reader->fds[0]);
	close(reader->fds[1]);
	pthread_cond_destroy(&reader->resumed);
	pthread_mutex_destroy(&reader->lock);
	pl_buf_done(&reader->text);
}

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;

	while ((text = strstr(text, word)) != NULL) {
		count++;
		text += strlen(word);
	}
	return count;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void test_older_snapshot_is_ignored(void **state)
{
	struct dash_live *live = begin(SECOND_NS);

	(void)state;
	assert_int_equal(put(live, "a", 5, false), DASH_LIVE_TAKEN);
	assert_int_equal(put(live, "a", 4, false), DASH_LIVE_OLD);
	assert_int_equal(put(live, "a", 5, false), DASH_LIVE_OLD);
	auto_json json_t *run = get(live, "a");
	assert_int_equal(pl_json_get_i64(run, "sequence"), 5);
	assert_null(dash_live_get(live, "b"));
	dash_live_stop(live);
}

static void test_events_of_a_run(void **state)
{
	struct dash_live *live = begin(SECOND_NS);
	struct reader reader;

	(void)state;
	put(live, "stored", 1, false);
	put(live, "stored", 2, false);
	assert_int_equal(open_reader(live, "nope", &reader), DASH_LIVE_UNKNOWN);
	close_reader(&reader);
	assert_int_equal(open_reader(live, "stored", &reader), DASH_LIVE_LISTENS);
	read_until(&reader, "event: history\ndata: {\"t_s\":[1,2]");
	read_until(&reader, "event: snapshot\ndata: {\"sequence\":2,");
	put(live, "stored", 3, false);
	read_until(&reader, "data: {\"sequence\":3,");
	read_until(&reader, "event: silent\ndata: {\"run_id\":\"stored\",\"age_s\":");
	put(live, "stored", 4, true);
	read_until(&reader, "event: ended\ndata: {\"run_id\":\"stored\",\"experiment_id\":null,"
			    "\"ended\":{\"exit_status\":0,\"state\":\"completed\","
			    "\"sentence\":null}}");
	read_until(&reader, "\n\n:\n\n"); /* a comment after 15 s */
	assert_null(strstr(pl_buf_text(&reader.text), "\"experiment_id\":17"));
	atomic_store(&stored_id, 17);
	atomic_fetch_add(&version, 1);
	read_until(&reader, "event: ended\ndata: {\"run_id\":\"stored\",\"experiment_id\":17,");
	dash_live_end(live);
	assert_false(read_more(&reader));
	close_reader(&reader);
	dash_live_stop(live);
}

/* The server sends a stored result's run as ended, even if it never reported its end. */
static void test_killed_run_whose_result_arrives(void **state)
{
	struct dash_live *live = begin(SECOND_NS / 10);
	struct reader reader;

	(void)state;
	put(live, "stored", 1, false);
	assert_int_equal(open_reader(live, "stored", &reader), DASH_LIVE_LISTENS);
	read_until(&reader, "event: silent");
	atomic_store(&stored_id, 3);
	atomic_fetch_add(&version, 1);
	read_until(&reader, "\"experiment_id\":3,\"ended\":null}");
	auto_json json_t *run = get(live, "stored");
	assert_string_equal(pl_json_get_text(run, "state"), "ended");
	close_reader(&reader);
	dash_live_stop(live);
}

/* Even if the clock thread has not looked at it yet. */
static void test_listener_gets_each_snapshot_once(void **state)
{
	struct dash_live *live = begin(SECOND_NS);
	struct reader reader;

	(void)state;
	for (int i = 0; i < 4; i++) {
		put(live, "a", 2 * i, false);
		/* the clock thread has looked at this one, and rests before the next one */
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
		put(live, "a", 2 * i + 1, false);
		assert_int_equal(open_reader(live, "a", &reader), DASH_LIVE_LISTENS);
		read_until(&reader, "event: silent");
		assert_int_equal(count_of(pl_buf_text(&reader.text), "event: snapshot"), 1);
		close_reader(&reader);
	}
	dash_live_stop(live);
}

static void test_database_that_hangs_delays_no_snapshot(void **state)
{
	struct dash_live *live = begin(SECOND_NS / 10);
	struct reader reader;

	(void)state;
	atomic_store(&is_hanging, true);
	put(live, "ended", 1, true);
	put(live, "a", 1, false);
	assert_int_equal(open_reader(live, "a", &reader), DASH_LIVE_LISTENS);
	for (int i = 2; i < 5; i++) {
		char text[32];
		put(live, "a", i, false);
		snprintf(text, sizeof(text), "data: {\"sequence\":%d,", i);
		read_until(&reader, text);
		pl_clock_sleep_until(pl_clock_now_ns() + SECOND_NS / 10);
	}
	read_until(&reader, "event: silent");
	atomic_store(&is_hanging, false);
	close_reader(&reader);
	dash_live_stop(live);
}

static void test_slow_reader_skips_snapshots(void **state)
{
	struct dash_live *live = begin(SECOND_NS / 50);
	struct reader reader;

	(void)state;
	put(live, "a", 1, false);
	assert_int_equal(open_reader(live, "a", &reader), DASH_LIVE_LISTENS);
	read_until(&reader, "data: {\"sequence\":1,");
	for (int i = 2; i <= 60; i++) {
		put(live, "a", i, false);
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
	}
	read_until(&reader, "data: {\"sequence\":60,");
	assert_true(count_of(pl_buf_text(&reader.text), "event: snapshot") < 10);
	close_reader(&reader);
	dash_live_stop(live);
}

static void test_runs_are_bounded(void **state)
{
	struct dash_live *live = begin(60 * PL_NS_PER_S);
	struct reader reader;
	char run_id[32];

	(void)state;
	for (int i = 0; i < DASH_LIVE_RUNS_MAX; i++) {
		snprintf(run_id, sizeof(run_id), "run-%d", i);
		assert_int_equal(put(live, run_id, 1, i == 7), DASH_LIVE_TAKEN);
	}
	assert_int_equal(open_reader(live, "run-7", &reader), DASH_LIVE_LISTENS);
	read_until(&reader, "event: snapshot");
	assert_int_equal(put(live, "one-more", 1, false), DASH_LIVE_TAKEN);
	assert_null(dash_live_get(live, "run-7"));
	while (read_more(&reader)) /* its stream ends */
		continue;
	close_reader(&reader);
	assert_int_equal(put(live, "too-many", 1, false), DASH_LIVE_FULL);
	assert_int_equal(put(live, "run-8", 2, false), DASH_LIVE_TAKEN);
	assert_int_equal(count_runs(live), DASH_LIVE_RUNS_MAX);
	dash_live_stop(live);
}

/* Killed runs, which never end, do not keep new ones out. */
static void test_silent_runs_make_room(void **state)
{
	struct dash_live *live = begin(PL_NS_PER_MS);
	char run_id[32];

	(void)state;
	for (int i = 0; i < DASH_LIVE_RUNS_MAX; i++) {
		snprintf(run_id, sizeof(run_id), "run-%d", i);
		assert_int_equal(put(live, run_id, 1, false), DASH_LIVE_TAKEN);
	}
	pl_clock_sleep_until(pl_clock_now_ns() + 61 * PL_NS_PER_MS);
	assert_int_equal(put(live, "run-0", 2, false), DASH_LIVE_TAKEN);
	assert_int_equal(put(live, "one-more", 1, false), DASH_LIVE_TAKEN);
	assert_int_equal(count_runs(live), DASH_LIVE_RUNS_MAX);
	assert_null(dash_live_get(live, "run-1"));
	auto_json json_t *run = get(live, "run-0");
	assert_int_equal(pl_json_get_i64(run, "sequence"), 2);
	dash_live_stop(live);
}

static void test_only_its_user_reports_a_run(void **state)
{
	struct dash_live *live = begin(PL_NS_PER_MS);

	(void)state;
	assert_int_equal(put_as(live, "alice", "one", 1, false), DASH_LIVE_TAKEN);
	assert_int_equal(put_as(live, "bob", "one", 9, false), DASH_LIVE_FOREIGN);
	assert_int_equal(put_as(live, NULL, "one", 9, false), DASH_LIVE_FOREIGN);
	assert_int_equal(put_as(live, "alice", "one", 1, false), DASH_LIVE_OLD);
	pl_clock_sleep_until(pl_clock_now_ns() + 61 * PL_NS_PER_MS);
	assert_int_equal(put_as(live, "bob", "one", 2, false), DASH_LIVE_TAKEN);
	assert_int_equal(put_as(live, "alice", "one", 9, true), DASH_LIVE_FOREIGN);
	assert_int_equal(put_as(live, "bob", "one", 3, true), DASH_LIVE_TAKEN);
	pl_clock_sleep_until(pl_clock_now_ns() + 61 * PL_NS_PER_MS);
	/* the end of a run stays the one that its user has reported */
	assert_int_equal(put_as(live, "alice", "one", 9, false), DASH_LIVE_FOREIGN);
	dash_live_stop(live);
}

static void test_runs_are_forgotten(void **state)
{
	struct dash_live *live = begin(FAST_NS);
	int64_t end_ns = pl_clock_now_ns() + PATIENCE_NS;

	(void)state;
	put(live, "ended", 1, true);
	put(live, "silent", 1, false);
	while (count_runs(live) > 1) {
		assert_true(pl_clock_now_ns() < end_ns);
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
	}
	auto_json json_t *run = get(live, "silent");
	assert_string_equal(pl_json_get_text(run, "state"), "silent");
	while (count_runs(live) > 0) {
		assert_true(pl_clock_now_ns() < end_ns);
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
	}
	dash_live_stop(live);
}

static void test_listeners_are_bounded(void **state)
{
	static struct reader readers[DASH_LIVE_LISTENERS_MAX];
	struct dash_live *live = begin(SECOND_NS / 10);
	struct reader one_more;

	(void)state;
	for (size_t i = 0; i < DASH_LIVE_LISTENERS_MAX; i++)
		assert_int_equal(open_reader(live, NULL, &readers[i]), DASH_LIVE_LISTENS);
	assert_int_equal(open_reader(live, NULL, &one_more), DASH_LIVE_CROWDED);
	close_reader(&one_more);
	/* its client leaves: the stream ends by itself */
	close(readers[3].fds[1]);
	readers[3].fds[1] = -1;
	while (read_more(&readers[3]))
		continue;
	close_reader(&readers[3]);
	assert_int_equal(open_reader(live, NULL, &readers[3]), DASH_LIVE_LISTENS);
	put(live, "a", 1, false);
	for (size_t i = 0; i < DASH_LIVE_LISTENERS_MAX; i++) {
		read_until(&readers[i],
			   "data: {\"runs\":[{\"run_id\":\"a\",\"state\":\"reporting\"");
		close_reader(&readers[i]);
	}
	dash_live_stop(live);
}

static void test_no_user_has_all_listeners(void **state)
{
	static struct reader readers[DASH_LIVE_USER_LISTENERS_MAX];
	struct dash_live *live = begin(SECOND_NS / 10);
	struct reader one_more, other;

	(void)state;
	for (size_t i = 0; i < DASH_LIVE_USER_LISTENERS_MAX; i++)
		assert_int_equal(open_reader_of(live, NULL, "alice", &readers[i]),
				 DASH_LIVE_LISTENS);
	assert_int_equal(open_reader_of(live, NULL, "alice", &one_more), DASH_LIVE_GREEDY);
	close_reader(&one_more);
	assert_int_equal(open_reader_of(live, NULL, "bob", &other), DASH_LIVE_LISTENS);
	close_reader(&readers[0]);
	assert_int_equal(open_reader_of(live, NULL, "alice", &readers[0]), DASH_LIVE_LISTENS);
	close_reader(&other);
	for (size_t i = 0; i < DASH_LIVE_USER_LISTENERS_MAX; i++)
		close_reader(&readers[i]);
	dash_live_stop(live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_older_snapshot_is_ignored),
		cmocka_unit_test(test_events_of_a_run),
		cmocka_unit_test(test_killed_run_whose_result_arrives),
		cmocka_unit_test(test_listener_gets_each_snapshot_once),
		cmocka_unit_test(test_database_that_hangs_delays_no_snapshot),
		cmocka_unit_test(test_slow_reader_skips_snapshots),
		cmocka_unit_test(test_runs_are_bounded),
		cmocka_unit_test(test_silent_runs_make_room),
		cmocka_unit_test(test_only_its_user_reports_a_run),
		cmocka_unit_test(test_runs_are_forgotten),
		cmocka_unit_test(test_listeners_are_bounded),
		cmocka_unit_test(test_no_user_has_all_listeners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

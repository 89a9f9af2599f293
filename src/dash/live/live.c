#include "dash/live/live_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/thread.h"
#include "dash/live/history.h"

#define SILENT_S    4
#define FORGET_S    3600
#define ABANDONED_S (24 * 3600)
/* A run that is silent for longer makes room for a new one, and another user may report it. */
#define REPLACED_S 60
/* Snapshots of one run to pass on per second, whatever its sender does. */
#define PASSES_PER_S 5
/* A snapshot, its additional members, and the list: 200 rows of short texts. */
#define TEXT_BYTES_MAX (4u << 20)
#define NAME_BYTES_MAX 200

static const char *const state_names[] = { "reporting", "silent", "ended" };

/* ---- runs ---------------------------------------------------------------------------------- */

void dash_live_run_release(struct live_run *run)
{
	if (run->listeners > 0 || !run->is_forgotten)
		return;
	dash_live_frame_release(run->snapshot);
	dash_live_frame_release(run->event);
	dash_live_history_free(run->history);
	json_decref(run->listed);
	free(run->run_id);
	free(run->user);
	free(run->text);
	free(run);
}

static struct live_run *find(const struct dash_live *live, const char *run_id)
{
	for (struct live_run *run = live->runs; run != NULL; run = run->next) {
		if (strcmp(run->run_id, run_id) == 0)
			return run;
	}
	return NULL;
}

/* Takes the run out of the list; its streams end. */
static void forget(struct dash_live *live, struct live_run *run)
{
	struct live_run **link = &live->runs;

	while (*link != run)
		link = &(*link)->next;
	*link = run->next;
	live->run_count--;
	live->is_list_dirty = true;
	run->is_forgotten = true;
	dash_live_run_release(run);
}

enum live_state dash_live_run_state(const struct dash_live *live, const struct live_run *run,
				    int64_t now_ns)
{
	if (run->has_ended || run->experiment_id > 0)
		return LIVE_ENDED;
	return now_ns - run->received_ns > SILENT_S * live->options.second_ns ? LIVE_SILENT
									      : LIVE_REPORTING;
}

/* Returns the run in this state whose last snapshot is the oldest, and from before before_ns; NULL: none. */
static struct live_run *oldest_of(const struct dash_live *live, enum live_state state,
				  int64_t before_ns)
{
	struct live_run *oldest = NULL;

	for (struct live_run *run = live->runs; run != NULL; run = run->next) {
		if (dash_live_run_state(live, run, pl_clock_now_ns()) == state &&
		    run->received_ns < before_ns) {
			oldest = run;
			before_ns = run->received_ns;
		}
	}
	return oldest;
}

/* Makes room for one more. Returns false if every run still reports or may do so. */
static bool make_room(struct dash_live *live)
{
	int64_t replaced_ns = pl_clock_now_ns() - REPLACED_S * live->options.second_ns;

	if (live->run_count < DASH_LIVE_RUNS_MAX)
		return true;
	struct live_run *oldest = oldest_of(live, LIVE_ENDED, INT64_MAX);
	if (oldest == NULL)
		oldest = oldest_of(live, LIVE_SILENT, replaced_ns);
	if (oldest == NULL)
		return false;
	forget(live, oldest);
	dash_live_wake_listeners(live, pl_clock_now_ns());
	return true;
}

/* A snapshot of another user would hide those of the run itself, which have lower sequences. */
static bool is_foreign(const struct dash_live *live, const struct live_run *run, const char *user)
{
	int64_t now_ns = pl_clock_now_ns();

	return !pl_text_equal(run->user, user) &&
	       (dash_live_run_state(live, run, now_ns) != LIVE_SILENT ||
		now_ns - run->received_ns <= REPLACED_S * live->options.second_ns);
}

static struct live_run *add(struct dash_live *live, const char *run_id)
{
	struct live_run *run = pl_alloc(sizeof(*run));

	run->run_id = pl_strdup(run_id);
	run->history = dash_live_history_new();
	run->sequence = -1;
	run->next = live->runs;
	live->runs = run;
	live->run_count++;
	return run;
}

/* ---- snapshots ----------------------------------------------------------------------------- */

/* Returns a text of bounded length, or null. */
static json_t *short_text(const json_t *text)
{
	const char *value = json_string_value(text);

	if (value == NULL)
		return json_null();
	size_t len = json_string_length(text);
	if (len <= NAME_BYTES_MAX)
		return json_incref((json_t *)text);
	len = NAME_BYTES_MAX;
	while (len > 0 && ((unsigned char)value[len] & 0xc0) == 0x80)
		len--;
	return json_stringn(value, len);
}

static json_t *copy_of(const json_t *snapshot, const char *path)
{
	return pl_json_or_null(json_incref(pl_json_get_path(snapshot, path)));
}

/* Only the members of the contract, which bounds them: the rows of all runs fit into TEXT_BYTES_MAX. */
static json_t *ended_of(const json_t *snapshot)
{
	const json_t *ended = json_object_get(snapshot, "ended");

	if (!json_is_object(ended))
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "exit_status", copy_of(ended, "exit_status"), "state",
			 copy_of(ended, "state"), "sentence", copy_of(ended, "sentence"));
}

static json_t *listed_of(const json_t *snapshot)
{
	const json_t *run = json_object_get(snapshot, "run");

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:{s:o}, s:o}", "name",
		short_text(json_object_get(run, "name")), "model",
		short_text(json_object_get(run, "model")), "started_utc",
		copy_of(snapshot, "run.started_utc"), "phase", copy_of(snapshot, "phase.name"),
		"step", short_text(pl_json_get_path(snapshot, "phase.step")), "requests", "done",
		copy_of(snapshot, "requests.done"), "total", copy_of(snapshot, "requests.total"),
		"remaining_s", copy_of(snapshot, "requests.remaining_s"), "output_tokens_per_s",
		copy_of(snapshot, "rates.output_tokens_per_s"), "verdict", "state",
		copy_of(snapshot, "verdict.state"), "ended", ended_of(snapshot));
}

/* Returns the snapshot as text without its closing brace, so that members can be added. */
static char *open_text_of(const json_t *snapshot)
{
	static const char *const added[] = { "received_utc", "age_s", "state", "experiment_id" };
	auto_json json_t *copy = json_copy((json_t *)snapshot);

	for (size_t i = 0; i < PL_ARRAY_SIZE(added); i++)
		json_object_del(copy, added[i]);
	char *text = pl_json_to_text(copy, PL_JSON_COMPACT);
	text[strlen(text) - 1] = '\0';
	return text;
}

/* Its serial changes with its content: a listener that has just come does not get the same one again. */
static void renew_snapshot(struct live_run *run)
{
	run->is_dirty = true;
	run->serial++;
	dash_live_frame_release(pl_take(run->snapshot));
}

static void take(struct live_run *run, const json_t *snapshot, char *text, json_t *listed)
{
	free(run->text);
	json_decref(run->listed);
	run->text = text;
	run->listed = listed;
	run->sequence = pl_json_get_i64(snapshot, "sequence");
	run->received_ns = pl_clock_now_ns();
	run->received_real_ns = pl_clock_real_ns();
	run->has_ended = json_is_object(json_object_get(snapshot, "ended"));
	renew_snapshot(run);
	dash_live_history_add(run->history, snapshot, SILENT_S);
}

static void set_user(struct live_run *run, const char *user)
{
	free(run->user);
	run->user = pl_strdup(user);
}

enum dash_live_put_result dash_live_put(struct dash_live *live, const json_t *snapshot,
					const char *user)
{
	const char *run_id = pl_json_path_text(snapshot, "run.run_id");
	enum dash_live_put_result result = DASH_LIVE_OLD;
	auto_free char *text = open_text_of(snapshot);
	auto_json json_t *listed = listed_of(snapshot);

	pthread_mutex_lock(&live->lock);
	struct live_run *run = find(live, run_id);
	if (run == NULL && !make_room(live)) {
		result = DASH_LIVE_FULL;
	} else if (run != NULL && is_foreign(live, run, user)) {
		result = DASH_LIVE_FOREIGN;
	} else {
		if (run == NULL)
			run = add(live, run_id);
		if (pl_json_get_i64(snapshot, "sequence") > run->sequence) {
			take(run, snapshot, pl_take(text), pl_take(listed));
			set_user(run, user);
			result = DASH_LIVE_TAKEN;
			live->has_news = true;
			pthread_cond_signal(&live->wake);
		}
	}
	pthread_mutex_unlock(&live->lock);
	return result;
}

/* ---- as JSON ------------------------------------------------------------------------------- */

static double age_s(const struct live_run *run, int64_t now_ns)
{
	int64_t age_ns = now_ns - run->received_ns;

	return (double)(age_ns > 0 ? age_ns / PL_NS_PER_MS : 0) / 1e3;
}

static json_t *experiment_of(const struct live_run *run)
{
	return run->experiment_id > 0 ? json_integer(run->experiment_id) : json_null();
}

void dash_live_run_write(const struct dash_live *live, const struct live_run *run, int64_t now_ns,
			 struct pl_buf *buf)
{
	char received[32], id[24] = "null";

	pl_clock_rfc3339(run->received_real_ns, received);
	if (run->experiment_id > 0)
		snprintf(id, sizeof(id), "%lld", (long long)run->experiment_id);
	pl_buf_addf(buf,
		    "%s,\"received_utc\":\"%s\",\"age_s\":%.3f,\"state\":\"%s\",\"experiment_id\":"
		    "%s}",
		    run->text, received, age_s(run, now_ns),
		    state_names[dash_live_run_state(live, run, now_ns)], id);
}

static int by_start(const void *a, const void *b)
{
	const char *first = pl_json_get_text(json_array_get(*(json_t *const *)a, 0), "started_utc");
	const char *second = pl_json_get_text(json_array_get(*(json_t *const *)b, 0),
					      "started_utc");

	return strcmp(second, first);
}

static json_t *row_of(const struct dash_live *live, const struct live_run *run, int64_t now_ns)
{
	json_t *row = json_pack("{s:s, s:s, s:f, s:o}", "run_id", run->run_id, "state",
				state_names[dash_live_run_state(live, run, now_ns)], "age_s",
				age_s(run, now_ns), "experiment_id", experiment_of(run));

	json_object_update(row, run->listed);
	return row;
}

void dash_live_list_write(const struct dash_live *live, int64_t now_ns, struct pl_buf *buf)
{
	json_t *rows[DASH_LIVE_RUNS_MAX];
	auto_json json_t *list = json_pack("{s:[]}", "runs");
	size_t count = 0;

	for (const struct live_run *run = live->runs; run != NULL; run = run->next)
		rows[count++] = json_pack("[o]", row_of(live, run, now_ns));
	qsort(rows, count, sizeof(rows[0]), by_start);
	for (size_t i = 0; i < count; i++) {
		json_array_append(json_object_get(list, "runs"), json_array_get(rows[i], 0));
		json_decref(rows[i]);
	}
	pl_json_write(list, PL_JSON_COMPACT, buf);
}

const char *dash_live_event_write(const struct dash_live *live, const struct live_run *run,
				  int64_t now_ns, struct pl_buf *buf)
{
	enum live_state state = dash_live_run_state(live, run, now_ns);
	auto_json json_t *data = NULL;

	if (state == LIVE_REPORTING)
		return NULL;
	if (state == LIVE_SILENT)
		data = json_pack("{s:s, s:f}", "run_id", run->run_id, "age_s", age_s(run, now_ns));
	else
		data = json_pack("{s:s, s:o, s:O}", "run_id", run->run_id, "experiment_id",
				 experiment_of(run), "ended",
				 json_object_get(run->listed, "ended"));
	pl_json_write(data, PL_JSON_COMPACT, buf);
	return state == LIVE_SILENT ? "silent" : "ended";
}

char *dash_live_list(struct dash_live *live)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	pthread_mutex_lock(&live->lock);
	dash_live_list_write(live, pl_clock_now_ns(), &text);
	pthread_mutex_unlock(&live->lock);
	return pl_buf_take(&text);
}

char *dash_live_get(struct dash_live *live, const char *run_id)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	pthread_mutex_lock(&live->lock);
	const struct live_run *run = find(live, run_id);
	if (run != NULL)
		dash_live_run_write(live, run, pl_clock_now_ns(), &text);
	pthread_mutex_unlock(&live->lock);
	return run != NULL ? pl_buf_take(&text) : NULL;
}

/* ---- the clock thread ---------------------------------------------------------------------- */

static void announce(struct dash_live *live, struct live_run *run)
{
	dash_live_frame_release(pl_take(run->event));
	run->event_serial++;
	live->is_list_dirty = true;
}

static void look_at_run(struct dash_live *live, struct live_run *run, int64_t now_ns)
{
	enum live_state state = dash_live_run_state(live, run, now_ns);

	if (run->is_dirty) {
		run->is_dirty = false;
		live->is_list_dirty = true;
	}
	if (state != run->state) {
		run->state = state;
		run->ended_ns = now_ns;
		run->was_looked_up = false;
		announce(live, run);
		pthread_cond_signal(&live->unstored);
	}
	int64_t second_ns = live->options.second_ns;
	if ((state == LIVE_ENDED && now_ns - run->ended_ns > FORGET_S * second_ns) ||
	    (state == LIVE_SILENT && now_ns - run->received_ns > ABANDONED_S * second_ns))
		forget(live, run);
}

static void pass(struct dash_live *live, int64_t now_ns)
{
	struct live_run *next;

	for (struct live_run *run = live->runs; run != NULL; run = next) {
		next = run->next;
		look_at_run(live, run, now_ns);
	}
	if (live->is_list_dirty && now_ns - live->list_ns >= live->options.second_ns) {
		live->is_list_dirty = false;
		live->list_ns = now_ns;
		live->list_serial++;
		dash_live_frame_release(pl_take(live->list));
	}
	dash_live_wake_listeners(live, now_ns);
}

/* ---- the finder ---------------------------------------------------------------------------- */

/* Returns the run_id of a run whose result may have been stored; NULL: none. free() */
static char *next_to_look_up(struct dash_live *live)
{
	for (struct live_run *run = live->runs; run != NULL; run = run->next) {
		if (run->state == LIVE_REPORTING || run->experiment_id > 0 || run->was_looked_up)
			continue;
		run->was_looked_up = true;
		return pl_strdup(run->run_id);
	}
	return NULL;
}

static bool has_unstored(const struct dash_live *live)
{
	for (const struct live_run *run = live->runs; run != NULL; run = run->next) {
		if (run->state != LIVE_REPORTING && run->experiment_id == 0)
			return true;
	}
	return false;
}

/* Releases the lock while it reads the store. */
static void look_up(struct dash_live *live)
{
	const struct dash_live_options *options = &live->options;
	char *run_id;

	pthread_mutex_unlock(&live->lock);
	int64_t version = options->version(options->data);
	pthread_mutex_lock(&live->lock);
	for (struct live_run *run = live->runs; run != NULL && version != live->version;
	     run = run->next)
		run->was_looked_up = false;
	live->version = version;
	while (!live->is_ending && (run_id = next_to_look_up(live)) != NULL) {
		pthread_mutex_unlock(&live->lock);
		int64_t id = options->find(options->data, run_id);
		pthread_mutex_lock(&live->lock);
		struct live_run *run = find(live, run_id);
		if (run != NULL && id > 0) {
			run->experiment_id = id;
			renew_snapshot(run);
			announce(live, run);
			live->has_news = true;
			pthread_cond_signal(&live->wake);
		}
		free(run_id);
	}
}

static void *find_results(void *data)
{
	struct dash_live *live = data;

	pthread_mutex_lock(&live->lock);
	while (!live->is_ending) {
		if (!has_unstored(live)) {
			pthread_cond_wait(&live->unstored, &live->lock);
			continue;
		}
		look_up(live);
		struct timespec due = pl_clock_timespec(pl_clock_now_ns() +
							live->options.second_ns);
		if (!live->is_ending)
			pthread_cond_timedwait(&live->unstored, &live->lock, &due);
	}
	pthread_mutex_unlock(&live->lock);
	return NULL;
}

/* ---- the clock thread: its loop ------------------------------------------------------------ */

/* Returns when the next pass is due: after a second, or when a run becomes silent. */
static int64_t next_pass_ns(const struct dash_live *live, int64_t now_ns)
{
	int64_t due_ns = now_ns + live->options.second_ns;

	for (const struct live_run *run = live->runs; run != NULL; run = run->next) {
		int64_t silent_ns = run->received_ns + SILENT_S * live->options.second_ns + 1;
		if (run->state == LIVE_REPORTING && silent_ns < due_ns)
			due_ns = silent_ns;
	}
	return due_ns;
}

/* Returns early if the server stops, or, if `for_news`, when there is news. */
static void sleep_until(struct dash_live *live, int64_t due_ns, bool for_news)
{
	struct timespec due = pl_clock_timespec(due_ns);

	while (!live->is_ending && !(for_news && live->has_news)) {
		if (pthread_cond_timedwait(&live->wake, &live->lock, &due) == ETIMEDOUT)
			return;
	}
}

static void *keep_time(void *data)
{
	struct dash_live *live = data;
	int64_t second_ns = live->options.second_ns;

	pthread_mutex_lock(&live->lock);
	while (!live->is_ending) {
		if (live->run_count == 0 && live->listener_count == 0 && !live->has_news) {
			pthread_cond_wait(&live->wake, &live->lock);
			continue;
		}
		int64_t now_ns = pl_clock_now_ns();
		live->has_news = false;
		pass(live, now_ns);
		sleep_until(live, now_ns + second_ns / PASSES_PER_S, false);
		sleep_until(live, next_pass_ns(live, now_ns), true);
	}
	pthread_mutex_unlock(&live->lock);
	return NULL;
}

/* ---- start and end ------------------------------------------------------------------------- */

static void live_free(struct dash_live *live)
{
	dash_live_frame_release(live->list);
	pthread_cond_destroy(&live->unstored);
	pthread_cond_destroy(&live->wake);
	pthread_mutex_destroy(&live->lock);
	free(live);
}

int dash_live_start(const struct dash_live_options *options, struct dash_live **ret,
		    struct pl_err *err)
{
	struct dash_live *live = pl_alloc(sizeof(*live));
	pthread_condattr_t monotonic;

	live->options = *options;
	pthread_mutex_init(&live->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&live->wake, &monotonic);
	pthread_cond_init(&live->unstored, &monotonic);
	pthread_condattr_destroy(&monotonic);
	int result = pl_thread_start(&live->clock, keep_time, live, err);
	if (result == 0) {
		result = pl_thread_start(&live->finder, find_results, live, err);
		if (result < 0) {
			dash_live_end(live);
			pthread_join(live->clock, NULL);
		}
	}
	if (result < 0)
		live_free(live);
	else
		*ret = live;
	return result;
}

void dash_live_end(struct dash_live *live)
{
	pthread_mutex_lock(&live->lock);
	live->is_ending = true;
	dash_live_wake_listeners(live, pl_clock_now_ns());
	pthread_cond_signal(&live->wake);
	pthread_cond_signal(&live->unstored);
	pthread_mutex_unlock(&live->lock);
}

void dash_live_stop(struct dash_live *live)
{
	if (live == NULL)
		return;
	dash_live_end(live);
	pthread_join(live->clock, NULL);
	pthread_join(live->finder, NULL);
	while (live->runs != NULL)
		forget(live, live->runs);
	live_free(live);
}

void dash_live_count(struct dash_live *live, unsigned *ret_runs, unsigned *ret_streams)
{
	pthread_mutex_lock(&live->lock);
	*ret_runs = live->run_count;
	*ret_streams = live->listener_count;
	pthread_mutex_unlock(&live->lock);
}

/*
 * Threads and what they write:
 *
 *	main thread    head, stages, plan         before follow and after unfollow
 *	follower       records, ticks             between them; the only user of `gathered`
 *	syncer         only fdatasync()           concurrently with the follower, a little later
 *
 * Lines are collected and written together, because a write() per record would disturb the load. A failed sync is
 * reported by its number, and the writing thread gives up.
 */
#include "run/journal/journal.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"
#include "bench/load/feed.h"
#include "run/journal/file.h"
#include "run/journal/line.h"
#include "run/replace.h"
#include "run/stop.h"

/* Bytes collected before they are written. One line may be larger. */
#define GATHERED_BYTES (1u << 20)
#define ROOM_BYTES_MAX (RUN_LINE_BYTES_MAX + GATHERED_BYTES + 4096u)

struct run_journal {
	struct run_journal_file file;
	char *output;
	bool begun;            /* the file contains this run */
	bool has_stage;        /* the first stage was written completely */
	bool broken;           /* it cannot be written: no more writes */
	struct run_stop *stop; /* asked to stop by a full disk; NULL: none */
	struct pl_err full;    /* PL_ERR_NONE: the disk was never full */
	bool named;            /* its first lines and its name are on disk */
	atomic_bool dirty;     /* written to since the last sync */
	atomic_int sync_errno; /* of a failed sync; the writing thread gives up */
	struct pl_buf gathered;
	int64_t alive_ns;
	enum res_stage stage; /* the last recorded stage and its document; NULL: none */
	json_t *document;

	struct pl_pause pause; /* of both threads */
	pthread_t follower, syncer;
	bool follows, syncs;
	struct bench_feed *feed;
};

/* Sets the error before it asks `stop`, because the thread that sees the request reads the error. */
static void end_run(struct run_journal *journal)
{
	(void)pl_err_errno(&journal->full, "could not write the journal '%s'", journal->file.path);
	run_stop_disk_full(journal->stop);
}

static void give_up(struct run_journal *journal)
{
	if (journal->stop != NULL && (errno == ENOSPC || errno == EDQUOT))
		end_run(journal);
	else
		pl_log(PL_LOG_WARNING,
		       "could not write journal '%s': %s; if this run is killed, its measurements "
		       "are lost",
		       journal->file.path, strerror(errno));
	journal->broken = true;
	pl_buf_clear(&journal->gathered);
}

static void write_gathered(struct run_journal *journal)
{
	struct pl_buf *buf = &journal->gathered;
	size_t done = 0;

	while (!journal->broken && done < buf->len) {
		ssize_t len = write(journal->file.fd, buf->data + done, buf->len - done);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			give_up(journal);
		else
			done += (size_t)len;
		journal->dirty = true;
	}
	pl_buf_clear(buf);
}

static void sync_file(struct run_journal *journal)
{
	if (!atomic_exchange(&journal->dirty, false))
		return;
	/* files without sync (EINVAL: a pipe, some network file systems) do not stop the run */
	if (fdatasync(journal->file.fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		atomic_store(&journal->sync_errno, errno);
}

static void heed_sync(struct run_journal *journal)
{
	errno = atomic_load(&journal->sync_errno);
	if (errno != 0 && !journal->broken)
		give_up(journal);
}

/* Call it after each line: it keeps room in the buffer for one of any size. */
static void added(struct run_journal *journal, bool whole)
{
	if (!whole) {
		errno = EFBIG;
		give_up(journal);
	}
	if (journal->gathered.len >= GATHERED_BYTES)
		write_gathered(journal);
}

static bool takes(const struct run_journal *journal)
{
	return journal != NULL && journal->begun && !journal->broken;
}

int run_journal_open(const char *output, bool overwrite, struct run_journal **ret,
		     struct pl_err *err)
{
	struct run_journal_file file;

	if (run_journal_file_take(output, overwrite, &file, err) < 0)
		return -1;
	struct run_journal *journal = pl_alloc(sizeof(*journal));
	journal->file = file;
	journal->output = pl_strdup(output);
	pl_buf_init(&journal->gathered, ROOM_BYTES_MAX);
	pl_pause_init(&journal->pause);
	*ret = journal;
	return 0;
}

/* Call it after unfollow, when nothing is measured any longer and a slow disk may be waited for. */
static void end_syncer(struct run_journal *journal)
{
	if (journal->syncs)
		pthread_join(journal->syncer, NULL);
	journal->syncs = false;
}

void run_journal_free(struct run_journal *journal)
{
	if (journal == NULL)
		return;
	run_journal_unfollow(journal);
	end_syncer(journal);
	/* locked and never written: restore the former state */
	if (!journal->begun && journal->file.made)
		unlink(journal->file.path);
	run_journal_file_done(&journal->file);
	pl_buf_done(&journal->gathered);
	pl_pause_done(&journal->pause);
	json_decref(journal->document);
	free(journal->output);
	free(journal);
}

void run_journal_ends(struct run_journal *journal, struct run_stop *stop)
{
	if (journal != NULL)
		journal->stop = stop;
}

const struct pl_err *run_journal_full(const struct run_journal *journal)
{
	return journal != NULL && journal->full.code != PL_ERR_NONE ? &journal->full : NULL;
}

bool run_journal_recovers(const struct run_journal *journal)
{
	return journal != NULL && journal->has_stage;
}

void run_journal_head(struct run_journal *journal, const char *run_id, bool separate,
		      int64_t started_real_ns, int64_t started_ns)
{
	if (journal == NULL)
		return;
	auto_json json_t *head = json_pack(
		"{s:s, s:b, s:I, s:I, s:i, s:s}", "run_id", run_id, "separate", separate,
		"started_real_ns", (json_int_t)started_real_ns, "started_ns",
		(json_int_t)started_ns, "pid", (int)getpid(), "profllm", PROFLLM_VERSION);
	journal->begun = true;
	/* another run's journal is only discarded here, because this run could fail to start until now */
	if (ftruncate(journal->file.fd, 0) < 0 || lseek(journal->file.fd, 0, SEEK_SET) < 0) {
		give_up(journal);
		return;
	}
	if (journal->file.given_up[0] != '\0')
		run_replace_drop(journal->output, journal->file.given_up);
	added(journal, run_line_add_start(&journal->gathered));
	added(journal, run_line_add_json(&journal->gathered, RUN_LINE_HEAD, head));
}

void run_journal_stage(struct run_journal *journal, enum res_stage stage, json_t *document)
{
	auto_json json_t *taken = document;

	if (!takes(journal))
		return;
	/* several steps of one stage may change nothing */
	if (stage == journal->stage && json_equal(taken, journal->document))
		return;
	json_decref(journal->document);
	journal->document = json_incref(taken);
	journal->stage = stage;
	end_syncer(journal);
	auto_json json_t *line = json_pack("{s:s, s:I, s:O}", "stage", res_stage_name(stage),
					   "t_ns", (json_int_t)pl_clock_now_ns(), "document",
					   taken);
	added(journal, run_line_add_json(&journal->gathered, RUN_LINE_STAGE, line));
	write_gathered(journal);
	journal->has_stage = journal->has_stage || !journal->broken;
	/*
	 * Syncs the first stage, so that a power failure leaves a journal that identifies the run, and the stages
	 * outside the load, during which the syncer runs.
	 */
	if (!journal->named || stage == RES_STAGE_MEASURE || stage == RES_STAGE_STOP)
		sync_file(journal);
	if (!journal->named && pl_file_sync_dir_of(journal->file.path, PL_ERR_IGNORED) < 0)
		atomic_store(&journal->sync_errno, EIO);
	journal->named = true;
	heed_sync(journal);
}

void run_journal_load(struct run_journal *journal, const struct bench_request *requests,
		      size_t count, json_t *how)
{
	auto_json json_t *taken = how;

	if (!takes(journal))
		return;
	added(journal, run_line_add_json(&journal->gathered, RUN_LINE_LOAD, taken));
	for (size_t i = 0; i < count && !journal->broken; i++)
		added(journal, run_line_add_plan(&journal->gathered, i, &requests[i]));
	write_gathered(journal);
}

static void add_tick(struct run_journal *journal, int64_t start_ns)
{
	int64_t now_ns = pl_clock_now_ns();

	added(journal, run_line_add_tick(&journal->gathered, now_ns, start_ns));
	write_gathered(journal);
	journal->alive_ns = now_ns;
}

void run_journal_alive(struct run_journal *journal)
{
	if (takes(journal) && pl_clock_now_ns() - journal->alive_ns >= RUN_JOURNAL_SYNC_NS)
		add_tick(journal, RES_NO_TIME);
}

static void on_acted(void *data, const struct res_record *record)
{
	struct run_journal *journal = data;

	if (!journal->broken)
		added(journal, run_line_add_acted(&journal->gathered, record));
}

/* A request or an attempt has finished. */
static void on_record(void *data, const struct res_record *record)
{
	struct run_journal *journal = data;

	if (!journal->broken)
		added(journal, run_line_add_record(&journal->gathered, record));
}

static void take_feed(struct run_journal *journal)
{
	const struct bench_feed_reader reader = {
		.data = journal, .acted = on_acted, .tried = on_record, .over = on_record
	};
	/* readers of the feed are separate threads, so a slow disk does not delay the load */
	int64_t start_ns = bench_feed_start_ns(journal->feed);

	heed_sync(journal);
	if (start_ns == RES_NO_TIME || journal->broken)
		return;
	bench_feed_take(journal->feed, &reader);
	add_tick(journal, start_ns);
}

/* Only this thread uses the journal between follow and unfollow. */
static void *follow_main(void *data)
{
	struct run_journal *journal = data;

	while (pl_pause_until(&journal->pause, pl_clock_now_ns() + RUN_JOURNAL_WRITE_NS))
		take_feed(journal);
	take_feed(journal);
	return NULL;
}

/* A separate thread, because a sync may take seconds. Data written meanwhile survives the process. */
static void *sync_main(void *data)
{
	struct run_journal *journal = data;

	while (pl_pause_until(&journal->pause, pl_clock_now_ns() + RUN_JOURNAL_SYNC_NS))
		sync_file(journal);
	return NULL;
}

static bool start_thread(struct run_journal *journal, pthread_t *thread, const char *name,
			 void *main(void *))
{
	if (pl_thread_start(thread, main, journal, PL_ERR_IGNORED) < 0) {
		give_up(journal);
		return false;
	}
	pthread_setname_np(*thread, name);
	return true;
}

void run_journal_follow(struct run_journal *journal, struct bench_feed *feed)
{
	if (!takes(journal))
		return;
	end_syncer(journal);
	journal->feed = feed;
	pl_pause_done(&journal->pause);
	pl_pause_init(&journal->pause);
	journal->syncs = start_thread(journal, &journal->syncer, "journal-sync", sync_main);
	journal->follows = journal->syncs &&
			   start_thread(journal, &journal->follower, "journal", follow_main);
}

void run_journal_unfollow(struct run_journal *journal)
{
	if (journal == NULL || !journal->syncs)
		return;
	pl_pause_end(&journal->pause);
	if (journal->follows)
		pthread_join(journal->follower, NULL);
	journal->follows = false;
	journal->feed = NULL;
}

void run_journal_remove(struct run_journal *journal)
{
	if (journal != NULL && journal->begun)
		unlink(journal->file.path);
}

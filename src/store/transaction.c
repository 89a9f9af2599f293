/* Transactions of the writer, alone or as parts of a batch, and the count of changes. */
#include <stdlib.h>

#include "base/clock.h"
#include "store/field_index/index.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_set_version, "UPDATE store_state SET data_version = ?1");

#define HASTE_NS (250 * PL_NS_PER_MS)

/* gcc and clang report it differently */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define HAS_THREAD_SANITIZER
#endif

void store_now(char text[32])
{
	pl_clock_rfc3339(pl_clock_real_ns(), text);
}

void store_aging_now(const struct store *store, char text[32])
{
	int64_t real_ns = pl_clock_real_ns();
	int64_t lived_ns = store->opened_real_ns + (pl_clock_now_ns() - store->opened_ns);

	pl_clock_rfc3339(real_ns > lived_ns ? real_ns : lived_ns, text);
}

/* Only this transaction counts while it is open, so only its first count goes to the database at once. */
int store_next_version(struct store *store, int64_t *ret, struct pl_err *err)
{
	if (store->next_version == 0) {
		if (store_point_count(store, &store->next_version, err) < 0)
			return -1;
		store->written_version = store->next_version;
	}
	*ret = store->next_version++;
	return 0;
}

int store_write_version(struct store *store, struct pl_err *err)
{
	struct store_stmt *set;

	if (store->next_version == 0 || store->written_version == store->next_version - 1)
		return 0;
	if (store_sql_cached(&store->writer, &sql_set_version, &set, err) < 0)
		return -1;
	store->written_version = store->next_version - 1;
	store_sql_bind_i64(set, 1, store->written_version);
	return store_sql_finish_later(set, err);
}

void store_results_change(struct store *store)
{
	if (store->changes_results)
		return;
	store->changes_results = true;
	store_memory_expect(store);
}

/* After one timeout the next writers wait only briefly. Otherwise each would wait the full time, one after another. */
static int64_t patience_of(struct store *store)
{
	int64_t patience_ns = store->patience_ns;

	return atomic_load(&store->waits_in_vain) && patience_ns > HASTE_NS ? HASTE_NS
									    : patience_ns;
}

/* Setting the clock does not change this wait. ThreadSanitizer does not support this kind of lock. */
static int lock_until(pthread_mutex_t *lock, int64_t patience_ns)
{
#ifdef HAS_THREAD_SANITIZER
	struct timespec end = pl_clock_timespec(pl_clock_real_ns() + patience_ns);

	return pthread_mutex_timedlock(lock, &end);
#else
	struct timespec end = pl_clock_timespec(pl_clock_now_ns() + patience_ns);

	return pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &end);
#endif
}

static int lock_writes(struct store *store, int64_t patience_ns, struct pl_err *err)
{
	if (lock_until(&store->write_lock, patience_ns) == 0)
		return 0;
	atomic_store(&store->waits_in_vain, true);
	return pl_err_set(err, PL_ERR_BUSY,
			  "'%s': another process has been writing for %.1f s; retry later",
			  store->path, (double)patience_ns / PL_NS_PER_S);
}

static int begin(struct store *store, int64_t end_ns, struct pl_err *err)
{
	int64_t left_ms = (end_ns - pl_clock_now_ns()) / PL_NS_PER_MS;

	store_sql_set_patience(&store->writer, left_ms > 1 ? (int)left_ms : 1);
	int result = store_sql_begin(&store->writer, STORE_SQL_WRITE, err);
	atomic_store(&store->waits_in_vain, result < 0 && err->code == PL_ERR_BUSY);
	if (result < 0)
		return -1;
	store->changes_results = false;
	store->next_version = 0;
	store->next_point = (struct store_point){ 0 };
	if (atomic_exchange(&store->was_replaced, false))
		store_forget_former(store);
	return 0;
}

int store_begin(struct store *store, struct pl_err *err)
{
	int64_t patience_ns = patience_of(store), end_ns = pl_clock_now_ns() + patience_ns;

	if (lock_writes(store, patience_ns, err) < 0)
		return -1;
	if (store->in_batch || begin(store, end_ns, err) == 0)
		return 0;
	pthread_mutex_unlock(&store->write_lock);
	return -1;
}

int store_end(struct store *store, int result, struct pl_err *err)
{
	if (store->in_batch) {
		if (result < 0 && store->batch_err.code == PL_ERR_NONE)
			store->batch_err = *err;
	} else if (result < 0 || store_field_index_combine(store, err) < 0 ||
		   store_write_version(store, err) < 0) {
		store_sql_rollback(&store->writer);
		result = -1;
	} else {
		result = store_sql_commit(&store->writer, err);
		if (result == 0 && store->next_point.mark != 0)
			store_point_follow(store, &store->next_point);
	}
	if (!store->in_batch) {
		store_path_index_end(store, result == 0);
		store_field_index_end(store, result == 0);
	}
	bool is_over = !store->in_batch, changed = store->changes_results;
	pthread_mutex_unlock(&store->write_lock);
	/* other writers may continue meanwhile */
	if (is_over)
		store_memory_follow(store, changed);
	return result;
}

void store_undo(struct store *store)
{
	struct pl_err unwanted = PL_ERR_INIT;

	pl_err_set(&unwanted, PL_ERR_FAILED, "it was canceled");
	if (store_end(store, -1, &unwanted) == 0)
		abort();
}

int store_batch_begin(struct store *store, struct pl_err *err)
{
	/* the lock stays with this thread until the batch ends */
	if (store_begin(store, err) < 0)
		return -1;
	store->in_batch = true;
	store->batch_err = (struct pl_err)PL_ERR_INIT;
	return 0;
}

int store_batch_end(struct store *store, struct pl_err *err)
{
	int result = 0;

	store->in_batch = false;
	if (store->batch_err.code != PL_ERR_NONE) {
		*err = store->batch_err;
		result = -1;
	}
	return store_end(store, result, err);
}

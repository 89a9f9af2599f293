/* The artifacts that an upload's results name and that no client has sent. */
#include "store/artifacts/artifact.h"

#include "base/mem.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_list_results_of,
		       "SELECT i.result FROM job_items i JOIN benchmark_runs r ON r.id = i.result"
		       " WHERE i.job = ?1 AND i.state IN ('stored', 'duplicate') AND r.deleted = 0"
		       " GROUP BY i.result ORDER BY min(i.item) LIMIT ?2");

/* Lists one result more than the limit, to know whether there are more. */
static int list_results(struct store *store, int64_t job, int64_t *ids, size_t *ret_count,
			struct pl_err *err)
{
	auto_borrowed list = NULL;
	bool is_row = false;

	if (store_sql_cached(&store->reader, &sql_list_results_of, &list, err) < 0)
		return -1;
	store_sql_bind_i64(list, 1, job);
	store_sql_bind_i64(list, 2, STORE_MISSING_RESULTS_MAX + 1);
	for (*ret_count = 0;; (*ret_count)++) {
		if (store_sql_step(list, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		ids[*ret_count] = store_sql_i64(list, 0);
	}
}

/* A result that was deleted meanwhile lacks nothing. */
static int add_absent(struct store *store, int64_t id, struct store_missing *absent,
		      struct pl_err *err)
{
	auto_artifacts artifacts = { 0 };
	struct pl_err why = PL_ERR_INIT;
	int64_t before = absent->files;

	if (store_artifacts_of(store, id, &artifacts, &why) < 0) {
		if (why.code == PL_ERR_NOT_FOUND)
			return 0;
		*err = why;
		return -1;
	}
	absent->results++;
	for (size_t i = 0; i < artifacts.count; i++) {
		const struct store_artifact *artifact = &artifacts.items[i];
		if (artifact->stored_at != NULL)
			continue;
		absent->files++;
		absent->bytes += artifact->bytes > 0 ? artifact->bytes : 0;
	}
	absent->incomplete += absent->files > before;
	return 0;
}

int store_artifacts_missing(struct store *store, int64_t job, struct store_missing *ret,
			    struct pl_err *err)
{
	auto_free int64_t *ids = pl_alloc_array(STORE_MISSING_RESULTS_MAX + 1, sizeof(*ids));
	size_t count = 0;

	*ret = (struct store_missing){ 0 };
	pthread_mutex_lock(&store->read_lock);
	int result = list_results(store, job, ids, &count, err);
	pthread_mutex_unlock(&store->read_lock);
	ret->has_more = count > STORE_MISSING_RESULTS_MAX;
	for (size_t i = 0; result == 0 && i < count && i < STORE_MISSING_RESULTS_MAX; i++)
		result = add_absent(store, ids[i], ret, err);
	return result;
}

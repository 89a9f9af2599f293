#include "store/analysis/prices.h"

#include <string.h>

#include "store/store_priv.h"

#define ROW 1 /* the only one */

static STORE_STATEMENT(sql_get_prices,
		       "SELECT revision, changed, content, changed_by FROM prices WHERE id = ?1");
static STORE_STATEMENT(
	sql_set_prices,
	"INSERT INTO prices (id, revision, changed, content, changed_by)"
	" VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO UPDATE SET"
	" revision = excluded.revision, changed = excluded.changed,"
	" content = excluded.content, changed_by = excluded.changed_by RETURNING id");

static json_t *no_prices(void)
{
	return json_pack("{s:[], s:n, s:n, s:i, s:n, s:n}", "prices", "currency",
			 "carbon_g_per_kwh", "revision", 0, "changed_at", "changed_by");
}

int store_prices_read(struct store_sql *sql, json_t **ret, struct pl_err *err)
{
	auto_borrowed row = NULL;

	if (store_sql_cached(sql, &sql_get_prices, &row, err) < 0)
		return -1;
	store_sql_bind_i64(row, 1, ROW);
	int result = store_sql_next(row, err);
	if (result < 0)
		return -1;
	if (result == 0) {
		*ret = no_prices();
		return 0;
	}
	const char *content = store_sql_text(row, 2);
	json_t *prices = NULL;
	if (pl_json_parse(content, strlen(content), "prices", &prices, err) < 0)
		return -1;
	/* prices that an earlier version stored have none */
	if (json_object_get(prices, "currency") == NULL)
		json_object_set_new(prices, "currency", json_null());
	json_object_set_new(prices, "revision", json_integer((json_int_t)store_sql_i64(row, 0)));
	json_object_set_new(prices, "changed_at", json_string(store_sql_text(row, 1)));
	const char *author = store_sql_text(row, 3);
	json_object_set_new(prices, "changed_by",
			    author != NULL ? json_string(author) : json_null());
	*ret = prices;
	return 0;
}

static int write_row(struct store *store, int64_t revision, const json_t *content,
		     const char *author, struct pl_err *err)
{
	auto_free char *text = pl_json_to_text(content, PL_JSON_COMPACT);
	struct store_stmt *statement;
	char now[32];
	int64_t id;

	store_now(now);
	if (store_sql_cached(&store->writer, &sql_set_prices, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, ROW);
	store_sql_bind_i64(statement, 2, revision);
	store_sql_bind_text(statement, 3, now);
	store_sql_bind_text(statement, 4, text);
	store_sql_bind_text(statement, 5, author);
	int result = store_sql_number(statement, &id, err);
	/* release the pointers to the arguments */
	store_sql_clear(statement);
	return result;
}

/* Within a transaction. */
static int replace(struct store *store, int64_t revision, const json_t *prices, const char *author,
		   json_t **ret, struct pl_err *err)
{
	static const char *const lasting[] = { "currency", "carbon_g_per_kwh" };
	auto_json json_t *before = NULL;
	auto_json json_t *content = json_object();
	int64_t version;

	if (store_prices_read(&store->writer, &before, err) < 0)
		return -1;
	int64_t current = pl_json_get_i64(before, "revision");
	if (revision == STORE_PRICES_UNSET ? current != 0 : revision != 0 && revision != current)
		return 0;
	json_object_set(content, "prices", json_object_get(prices, "prices"));
	for (size_t i = 0; i < PL_ARRAY_SIZE(lasting); i++) {
		json_t *value = json_object_get(prices, lasting[i]);
		json_object_set(content, lasting[i],
				value != NULL ? value : json_object_get(before, lasting[i]));
	}
	if (write_row(store, current + 1, content, author, err) < 0 ||
	    store_next_version(store, &version, err) < 0)
		return -1;
	store_results_change(store);
	return store_prices_read(&store->writer, ret, err);
}

int store_prices_get(struct store *store, json_t **ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = store_prices_read(&store->reader, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

int store_prices_set(struct store *store, int64_t revision, const json_t *prices,
		     const char *author, json_t **ret, struct pl_err *err)
{
	auto_json json_t *changed = NULL;

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, replace(store, revision, prices, author, &changed, err), err) < 0)
		return -1;
	*ret = pl_take(changed);
	return 0;
}

#include "store/saved/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_count_views,
		       "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM views");
static STORE_STATEMENT(sql_count_views_of_user,
		       "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM views"
		       " WHERE created_by = ?1");
static STORE_STATEMENT(sql_add_view, "INSERT INTO views (id, created, bytes, state, created_by)"
				     " VALUES (?1, ?2, ?3, ?4, ?5)");
static STORE_STATEMENT(sql_get_view, "SELECT state, created FROM views WHERE id = ?1");

#define ID_LETTERS_MIN 12 /* 72 bits */
#define ID_LETTERS_MAX 42 /* 256 bits without the last, incomplete letter */

/* Encodes the state's SHA-256 (RFC 4648, section 5). */
static void letters_of(const char *state, char letters[ID_LETTERS_MAX + 1])
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	char hex[65];
	unsigned bits = 0, held = 0;
	size_t count = 0;

	pl_sha256(state, strlen(state), hex);
	for (const char *at = hex; count < ID_LETTERS_MAX; at++) {
		held = (held << 4 | (unsigned)pl_hex_value(*at)) & 0x3ff;
		bits += 4;
		if (bits < 6)
			continue;
		bits -= 6;
		letters[count++] = alphabet[held >> bits & 0x3f];
	}
	letters[count] = '\0';
}

/* Overwrites *ret. */
static int get(struct store_sql *sql, const char *id, struct store_link *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	*ret = (struct store_link){ 0 };
	if (store_sql_cached(sql, &sql_get_view, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, id);
	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	if (is_row)
		*ret = (struct store_link){ .state = pl_strdup(store_sql_text(statement, 0)),
					    .created = pl_strdup(store_sql_text(statement, 1)) };
	return 0;
}

/* Compares the row of a statement, the number of views and their bytes, with the limits. */
static int has_room(struct store_stmt *statement, size_t bytes, int64_t count_max,
		    int64_t bytes_max, bool *ret, struct pl_err *err)
{
	bool is_row = false;

	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret = store_sql_i64(statement, 0) < count_max &&
	       store_sql_i64(statement, 1) + (int64_t)bytes <= bytes_max;
	return 0;
}

static int judge(struct store *store, size_t bytes, const char *author,
		 enum store_link_outcome *ret_outcome, struct pl_err *err)
{
	auto_borrowed all = NULL;
	auto_borrowed own = NULL;
	bool fits = false;

	if (store_sql_cached(&store->writer, &sql_count_views, &all, err) < 0 ||
	    has_room(all, bytes, STORE_LINKS_MAX, STORE_LINKS_BYTES_MAX, &fits, err) < 0)
		return -1;
	*ret_outcome = fits ? STORE_LINK_OK : STORE_LINK_FULL;
	if (!fits || author == NULL)
		return 0;
	if (store_sql_cached(&store->writer, &sql_count_views_of_user, &own, err) < 0)
		return -1;
	store_sql_bind_text(own, 1, author);
	if (has_room(own, bytes, STORE_LINKS_OF_USER_MAX, STORE_LINKS_OF_USER_BYTES_MAX, &fits,
		     err) < 0)
		return -1;
	if (!fits)
		*ret_outcome = STORE_LINK_FULL_OF_USER;
	return 0;
}

static int add(struct store *store, const char *id, const char *state, const char *author,
	       struct pl_err *err)
{
	struct store_stmt *statement;
	char now[32];

	store_now(now);
	if (store_sql_cached(&store->writer, &sql_add_view, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, id);
	store_sql_bind_text(statement, 2, now);
	store_sql_bind_i64(statement, 3, (int64_t)strlen(state));
	store_sql_bind_text(statement, 4, state);
	store_sql_bind_text(statement, 5, author);
	int result = store_sql_finish(statement, err);
	store_sql_clear(statement);
	return result;
}

/* Finds the first id that is free or already this state's. */
static int put(struct store *store, const char *state, const char *author,
	       enum store_link_outcome *ret_outcome, char id[ID_LETTERS_MAX + 1],
	       struct pl_err *err)
{
	char letters[ID_LETTERS_MAX + 1];

	*ret_outcome = STORE_LINK_OK;
	letters_of(state, letters);
	for (size_t count = ID_LETTERS_MIN; count <= ID_LETTERS_MAX; count++) {
		auto_link link = { .state = NULL };
		memcpy(id, letters, count);
		id[count] = '\0';
		if (get(&store->writer, id, &link, err) < 0)
			return -1;
		if (link.state != NULL && strcmp(link.state, state) == 0)
			return 0;
		if (link.state != NULL)
			continue;
		if (judge(store, strlen(state), author, ret_outcome, err) < 0)
			return -1;
		return *ret_outcome == STORE_LINK_OK ? add(store, id, state, author, err) : 0;
	}
	return pl_err_set(err, PL_ERR_INTERNAL, "two views have the same hash");
}

int store_link_put(struct store *store, const char *state, const char *author,
		   enum store_link_outcome *ret_outcome, char **ret_id, struct pl_err *err)
{
	char id[ID_LETTERS_MAX + 1] = "";

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, put(store, state, author, ret_outcome, id, err), err) < 0)
		return -1;
	*ret_id = *ret_outcome == STORE_LINK_OK ? pl_strdup(id) : NULL;
	return 0;
}

int store_link_get(struct store *store, const char *id, struct store_link *ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = get(&store->reader, id, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

void store_link_done(struct store_link *link)
{
	free(link->state);
	free(link->created);
	*link = (struct store_link){ 0 };
}

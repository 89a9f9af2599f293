/*
 * The places (result/fields/paths.h) of all documents, as a table of the file: if a query names a field without a
 * column, the documents are read only if one of them has the field's place.
 *
 * Most documents have the same places as earlier ones. Hashes of places known to be in the table are kept in memory, so
 * a transaction writes only new places; those of a transaction that is rolled back are discarded.
 */
#include <stdlib.h>
#include <string.h>

#include "result/fields/paths.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_add_path,
		       "INSERT INTO document_places VALUES (?1) ON CONFLICT DO NOTHING");
static STORE_STATEMENT(sql_has_path,
		       "SELECT 1 FROM document_places WHERE place IN (?1, '') LIMIT 1");

/* Per document. One that has more may have any: its last place is "". */
#define PLACES_MAX 20000
/* Beyond this number, a known place costs a lookup in the table again. */
#define KNOWN_MAX         (1u << 20)
#define SLOTS_MIN         1024
#define ARENA_BLOCK_BYTES 16384

/* ---- sets of hashes ------------------------------------------------------------------------ */

/* Returns its slot, or the free slot for it. */
static uint64_t *slot_of(const struct store_hashes *hashes, uint64_t hash)
{
	size_t mask = hashes->slot_count - 1, at = (hash ^ hash >> 32) & mask;

	while (hashes->slots[at] != 0 && hashes->slots[at] != hash)
		at = (at + 1) & mask;
	return &hashes->slots[at];
}

static bool has(const struct store_hashes *hashes, uint64_t hash)
{
	return hashes->slot_count > 0 && *slot_of(hashes, hash) != 0;
}

/* Half of the slots stay free. */
static void widen(struct store_hashes *hashes)
{
	struct store_hashes wider = {
		.slot_count = hashes->slot_count == 0 ? SLOTS_MIN : hashes->slot_count * 2,
		.count = hashes->count,
	};

	wider.slots = pl_alloc_array(wider.slot_count, sizeof(*wider.slots));
	for (size_t i = 0; i < hashes->slot_count; i++) {
		if (hashes->slots[i] != 0)
			*slot_of(&wider, hashes->slots[i]) = hashes->slots[i];
	}
	free(hashes->slots);
	*hashes = wider;
}

/* Adds a hash that is not in the set. */
static void add(struct store_hashes *hashes, uint64_t hash)
{
	if (hashes->count * 2 >= hashes->slot_count)
		widen(hashes);
	*slot_of(hashes, hash) = hash;
	hashes->count++;
}

static void forget(struct store_hashes *hashes)
{
	free(hashes->slots);
	*hashes = (struct store_hashes){ 0 };
}

/* ---- places of one document ---------------------------------------------------------------- */

struct collecting {
	const struct store_hashes *known;
	struct store_path_index *paths;
	struct store_hashes seen;
};

static void collect(void *context, const char *path, uint64_t hash)
{
	struct collecting *collecting = context;
	struct store_path_index *paths = collecting->paths;

	/* 0 means a free slot */
	hash = hash != 0 ? hash : 1;
	if (has(collecting->known, hash) || has(&collecting->seen, hash))
		return;
	if (collecting->seen.count >= PLACES_MAX) {
		path = "";
		hash = RES_PATH_HASH_OF_NONE;
		if (has(collecting->known, hash) || has(&collecting->seen, hash))
			return;
	}
	add(&collecting->seen, hash);
	*PL_PUSH(paths->items, paths->count, paths->room) = (struct store_path){
		.text = pl_arena_strndup(paths->arena, path, strlen(path)), .hash = hash
	};
}

void store_path_index_of(struct store *store, const json_t *document, struct store_path_index *ret)
{
	struct collecting collecting = { .known = &store->paths_known, .paths = ret };

	*ret = (struct store_path_index){ .arena = pl_arena_new(ARENA_BLOCK_BYTES) };
	pthread_rwlock_rdlock(&store->paths_lock);
	res_paths_of(document, collect, &collecting);
	pthread_rwlock_unlock(&store->paths_lock);
	forget(&collecting.seen);
}

void store_path_index_done(struct store_path_index *paths)
{
	free(paths->items);
	pl_arena_free(paths->arena);
	*paths = (struct store_path_index){ 0 };
}

/* ---- all documents ------------------------------------------------------------------------- */

int store_path_index_put(struct store *store, const struct store_path_index *paths,
			 struct pl_err *err)
{
	for (size_t i = 0; i < paths->count; i++) {
		const struct store_path *path = &paths->items[i];
		struct store_stmt *statement;
		/* the known places only change under the write lock, which this thread holds */
		if (has(&store->paths_known, path->hash) || has(&store->paths_new, path->hash))
			continue;
		if (store_sql_cached(&store->writer, &sql_add_path, &statement, err) < 0)
			return -1;
		store_sql_bind_text(statement, 1, path->text);
		if (store_sql_finish_later(statement, err) < 0)
			return -1;
		add(&store->paths_new, path->hash);
	}
	return 0;
}

void store_path_index_end(struct store *store, bool is_kept)
{
	const struct store_hashes *new = &store->paths_new;

	if (is_kept && new->count > 0) {
		pthread_rwlock_wrlock(&store->paths_lock);
		for (size_t i = 0; i < new->slot_count; i++) {
			if (new->slots[i] != 0 && store->paths_known.count < KNOWN_MAX)
				add(&store->paths_known, new->slots[i]);
		}
		pthread_rwlock_unlock(&store->paths_lock);
	}
	forget(&store->paths_new);
}

void store_path_index_forget(struct store *store)
{
	pthread_rwlock_wrlock(&store->paths_lock);
	forget(&store->paths_known);
	pthread_rwlock_unlock(&store->paths_lock);
}

void store_path_index_close(struct store *store)
{
	forget(&store->paths_known);
	forget(&store->paths_new);
	pthread_rwlock_destroy(&store->paths_lock);
}

static int has_position(struct store *store, const char *path, bool *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;

	if (store_sql_cached(&store->reader, &sql_has_path, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, path);
	return store_sql_step(statement, ret, err);
}

bool store_path_index_may_have(struct store *store, const char *id)
{
	auto_buf path = { 0 };
	bool may_have = true;

	res_path_of_field(id, &path);
	if (path.len == 0)
		return true;
	pthread_mutex_lock(&store->read_lock);
	/* if the file is unreadable, reading its documents reports it better */
	if (has_position(store, pl_buf_text(&path), &may_have, PL_ERR_IGNORED) < 0)
		may_have = true;
	pthread_mutex_unlock(&store->read_lock);
	return may_have;
}

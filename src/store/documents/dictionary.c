#include "store/documents/dictionary.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/zst.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_get_dictionaries,
		       "SELECT id, kind, bytes FROM dictionaries WHERE id > ?1 ORDER BY id");
static STORE_STATEMENT(sql_newest_dictionary,
		       "SELECT result FROM dictionaries WHERE kind = ?1 ORDER BY id DESC LIMIT 1");
static STORE_STATEMENT(sql_add_dictionary,
		       "INSERT INTO dictionaries (kind, result, bytes) VALUES (?1, ?2, ?3)");

#define DICTIONARY_BYTES_MAX ((size_t)128 << 10)
#define UNPACKED_BYTES_MAX   ((size_t)STORE_DOCUMENT_BYTES_MAX * 2)
#define TEXT_MAX             64
/* The dictionary of a document is good if it compresses to at most this size. */
#define IS_GOOD(packed, plain) ((packed) <= (plain) / 8 + 256)
#define GROWTH                 4
#define POLL_NS                PL_NS_PER_S

/* A frame that zstd skips (RFC 8878, 3.1.2): its magic, its length, the dictionary's id. */
#define MAGIC      0x184d2a50u
#define HEAD_BYTES ((size_t)16)

struct dictionary {
	int64_t id;
	char kind[TEXT_MAX];
	struct pl_zst_dictionary *zst;
};

struct store_dictionaries {
	const char *address;
	pthread_mutex_t lock; /* of all below */
	struct store_sql sql; /* separate: readers that decompress hold the store's */
	struct dictionary *items;
	size_t count;
	size_t room;
	int64_t looked_ns;
	/* of a database that was replaced; other threads may still use them */
	struct dictionary *former;
	size_t former_count;
	size_t former_room;
};

struct store_dictionaries *store_dictionaries_new(const char *address)
{
	struct store_dictionaries *dictionaries = pl_alloc(sizeof(*dictionaries));

	*dictionaries = (struct store_dictionaries){ .address = address };
	pthread_mutex_init(&dictionaries->lock, NULL);
	return dictionaries;
}

void store_dictionaries_free(struct store_dictionaries *dictionaries)
{
	if (dictionaries == NULL)
		return;
	for (size_t i = 0; i < dictionaries->count; i++)
		pl_zst_dictionary_free(dictionaries->items[i].zst);
	for (size_t i = 0; i < dictionaries->former_count; i++)
		pl_zst_dictionary_free(dictionaries->former[i].zst);
	free(dictionaries->former);
	free(dictionaries->items);
	store_sql_close(&dictionaries->sql);
	pthread_mutex_destroy(&dictionaries->lock);
	free(dictionaries);
}

void store_dictionaries_forget(struct store_dictionaries *dictionaries)
{
	pthread_mutex_lock(&dictionaries->lock);
	for (size_t i = 0; i < dictionaries->count; i++)
		*PL_PUSH(dictionaries->former, dictionaries->former_count,
			 dictionaries->former_room) = dictionaries->items[i];
	dictionaries->count = 0;
	pthread_mutex_unlock(&dictionaries->lock);
}

/* Returns the kind of a document: its form, and whether its keys are separated by blanks. */
static void kind_of(const struct store_document *document, char kind[TEXT_MAX])
{
	size_t len = document->len < 256 ? document->len : 256;
	bool has_lines = memchr(document->bytes, '\n', len) != NULL;
	bool has_blanks = memmem(document->bytes, len, "\": ", 3) != NULL;

	snprintf(kind, TEXT_MAX, "%s%s", store_form_name(document->form),
		 has_lines    ? ", lines"
		 : has_blanks ? ", blanks"
			      : "");
}

/* ---- existing dictionaries ----------------------------------------------------------------- */

/* Under its lock: reads the new ones. */
static int look(struct store_dictionaries *dictionaries, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;
	int64_t last = dictionaries->count > 0 ? dictionaries->items[dictionaries->count - 1].id
					       : 0;

	dictionaries->looked_ns = pl_clock_now_ns();
	if (dictionaries->sql.driver == NULL) {
		if (store_sql_open(&dictionaries->sql, dictionaries->address, false, err) < 0)
			return -1;
		if (store_sql_use(&dictionaries->sql, STORE_SQL_READ, err) < 0) {
			store_sql_close(&dictionaries->sql);
			return -1;
		}
	}
	if (store_sql_cached(&dictionaries->sql, &sql_get_dictionaries, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, last);
	while ((result = store_sql_next(rows, err)) > 0) {
		struct store_stmt *row = rows;
		struct dictionary dictionary = { .id = store_sql_i64(row, 0) };
		auto_free char *bytes = NULL;
		size_t len, packed_len;
		const void *packed = store_sql_bytes(row, 2, &packed_len);
		snprintf(dictionary.kind, sizeof(dictionary.kind), "%s", store_sql_text(row, 1));
		if (pl_zst_unpack(packed, packed_len, DICTIONARY_BYTES_MAX, "a dictionary", &bytes,
				  &len, err) < 0)
			return -1;
		dictionary.zst = pl_zst_dictionary_new(bytes, len);
		*PL_PUSH(dictionaries->items, dictionaries->count, dictionaries->room) = dictionary;
	}
	return result;
}

static const struct pl_zst_dictionary *by_id(const struct store_dictionaries *dictionaries,
					     int64_t id)
{
	for (size_t i = 0; i < dictionaries->count; i++) {
		if (dictionaries->items[i].id == id)
			return dictionaries->items[i].zst;
	}
	return NULL;
}

static const struct dictionary *newest(const struct store_dictionaries *dictionaries,
				       const char *kind)
{
	for (size_t i = dictionaries->count; i > 0; i--) {
		if (strcmp(dictionaries->items[i - 1].kind, kind) == 0)
			return &dictionaries->items[i - 1];
	}
	return NULL;
}

/* Chooses the newest of a kind; *ret_zst NULL: none. After a bad fit, looks for a newer one at intervals. */
static void choose(struct store_dictionaries *dictionaries, const char *kind, bool is_bad,
		   int64_t *ret_id, const struct pl_zst_dictionary **ret_zst)
{
	pthread_mutex_lock(&dictionaries->lock);
	const struct dictionary *found = newest(dictionaries, kind);
	bool is_due = pl_clock_now_ns() - dictionaries->looked_ns > POLL_NS;
	/* without one, a document is still compressed */
	if ((found == NULL || (is_bad && is_due)) && look(dictionaries, PL_ERR_IGNORED) == 0)
		found = newest(dictionaries, kind);
	*ret_id = found != NULL ? found->id : 0;
	*ret_zst = found != NULL ? found->zst : NULL;
	pthread_mutex_unlock(&dictionaries->lock);
}

/* ---- packing ------------------------------------------------------------------------------- */

static void put_u32(unsigned char *at, uint32_t number)
{
	for (size_t i = 0; i < 4; i++)
		at[i] = (unsigned char)(number >> (8 * i));
}

static uint32_t get_u32(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Compresses with the leading frame that names the dictionary. */
static void *pack_with(const struct pl_zst_dictionary *zst, int64_t id,
		       const struct store_document *document, size_t *ret_len)
{
	unsigned char *packed = pl_zst_pack_with(zst, document->bytes, document->len, HEAD_BYTES,
						 ret_len);

	put_u32(packed, MAGIC);
	put_u32(packed + 4, HEAD_BYTES - 8);
	put_u32(packed + 8, (uint32_t)id);
	put_u32(packed + 12, (uint32_t)((uint64_t)id >> 32));
	return packed;
}

void *store_document_pack(struct store_dictionaries *dictionaries,
			  const struct store_document *document, size_t *ret_len, bool *ret_offers)
{
	const struct pl_zst_dictionary *zst, *other;
	char kind[TEXT_MAX];
	int64_t id, other_id;

	kind_of(document, kind);
	choose(dictionaries, kind, false, &id, &zst);
	if (zst == NULL) {
		*ret_offers = true;
		return pl_zst_pack(document->bytes, document->len, ret_len);
	}
	char *packed = pack_with(zst, id, document, ret_len);
	*ret_offers = !IS_GOOD(*ret_len, document->len);
	if (!*ret_offers)
		return packed;
	choose(dictionaries, kind, true, &other_id, &other);
	if (other_id == id)
		return packed;
	free(packed);
	packed = pack_with(other, other_id, document, ret_len);
	*ret_offers = !IS_GOOD(*ret_len, document->len);
	return packed;
}

/* Returns the result from which the newest of the kind was made; 0: none. */
static int newest_result(struct store *store, const char *kind, int64_t *ret, struct pl_err *err)
{
	struct store_stmt *ask;

	if (store_sql_cached(&store->writer, &sql_newest_dictionary, &ask, err) < 0)
		return -1;
	store_sql_bind_text(ask, 1, kind);
	return store_sql_number(ask, ret, err);
}

int store_dictionary_offer(struct store *store, const struct store_document *document, int64_t id,
			   struct pl_err *err)
{
	char kind[TEXT_MAX];
	struct store_stmt *put;
	int64_t last = 0;
	size_t len = document->len, packed_len;

	kind_of(document, kind);
	if (newest_result(store, kind, &last, err) < 0)
		return -1;
	if (last > 0 && id < last * GROWTH)
		return 0;
	if (len > DICTIONARY_BYTES_MAX)
		len = DICTIONARY_BYTES_MAX;
	auto_free void *packed = pl_zst_pack(document->bytes, len, &packed_len);
	if (store_sql_cached(&store->writer, &sql_add_dictionary, &put, err) < 0)
		return -1;
	store_sql_bind_text(put, 1, kind);
	store_sql_bind_i64(put, 2, id);
	store_sql_bind_bytes(put, 3, packed, packed_len);
	return store_sql_finish(put, err);
}

/* *ret NULL: it needs no dictionary. */
static int dictionary_of(struct store_dictionaries *dictionaries, const unsigned char *packed,
			 size_t len, const char *name, const struct pl_zst_dictionary **ret,
			 struct pl_err *err)
{
	*ret = NULL;
	if (len < HEAD_BYTES || get_u32(packed) != MAGIC || get_u32(packed + 4) != HEAD_BYTES - 8)
		return 0;
	int64_t id = (int64_t)((uint64_t)get_u32(packed + 12) << 32 | get_u32(packed + 8));
	int result = 0;

	pthread_mutex_lock(&dictionaries->lock);
	*ret = by_id(dictionaries, id);
	if (*ret == NULL && (result = look(dictionaries, err)) == 0)
		*ret = by_id(dictionaries, id);
	pthread_mutex_unlock(&dictionaries->lock);
	if (result == 0 && *ret == NULL)
		return pl_err_invalid(err, "cannot decompress '%s': dictionary %lld is missing",
				      name, (long long)id);
	return result;
}

int store_document_unpack(struct store_dictionaries *dictionaries, const void *packed, size_t len,
			  const char *name, char **ret_bytes, size_t *ret_len, struct pl_err *err)
{
	const struct pl_zst_dictionary *zst;

	if (dictionary_of(dictionaries, packed, len, name, &zst, err) < 0)
		return -1;
	return pl_zst_unpack_with(zst, packed, len, UNPACKED_BYTES_MAX, name, ret_bytes, ret_len,
				  err);
}

/*
 * Documents against another document (docs/decisions/0008-documents-packed.md): of a result almost all is keys, and values
 * that others have, too. What the first of a form was is kept as a dictionary of zstd, and each later one packs to
 * a quarter of what it would by itself.
 *
 * - A packed document names its dictionary in a frame of its own in front, one that zstd skips; without
 *   that it stands by itself.
 * - A dictionary is put into the database with the result that it is made of, and never goes: it is of that result's
 *   bytes, without secrets.
 * - One that fits badly gets a successor, when there are four times as many results as when it was made.
 */
#pragma once

#include "store/documents/document.h"
#include "store/store.h"

struct store_dictionaries;
/* Opens nothing before the first is asked for; `address` is borrowed. */
struct store_dictionaries *store_dictionaries_new(const char *address);
void store_dictionaries_free(struct store_dictionaries *dictionaries);

/*
 * The document's bytes packed; free(). *ret_offers: it would make a better dictionary for its like than there is. Any
 * thread; not within a transaction.
 */
void *store_document_pack(struct store_dictionaries *dictionaries,
			  const struct store_document *document, size_t *ret_len, bool *ret_offers);
/* Within the transaction that stores it as `id`: makes the dictionary, if it is wanted. */
int store_dictionary_offer(struct store *store, const struct store_document *document, int64_t id,
			   struct pl_err *err) PL_MUST_CHECK;
/* As pl_zst_unpack(). */
int store_document_unpack(struct store_dictionaries *dictionaries, const void *packed, size_t len,
			  const char *name, char **ret_bytes, size_t *ret_len,
			  struct pl_err *err) PL_MUST_CHECK;

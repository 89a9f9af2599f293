/*
 * Compresses documents against another document (docs/decisions/0008-documents-packed.md): most of a result is keys and
 * values that other results have, too. The first result of each form becomes a zstd dictionary, and later ones compress
 * to a quarter of the size they would have without it.
 * - A compressed document names its dictionary in a leading frame that zstd skips. Without this frame it needs no
 *   dictionary.
 * - A dictionary is stored with the result it is made from, and is never removed. It contains that result's bytes,
 *   without secrets.
 * - A dictionary that fits badly gets a successor once there are four times as many results as when it was made.
 */
#pragma once

#include "store/documents/document.h"
#include "store/store.h"

struct store_dictionaries;
/* Opens nothing before the first use; `address` is borrowed. */
struct store_dictionaries *store_dictionaries_new(const char *address);
void store_dictionaries_free(struct store_dictionaries *dictionaries);

/* Forgets all dictionaries, because the database was replaced. Other threads may still use those they have. */
void store_dictionaries_forget(struct store_dictionaries *dictionaries);

/*
 * Compresses the document's bytes; free(). *ret_offers: it would make a better dictionary for this form than the
 * current one. Any thread; not within a transaction.
 */
void *store_document_pack(struct store_dictionaries *dictionaries,
			  const struct store_document *document, size_t *ret_len, bool *ret_offers);
/* Within the transaction that stores the document as `id`: creates the dictionary if it is needed. */
int store_dictionary_offer(struct store *store, const struct store_document *document, int64_t id,
			   struct pl_err *err) PL_MUST_CHECK;
/* As pl_zst_unpack(). */
int store_document_unpack(struct store_dictionaries *dictionaries, const void *packed, size_t len,
			  const char *name, char **ret_bytes, size_t *ret_len,
			  struct pl_err *err) PL_MUST_CHECK;

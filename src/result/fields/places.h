/*
 * Where fields stand, without a document at hand: who knows the places of all documents knows which fields
 * none of them has, and need not look into any.
 *
 * A place is a dotted path of keys of objects. Lists are passed through, and parts that are numbers or
 * empty are left out, so that "environment.gpus.0.name" and all its neighbours are one place: where no
 * document has a field's place the field is recorded nowhere; where one has, the field may be.
 */
#pragma once

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"

#include <stdint.h>

/* Of longer ones only the beginning is a place. */
#define RES_PLACE_BYTES_MAX 1024

/* `place` is valid during the call, and never ""; the hash is of its text, FNV-1a with 64 bits. */
typedef void res_place_fn(void *context, const char *place, uint64_t hash);
#define RES_PLACE_HASH_OF_NONE PL_HASH_NONE /* of "" */
/* All places of a document as res_field_value() takes it; many are told several times. */
void res_places_of(const json_t *document, res_place_fn *told, void *context);
/* The place of a field by its id, whatever row it has or has not. "": it may be anywhere. */
void res_place_of_field(const char *id, struct pl_buf *ret);

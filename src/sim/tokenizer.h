/*
 * The simulator's tokenizer: text <-> ids without a vocabulary file.
 *
 * - Ids 0 .. SIM_VOCAB-1 are pieces: a blank and a short word of a fixed form. A word ends where
 *   the next blank begins, so every sequence of these ids is one text, and encoding that text gives
 *   the same ids back. Mean length 4.26 bytes.
 * - Above them stand added ids that only encoding produces, for what the pieces cannot say: single
 *   bytes and pairs of small letters. They make decode(encode(text)) == text true for any bytes.
 *
 * Why added ids: there are more characters in Unicode than ids, so no 32,000 pieces can be both
 * free of ambiguity and able to say everything. docs/reference/simulator.md has the table.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SIM_VOCAB           32000u
#define SIM_BYTE_ID         SIM_VOCAB                /* + byte */
#define SIM_PAIR_ID         (SIM_BYTE_ID + 256u)     /* + 26 * first + second */
#define SIM_IDS             (SIM_PAIR_ID + 26u * 26) /* ids are below this */
#define SIM_PIECE_BYTES_MAX 5

/* Puts the id's bytes into `out`; returns how many, 0 for what is no id. */
size_t sim_token_piece(uint32_t id, char out[SIM_PIECE_BYTES_MAX]);
/* Encodes into `ids`, which has room for `len` of them; returns the count. */
size_t sim_token_encode(const char *text, size_t len, uint32_t *ids);
/* The id that the seed's stream has at place `index`: always a piece. */
uint32_t sim_token_draw(uint64_t seed, uint64_t index);
/* A 64-bit mix of a state and a value, for seeds and hash chains. */
uint64_t sim_token_mix(uint64_t state, uint64_t value);

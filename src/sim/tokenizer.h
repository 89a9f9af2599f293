/*
 * The simulator's tokenizer: text <-> ids without a vocabulary file.
 * - Ids 0 .. SIM_VOCAB-1 are pieces: a space and a short word of a fixed form. A word ends where the next space begins,
 *   so every sequence of these ids is one text, and encoding that text returns the same ids. Mean length 4.26 bytes.
 * - Higher ids are only produced by encoding, for text that pieces cannot represent: single bytes and pairs of
 *   lowercase letters. With them decode(encode(text)) == text for any bytes.
 * Unicode has more characters than there are ids, so no 32,000 pieces can be unambiguous and also represent every text.
 * docs/reference/simulator.md has the table.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SIM_VOCAB           32000u
#define SIM_BYTE_ID         SIM_VOCAB                /* + byte */
#define SIM_PAIR_ID         (SIM_BYTE_ID + 256u)     /* + 26 * first + second */
#define SIM_IDS             (SIM_PAIR_ID + 26u * 26) /* ids are below this */
#define SIM_PIECE_BYTES_MAX 5

/* Writes the id's bytes to `out`; returns their number, 0 for an invalid id. */
size_t sim_token_piece(uint32_t id, char out[SIM_PIECE_BYTES_MAX]);
/* Encodes into `ids`, which has room for `len` of them; returns the count. */
size_t sim_token_encode(const char *text, size_t len, uint32_t *ids);
/* Returns the id at position `index` of the seed's stream: always a piece. */
uint32_t sim_token_draw(uint64_t seed, uint64_t index);
/* A 64-bit mix of a state and a value, for seeds and hash chains. */
uint64_t sim_token_mix(uint64_t state, uint64_t value);

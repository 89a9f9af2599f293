/* Both round trips of the tokenizer, for every id, for random sequences and for any bytes. */
#include "sim/tokenizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define LEN 400

static size_t decode(const uint32_t *ids, size_t count, char *text)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++) {
		size_t n = sim_token_piece(ids[i], text + len);

		assert_in_range(n, 1, SIM_PIECE_BYTES_MAX);
		len += n;
	}
	return len;
}

static void check_ids(const uint32_t *ids, size_t count)
{
	char text[LEN * SIM_PIECE_BYTES_MAX];
	uint32_t back[LEN * SIM_PIECE_BYTES_MAX];
	size_t len = decode(ids, count, text);

	assert_int_equal(sim_token_encode(text, len, back), count);
	assert_memory_equal(back, ids, count * sizeof(*ids));
}

static void check_text(const char *text, size_t len)
{
	auto_free uint32_t *ids = pl_alloc_array(len, sizeof(*ids));
	auto_free char *back = pl_alloc(len * SIM_PIECE_BYTES_MAX + 1);
	size_t count = sim_token_encode(text, len, ids);

	assert_int_equal(decode(ids, count, back), len);
	assert_memory_equal(back, text, len);
}

static void test_sim_tokenizer__every_id_comes_back(void **state)
{
	(void)state;
	for (uint32_t id = 0; id < SIM_IDS; id++)
		check_ids(&id, 1);
	assert_int_equal(sim_token_piece(SIM_IDS, (char[SIM_PIECE_BYTES_MAX]){ 0 }), 0);
}

/* All sequences of vocabulary ids: drawn, neighbouring (as vLLM's random data set) and repeated. */
static void test_sim_tokenizer__sequences_of_ids_come_back(void **state)
{
	uint32_t ids[LEN];

	(void)state;
	srand(4);
	for (int round = 0; round < 3000; round++) {
		size_t count = 1 + (size_t)rand() % LEN;
		uint32_t first = (uint32_t)rand() % SIM_VOCAB;

		for (size_t i = 0; i < count; i++)
			ids[i] = round % 3 == 0   ? (uint32_t)rand() % SIM_VOCAB
				 : round % 3 == 1 ? (first + (uint32_t)i) % SIM_VOCAB
						  : sim_token_draw(first, i % 7);
		check_ids(ids, count);
	}
}

static void test_sim_tokenizer__any_bytes_come_back(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"  two  blanks ",
		"Hello, world! It's 2026.",
		" that thaT tha that1 the The THE Thee 309 310 0309 7a a7",
		"na\xc3\xafve \xe2\x82\xac 5 \xf0\x9f\x98\x80 \xe6\x97\xa5\xe6\x9c\xac",
		"line\nline\r\n\ttab \x01\x7f",
	};
	char bytes[LEN];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++)
		check_text(texts[i], strlen(texts[i]));
	srand(5);
	for (int round = 0; round < 3000; round++) {
		size_t len = (size_t)rand() % LEN;

		for (size_t i = 0; i < len; i++)
			bytes[i] = round % 2 == 0 ? (char)(rand() % 256)
						  : " abtheoA9zZ."[rand() % 12];
		check_text(bytes, len);
	}
}

/* 136,424 bytes in 32,000 pieces: 4.26 in the mean. */
static void test_sim_tokenizer__mean_length(void **state)
{
	char piece[SIM_PIECE_BYTES_MAX];
	size_t bytes = 0;

	(void)state;
	for (uint32_t id = 0; id < SIM_VOCAB; id++)
		bytes += sim_token_piece(id, piece);
	assert_int_equal(bytes, 136424);
}

static void test_sim_tokenizer__draws_are_even_and_repeatable(void **state)
{
	uint32_t tenths[10] = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		uint32_t id = sim_token_draw(11, i);

		assert_int_equal(id, sim_token_draw(11, i));
		assert_true(id < SIM_VOCAB);
		tenths[id / (SIM_VOCAB / 10)]++;
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], 9500, 10500);
	assert_int_not_equal(sim_token_draw(11, 0), sim_token_draw(12, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_tokenizer__every_id_comes_back),
		cmocka_unit_test(test_sim_tokenizer__sequences_of_ids_come_back),
		cmocka_unit_test(test_sim_tokenizer__any_bytes_come_back),
		cmocka_unit_test(test_sim_tokenizer__mean_length),
		cmocka_unit_test(test_sim_tokenizer__draws_are_even_and_repeatable),
	};

	return cmocka_run_group_tests_name("test_sim_tokenizer", tests, NULL, NULL);
}

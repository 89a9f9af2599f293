#include "checkpoint/tokenizer_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/checkpoint/model_folder.h"

/* Ten words: <s> has id 0 and <unk> id 9; two more tokens follow. */
#define BPE                                                                                     \
	"{\"version\": \"1.0\", \"added_tokens\": ["                                            \
	"{\"id\": 0, \"content\": \"<s>\", \"special\": true}, "                                \
	"{\"id\": 10, \"content\": \"<|end|>\", \"special\": true}, "                           \
	"{\"id\": 4, \"content\": \"<|tool|>\", \"special\": true}, "                           \
	"{\"id\": 11, \"content\": \"<|more|>\", \"special\": true}], "                         \
	"\"model\": {\"type\": \"BPE\", \"vocab\": {\"<s>\": 0, \"a\": 1, \"b\": 2, \"c\": 3, " \
	"\"<|tool|>\": 4, \"d\": 5, \"e\": 6, \"f\": 7, \"g\": 8, \"<unk>\": 9}, \"merges\": []}}"
#define UNIGRAM                                                                                    \
	"{\"added_tokens\": [], \"model\": {\"type\": \"Unigram\", \"vocab\": [[\"<pad>\", 0.0], " \
	"[\"</s>\", 0.0], [\"\\u2581a\", -2.5]]}}"

static void assert_vocabulary(const struct folder *folder, int64_t size, const uint32_t *ids,
			      size_t count)
{
	struct ckpt_source source = { .model = folder->path };
	auto_vocabulary vocabulary = { 0 };

	assert_true(ckpt_vocabulary_load(&source, &vocabulary));
	assert_int_equal(vocabulary.size, size);
	assert_int_equal(vocabulary.special_count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(vocabulary.special_ids[i], ids[i]);
}

/* Not every token that is flagged as special: those with a role, of the base vocabulary. */
static void test_checkpoint_tokenizer_files__roles_not_flags(void **state)
{
	static const struct {
		const char *config;
		uint32_t ids[3];
		size_t count;
	} rows[] = {
		{ NULL, { 0 }, 0 },
		{ "{}", { 0 }, 0 },
		{ "[]", { 0 }, 0 },
		{ "{\"bos_token\": \"<s>\", \"eos_token\": \"<|end|>\", \"unk_token\": null}",
		  { 0 },
		  1 },
		{ "{\"unk_token\": {\"content\": \"<unk>\", \"lstrip\": false}, \"pad_token\": "
		  "\"<s>\"}",
		  { 9, 0 },
		  2 },
		/* one token in three roles; one that the vocabulary lacks */
		{ "{\"bos_token\": \"<s>\", \"eos_token\": \"<s>\", \"cls_token\": \"<s>\", "
		  "\"sep_token\": \"nowhere\"}",
		  { 0 },
		  1 },
		{ "{\"additional_special_tokens\": [\"<|more|>\", \"<|tool|>\", {\"content\": "
		  "\"g\"}]}",
		  { 4, 8 },
		  2 },
		{ "{\"extra_special_tokens\": {\"image_token\": \"e\", \"bad\": 3}}", { 6 }, 1 },
	};
	struct folder *folder = *state;

	folder_text(folder, "tokenizer.json", BPE);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (rows[i].config != NULL)
			folder_text(folder, "tokenizer_config.json", rows[i].config);
		assert_vocabulary(folder, 10, rows[i].ids, rows[i].count);
	}
}

/* The file of older releases counts only if the newer one does not list its added tokens. */
static void test_checkpoint_tokenizer_files__older_file(void **state)
{
	struct folder *folder = *state;

	folder_text(folder, "tokenizer.json", BPE);
	folder_text(folder, "special_tokens_map.json", "{\"bos_token\": {\"content\": \"b\"}}");
	assert_vocabulary(folder, 10, (const uint32_t[]){ 2 }, 1);
	folder_text(folder, "tokenizer_config.json", "{\"bos_token\": \"<s>\"}");
	assert_vocabulary(folder, 10, (const uint32_t[]){ 2 }, 1);
	folder_text(folder, "tokenizer_config.json",
		    "{\"bos_token\": \"<s>\", \"added_tokens_decoder\": {}}");
	assert_vocabulary(folder, 10, (const uint32_t[]){ 0 }, 1);
}

static void test_checkpoint_tokenizer_files__list_of_pieces(void **state)
{
	struct folder *folder = *state;

	folder_text(folder, "tokenizer.json", UNIGRAM);
	folder_text(folder, "tokenizer_config.json",
		    "{\"eos_token\": \"</s>\", \"pad_token\": \"<pad>\"}");
	assert_vocabulary(folder, 3, (const uint32_t[]){ 1, 0 }, 2);
}

static void test_checkpoint_tokenizer_files__nothing_to_read(void **state)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{}",
		"{\"model\": 3}",
		"{\"model\": {\"vocab\": {}}}",
		"{\"model\": {\"vocab\": \"abc\"}}",
		"{\"model\": {\"vocab\": {\"a\": 0}}",
	};
	struct folder *folder = *state;
	struct ckpt_source source = { .model = folder->path };
	struct ckpt_vocabulary vocabulary;

	assert_false(ckpt_vocabulary_load(&(struct ckpt_source){ 0 }, &vocabulary));
	assert_false(
		ckpt_vocabulary_load(&(struct ckpt_source){ .model = "no/where" }, &vocabulary));
	assert_false(ckpt_vocabulary_load(&source, &vocabulary));
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		folder_text(folder, "tokenizer.json", texts[i]);
		assert_false(ckpt_vocabulary_load(&source, &vocabulary));
		assert_true(vocabulary.size == 0 && vocabulary.special_ids == NULL);
	}
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_FOLDER(test_checkpoint_tokenizer_files__roles_not_flags),
		IN_A_FOLDER(test_checkpoint_tokenizer_files__older_file),
		IN_A_FOLDER(test_checkpoint_tokenizer_files__list_of_pieces),
		IN_A_FOLDER(test_checkpoint_tokenizer_files__nothing_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

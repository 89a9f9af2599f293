#include "checkpoint/tokenizer_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "checkpoint/weights.h"

/* A vocabulary of 256,000 words with its merges has some 35 MB. */
#define FILE_BYTES_MAX (128u << 20)

/* The existing files of one tokenizer. */
struct files {
	json_t *tokenizer; /* tokenizer.json */
	json_t *config;    /* tokenizer_config.json; NULL */
	json_t *map;       /* special_tokens_map.json, of older releases; NULL */
	json_t *words;     /* the base vocabulary, in tokenizer; borrowed */
};

static void files_done(struct files *files)
{
	json_decref(files->tokenizer);
	json_decref(files->config);
	json_decref(files->map);
}
#define auto_files __attribute__((cleanup(files_done), unused)) struct files

void ckpt_vocabulary_done(struct ckpt_vocabulary *vocabulary)
{
	free(vocabulary->special_ids);
	*vocabulary = (struct ckpt_vocabulary){ 0 };
}

static json_t *read_object(const char *folder, const char *root, const char *name)
{
	auto_free char *path = pl_asprintf("%s/%s", folder, name);
	auto_free char *text = NULL;
	auto_json json_t *json = NULL;
	size_t len = 0;

	if (ckpt_read_plain(path, root, FILE_BYTES_MAX, &text, &len, PL_ERR_IGNORED) < 0 ||
	    pl_json_parse_texts(text, len, name, &json, PL_ERR_IGNORED) < 0 ||
	    !json_is_object(json))
		return NULL;
	return pl_take(json);
}

/*
 * Ignores added tokens after the base vocabulary: they are never drawn, so they need no exclusion.
 */
static void add_id(struct ckpt_vocabulary *vocabulary, size_t *room, int64_t id)
{
	if (id < 0 || id >= vocabulary->size)
		return;
	for (size_t i = 0; i < vocabulary->special_count; i++) {
		if (vocabulary->special_ids[i] == id)
			return;
	}
	pl_grow((void **)&vocabulary->special_ids, room, vocabulary->special_count + 1,
		sizeof(uint32_t));
	vocabulary->special_ids[vocabulary->special_count++] = (uint32_t)id;
}

/* A token as the files write it: its text, or an object with its "content". */
static const char *token_text(const json_t *token)
{
	return json_string_value(json_is_object(token) ? json_object_get(token, "content") : token);
}

/*
 * Returns -1 if there is none. Vocabularies are objects (BPE, WordPiece) or arrays of [text,
 * score], indexed by id (Unigram).
 */
static int64_t id_of(const struct files *files, const char *text)
{
	const json_t *id = json_object_get(files->words, text);

	if (json_is_integer(id))
		return json_integer_value(id);
	PL_JSON_EACH(entry, json_object_get(files->tokenizer, "added_tokens")) {
		const char *content = pl_json_get_text(entry, "content");
		id = json_object_get(entry, "id");
		if (content != NULL && strcmp(content, text) == 0 && json_is_integer(id))
			return json_integer_value(id);
	}
	PL_JSON_EACH(entry, files->words) {
		const char *word = json_string_value(json_array_get(entry, 0));
		if (word != NULL && strcmp(word, text) == 0)
			return (int64_t)entry_at;
	}
	return -1;
}

/* One named by `names`: a token, or a list or an object of them. */
static void add_named(const struct files *files, const json_t *names, const char *name,
		      struct ckpt_vocabulary *vocabulary, size_t *room)
{
	json_t *value = json_object_get(names, name);
	const char *text = token_text(value);

	if (text != NULL) {
		add_id(vocabulary, room, id_of(files, text));
		return;
	}
	PL_JSON_EACH(entry, value) {
		if (token_text(entry) != NULL)
			add_id(vocabulary, room, id_of(files, token_text(entry)));
	}
	PL_JSON_EACH_MEMBER(key, entry, value) {
		if (json_is_string(entry))
			add_id(vocabulary, room, id_of(files, json_string_value(entry)));
	}
}

/*
 * Reads them like transformers: the older file counts if the configuration does not list added
 * tokens, and only tokens with a role are special, not all flagged ones.
 */
static void read_special(const struct files *files, struct ckpt_vocabulary *vocabulary)
{
	static const char *const names[] = {
		"bos_token",
		"eos_token",
		"unk_token",
		"sep_token",
		"pad_token",
		"cls_token",
		"mask_token",
		"extra_special_tokens",
		"additional_special_tokens",
	};
	bool configured = json_object_get(files->config, "added_tokens_decoder") != NULL;
	size_t room = 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		bool older = !configured && json_object_get(files->map, names[i]) != NULL;
		add_named(files, older ? files->map : files->config, names[i], vocabulary, &room);
	}
}

bool ckpt_vocabulary_load(const struct ckpt_source *source, struct ckpt_vocabulary *ret)
{
	auto_files files = { 0 };
	auto_free char *root = NULL;
	auto_free char *folder = NULL;

	*ret = (struct ckpt_vocabulary){ 0 };
	if (source->model == NULL || source->model[0] == '\0')
		return false;
	folder = ckpt_find(source, source->model, &root);
	if (folder == NULL)
		return false;
	files.tokenizer = read_object(folder, root, "tokenizer.json");
	files.words = json_object_get(json_object_get(files.tokenizer, "model"), "vocab");
	ret->size = (int64_t)(json_is_object(files.words) ? json_object_size(files.words)
							  : json_array_size(files.words));
	if (ret->size == 0)
		return false;
	files.config = read_object(folder, root, "tokenizer_config.json");
	files.map = read_object(folder, root, "special_tokens_map.json");
	read_special(&files, ret);
	return true;
}

/*
 * Any bytes as packed documents of a database that has one dictionary, alone and after a frame that
 * names the dictionary: they unpack to a text within the limit, or one error names the document.
 */
#include "store/documents/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "../../scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD_BYTES 16

static const char first[] = "{\"run_id\": \"exp_1\", \"model\": \"m\", \"completed\": 10}";

static struct res_fields *fields;
static struct store_reader *reader;
static struct store_dictionaries *dictionaries;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void read_document(struct store_document *ret)
{
	const struct store_source source = {
		.bytes = first, .len = strlen(first), .name = "x.json", .line = 1
	};
	auto_json json_t *faults = NULL;
	struct pl_err err = PL_ERR_INIT;

	must(store_document_read(reader, &source, ret, &faults, &err) == 0);
}

static void check_known(void)
{
	auto_store_document document = { .len = 0 };
	auto_free char *back = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t packed_len, len;
	bool offers;

	read_document(&document);
	auto_free void *packed = store_document_pack(dictionaries, &document, &packed_len, &offers);
	must(store_document_unpack(dictionaries, packed, packed_len, "x", &back, &len, &err) == 0);
	must(len == document.len && memcmp(back, document.bytes, len) == 0);
}

/*
 * The first document stored becomes the dictionary of its form. Making the database takes longer than an
 * input may.
 */
__attribute__((constructor)) static void make_database(void)
{
	static char path[128];
	auto_store struct store *store = NULL;
	struct store_document document = { .len = 0 };
	struct store_put_result result;
	struct pl_err err = PL_ERR_INIT;

	fields = res_fields_new(NULL);
	must(store_reader_new(fields, &reader, &err) == 0);
	snprintf(path, sizeof(path), "%s/p.db", scratch_path());
	const struct store_options options = { .path = path, .fields = fields };
	must(store_open(&options, &store, &err) == 0);
	read_document(&document);
	struct store_prepared *prepared = store_prepare(store, &document, "x.json");
	must(store_put(store, prepared, &result, &err) == 0 && result.outcome == STORE_STORED);
	store_prepared_free(prepared);
	store_document_done(&document);
	dictionaries = store_dictionaries_new(path);
	check_known();
}

static void check(const uint8_t *data, size_t size)
{
	auto_free void *copy = pl_memdup(data, size);
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len = 0;

	if (store_document_unpack(dictionaries, copy, size, "x.json", &text, &len, &err) < 0)
		must(text == NULL && strstr(err.text, "x.json") != NULL);
	else
		must(text != NULL && text[len] == '\0' && len <= 2 * STORE_DOCUMENT_BYTES_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t head[HEAD_BYTES] = { 0x50, 0x2a, 0x4d, 0x18, 8, 0, 0, 0, 1 };
	auto_free uint8_t *named = pl_alloc(HEAD_BYTES + size);

	memcpy(named, head, HEAD_BYTES);
	if (size > 0)
		memcpy(named + HEAD_BYTES, data, size);
	check(data, size);
	check(named, HEAD_BYTES + size);
	return 0;
}

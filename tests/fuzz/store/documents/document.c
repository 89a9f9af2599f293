/* Bytes from anywhere: cut into parts that lie within them, and each refused with a reason or a row. */
#include "store/documents/document.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mirror/row.h"
#include "store/documents/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct res_fields *fields;
static struct store_reader *reader;

/* Made once, kept to the end. */
static void make_reader(void)
{
	struct pl_err err = PL_ERR_INIT;

	if (reader != NULL)
		return;
	fields = res_fields_new(NULL);
	if (store_reader_new(fields, &reader, &err) < 0)
		abort();
}

static void check_document(const struct store_document *document)
{
	auto_row row = { .id = 0 };

	if (!json_is_object(document->json) || !json_is_array(document->notes) ||
	    strlen(document->sha256) != 64 || document->bytes[document->len] != '\0')
		abort();
	if ((document->form == STORE_FORM_FLAT) != (document->run_id == NULL))
		abort();
	mirror_row_of_document(fields, document->json, &row);
	if ((row.run_id == NULL) != (document->run_id == NULL))
		abort();
}

/* Checks that the line of a fault is within the part. */
static void check_line(const struct store_part *part, const json_t *fault)
{
	json_int_t line = pl_json_get_i64(fault, "line"), last = part->line;

	for (size_t i = 0; i < part->len; i++)
		last += part->bytes[i] == '\n';
	if (line < part->line || line > last)
		abort();
}

static void read_part(const struct store_part *part)
{
	auto_store_document document = { .len = 0 };
	auto_json json_t *faults = NULL;
	struct pl_err err = PL_ERR_INIT;

	const struct store_source source = {
		.bytes = part->bytes, .len = part->len, .name = part->name, .line = part->line
	};

	if (store_document_read(reader, &source, &document, &faults, &err) == 0)
		check_document(&document);
	else if (json_array_size(faults) == 0 || err.text[0] == '\0')
		abort();
	PL_JSON_EACH(fault, faults)
		check_line(part, fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *name = size % 2 == 1 ? "input.jsonl" : "input.json";
	auto_store_parts parts = { 0 };
	struct pl_err err = PL_ERR_INIT;

	make_reader();
	if (store_parts_of((const char *)data, size, name, &parts, &err) < 0)
		return 0;
	for (size_t i = 0; i < parts.count; i++) {
		const struct store_part *part = &parts.items[i];
		if (part->len > 0 &&
		    (part->bytes < parts.text || part->line < 1 || part->name == NULL))
			abort();
		/* a bound of the fuzzer's time, not of the program */
		if (i < 100)
			read_part(part);
	}
	return 0;
}

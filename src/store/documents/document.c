/*
 * The form of a document follows from its content, never from its name, and it is checked as far as its version is
 * known. A document of our schema_version is checked against the schema. But releases add rows to it, so a key below
 * the top level that is missing, or an unknown key or list value, comes from another release and is not a fault. The
 * contents of other versions are not checked.
 */
#include "store/documents/document.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "result/document.h"
#include "result/flat/python_json.h"
#include "result/flat/read.h"
#include "result/producer.h"
#include "result/read.h"
#include "schema/former.h"
#include "schema/schema.h"
#include "store/documents/lines.h"
#include "vllm/secret.h"

/* More than a result has keys, with their alternatives: missing ones hide no grave fault. */
#define FAULTS_MAX      4000
#define NOTES_MAX       100
#define FAULT_BYTES_MAX 8192
/* longer ones fail the schema below, whose limit is in characters */
#define RUN_ID_BYTES_MAX 1000

static const char *const form_names[] = {
	"native",
#define PRODUCER(ID, id, text) #id,
#include "tbl/producers.h"
	"plain",
};

/* The keys in the first description of results. */
static const char plain_schema[] =
	"{\"type\": \"object\", \"required\": [\"run_id\"], \"additionalProperties\": false,"
	" \"properties\": {"
	"  \"run_id\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 1000},"
	"  \"suite\": {\"type\": [\"string\", \"null\"]},"
	"  \"timestamp\": {\"type\": [\"string\", \"null\"]},"
	"  \"duration\": {\"type\": [\"number\", \"null\"]},"
	"  \"config\": {\"type\": [\"object\", \"null\"]},"
	"  \"results\": {\"type\": [\"object\", \"null\"]},"
	"  \"system\": {\"type\": [\"object\", \"null\"]},"
	"  \"profiling\": {\"type\": [\"object\", \"null\"]},"
	"  \"status\": {\"type\": [\"string\", \"null\"]}}}";

/* The schema of results takes longer to read than a store without many results takes to open. */
struct native {
	pthread_mutex_t lock;
	const struct schema *schema; /* NULL: no document has needed it */
};

struct store_reader {
	const struct res_fields *fields;
	struct native *native;
	const struct schema *plain;
};

const char *store_form_name(enum store_form form)
{
	return form_names[form];
}

enum store_form store_form_of(const json_t *document)
{
	if (json_object_get(document, "run_id") != NULL)
		return json_object_get(document, "schema_version") != NULL ? STORE_FORM_NATIVE
									   : STORE_FORM_PLAIN;
	return (enum store_form)(STORE_FORM_NATIVE + 1 + (int)res_producer_of(document));
}

/* "upload", "upload.jsonl:3", "upload.json[2]" */
static bool is_nameless(const char *name)
{
	size_t len = strlen(STORE_NAMELESS);

	return pl_text_starts(name, STORE_NAMELESS) && strchr(".[:", name[len]) != NULL;
}

void store_document_set_name(json_t *document, const char *name)
{
	if (name == NULL || name[0] == '\0' || is_nameless(name) ||
	    json_object_get(document, "run_id") != NULL ||
	    json_object_get(document, "name") != NULL)
		return;
	json_object_set_new(document, "name", pl_json_text(name));
}

int store_reader_new(const struct res_fields *fields, struct store_reader **ret, struct pl_err *err)
{
	auto_store_reader struct store_reader *reader = pl_alloc(sizeof(*reader));
	auto_json json_t *plain = NULL;

	reader->fields = fields;
	reader->native = pl_alloc(sizeof(*reader->native));
	pthread_mutex_init(&reader->native->lock, NULL);
	if (pl_json_parse(plain_schema, strlen(plain_schema), "plain schema", &plain, err) < 0 ||
	    schema_compile(plain, "plain schema", "", &reader->plain, err) < 0)
		return -1;
	*ret = pl_take(reader);
	return 0;
}

void store_reader_free(struct store_reader *reader)
{
	if (reader == NULL)
		return;
	pthread_mutex_destroy(&reader->native->lock);
	schema_free(reader->native->schema);
	free(reader->native);
	schema_free(reader->plain);
	free(reader);
}

/* Opens the schema of results for the first document; any thread. */
static int open_native(const struct store_reader *reader, const struct schema **ret,
		       struct pl_err *err)
{
	struct native *native = reader->native;

	pthread_mutex_lock(&native->lock);
	int result = native->schema == NULL ? schema_open("result", &native->schema, err) : 0;
	*ret = native->schema;
	pthread_mutex_unlock(&native->lock);
	return result;
}

/* ---- faults -------------------------------------------------------------------------------- */

json_t *store_fault_new(const char *pointer, int line, const char *message)
{
	json_t *fault = json_object();

	json_object_set_new(fault, "pointer", pl_json_text(pointer));
	if (line > 0)
		json_object_set_new(fault, "line", json_integer(line));
	json_object_set_new(fault, "message", pl_json_text(message));
	return fault;
}

/* place: location of the checked document in the whole, "" or "/profllm". */
static json_t *schema_fault(const char *position, const struct schema_fault *fault)
{
	auto_free char *pointer = pl_asprintf("%s%s", position, fault->pointer);
	auto_buf text = PL_BUF(FAULT_BYTES_MAX);

	schema_fault_text(fault, &text);
	json_t *json = store_fault_new(pointer, 0, pl_buf_text(&text));
	const struct {
		const char *key, *text;
	} more[] = {
		{ "key", fault->key },
		{ "found", fault->found },
		{ "expected", fault->expected },
		{ "nearest", fault->nearest },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(more); i++) {
		if (more[i].text != NULL)
			json_object_set_new(json, more[i].key, pl_json_text(more[i].text));
	}
	return json;
}

/* Returns whether the fault is an unknown key or list value ("cause"). The status of a run must be a known one. */
static bool is_unknown(const struct schema_fault *fault)
{
	if (pl_text_equal(fault->keyword, "enum"))
		return fault->found[0] == '"' && !pl_text_equal(fault->pointer, "/status") &&
		       !pl_text_equal(fault->pointer, "/quality/verdict");
	return pl_text_equal(fault->keyword, "additionalProperties") && fault->key != NULL;
}

/* Returns whether it is more than a difference between releases. A fault with details is as grave as they are. */
static bool is_grave(const struct schema_faults *faults, size_t at)
{
	const struct schema_fault *fault = &faults->items[at];

	if (schema_fault_has_details(faults, at)) {
		for (size_t i = at + 1; i < faults->count && faults->items[i].level > fault->level;
		     i++) {
			if (faults->items[i].level == fault->level + 1 && is_grave(faults, i))
				return true;
		}
		return false;
	}
	return !is_unknown(fault) &&
	       (!pl_text_equal(fault->keyword, "required") || fault->pointer[0] == '\0');
}

/* A document being read. */
struct intake {
	const struct store_reader *reader;
	const char *name;
	const char *position; /* location of the document in the whole */
	/*
	 * of a document of ours, as received, if it contained secrets: "***" may violate rules that the secret follows
	 */
	json_t *before;
	struct store_document *ret;
	json_t *faults;
};

/* Adds unknown keys and values as notes. */
static void note_unknown(const struct intake *intake, const struct schema_faults *faults)
{
	size_t unknown = 0;

	for (size_t i = 0; i < faults->count; i++) {
		if (!is_unknown(&faults->items[i]))
			continue;
		if (unknown++ < NOTES_MAX)
			json_array_append_new(intake->ret->notes,
					      schema_fault(intake->position, &faults->items[i]));
	}
	if (unknown > NOTES_MAX) {
		auto_free char *text = pl_asprintf("%zu more unknown keys", unknown - NOTES_MAX);
		json_array_append_new(intake->ret->notes, store_fault_new("", 0, text));
	}
}

/* Reports all faults, grave ones first: differences between releases are not the reason for the refusal. */
static int reject(const struct intake *intake, const char *what, const struct schema_faults *faults,
		  struct pl_err *err)
{
	size_t first = faults->count, count = 0;

	for (int grave = 1; grave >= 0; grave--) {
		for (size_t i = 0; i < faults->count; i++) {
			if (is_grave(faults, i) != (grave == 1) ||
			    schema_fault_has_details(faults, i))
				continue;
			first = first < faults->count ? first : i;
			count++;
			json_array_append_new(intake->faults,
					      schema_fault(intake->position, &faults->items[i]));
		}
	}
	auto_buf text = PL_BUF(FAULT_BYTES_MAX);
	schema_fault_text(&faults->items[first], &text);
	if (count > 1)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is not a %s: %s (and %zu more)",
				  intake->name, what, pl_buf_text(&text), count - 1);
	return pl_err_set(err, PL_ERR_INVALID, "'%s' is not a %s: %s", intake->name, what,
			  pl_buf_text(&text));
}

static bool has_grave(const struct schema_faults *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		if (is_grave(faults, i))
			return true;
	}
	return false;
}

static bool was_sound(const struct intake *intake, const struct schema *schema)
{
	auto_schema_faults faults = { 0 };

	if (intake->before == NULL)
		return false;
	schema_rename_former_result(intake->before);
	auto_json json_t *before = schema_result_to_check(intake->before);
	return schema_check(schema, before, FAULTS_MAX, &faults) || !has_grave(&faults);
}

/* Reports the stored form: no fault shows a secret. */
static int check(const struct intake *intake, const struct schema *schema, const char *what,
		 const json_t *document, bool is_judged, struct pl_err *err)
{
	auto_schema_faults faults = { 0 };

	if (schema_check(schema, document, FAULTS_MAX, &faults))
		return 0;
	if (is_judged && has_grave(&faults) && !was_sound(intake, schema))
		return reject(intake, what, &faults, err);
	note_unknown(intake, &faults);
	return 0;
}

/* ---- forms --------------------------------------------------------------------------------- */

/* The former names of a result of the version before are renamed already: it is checked as one of this version. */
static int check_native(const struct intake *intake, json_t *document, struct pl_err *err)
{
	const struct schema *schema;
	auto_json json_t *checked = schema_result_to_check(document);
	const json_t *version = json_object_get(document, "schema_version");
	bool is_known = !json_is_integer(version) ||
			pl_json_get_i64(checked, "schema_version") == RES_SCHEMA_VERSION;
	auto_free char *what = pl_asprintf("result of schema_version %lld",
					   is_known && json_is_integer(version)
						   ? json_integer_value(version)
						   : RES_SCHEMA_VERSION);

	if (json_is_integer(version) && json_integer_value(version) > RES_SCHEMA_VERSION) {
		auto_free char *text = pl_asprintf(
			"schema_version %lld is newer than %d; unknown keys are stored unchanged",
			(long long)json_integer_value(version), RES_SCHEMA_VERSION);
		auto_free char *pointer = pl_asprintf("%s/schema_version", intake->position);
		json_array_append_new(intake->ret->notes, store_fault_new(pointer, 0, text));
	}
	if (open_native(intake->reader, &schema, err) < 0)
		return -1;
	return check(intake, schema, what, checked, is_known, err);
}

static int check_form(const struct intake *intake, json_t *document, struct pl_err *err)
{
	if (intake->ret->form == STORE_FORM_NATIVE)
		return check_native(intake, document, err);
	return check(intake, intake->reader->plain, "result", document, true, err);
}

/* The same result may arrive as our file and inside a flat one; for vLLM's files the complete content counts. */
static void hash_content(const json_t *content, char ret[65])
{
	auto_free char *text = res_field_canonical(content);

	pl_sha256(text, strlen(text), ret);
}

/* Takes a document of ours, or one with a plain run_id. Hashes the content as received, before names change. */
static int take_native(struct intake *intake, json_t *root, json_t *document, struct pl_err *err)
{
	struct store_document *ret = intake->ret;

	intake->position = document != root ? "/profllm" : "";
	ret->json = json_incref(document);
	ret->form = store_form_of(document);
	ret->run_id = pl_strdup(json_string_value(json_object_get(document, "run_id")));
	hash_content(document, ret->sha256);
	schema_rename_former_result(document);
	if (ret->run_id[0] == '\0' || strlen(ret->run_id) > RUN_ID_BYTES_MAX)
		return check(intake, intake->reader->plain, "result", document, true, err);
	return check_form(intake, document, err);
}

/* Adds the checks that the file fails as notes: "totals_agreement: …; output_throughput: found 2, expected 1". */
static void note_checks(const struct intake *intake)
{
	PL_JSON_EACH(check, pl_json_get_path(intake->ret->json, "quality.checks")) {
		if (!pl_text_equal(pl_json_get_text(check, "status"), "over_limit"))
			continue;
		auto_free char *text = pl_asprintf("%s: %s", pl_json_get_text(check, "id"),
						   pl_json_get_text(check, "text"));
		json_array_append_new(intake->ret->notes, store_fault_new("", 0, text));
	}
}

static int take_flat(struct intake *intake, json_t *root, struct pl_err *err)
{
	struct store_document *ret = intake->ret;

	/* then the fault is the type of run_id, not the missing keys of vLLM */
	if (json_is_object(root) && json_object_get(root, "run_id") != NULL &&
	    json_object_get(root, "num_prompts") == NULL) {
		auto_schema_faults faults = { 0 };
		if (!schema_check(intake->reader->plain, root, FAULTS_MAX, &faults))
			return reject(intake, "result", &faults, err);
	}
	if (res_read_json(intake->reader->fields, root, intake->name, &ret->json, err) < 0)
		return -1;
	ret->form = store_form_of(ret->json);
	hash_content(root, ret->sha256);
	note_checks(intake);
	return 0;
}

static int parse_quietly(const char *bytes, size_t len, const char *name, json_t **ret,
			 struct pl_err *err)
{
	/* after these, jansson's messages quote the input */
	static const char *const quotes[] = { " near '", " '\\" };

	if (pl_json_parse(bytes, len, name, ret, err) == 0)
		return 0;
	for (size_t i = 0; i < PL_ARRAY_SIZE(quotes); i++) {
		char *quote = strstr(&err->text[err->reason], quotes[i]);
		if (quote != NULL)
			*quote = '\0';
	}
	return -1;
}

int store_json_parse(const char *bytes, size_t len, const char *name, json_t **ret,
		     struct pl_err *err)
{
	if (pl_json_check_memory(bytes, len, PL_JSON_MEMORY_BYTES_MAX, name, err) < 0)
		return -1;
	return parse_quietly(bytes, len, name, ret, err);
}

static json_t *notes_of(const json_t *replaced)
{
	json_t *notes = json_array();

	PL_JSON_EACH(number, replaced) {
		const char *found = pl_json_get_text(number, "found");
		auto_free char *text = pl_asprintf(
			"found %s, which is not a JSON number; treated as not recorded", found);
		json_t *note = store_fault_new(pl_json_get_text(number, "pointer"), 0, text);
		json_object_set_new(note, "found", json_string(found));
		json_array_append_new(notes, note);
	}
	return notes;
}

int store_result_parse(const char *bytes, size_t len, const char *name, json_t **ret,
		       json_t **ret_notes, struct pl_err *err)
{
	struct pl_err ignored = PL_ERR_INIT;
	auto_json json_t *json = NULL;
	auto_json json_t *replaced = NULL;
	auto_flat struct res_flat *flat = NULL;

	*ret_notes = NULL;
	if (pl_json_check_memory(bytes, len, PL_JSON_MEMORY_BYTES_MAX, name, err) < 0)
		return -1;
	if (parse_quietly(bytes, len, name, ret, err) == 0)
		return 0;
	if (res_python_json_parse(bytes, len, name, &json, &replaced, &ignored) < 0)
		return -1;
	/* lone surrogates only occur in vLLM's files: in others, the reason is that they are invalid JSON */
	if (json_array_size(replaced) == 0 && res_flat_of_json(json, name, &flat, &ignored) < 0)
		return -1;
	if (json_array_size(replaced) > 0)
		*ret_notes = notes_of(replaced);
	*ret = pl_take(json);
	return 0;
}

static int parse(const char *bytes, size_t len, const char *name, json_t **ret, struct pl_err *err)
{
	auto_json json_t *notes = NULL;

	return store_result_parse(bytes, len, name, ret, &notes, err);
}

/* "default" is the source of the value of api_key, not a value. The last word is a former name (schema/former.h). */
static bool is_source(const json_t *value)
{
	static const char *const words[] = { "explicit", "default", "unknown", "not_in_release",
					     "absent" };

	return PL_TEXT_IS_ONE_OF(json_string_value(value), words);
}

static void put_back_sources(const json_t *document, json_t *shown)
{
	json_t *into = pl_json_get_path(shown, "config.server_source");

	PL_JSON_EACH_MEMBER(name, source, pl_json_get_path(document, "config.server_source")) {
		if (is_source(source))
			json_object_set(into, name, source);
	}
}

/* The same for the names of secret variables: their values are not in the document. */
static bool are_names(const json_t *names)
{
	PL_JSON_EACH(name, names) {
		const char *text = json_string_value(name);
		if (text == NULL || strchr(text, '=') != NULL)
			return false;
	}
	return json_is_array(names);
}

static void put_back_names(const json_t *document, json_t *shown)
{
	json_t *names = pl_json_get_path(document, "launch.secret_env");

	if (are_names(names))
		json_object_set(json_object_get(shown, "launch"), "secret_env", names);
}

/* Moves a key of the object `outer` to `away`; other references to the object are unchanged. */
static void set_apart(json_t *object, const char *outer, const char *key, json_t *away)
{
	json_t *inside = json_object_get(object, outer);
	json_t *value = json_object_get(inside, key);

	if (value == NULL)
		return;
	json_object_set_new(away, outer, json_pack("{s:O}", key, value));
	json_object_set_new(object, outer, json_copy(inside));
	json_object_del(json_object_get(object, outer), key);
}

/* Removes the entries that will be put back. */
static void leave_out_known(json_t *apart)
{
	json_t *config = json_object_get(apart, "config");
	json_t *launch = json_object_get(apart, "launch");
	json_t *sources = json_object_get(config, "server_source");

	if (json_is_object(sources)) {
		json_t *others = json_object();
		PL_JSON_EACH_MEMBER(name, source, sources) {
			if (!is_source(source))
				json_object_set(others, name, source);
		}
		json_object_set_new(config, "server_source", others);
	}
	if (are_names(json_object_get(launch, "secret_env")))
		json_object_del(launch, "secret_env");
}

/* Our documents name secrets without their values. A name alone does not require a copy. */
static bool has_secrets(json_t *root)
{
	auto_json json_t *rest = NULL;
	auto_json json_t *apart = json_object();

	if (res_read_native(root) != root)
		return vllm_secret_json_has(root);
	rest = json_copy(root);
	set_apart(rest, "config", "server_source", apart);
	set_apart(rest, "launch", "secret_env", apart);
	leave_out_known(apart);
	return vllm_secret_json_has(rest) || vllm_secret_json_has(apart);
}

#define SECRETS_MAX 1000

/* Lists the differences in the order of the document: the second is the first without its secrets. */
static void find_secrets(const json_t *before, const json_t *shown, struct pl_buf *pointer,
			 json_t *ret)
{
	size_t len = pointer->len;

	if (json_array_size(ret) >= SECRETS_MAX)
		return;
	if (json_is_object(before) && json_is_object(shown)) {
		PL_JSON_EACH_MEMBER(key, value, before) {
			store_pointer_add(pointer, key);
			find_secrets(value, json_object_get(shown, key), pointer, ret);
			pointer->len = len;
		}
	} else if (json_is_array(before) && json_is_array(shown)) {
		PL_JSON_EACH(item, before) {
			pl_buf_addf(pointer, "/%zu", item_at);
			find_secrets(item, json_array_get(shown, item_at), pointer, ret);
			pointer->len = len;
		}
	} else if (!json_equal(before, shown)) {
		json_array_append_new(ret, pl_json_text(pl_buf_text(pointer)));
	}
}

/*
 * Keeps the bytes, or rewrites them in compact form if they contain secrets, and removes these from *root, too.
 * Although compact JSON is usually shorter, longer numbers ("1e9") and short secrets may exceed the limit.
 */
static int keep_bytes(struct intake *intake, const char *bytes, size_t len, json_t **root,
		      struct pl_err *err)
{
	struct store_document *ret = intake->ret;
	/* most have none, and need no copy to find out */
	auto_json json_t *shown = has_secrets(*root) ? vllm_secret_json_shown(*root)
						     : json_incref(*root);
	json_t *native = res_read_native(*root);

	if (native != NULL && shown != *root) {
		put_back_sources(native, res_read_native(shown));
		put_back_names(native, res_read_native(shown));
	}
	if (json_equal(shown, *root)) {
		ret->bytes = pl_memdup(bytes, len);
		ret->len = len;
		return 0;
	}
	ret->bytes = pl_json_to_text(shown, PL_JSON_COMPACT);
	ret->len = strlen(ret->bytes);
	if (ret->len > STORE_DOCUMENT_BYTES_MAX)
		return pl_err_invalid(
			err,
			"'%s' contained secrets, and is larger than %s with \"***\" in their place",
			intake->name,
			pl_text_from_bytes(STORE_DOCUMENT_BYTES_MAX,
					   (char[PL_BYTES_TEXT_BYTES]){ 0 }));
	json_array_append_new(
		ret->notes,
		store_fault_new("", 0,
				"its secrets were replaced by \"***\" in the stored document"));
	auto_buf pointer = PL_BUF(STORE_DOCUMENT_BYTES_MAX);
	ret->secrets = json_array();
	find_secrets(*root, shown, &pointer, ret->secrets);
	intake->before = json_incref(native);
	json_decref(*root);
	*root = pl_take(shown);
	return 0;
}

/* Is the JSON the content as received? Not that of a file of vLLM's, or of a result whose former names were renamed. */
static bool is_as_received(enum store_form form, const json_t *json)
{
	return form == STORE_FORM_PLAIN ||
	       (form == STORE_FORM_NATIVE &&
		pl_json_get_i64(json, "schema_version") == RES_SCHEMA_VERSION);
}

int store_document_content(enum store_form form, const json_t *json, const char *bytes, size_t len,
			   char ret[65], struct pl_err *err)
{
	auto_json json_t *root = NULL;
	json_t *native;

	if (is_as_received(form, json)) {
		hash_content(json, ret);
		return 0;
	}
	if (parse(bytes, len, "document", &root, err) < 0)
		return -1;
	native = store_form_is_vllm(form) ? NULL : res_read_native(root);
	hash_content(native != NULL ? native : root, ret);
	return 0;
}

static int take(struct intake *intake, const char *bytes, size_t len, struct pl_err *err)
{
	auto_json json_t *root = NULL;
	auto_json json_t *notes = NULL;
	json_t *native;

	if (len > STORE_DOCUMENT_BYTES_MAX)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is larger than %s", intake->name,
				  pl_text_from_bytes(STORE_DOCUMENT_BYTES_MAX,
						     (char[PL_BYTES_TEXT_BYTES]){ 0 }));
	if (store_result_parse(bytes, len, intake->name, &root, &notes, err) < 0)
		return -1;
	json_array_extend(intake->ret->notes, notes);
	if (keep_bytes(intake, bytes, len, &root, err) < 0)
		return -1;
	native = res_read_native(root);
	return native != NULL ? take_native(intake, root, native, err)
			      : take_flat(intake, root, err);
}

/*
 * Converts a line in the document to a line in its file; a name that ends in that line ("r.jsonl:3") does not repeat
 * it.
 */
static void place_in_file(const struct store_source *source, struct pl_err *err)
{
	if (err->line == 0 || source->line <= 0)
		return;
	auto_free char *reason = pl_strdup(&err->text[err->reason]);
	auto_free char *suffix = pl_asprintf(":%d", source->line);
	auto_free char *name = pl_strdup(source->name);
	int line = err->line + source->line - 1;

	if (err->line == 1 && pl_text_ends(name, suffix))
		name[strlen(name) - strlen(suffix)] = '\0';
	pl_err_set_at(err, err->code, name, line, err->column, reason);
}

int store_document_read(const struct store_reader *reader, const struct store_source *source,
			struct store_document *ret, json_t **ret_faults, struct pl_err *err)
{
	auto_store_document made = { .notes = json_array() };
	auto_json json_t *faults = json_array();
	struct intake intake = { .reader = reader,
				 .name = source->name,
				 .position = "",
				 .ret = &made,
				 .faults = faults };

	int result = take(&intake, source->bytes, source->len, err);
	json_decref(intake.before);
	if (result < 0) {
		place_in_file(source, err);
		if (json_array_size(faults) == 0)
			json_array_append_new(faults, store_fault_new("", err->line, err->text));
		if (source->line > 0)
			store_lines_of_faults(source->bytes, source->len, source->line, faults);
		*ret_faults = pl_take(faults);
		return -1;
	}
	*ret = made;
	made = (struct store_document){ 0 };
	return 0;
}

void store_document_let_go(struct store_document *document)
{
	json_decref(document->json);
	document->json = NULL;
}

void store_document_done(struct store_document *document)
{
	store_document_let_go(document);
	free(document->run_id);
	json_decref(document->notes);
	json_decref(document->secrets);
	free(document->bytes);
	*document = (struct store_document){ 0 };
}

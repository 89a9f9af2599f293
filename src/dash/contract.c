/*
 * The members of a query string are checked as one object, by a schema that is made from the operation's parameters and
 * added to the document, so that its $refs resolve. So faults of parameters are reported exactly like those of bodies.
 */
#include "dash/contract.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/yaml.h"
#include "schema/former.h"

#define NAME "openapi.yaml"
/* The location of the generated schemas in the document. */
#define QUERIES          "x-queries"
#define JSON_MEDIA       "application/json"
#define QUERY_FAULTS_MAX 100

/* CONTRACT_FILE: path from the build (CMakeLists.txt) */
__asm__(".pushsection .rodata\n"
	"dash_contract_bytes:\n"
	".incbin \"" CONTRACT_FILE "\"\n"
	"dash_contract_end:\n"
	".byte 0\n"
	".popsection\n");
extern const char dash_contract_bytes[];
extern const char dash_contract_end[];

/* CONTRACT_COPY: the same as compact JSON without titles and descriptions, which the build makes (tools/embed-json.c) */
__asm__(".pushsection .rodata\n"
	"dash_contract_copy:\n"
	".incbin \"" CONTRACT_COPY "\"\n"
	".byte 0\n"
	".popsection\n");
extern const char dash_contract_copy[];

#define FILTER_POINTER "/components/schemas/Filter"

enum member_form {
	MEMBER_TEXT,
	MEMBER_INTEGER,
	MEMBER_NUMBER,
	MEMBER_FLAG,
	MEMBER_LIST,
	MEMBER_JSON
};

struct member {
	const char *name;
	enum member_form form;
};

/* A schema that is compiled when it is first needed. */
struct late_schema {
	const json_t *document;
	char *pointer;
	_Atomic(const struct schema *) schema; /* NULL: not yet */
};

/* Two threads that need a schema at the same time compile it once. */
static pthread_mutex_t compile_lock = PTHREAD_MUTEX_INITIALIZER;

struct dash_operation {
	char *method;
	const char *path;
	enum dash_role role;
	bool is_audited;
	bool can_be_304;
	bool has_query_author;
	bool has_body_author;
	uint64_t bytes_max;
	bool unpacks;
	struct member *members;
	size_t member_count;
	struct late_schema *query;
	const json_t *media; /* by type */
	char *media_text;
	struct late_schema *body; /* of application/json, or NULL */
};

struct dash_contract {
	json_t *document;
	struct late_schema *filter; /* NULL: not in the document */
	struct dash_operation *operations;
	size_t count;
	size_t room;
};

const char *dash_contract_text(size_t *ret_len)
{
	*ret_len = (size_t)(dash_contract_end - dash_contract_bytes);
	return dash_contract_bytes;
}

/* Resolves a "$ref" within the document; returns any other value unchanged. */
static json_t *resolve(const struct dash_contract *contract, json_t *json)
{
	const char *at = json_string_value(json_object_get(json, "$ref"));

	if (at == NULL || !pl_text_starts(at, "#/"))
		return json;
	json = contract->document;
	for (at += 2; json != NULL;) {
		size_t len = strcspn(at, "/");
		auto_free char *key = pl_strndup(at, len);
		json = json_object_get(json, key);
		if (at[len] == '\0')
			return json;
		at += len + 1;
	}
	return NULL;
}

/* ---- reading ------------------------------------------------------------------------------- */

static enum member_form form_of(const struct dash_contract *contract, json_t *parameter,
				json_t **ret_schema)
{
	json_t *content = json_object_get(json_object_get(parameter, "content"), JSON_MEDIA);

	if (content != NULL) {
		*ret_schema = json_object_get(content, "schema");
		return MEMBER_JSON;
	}
	*ret_schema = json_object_get(parameter, "schema");
	const char *type = json_string_value(
		json_object_get(resolve(contract, *ret_schema), "type"));

	return pl_text_equal(type, "integer")   ? MEMBER_INTEGER
	       : pl_text_equal(type, "number")  ? MEMBER_NUMBER
	       : pl_text_equal(type, "boolean") ? MEMBER_FLAG
	       : pl_text_equal(type, "array")   ? MEMBER_LIST
						: MEMBER_TEXT;
}

static struct late_schema *late_new(const struct dash_contract *contract, const char *pointer)
{
	struct late_schema *late = pl_alloc(sizeof(*late));

	late->document = contract->document;
	late->pointer = pl_strdup(pointer);
	return late;
}

static void late_free(struct late_schema *late)
{
	if (late == NULL)
		return;
	schema_free(late->schema);
	free(late->pointer);
	free(late);
}

static int late_compile(struct late_schema *late, struct pl_err *err)
{
	const struct schema *schema = NULL;
	int result = 0;

	if (late == NULL || atomic_load(&late->schema) != NULL)
		return 0;
	pthread_mutex_lock(&compile_lock);
	if (atomic_load(&late->schema) == NULL) {
		result = schema_compile(late->document, NAME, late->pointer, &schema, err);
		atomic_store(&late->schema, schema);
	}
	pthread_mutex_unlock(&compile_lock);
	return result;
}

static const struct schema *late_get(struct late_schema *late)
{
	struct pl_err err = PL_ERR_INIT;
	int result = late_compile(late, &err);

	assert(result == 0); /* dash_contract_compile() reports it */
	return late != NULL ? atomic_load(&late->schema) : NULL;
}

static void read_query(struct dash_contract *contract, struct dash_operation *operation,
		       json_t *parameters)
{
	auto_free char *position = pl_asprintf("%s %s", operation->method, operation->path);
	json_t *properties = json_object();
	json_t *required = json_array();
	json_t *all = json_object_get(contract->document, QUERIES);
	size_t i;
	json_t *item;

	/* no '/' in the schema's key: so pointers need no escapes */
	for (char *c = position; *c != '\0'; c++)
		*c = *c == '/' || *c == '~' ? '.' : *c;
	json_object_set_new(all, position,
			    json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties",
				      properties, "required", required, "additionalProperties", 0));
	operation->members = pl_alloc_array(json_array_size(parameters), sizeof(struct member));
	json_array_foreach(parameters, i, item)
	{
		json_t *parameter = resolve(contract, item);
		const char *name = json_string_value(json_object_get(parameter, "name"));
		json_t *schema = NULL;
		if (!pl_text_equal(json_string_value(json_object_get(parameter, "in")), "query"))
			continue;
		operation->members[operation->member_count++] = (struct member){
			.name = name, .form = form_of(contract, parameter, &schema)
		};
		json_object_set(properties, name, schema);
		operation->has_query_author |= pl_text_equal(name, "author");
		if (json_is_true(json_object_get(parameter, "required")))
			json_array_append_new(required, json_string(name));
	}
	auto_free char *pointer = pl_asprintf("/" QUERIES "/%s", position);
	operation->query = late_new(contract, pointer);
}

static int read_body(const struct dash_contract *contract, struct dash_operation *operation,
		     const char *pointer, json_t *body, struct pl_err *err)
{
	auto_buf names = PL_BUF(4096);
	const char *type;
	json_t *media;

	operation->media = json_object_get(body, "content");
	json_object_foreach((json_t *)operation->media, type, media)
		pl_buf_addf(&names, "%s%s", names.len > 0 ? ", " : "", type);
	operation->media_text = pl_buf_take(&names);
	operation->bytes_max = (uint64_t)json_integer_value(json_object_get(body, "x-bytes-max"));
	operation->unpacks = json_is_true(json_object_get(body, "x-unpacked"));
	if (body != NULL && operation->bytes_max == 0)
		return pl_err_set(err, PL_ERR_INVALID, NAME ": %s/requestBody: has no x-bytes-max",
				  pointer);
	json_t *schema = json_object_get(json_object_get(operation->media, JSON_MEDIA), "schema");
	if (schema == NULL)
		return 0;
	operation->has_body_author = json_object_get(json_object_get(resolve(contract, schema),
								     "properties"),
						     "author") != NULL;
	auto_free char *at = pl_asprintf("%s/requestBody/content/application~1json/schema",
					 pointer);
	operation->body = late_new(contract, at);
	return 0;
}

static int read_role(struct dash_operation *operation, const json_t *json, struct pl_err *err)
{
	const json_t *role = json_object_get(json, "x-role");
	const char *name = json_string_value(role);

	operation->role = strcmp(operation->method, "GET") == 0 ? DASH_ROLE_READ : DASH_ROLE_WRITE;
	if (role == NULL || (name != NULL && dash_role_find(name, &operation->role))) {
		operation->is_audited = strcmp(operation->method, "GET") != 0 &&
					operation->role != DASH_ROLE_READ &&
					!json_is_false(json_object_get(json, "x-audited"));
		return 0;
	}
	return pl_err_set(err, PL_ERR_INVALID, NAME ": %s %s: x-role: no role has this name",
			  operation->method, operation->path);
}

static int read_operation(struct dash_contract *contract, const char *path, const char *key,
			  json_t *json, struct pl_err *err)
{
	struct dash_operation *operation = PL_PUSH(contract->operations, contract->count,
						   contract->room);
	auto_buf pointer = PL_BUF(4096);

	*operation = (struct dash_operation){ .method = pl_strdup(key), .path = path };
	for (char *c = operation->method; *c != '\0'; c++)
		*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
	operation->can_be_304 = json_object_get(json_object_get(json, "responses"), "304") != NULL;
	pl_buf_add_text(&pointer, "/paths/");
	for (const char *c = path; *c != '\0'; c++) {
		if (*c == '/')
			pl_buf_add_text(&pointer, "~1");
		else
			pl_buf_add_char(&pointer, *c);
	}
	pl_buf_addf(&pointer, "/%s", key);
	if (read_role(operation, json, err) < 0)
		return -1;
	read_query(contract, operation, json_object_get(json, "parameters"));
	return read_body(contract, operation, pl_buf_text(&pointer),
			 json_object_get(json, "requestBody"), err);
}

/* Takes the document. */
static int read_document(json_t *document, struct dash_contract **ret, struct pl_err *err)
{
	auto_contract struct dash_contract *contract = pl_alloc(sizeof(*contract));
	const char *path, *key;
	json_t *item, *operation;

	contract->document = document;
	json_object_set_new(contract->document, QUERIES, json_object());
	json_object_foreach(json_object_get(contract->document, "paths"), path, item)
	{
		json_object_foreach(item, key, operation)
		{
			if (read_operation(contract, path, key, operation, err) < 0)
				return -1;
		}
	}
	json_t *schemas = json_object_get(json_object_get(contract->document, "components"),
					  "schemas");
	if (json_object_get(schemas, "Filter") != NULL)
		contract->filter = late_new(contract, FILTER_POINTER);
	*ret = pl_take(contract);
	return 0;
}

int dash_contract_read(const char *text, size_t len, struct dash_contract **ret, struct pl_err *err)
{
	auto_yaml struct pl_yaml_doc *yaml = NULL;

	auto_contract struct dash_contract *contract = NULL;
	if (pl_yaml_parse(text, len, NAME, &yaml, err) < 0 ||
	    read_document(pl_yaml_to_json(pl_yaml_root(yaml)), &contract, err) < 0 ||
	    dash_contract_compile(contract, err) < 0)
		return -1;
	*ret = pl_take(contract);
	return 0;
}

int dash_contract_open(struct dash_contract **ret, struct pl_err *err)
{
	json_t *document = NULL;

	if (pl_json_parse(dash_contract_copy, strlen(dash_contract_copy), NAME, &document, err) < 0)
		return -1;
	return read_document(document, ret, err);
}

int dash_contract_compile(const struct dash_contract *contract, struct pl_err *err)
{
	for (size_t i = 0; i < contract->count; i++) {
		const struct dash_operation *operation = &contract->operations[i];
		if (late_compile(operation->query, err) < 0 ||
		    late_compile(operation->body, err) < 0)
			return -1;
	}
	return late_compile(contract->filter, err);
}

void dash_contract_free(struct dash_contract *contract)
{
	if (contract == NULL)
		return;
	for (size_t i = 0; i < contract->count; i++) {
		struct dash_operation *operation = &contract->operations[i];
		free(operation->method);
		free(operation->members);
		free(operation->media_text);
		late_free(operation->query);
		late_free(operation->body);
	}
	free(contract->operations);
	late_free(contract->filter);
	json_decref(contract->document);
	free(contract);
}

/* ---- checking ------------------------------------------------------------------------------ */

size_t dash_contract_count(const struct dash_contract *contract)
{
	return contract->count;
}

const struct dash_operation *dash_contract_at(const struct dash_contract *contract, size_t i,
					      const char **ret_method, const char **ret_path)
{
	*ret_method = contract->operations[i].method;
	*ret_path = contract->operations[i].path;
	return &contract->operations[i];
}

const struct dash_operation *dash_contract_find(const struct dash_contract *contract,
						const char *method, const char *path)
{
	for (size_t i = 0; i < contract->count; i++) {
		const struct dash_operation *operation = &contract->operations[i];
		if (strcmp(operation->method, method) == 0 && strcmp(operation->path, path) == 0)
			return operation;
	}
	return NULL;
}

bool dash_contract_check_filter(const struct dash_contract *contract, const json_t *filter,
				struct schema_faults *faults)
{
	return schema_check(late_get(contract->filter), filter, QUERY_FAULTS_MAX, faults);
}

enum dash_role dash_operation_role(const struct dash_operation *operation)
{
	return operation->role;
}

bool dash_operation_is_audited(const struct dash_operation *operation)
{
	return operation->is_audited;
}

bool dash_operation_has_query_author(const struct dash_operation *operation)
{
	return operation->has_query_author;
}

bool dash_operation_has_body_author(const struct dash_operation *operation)
{
	return operation->has_body_author;
}

bool dash_operation_can_be_304(const struct dash_operation *operation)
{
	return operation->can_be_304;
}

bool dash_operation_unpacks(const struct dash_operation *operation)
{
	return operation->unpacks;
}

uint64_t dash_operation_bytes_max(const struct dash_operation *operation)
{
	return operation->bytes_max;
}

const char *dash_operation_media(const struct dash_operation *operation)
{
	return operation->media_text;
}

bool dash_media_is(const char *media, const char *type)
{
	size_t len = strlen(type);

	return media != NULL && strncasecmp(media, type, len) == 0 &&
	       strchr("; \t", media[len]) != NULL;
}

bool dash_operation_takes(const struct dash_operation *operation, const char *media)
{
	const char *type;
	json_t *ignored;

	json_object_foreach((json_t *)operation->media, type, ignored)
	{
		if (strcmp(type, "*/*") == 0 || dash_media_is(media, type))
			return true;
	}
	return false;
}

const struct schema *dash_operation_members(const struct dash_operation *operation)
{
	return late_get(operation->query);
}

const struct schema *dash_operation_schema(const struct dash_operation *operation,
					   const char *media)
{
	return dash_media_is(media, JSON_MEDIA) ? late_get(operation->body) : NULL;
}

#define FLAG_WORDS "true, false, 1, 0, or no value"

/* "?all" means "?all=1". */
static json_t *flag_of(const char *text)
{
	static const char *const yes[] = { "", "1", "true" }, *const no[] = { "0", "false" };

	if (PL_TEXT_IS_ONE_OF(text, yes))
		return json_true();
	return PL_TEXT_IS_ONE_OF(text, no) ? json_false() : json_string(text);
}

static json_t *list_of(const char *text)
{
	json_t *list = json_array();

	for (;; text++) {
		size_t len = strcspn(text, ",");
		json_array_append_new(list, json_stringn(text, len));
		text += len;
		if (*text == '\0')
			return list;
	}
}

/* A value that the schema will refuse stays a text, and is reported as one. */
static json_t *value_of(enum member_form form, const char *text)
{
	int64_t whole;
	double number;

	if (form == MEMBER_INTEGER && pl_text_to_i64(text, &whole))
		return json_integer(whole);
	/* JSON has no NaN and no infinity */
	if (form == MEMBER_NUMBER && pl_text_to_f64(text, &number) && isfinite(number))
		return json_real(number);
	if (form == MEMBER_LIST)
		return list_of(text);
	return form == MEMBER_FLAG ? flag_of(text) : json_string(text);
}

/* The schema expects a boolean: reports the texts that a query may use for it. */
static void word_flags(const struct dash_operation *operation, struct schema_faults *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		struct schema_fault *fault = &faults->items[i];
		for (size_t k = 0; k < operation->member_count; k++) {
			if (operation->members[k].form != MEMBER_FLAG || fault->pointer[0] != '/' ||
			    strcmp(fault->pointer + 1, operation->members[k].name) != 0)
				continue;
			free(fault->expected);
			fault->expected = pl_strdup(FLAG_WORDS);
		}
	}
}

static int add_member(const struct dash_operation *operation, const struct dash_member *member,
		      json_t *query, struct pl_err *err)
{
	enum member_form form = MEMBER_TEXT;
	json_t *value = NULL;

	for (size_t i = 0; i < operation->member_count; i++) {
		if (strcmp(operation->members[i].name, member->name) == 0)
			form = operation->members[i].form;
	}
	if (json_object_get(query, member->name) != NULL)
		return pl_err_set(err, PL_ERR_INVALID, "found '%s' more than once", member->name);
	if (form != MEMBER_JSON)
		value = value_of(form, member->value);
	else if (pl_json_parse(member->value, strlen(member->value), member->name, &value, err) < 0)
		return -1;
	json_object_set_new(query, member->name, value);
	return 0;
}

int dash_operation_query(const struct dash_operation *operation, const struct dash_target *target,
			 json_t **ret, struct schema_faults *faults, struct pl_err *err)
{
	auto_json json_t *query = json_object();

	for (size_t i = 0; i < target->count; i++) {
		if (add_member(operation, &target->members[i], query, err) < 0)
			return -1;
	}
	schema_rename_former(query);
	if (!schema_check(late_get(operation->query), query, QUERY_FAULTS_MAX, faults)) {
		word_flags(operation, faults);
		return pl_err_set(err, PL_ERR_INVALID, "the query is invalid");
	}
	*ret = pl_take(query);
	return 0;
}

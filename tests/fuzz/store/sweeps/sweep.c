/*
 * Any bytes as what a database has of a sweep: parts divided by a line "%%" are the JSON of its head and of its plan, which is packed
 * here; a first byte '!' of the plan takes the rest of it as the packed bytes. The sweep is read, or one error says
 * why not; the list contains it in any case. One of the sweep's runs has a result.
 */
#include "store/sweeps/sweep_priv.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "../../scratch.h"
#include "base/zst.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ID "s"

static const char result_text[] =
	"{\"date\": \"20260101-000000\", \"backend\": \"vllm\", \"model_id\": \"m\", "
	"\"num_prompts\": 2, \"request_rate\": \"inf\", \"completed\": 2, \"failed\": 0, "
	"\"duration\": 1.5, \"total_input_tokens\": 20, \"total_output_tokens\": 10, "
	"\"request_throughput\": 1.3, \"output_throughput\": 6.6, "
	"\"total_token_throughput\": 20, \"mean_ttft_ms\": 5, \"median_ttft_ms\": 5, "
	"\"std_ttft_ms\": 4, \"p99_ttft_ms\": 8.9, \"sweep\": \"" ID "\", \"sweep_cell\": \"c\"}";

static struct res_fields *fields;
static struct store *store;
static sqlite3 *database;
static sqlite3_stmt *change;
static int64_t changes;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void put_result(void)
{
	const struct store_source source = {
		.bytes = result_text, .len = strlen(result_text), .name = "x.json", .line = 1
	};
	auto_store_document document = { .len = 0 };
	auto_json json_t *faults = NULL;
	struct store_reader *reader;
	struct store_put_result result;
	struct pl_err err = PL_ERR_INIT;

	must(store_reader_new(fields, &reader, &err) == 0);
	must(store_document_read(reader, &source, &document, &faults, &err) == 0);
	struct store_prepared *prepared = store_prepare(store, &document, "x.json");
	must(store_put(store, prepared, &result, &err) == 0 && result.outcome == STORE_STORED);
	store_prepared_free(prepared);
	store_reader_free(reader);
}

static void put_sweep(void)
{
	auto_json json_t *plan = json_pack("{s:s, s:s, s:[{s:s, s:s, s:i, s:s}]}", "name", "n",
					   "state", "running", "runs", "run", "c", "combination",
					   "c", "repeat", 1, "status", "missing");
	struct pl_err err = PL_ERR_INIT;
	bool fits = false;

	must(store_sweep_put(store, ID, plan, &fits, &err) == 0 && fits);
}

/* Making the database takes longer than an input may. */
__attribute__((constructor)) static void make_database(void)
{
	static char path[128];
	struct pl_err err = PL_ERR_INIT;

	fields = res_fields_new(NULL);
	snprintf(path, sizeof(path), "%s/s.db", scratch_path());
	const struct store_options options = { .path = path,
					       .fields = fields,
					       .with_columns = true };
	must(store_open(&options, &store, &err) == 0);
	put_result();
	put_sweep();
	must(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
	must(sqlite3_exec(database, "PRAGMA synchronous = OFF", NULL, NULL, NULL) == SQLITE_OK);
	must(sqlite3_prepare_v2(
		     database,
		     "UPDATE sweeps SET head = ?1, content = ?2, changed = ?3 WHERE id = '" ID "'",
		     -1, &change, NULL) == SQLITE_OK);
}

/* `changed` differs from all before, so that the list reads the plan again. */
static void write_sweep(const char *head, size_t head_len, const void *packed, size_t packed_len)
{
	char changed[32];

	snprintf(changed, sizeof(changed), "%lld", (long long)++changes);
	must(sqlite3_bind_text64(change, 1, head, head_len, SQLITE_TRANSIENT, SQLITE_UTF8) ==
	     SQLITE_OK);
	must(sqlite3_bind_blob64(change, 2, packed, packed_len, SQLITE_TRANSIENT) == SQLITE_OK);
	must(sqlite3_bind_text(change, 3, changed, -1, SQLITE_TRANSIENT) == SQLITE_OK);
	must(sqlite3_step(change) == SQLITE_DONE);
	must(sqlite3_changes(database) == 1 && sqlite3_reset(change) == SQLITE_OK);
}

static void check_one(void)
{
	auto_schema_faults faults = { 0 };
	auto_json json_t *metrics = json_pack("[s]", "results.p99_ttft_ms");
	auto_json json_t *sweep = NULL;
	auto_json json_t *plan = NULL;
	struct pl_err err = PL_ERR_INIT;
	bool is_damaged;

	int is_read = store_sweep_read_plan(store, ID, &plan, &is_damaged, &err);
	must(is_damaged == (is_read < 0));
	must(is_read < 0 ? err.text[0] != '\0' : json_is_object(plan));
	int got = store_sweep_get(store, ID, metrics, &sweep, &faults, &err);
	must(got == is_read && faults.count == 0);
	must(got < 0 || json_array_size(json_object_get(sweep, "runs")) > 0);
}

static void check_list(void)
{
	auto_json json_t *list = NULL;
	struct pl_err err = PL_ERR_INIT;

	must(store_sweep_list(store, &list, &err) == 0 && json_array_size(list) == 1);
	PL_JSON_EACH(head, list)
		must(json_is_object(head) && json_object_get(head, "counts") != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = "\n%%\n";
	const char *bytes = size > 0 ? (const char *)data : "";
	const char *found = memmem(bytes, size, mark, strlen(mark));
	size_t head = found != NULL ? (size_t)(found - bytes) : size;
	size_t begin = found != NULL ? head + strlen(mark) : size;
	size_t packed_len = 0;

	if (begin < size && bytes[begin] == '!') {
		write_sweep(bytes, head, bytes + begin + 1, size - begin - 1);
	} else {
		auto_free void *packed = pl_zst_pack_brief(bytes + begin, size - begin,
							   &packed_len);
		write_sweep(bytes, head, packed, packed_len);
	}
	check_one();
	check_list();
	return 0;
}

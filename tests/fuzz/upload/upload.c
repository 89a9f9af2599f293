/*
 * Any answers of a dashboard to an upload of three files, two of which go in one request: each file has
 * an outcome, and the code agrees with the words.
 */
#include "upload/upload.h"

#include "../peer.h"
#include "../scratch.h"
#include "base/text.h"
#include "run/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The artifact of the first file: six bytes and their hash. */
#define ARTIFACT        "a log\n"
#define ARTIFACT_SHA256 "43033c83341b48079264dfb63c5e4275c4f1b2f53cc36f04584a02cac84db7b6"

static const char *const texts[] = {
	"{\"schema_version\": \"1.0\", \"run_id\": \"exp_1\", \"artifacts\": [{\"kind\": "
	"\"server_log\", \"name\": \"a.log\", \"size\": 6, \"sha256\": \"" ARTIFACT_SHA256 "\"}]}",
	"{\"run_id\": \"exp_2\"}",
	"[{\"run_id\": \"exp_3\"}, {\"run_id\": \"exp_4\"}]",
};
static const char *const names[] = { "a.json", "b.json", "c.json" };

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* No input waits: the program is linked with --wrap. */
void __wrap_pl_clock_sleep_until(int64_t ns);
void __wrap_pl_clock_sleep_until(int64_t ns)
{
	(void)ns;
}

static struct upload_file files[PL_ARRAY_SIZE(texts)];

static void write_files(void)
{
	if (files[0].path != NULL)
		return;
	scratch_write("a.log", ARTIFACT, strlen(ARTIFACT));
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		files[i].path = pl_strdup(scratch_write(names[i], texts[i], strlen(texts[i])));
		files[i].name = names[i];
	}
}

static void check_results(const struct upload *upload)
{
	auto_free char *fault = upload_fault(upload);
	auto_free char *page = upload_page(upload);
	enum pl_err_code code = upload_code(upload);

	must(upload->is_over && (page == NULL) == (upload->job_id == NULL));
	must(code != PL_ERR_NONE || fault == NULL);
	for (size_t i = 0; i < upload->count; i++) {
		const struct upload_result *result = &upload->results[i];
		must(result->state != UPLOAD_WAITING);
		must((result->state == UPLOAD_FAILED) == (result->failure != NULL));
		must(result->failure != NULL || json_array_size(result->items) > 0);
		PL_JSON_EACH(item, result->items)
			free(upload_item_fault(item));
	}
}

static void send_all(const uint8_t *data, size_t size, const char *on_conflict)
{
	const struct run_target target = { .host = (char *)"h", .prefix = (char *)"" };
	struct upload upload = { .target = &target,
				 .files = files,
				 .count = PL_ARRAY_SIZE(files),
				 .on_conflict = on_conflict };

	peer_begin(data, size);
	upload_all(&upload);
	check_results(&upload);
	upload_done(&upload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	write_files();
	send_all(data, size, NULL);
	send_all(data, size, "replace");
	return 0;
}

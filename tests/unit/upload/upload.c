#include "upload/upload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/file.h"
#include "run/target.h"
#include "unit/base/scratch.h"
#include "unit/upload/dashboard.h"
#include "upload/upload_priv.h"

#define S(seconds) ((int64_t)((seconds) * (double)PL_NS_PER_S))

static const struct run_target target = { .host = (char *)"h:1", .prefix = (char *)"" };
static int away_count;
static int64_t away_ns;

static void note_away(const struct upload *upload, const char *why, int64_t wait_ns)
{
	(void)upload;
	(void)why;
	away_count++;
	away_ns = wait_ns;
}

/* ---- files --------------------------------------------------------------------------------- */

struct set {
	struct upload_file *files;
	size_t count;
};

/* Without fsync(), which 2,000 files would wait for. */
static void write_file(const char *path, const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void set_add(struct set *set, struct scratch *scratch, const char *name, const char *text,
		    size_t len)
{
	auto_free char *position = pl_asprintf("%zu", set->count);
	const char *path = scratch_path(scratch, position);

	write_file(path, text, len);
	set->files = pl_realloc_array(set->files, set->count + 1, sizeof(*set->files));
	set->files[set->count++] = (struct upload_file){ .path = pl_strdup(path),
							 .name = pl_strdup(name) };
}

/* A document of so many bytes that is unlike those of other numbers. */
static void set_add_document(struct set *set, struct scratch *scratch, size_t bytes)
{
	auto_free char *name = pl_asprintf("%zu.json", set->count);
	char *text = pl_alloc(bytes + 1);
	int len = snprintf(text, bytes + 1, "{\"run_id\": \"%zu\"", set->count);

	memset(text + len, ' ', bytes - (size_t)len - 1);
	text[bytes - 1] = '}';
	set_add(set, scratch, name, text, bytes);
	free(text);
}

static struct set set_of(struct scratch *scratch, size_t count)
{
	struct set set = { 0 };

	for (size_t i = 0; i < count; i++)
		set_add_document(&set, scratch, 30);
	return set;
}

static void set_done(struct set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free((char *)set->files[i].path);
		free((char *)set->files[i].name);
	}
	free(set->files);
}
#define auto_set __attribute__((cleanup(set_done))) struct set

static struct upload upload_of(const struct set *set)
{
	away_count = 0;
	return (struct upload){ .target = &target,
				.files = set->files,
				.count = set->count,
				.wait_ns = S(10),
				.wait_first_ns = S(3),
				.on_away = note_away,
				.without_artifacts = true };
}

static void assert_all(const struct upload *upload, enum upload_state state)
{
	for (size_t i = 0; i < upload->count; i++) {
		if (upload->results[i].state != state)
			fail_msg("file %zu: state %d, expected %d: %s", i, upload->results[i].state,
				 state, upload->results[i].failure);
	}
}

/* ---- a dashboard that is away -------------------------------------------------------------- */

static void test_upload__statuses_that_pass(void **state)
{
	static const int passing[] = { 429, 502, 503, 504, 507 };

	(void)state;
	for (int status = 100; status < 600; status++) {
		bool expected = false;
		for (size_t i = 0; i < PL_ARRAY_SIZE(passing); i++)
			expected = expected || status == passing[i];
		assert_int_equal(upload_is_passing(status), expected);
	}
}

static const int always_503[] = { 503, 503, 503, 503, 503, 503, 503, 503, 503, 503, 0 };
static const int always_broken[] = { BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, 0 };

/* Each pause is twice the one before, up to 8 s, and the last one ends with the time to wait. */
static void test_upload__pauses(void **state)
{
	static const struct {
		const int *statuses;
		int64_t wait_ns;
		size_t count;
		int64_t pauses_ns[8];
	} cases[] = {
		{ always_503, S(10), 5, { S(0.5), S(1), S(2), S(4), S(2.5) } },
		{ always_503, S(24), 7, { S(0.5), S(1), S(2), S(4), S(8), S(8), S(0.5) } },
		/* it has not responded yet: wait_first_ns */
		{ always_broken, S(10), 3, { S(0.5), S(1), S(1.5) } },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_set set = set_of(*state, 2);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		dashboard.statuses = cases[i].statuses;
		upload.wait_ns = cases[i].wait_ns;
		upload_all(&upload);
		assert_int_equal(dashboard.sleeps, cases[i].count);
		assert_memory_equal(dashboard.slept_ns, cases[i].pauses_ns,
				    cases[i].count * sizeof(int64_t));
		/* each pause is followed by one more request */
		assert_int_equal(dashboard.sent_count, cases[i].count + 1);
		assert_true(upload.is_lost && upload.job_id == NULL);
		assert_all(&upload, UPLOAD_FAILED);
		assert_true(upload.results[1].is_unreachable);
		assert_int_equal(upload_code(&upload), PL_ERR_NETWORK);
		assert_int_equal(away_count, 1);
		assert_int_equal(away_ns, i < 2 ? cases[i].wait_ns : S(3));
		upload_done(&upload);
	}
}

static void test_upload__no_time_to_wait(void **state)
{
	auto_set set = set_of(*state, 1);
	struct upload upload = upload_of(&set);

	dashboard_begin();
	dashboard.statuses = always_503;
	upload.wait_ns = 0;
	upload_all(&upload);
	assert_int_equal(dashboard.sent_count, 1);
	assert_int_equal(dashboard.sleeps + (size_t)away_count, 0);
	assert_int_equal(upload_code(&upload), PL_ERR_NETWORK);
	upload_done(&upload);
}

/* After a response the pauses are short again. */
static void test_upload__away_twice(void **state)
{
	static const int statuses[] = { 503, 503, USUAL, 503, 0 };
	static const int64_t pauses_ns[] = { S(0.5), S(1), S(0.5) };
	auto_set set = set_of(*state, 1);
	struct upload upload = upload_of(&set);

	dashboard_begin();
	dashboard.statuses = statuses;
	upload_all(&upload);
	assert_int_equal(upload.results[0].state, UPLOAD_SENT);
	assert_int_equal(dashboard.sleeps, 3);
	assert_memory_equal(dashboard.slept_ns, pauses_ns, sizeof(pauses_ns));
	assert_int_equal(away_count, 2);
	assert_true(upload.away_ns == 0 && upload.failures == 0);
	upload_done(&upload);
}

/* The client does not wait after a response that no dashboard sends. */
static void test_upload__no_dashboard(void **state)
{
	static const int statuses[] = { 200, 0 };
	auto_set set = set_of(*state, 1);
	struct upload upload = upload_of(&set);

	dashboard_begin();
	dashboard.statuses = statuses;
	upload_all(&upload);
	assert_int_equal(dashboard.sent_count, 1);
	assert_int_equal(upload_code(&upload), PL_ERR_INVALID);
	upload_done(&upload);
}

/* A request that cannot be sent, whatever it is, is not repeated. */
static void test_upload__no_way_there(void **state)
{
	static const int statuses[] = { INVALID, 0 };
	auto_set set = set_of(*state, 2);
	struct upload upload = upload_of(&set);

	dashboard_begin();
	dashboard.statuses = statuses;
	upload_all(&upload);
	assert_int_equal(dashboard.sent_count, 1);
	assert_int_equal(upload_code(&upload), PL_ERR_NETWORK);
	assert_false(upload.is_lost);
	assert_true(upload.results[1].is_unreachable);
	upload_done(&upload);
}

/* ---- the files of one request -------------------------------------------------------------- */

static void assert_requests(const char *kind, size_t count, const size_t *files)
{
	assert_int_equal(dashboard_count(kind), count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(dashboard_asked(kind, i)->files, files[i]);
}

static void test_upload__up_to_500_files_in_a_form(void **state)
{
	for (size_t more = 0; more < 2; more++) {
		auto_set set = set_of(*state, 500 + more);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		upload_all(&upload);
		assert_requests("/batch?", 1, (const size_t[]){ 500 });
		/* the last one goes alone, without a form */
		assert_int_equal(dashboard_count("/raw?"), more);
		assert_all(&upload, UPLOAD_SENT);
		assert_int_equal(upload_code(&upload), PL_ERR_NONE);
		assert_int_equal(upload.sent, 500 + more);
		upload_done(&upload);
	}
}

#define MIB ((size_t)1 << 20)

static void test_upload__up_to_4_mib_in_a_form(void **state)
{
	static const struct {
		size_t sizes[3];
		size_t forms, alone;
	} cases[] = {
		{ { 2 * MIB, 2 * MIB }, 1, 0 },      { { 2 * MIB, 2 * MIB + 1 }, 0, 2 },
		{ { MIB, 4 * MIB, MIB }, 0, 3 },     /* neither neighbor has room */
		{ { MIB, 4 * MIB + 1, MIB }, 0, 3 }, /* too large for any form */
		{ { MIB, MIB, 4 * MIB + 1 }, 1, 1 },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_set set = { 0 };
		for (size_t k = 0; k < 3 && cases[i].sizes[k] > 0; k++)
			set_add_document(&set, *state, cases[i].sizes[k]);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		upload_all(&upload);
		assert_int_equal(dashboard_count("/batch?"), cases[i].forms);
		assert_int_equal(dashboard_count("/raw?"), cases[i].alone);
		assert_int_equal(dashboard.files, set.count);
		assert_all(&upload, UPLOAD_SENT);
		upload_done(&upload);
	}
}

/* A file that may hold several documents, or has a name that a form cannot carry, goes alone. The path is percent-encoded. */
static void test_upload__files_that_go_alone(void **state)
{
	static const struct {
		const char *name, *text, *path;
	} cases[] = {
		{ "a.json", "[{}]", "name=a.json" },
		{ "a.jsonl", "{}", "name=a.jsonl" },
		{ "a.json.zst", "{}", "name=a.json.zst" },
		{ "a\"b.json", "{}", "name=a%22b.json" },
		{ "a\\b.json", "{}", "name=a%5Cb.json" },
		{ "a\x1f.json", "{}", "name=a%1F.json" },
		{ "a\x7f.json", "{}", "name=a%7F.json" },
		{ "d/a b&c~.json", "[]", "name=d/a%20b%26c~.json" },
		{ "\xc3\xa4.json", "[]", "name=%C3%A4.json" },
		{ "AZaz09-._~/@[`{.json", "[]", "name=AZaz09-._~/%40%5B%60%7B.json" },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_set set = { 0 };
		set_add_document(&set, *state, 30);
		set_add(&set, *state, cases[i].name, cases[i].text, strlen(cases[i].text));
		set_add_document(&set, *state, 30);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		upload_all(&upload);
		assert_int_equal(dashboard_count("/batch?"), 0);
		assert_int_equal(dashboard_count("/raw?"), 3);
		if (!pl_text_ends(dashboard_asked("/raw?", 1)->what, cases[i].path))
			fail_msg("%s, expected %s", dashboard_asked("/raw?", 1)->what,
				 cases[i].path);
		upload_done(&upload);
	}
	/* a space, a tilde and letters of other scripts go along */
	auto_set set = { 0 };
	set_add_document(&set, *state, 30);
	set_add(&set, *state, "a ~\xc3\xa4.json", "{}", 2);
	struct upload upload = upload_of(&set);
	dashboard_begin();
	upload_all(&upload);
	assert_requests("/batch?", 1, (const size_t[]){ 2 });
	upload_done(&upload);
}

/* ---- files that are refused -------------------------------------------------------------------- */

/* The files of a form that was refused go one by one, and only the one that is refused again fails. */
static void test_upload__a_form_that_is_refused(void **state)
{
	static const int statuses[] = { 422, USUAL, 413, 0 };
	auto_set set = set_of(*state, 3);
	struct upload upload = upload_of(&set);

	dashboard_begin();
	dashboard.statuses = statuses;
	dashboard.on = "?job_id=";
	upload_all(&upload);
	assert_int_equal(dashboard_count("/raw?"), 3);
	assert_int_equal(upload.results[0].state, UPLOAD_SENT);
	assert_int_equal(upload.results[1].state, UPLOAD_FAILED);
	assert_int_equal(upload.results[2].state, UPLOAD_SENT);
	assert_true(pl_text_starts(upload.results[1].failure, "HTTP 413"));
	assert_int_equal(upload_code(&upload), PL_ERR_INVALID);
	upload_done(&upload);
}

/* An upload that takes no more files is not asked again for the others. */
static void test_upload__an_upload_that_has_ended(void **state)
{
	static const int gone[] = { 404, 0 }, closed[] = { 409, 0 };

	for (int i = 0; i < 3; i++) {
		auto_set set = set_of(*state, 501);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		dashboard.statuses = i == 0 ? gone : closed;
		dashboard.on = "/batch?";
		dashboard.state = i < 2 ? "done" : "cancelled";
		upload_all(&upload);
		assert_int_equal(dashboard_count("?job_id="), 1);
		assert_all(&upload, UPLOAD_FAILED);
		assert_int_equal(strstr(upload.results[500].failure, "canceled") != NULL, i == 2);
		assert_int_equal(upload_code(&upload), PL_ERR_INVALID);
		upload_done(&upload);
	}
}

/* The client asks which files arrived, and sends only the others again. The same request has the same key. */
static void test_upload__a_connection_that_breaks(void **state)
{
	static const int statuses[] = { BROKEN, 0 };

	for (int came = 0; came < 2; came++) {
		auto_set set = set_of(*state, 3);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		dashboard.statuses = statuses;
		dashboard.on = "/batch?";
		dashboard.keeps_broken = came == 1;
		upload_all(&upload);
		assert_int_equal(dashboard_count("/batch?"), 2 - came);
		assert_int_equal(dashboard.files, 3);
		assert_all(&upload, UPLOAD_SENT);
		if (came == 0)
			assert_string_equal(dashboard_asked("/batch?", 0)->key,
					    dashboard_asked("/batch?", 1)->key);
		upload_done(&upload);
	}
	/* other files have another key */
	auto_set set = { 0 };
	for (size_t i = 0; i < 2; i++)
		set_add_document(&set, *state, 4 * MIB);
	struct upload upload = upload_of(&set);
	dashboard_begin();
	upload_all(&upload);
	assert_string_not_equal(dashboard_asked("/raw?", 0)->key, dashboard_asked("/raw?", 1)->key);
	upload_done(&upload);
}

static void test_upload__the_same_bytes_twice(void **state)
{
	auto_set set = set_of(*state, 1);
	set_add(&set, *state, "b.json", "{}", 2);
	set_add(&set, *state, "c.json", "{}", 2);
	struct upload upload = upload_of(&set);

	dashboard_begin();
	upload_all(&upload);
	assert_requests("/batch?", 1, (const size_t[]){ 2 });
	const struct upload_result *same = &upload.results[2];
	assert_int_equal(same->state, UPLOAD_SAME);
	assert_int_equal(same->same_as, 1);
	const json_t *item = json_array_get(same->items, 0);
	assert_string_equal(pl_json_get_text(item, "state"), "duplicate");
	assert_string_equal(pl_json_get_text(item, "name"), "c.json");
	assert_string_equal(pl_json_get_text(json_array_get(upload.results[1].items, 0), "state"),
			    "stored");
	upload_done(&upload);
}

/* ---- items --------------------------------------------------------------------------------- */

static void test_upload__pages_of_items(void **state)
{
	static const struct {
		int64_t total, total_later, shift;
		size_t pages; /* that are asked for */
		bool is_good;
	} cases[] = {
		{ 1000, 0, 0, 1, true },     { 1001, 0, 0, 2, true }, { 2001, 0, 0, 3, true },
		{ 2001, 2000, 0, 2, false }, /* the number of items changed */
		{ 2, 0, 1, 1, false },       /* the first item has the index 1 */
		{ 1000000, 5, 0, 2, false }, /* as many are accepted, and one more is not */
		{ 1000001, 0, 0, 1, false },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_set set = { 0 };
		set_add(&set, *state, "r.jsonl", "{}\n{}\n", 6);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		dashboard.total = cases[i].total;
		dashboard.total_later = cases[i].total_later;
		dashboard.index_shift = cases[i].shift;
		upload_all(&upload);
		assert_int_equal(dashboard_count("?offset="), cases[i].pages);
		assert_int_equal(upload.results[0].failure == NULL, cases[i].is_good);
		if (cases[i].is_good)
			assert_int_equal(json_array_size(upload.results[0].items), cases[i].total);
		else
			assert_int_equal(upload_code(&upload), PL_ERR_NETWORK);
		upload_done(&upload);
	}
}

/* An item belongs to the last file whose first item is not after it. */
static void test_upload__items_of_several_files(void **state)
{
	auto_set set = set_of(*state, 3);
	struct upload upload = upload_of(&set);

	dashboard_begin();
	dashboard.total = 5;
	upload_all(&upload);
	static const size_t counts[] = { 1, 1, 3 };
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(json_array_size(upload.results[i].items), counts[i]);
		assert_int_equal(
			pl_json_get_i64(json_array_get(upload.results[i].items, 0), "index"), i);
	}
	upload_done(&upload);
}

static void test_upload__files_without_an_item(void **state)
{
	for (int i = 0; i < 2; i++) {
		auto_set set = set_of(*state, 2);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		dashboard.total = 1;
		dashboard.state = i == 0 ? "done" : "cancelled";
		upload_all(&upload);
		assert_int_equal(upload.results[0].state, UPLOAD_SENT);
		if (i == 0) {
			assert_int_equal(upload.results[1].state, UPLOAD_FAILED);
		} else {
			const json_t *item = json_array_get(upload.results[1].items, 0);
			assert_int_equal(upload.results[1].state, UPLOAD_SENT);
			assert_string_equal(pl_json_get_text(item, "state"), "cancelled");
		}
		upload_done(&upload);
	}
}

/* ---- what came before ---------------------------------------------------------------------- */

static char *known_of(const struct set *set, const char *state, int index)
{
	auto_json json_t *known = json_array();

	for (size_t i = 0; i < set->count; i++) {
		char hex[65];
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(pl_file_sha256(set->files[i].path, hex, &err), 0);
		json_array_append_new(known,
				      json_pack("{s:s, s:s, s:i, s:s}", "sha256", hex, "job_id",
						"old", "index", index, "state", state));
	}
	auto_json json_t *answer = json_pack("{s:O}", "known", known);
	return pl_json_to_text(answer, PL_JSON_COMPACT);
}

static void test_upload__files_that_came_before(void **state)
{
	static const struct {
		const char *known_state, *item;
		int looked_status;
		enum upload_state expected;
	} cases[] = {
#define ITEM(state, id, name)                                                                     \
	"{\"items\": [{\"index\": 4, \"state\": \"" state "\", \"id\": " id ", \"name\": \"" name \
	"\"}]}"
		{ "stored", ITEM("stored", "7", "r.json"), 200, UPLOAD_RECEIVED },
		{ "duplicate", ITEM("duplicate", "1", "r.json"), 200, UPLOAD_RECEIVED },
		{ "stored", ITEM("stored", "7", "r:.json"), 200, UPLOAD_RECEIVED },
		{ "stored", ITEM("stored", "7", "3"), 200, UPLOAD_RECEIVED },
		{ "stored", ITEM("stored", "7", "r[3].json"), 200, UPLOAD_RECEIVED },
		{ "stored", ITEM("stored", "7", "r3]"), 200, UPLOAD_RECEIVED },
		/* its result is missing */
		{ "stored", ITEM("stored", "7", "r.json"), 404, UPLOAD_SENT },
		/* one of several in its file */
		{ "stored", ITEM("stored", "7", "r.jsonl:3"), 200, UPLOAD_SENT },
		{ "stored", ITEM("stored", "7", "r.jsonl:90"), 200, UPLOAD_SENT },
		{ "stored", ITEM("stored", "7", "r.json[12]"), 200, UPLOAD_SENT },
		{ "rejected", ITEM("stored", "7", "r.json"), 200, UPLOAD_SENT },
		{ "stored", ITEM("conflict", "7", "r.json"), 200, UPLOAD_SENT },
		{ "stored", ITEM("stored", "0", "r.json"), 200, UPLOAD_SENT },
		{ "stored", "{\"items\": []}", 200, UPLOAD_SENT },
		{ "stored",
		  "{\"items\": [{\"index\": 5, \"state\": \"stored\", \"id\": 7, \"name\": "
		  "\"r\"}]}",
		  200, UPLOAD_SENT },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_set set = set_of(*state, 1);
		auto_free char *known = known_of(&set, cases[i].known_state, 4);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		dashboard.known = known;
		dashboard.earlier = cases[i].item;
		dashboard.looked_status = cases[i].looked_status;
		upload_all(&upload);
		if (upload.results[0].state != cases[i].expected)
			fail_msg("case %zu: state %d", i, upload.results[0].state);
		assert_int_equal(dashboard.files, cases[i].expected == UPLOAD_SENT);
		upload_done(&upload);
	}
}

/* To replace is to send all: what came before may have been replaced since. */
static void test_upload__replace_asks_nothing(void **state)
{
	auto_set set = set_of(*state, 1);
	auto_free char *known = known_of(&set, "stored", 4);
	struct upload upload = upload_of(&set);

	dashboard_begin();
	dashboard.known = known;
	dashboard.earlier = ITEM("stored", "7", "r.json");
	upload.on_conflict = "replace";
	upload_all(&upload);
	assert_int_equal(upload.results[0].state, UPLOAD_SENT);
	assert_int_equal(dashboard.batch_count, 0);
	upload_done(&upload);
}

/* The client waits for a file that another one has just sent as long as for a dashboard that is away. */
static void test_upload__files_that_are_being_read(void **state)
{
	static const char *const states[] = { "queued", "parsed", "valid" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(states); i++) {
		auto_set set = set_of(*state, 1);
		auto_free char *known = known_of(&set, states[i], 4);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		dashboard.known = known;
		upload.wait_ns = S(1);
		upload_all(&upload);
		assert_int_equal(dashboard.sleeps, 10);
		assert_int_equal(dashboard.slept_ns[0], S(0.1));
		assert_int_equal(upload.results[0].state, UPLOAD_SENT);
		upload_done(&upload);
	}
}

/* 2,000 hashes in a question, and 32 results over one connection. */
static void test_upload__many_files_that_came_before(void **state)
{
	static const struct {
		size_t count, questions;
	} cases[] = { { 2000, 1 }, { 2001, 2 } };

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_set set = set_of(*state, cases[i].count);
		auto_free char *known = known_of(&set, "stored", 4);
		struct upload upload = upload_of(&set);
		dashboard_begin();
		dashboard.known = known;
		dashboard.earlier = ITEM("stored", "7", "r.json");
		upload_all(&upload);
		assert_all(&upload, UPLOAD_RECEIVED);
		assert_int_equal(dashboard_count("/api/upload/known"), cases[i].questions);
		assert_int_equal(dashboard.batch_count, 63);
		assert_int_equal(dashboard.batches[0], 32);
		assert_int_equal(dashboard.batches[62], cases[i].count - 62 * 32);
		/* the page of items is asked for once */
		assert_int_equal(dashboard_count("?offset="), 1);
		assert_null(upload.job_id);
		upload_done(&upload);
	}
}

/* ---- artifacts ----------------------------------------------------------------------------- */

#define LOG        "a log\n"
#define LOG_SHA256 "43033c83341b48079264dfb63c5e4275c4f1b2f53cc36f04584a02cac84db7b6"

static const char *artifact_state(const struct upload *upload, size_t at)
{
	return pl_json_get_text(json_array_get(upload->results[0].artifacts, at), "state");
}

static void test_upload__artifacts(void **state)
{
	static const char has_first[] =
		"{\"artifacts\": [{\"kind\": \"server_log\", \"name\": \"a b.log\", \"sha256\": "
		"\"" LOG_SHA256 "\"}]}";
	static const struct {
		const char *there;
		int status;
		const char *states[3];
		size_t sent;
		enum pl_err_code code;
	} cases[] = {
		{ NULL, 201, { "stored", "missing", "changed" }, 1, PL_ERR_NONE },
		{ NULL, 200, { "stored", "missing", "changed" }, 1, PL_ERR_NONE },
		{ NULL, 202, { "failed", "missing", "changed" }, 1, PL_ERR_INVALID },
		{ NULL, 422, { "failed", "missing", "changed" }, 1, PL_ERR_INVALID },
		{ has_first, 201, { "duplicate", "missing", "changed" }, 0, PL_ERR_NONE },
	};
	static const char document[] =
		"{\"schema_version\": \"1.0\", \"run_id\": \"e1\", \"artifacts\": ["
		"{\"kind\": \"server_log\", \"name\": \"a b.log\", \"size\": 6, \"sha256\": "
		"\"" LOG_SHA256 "\"},"
		"{\"kind\": \"server_log\", \"name\": \"no.log\", \"size\": 6, \"sha256\": "
		"\"" LOG_SHA256 "\"},"
		"{\"kind\": \"server_log\", \"name\": \"b.log\", \"size\": 6, \"sha256\": "
		"\"" LOG_SHA256 "\"}]}";

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_set set = { 0 };
		set_add(&set, *state, "r.json", document, strlen(document));
		auto_free char *known = known_of(&set, "stored", 4);
		write_file(scratch_path(*state, "a b.log"), LOG, 6);
		write_file(scratch_path(*state, "b.log"), "other\n", 6);
		struct upload upload = upload_of(&set);
		upload.without_artifacts = false;
		dashboard_begin();
		dashboard.known = known;
		dashboard.earlier = "{\"items\": [{\"index\": 4, \"state\": \"stored\", \"id\": 7, "
				    "\"name\": \"r.json\", \"run_id\": \"e1\"}]}";
		dashboard.artifacts = cases[i].there;
		dashboard.artifact_status = cases[i].status;
		upload_all(&upload);
		for (size_t k = 0; k < 3; k++)
			assert_string_equal(artifact_state(&upload, k), cases[i].states[k]);
		assert_int_equal(dashboard_count("PUT "), cases[i].sent);
		assert_int_equal(upload.artifacts_sent, cases[i].sent);
		assert_int_equal(upload_code(&upload), cases[i].code);
		if (cases[i].sent > 0) {
			const struct requested *put = dashboard_asked("PUT ", 0);
			assert_string_equal(put->what,
					    "PUT /api/upload/artifact/e1/server_log/a%20b.log");
			assert_int_equal(put->body_len, 6);
			assert_int_equal(put->timeout_ns, S(300));
		}
		upload_done(&upload);
	}
}

/* ---- words --------------------------------------------------------------------------------- */

static void test_upload__faults_of_items(void **state)
{
	static const struct {
		const char *item;
		const char *says; /* NULL: none */
	} cases[] = {
		{ "{\"state\": \"stored\"}", NULL },
		{ "{\"state\": \"duplicate\", \"message\": \"m\"}", NULL },
		{ "{\"state\": \"stored\", \"deleted\": true}", NULL },
		{ "{\"state\": \"duplicate\", \"deleted\": true}", "deleted" },
		{ "{\"state\": \"conflict\", \"message\": \"m\"}", "m" },
		{ "{\"state\": \"rejected\"}", "no reason" },
		{ "{}", "no reason" },
	};
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *item = json_loads(cases[i].item, 0, NULL);
		auto_free char *fault = upload_item_fault(item);
		assert_int_equal(fault != NULL, cases[i].says != NULL);
		if (fault != NULL)
			assert_non_null(strstr(fault, cases[i].says));
	}
}

/* The dashboard's counts decide, too; counts that no dashboard has do not. */
static void test_upload__code_by_counts(void **state)
{
	static const struct {
		const char *counts;
		enum pl_err_code code;
	} cases[] = {
		{ "{\"stored\": 3, \"duplicate\": 2}", PL_ERR_NONE },
		{ "{\"conflict\": 1}", PL_ERR_INVALID },
		{ "{\"rejected\": 1}", PL_ERR_INVALID },
		{ "{\"cancelled\": 1}", PL_ERR_INVALID },
		{ "{\"rejected\": 1, \"cancelled\": -1}", PL_ERR_INVALID },
		{ "{\"rejected\": 1099511627776}", PL_ERR_INVALID },
		{ "{\"rejected\": 1099511627777}", PL_ERR_NONE },
		{ "{\"rejected\": -1}", PL_ERR_NONE },
	};
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *job = json_object();
		json_object_set_new(job, "counts", json_loads(cases[i].counts, 0, NULL));
		const struct upload upload = { .job = job };
		assert_int_equal(upload_code(&upload), cases[i].code);
	}
}

static void test_upload__page(void **state)
{
	struct run_target other = { .host = (char *)"h", .prefix = (char *)"/p", .https = true };
	struct upload upload = { .target = &other };

	(void)state;
	assert_null(upload_page(&upload));
	upload.job_id = (char *)"j1";
	auto_free char *https = upload_page(&upload);
	assert_string_equal(https, "https://h/p/upload/j1");
	other.https = false;
	auto_free char *http = upload_page(&upload);
	assert_string_equal(http, "http://h/p/upload/j1");
	other.addr.u.local.sun_family = AF_UNIX;
	strcpy(other.addr.u.local.sun_path, "/run/d.sock");
	auto_free char *local = upload_page(&upload);
	assert_string_equal(local, "/upload/j1 at unix:/run/d.sock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_upload__statuses_that_pass),
		scratch_test(test_upload__pauses),
		scratch_test(test_upload__no_time_to_wait),
		scratch_test(test_upload__away_twice),
		scratch_test(test_upload__no_dashboard),
		scratch_test(test_upload__no_way_there),
		scratch_test(test_upload__up_to_500_files_in_a_form),
		scratch_test(test_upload__up_to_4_mib_in_a_form),
		scratch_test(test_upload__files_that_go_alone),
		scratch_test(test_upload__a_form_that_is_refused),
		scratch_test(test_upload__an_upload_that_has_ended),
		scratch_test(test_upload__a_connection_that_breaks),
		scratch_test(test_upload__the_same_bytes_twice),
		scratch_test(test_upload__pages_of_items),
		scratch_test(test_upload__items_of_several_files),
		scratch_test(test_upload__files_without_an_item),
		scratch_test(test_upload__files_that_came_before),
		scratch_test(test_upload__replace_asks_nothing),
		scratch_test(test_upload__files_that_are_being_read),
		scratch_test(test_upload__many_files_that_came_before),
		scratch_test(test_upload__artifacts),
		cmocka_unit_test(test_upload__faults_of_items),
		cmocka_unit_test(test_upload__code_by_counts),
		cmocka_unit_test(test_upload__page),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	dashboard_begin();
	return failed;
}

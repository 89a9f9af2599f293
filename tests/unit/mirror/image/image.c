/* Images of random tables: what is read equals what was written, and damage is noticed. */
#include "mirror/image/image.h"

#include "request_contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/zst.h"
#include "mirror/image/image_priv.h"
#include "mirror/mirror_priv.h"
#include "mirror/view.h"
#include "query/query.h"
#include "unit/sanitizer.h"

#define ANSWER_BYTES_MAX (64u << 20)
#define KINDS            12
#define STRIDE           7 /* one of so many columns has values */
#define VERSION          1234
#define TABLES           12
#ifdef __SANITIZE_ADDRESS__
#define DAMAGES 240
#else
#define DAMAGES 500
#endif

static int no_document(void *context, int64_t id, const char *member, json_t **ret,
		       int64_t *ret_changed, struct pl_err *err)
{
	(void)context;
	(void)member;
	(void)ret;
	(void)ret_changed;
	return pl_err_set(err, PL_ERR_IO, "result %lld is not a document", (long long)id);
}

struct table {
	struct res_fields *fields;
	const struct res_field *const *columns;
	size_t column_count;
	struct mirror_cell *cells;
	char (*texts)[48]; /* of the cells */
	struct pl_pyrandom rng;
	struct mirror *mirror;
	int64_t next_id;
};

static void table_init(struct table *table, unsigned seed)
{
	*table = (struct table){ .fields = res_fields_new(NULL), .next_id = 1 };
	table->columns = mirror_column_fields(table->fields, &table->column_count);
	table->cells = pl_alloc_array(table->column_count, sizeof(*table->cells));
	table->texts = pl_alloc_array(table->column_count, sizeof(*table->texts));
	table->mirror = mirror_new(table->fields, no_document, NULL);
	pl_pyrandom_seed(&table->rng, seed);
}

static void table_done(struct table *table)
{
	mirror_free(table->mirror);
	free(table->cells);
	free(table->texts);
	res_fields_free(table->fields);
}
#define auto_table __attribute__((cleanup(table_done), unused)) struct table

static uint32_t below(struct table *table, uint32_t limit)
{
	return (uint32_t)pl_pyrandom_below(&table->rng, limit);
}

static struct mirror_cell number_cell(double number, bool is_explicit)
{
	return (struct mirror_cell){ .state = RES_VALUE_PRESENT,
				     .kind = RES_VALUE_NUMBER,
				     .is_explicit = is_explicit,
				     .number = number };
}

/* Each kind of column leads to another form of chunk, or another kind of value. */
static struct mirror_cell random_cell(struct table *table, unsigned kind, int64_t id, char *text)
{
	struct mirror_cell cell = { .state = RES_VALUE_PRESENT, .kind = RES_VALUE_TEXT };

	switch (kind) {
	case 0:
		return number_cell(7, false);
	case 1:
		return number_cell((double)(id / 40 % 5), false);
	case 2:
		return number_cell(below(table, 6), below(table, 2) == 0);
	case 3:
		return number_cell(below(table, 100) == 0 ? below(table, 50) + 3 : 2, true);
	case 4:
		return number_cell((double)below(table, 1u << 30) / 7 - 1000, below(table, 9) == 0);
	case 5:
		cell.state = below(table, 3) == 0 ? RES_VALUE_NULL : RES_VALUE_NOT_RECORDED;
		return cell;
	case 6:
		snprintf(text, 48, "text %lld \xc3\xa9", (long long)id);
		break;
	case 7:
		snprintf(text, 48, "{\"a\":[%u,null],\"b\":%u.5}", below(table, 300),
			 below(table, 2));
		cell.kind = RES_VALUE_JSON;
		break;
	case 8:
		snprintf(text, 48, "2026-01-%02uT03:04:%02uZ", below(table, 28) + 1,
			 below(table, 60));
		if (below(table, 50) == 0)
			snprintf(text, 48, "yesterday");
		break;
	case 9:
		return (struct mirror_cell){ .state = RES_VALUE_PRESENT,
					     .kind = RES_VALUE_YES,
					     .is_explicit = below(table, 4) == 0,
					     .number = below(table, 2) };
	case 10:
		if (below(table, 30) != 0)
			return (struct mirror_cell){ .state = RES_VALUE_NOT_RECORDED };
		return number_cell(-(double)below(table, 100000) / 3, false);
	default:
		snprintf(text, 48, "%s", below(table, 5) == 0 ? "" : "auto");
		if (below(table, 3) == 0)
			return number_cell(below(table, 400), false);
		cell.is_explicit = below(table, 2) == 0;
		break;
	}
	cell.text = text;
	return cell;
}

static void fill_row(struct table *table, int64_t id)
{
	for (size_t i = 0; i < table->column_count; i += STRIDE)
		table->cells[i] = random_cell(table, (unsigned)(i / STRIDE % KINDS), id,
					      table->texts[i]);
}

/* Both mirrors get the same row; `other` may be NULL. */
static void append(struct table *table, struct mirror *other)
{
	char run_id[32];
	int64_t id = table->next_id;
	struct mirror_row row = { .id = id, .cells = table->cells };

	table->next_id += 1 + below(table, 3);
	snprintf(run_id, sizeof(run_id), "run-%lld", (long long)id);
	row.run_id = below(table, 10) != 0 ? run_id : NULL;
	fill_row(table, id);
	mirror_append(table->mirror, &row);
	if (other != NULL)
		mirror_append(other, &row);
}

static void change(struct table *table, struct mirror *other)
{
	int64_t id = 1 + below(table, (uint32_t)table->next_id);
	struct mirror_row row = { .id = id, .run_id = "replaced", .cells = table->cells };

	if (below(table, 2) == 0) {
		bool is_there = mirror_remove(table->mirror, id);
		if (other != NULL)
			assert_int_equal(mirror_remove(other, id), is_there);
		return;
	}
	fill_row(table, id);
	bool is_there = mirror_replace(table->mirror, &row);
	if (other != NULL)
		assert_int_equal(mirror_replace(other, &row), is_there);
}

static void play(struct table *table, size_t steps, struct mirror *other)
{
	for (size_t i = 0; i < steps; i++) {
		if (below(table, 6) == 0)
			change(table, other);
		else
			append(table, other);
		if (below(table, 200) != 0)
			continue;
		mirror_publish(table->mirror);
		if (below(table, 3) == 0)
			mirror_seal(table->mirror);
	}
	mirror_set_version(table->mirror, VERSION);
	mirror_publish(table->mirror);
	if (other != NULL) {
		mirror_set_version(other, VERSION);
		mirror_publish(other);
	}
}

/* ---- comparison -------------------------------------------------------------------------------- */

static bool are_equal_values(const struct mirror_value *one, const struct mirror_value *other)
{
	bool has_number = one->class == MIRROR_NUMBER;

	return one->class == other->class && one->is_explicit == other->is_explicit &&
	       one->is_time == other->is_time &&
	       (has_number || one->is_time
			? memcmp(&one->number, &other->number, sizeof(one->number)) == 0
			: true) &&
	       (one->text == NULL) == (other->text == NULL) &&
	       (one->text == NULL || strcmp(one->text, other->text) == 0);
}

/* Moves on to the next live row. */
static bool next_live(const struct mirror_snapshot *snapshot, size_t *row)
{
	uint64_t live[MIRROR_SEGMENT_WORDS];

	for (;; (*row)++) {
		size_t segment = *row / MIRROR_SEGMENT_ROWS, at = *row % MIRROR_SEGMENT_ROWS;
		if (segment >= snapshot->segment_count)
			return false;
		if (at >= snapshot->rows[segment]) {
			*row = (segment + 1) * MIRROR_SEGMENT_ROWS - 1;
			continue;
		}
		/* once per word would do; tables are small */
		mirror_snapshot_live(snapshot, segment, live);
		if (live[at / 64] >> at % 64 & 1)
			return true;
	}
}

static const char *run_id_at(const struct mirror_snapshot *snapshot, size_t row)
{
	return snapshot->segments[row / MIRROR_SEGMENT_ROWS]
		->names->run_ids[row % MIRROR_SEGMENT_ROWS];
}

static bool are_equal_rows(const struct table *table, const struct mirror_snapshot *one,
			   size_t one_row, const struct mirror_snapshot *other, size_t other_row)
{
	const char *run_id = run_id_at(one, one_row), *other_run_id = run_id_at(other, other_row);

	if (snapshot_id(one, one_row) != snapshot_id(other, other_row) ||
	    (run_id == NULL) != (other_run_id == NULL) ||
	    (run_id != NULL && strcmp(run_id, other_run_id) != 0))
		return false;
	for (size_t i = 0; i < table->column_count; i++) {
		struct mirror_value value = mirror_column_at(&one->columns[i], one_row);
		struct mirror_value restored = mirror_column_at(&other->columns[i], other_row);
		if (!are_equal_values(&value, &restored))
			return false;
	}
	return true;
}

static bool are_equal(const struct table *table, struct mirror *other)
{
	auto_snapshot struct mirror_snapshot *one = mirror_snapshot_take(table->mirror);
	auto_snapshot struct mirror_snapshot *two = mirror_snapshot_take(other);
	size_t row = 0, other_row = 0, count = 0;

	while (next_live(one, &row)) {
		if (!next_live(two, &other_row) ||
		    !are_equal_rows(table, one, row++, two, other_row++))
			return false;
		count++;
	}
	return !next_live(two, &other_row) && count == mirror_snapshot_count(two) &&
	       mirror_snapshot_count(one) == count &&
	       mirror_snapshot_version(one) == mirror_snapshot_version(two);
}

static char *answer_of(struct mirror *mirror, const char *text)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	auto_json json_t *request = json_loads(text, 0, NULL);
	auto_buf buf = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	assert_non_null(request);
	assert_true(request_fits(REQUEST_APPLY, request, &faults));
	if (query_apply(snapshot, request, &buf, &faults, &err) < 0)
		fail_msg("%s", err.text);
	auto_json json_t *answer = json_loadb(buf.data, buf.len, 0, NULL);
	assert_non_null(answer);
	json_object_del(answer, "elapsed_ms");
	return json_dumps(answer, JSON_SORT_KEYS);
}

static void assert_same_answers(struct mirror *one, struct mirror *other)
{
	static const char *const requests[] = {
		"{\"facets\": true, \"limit\": 20}",
		"{\"facets\": true, \"limit\": 5, \"filter\": {\"field\": \"server.model\", "
		"\"op\": "
		"\"is_recorded\"}}",
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(requests); i++) {
		auto_free char *expected = answer_of(one, requests[i]);
		auto_free char *found = answer_of(other, requests[i]);
		assert_string_equal(found, expected);
	}
}

/* ---- images ------------------------------------------------------------------------------------ */

static int write_image(struct mirror *mirror)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	struct mirror_image_head head = { .version = mirror_snapshot_version(snapshot) };
	struct pl_err err = PL_ERR_INIT;
	atomic_bool stop = false;
	int fd = memfd_create("image", MFD_CLOEXEC);

	assert_true(fd >= 0);
	mirror_image_form(mirror, 3, head.form);
	memset(head.token, 'a', MIRROR_IMAGE_TOKEN_LEN);
	if (mirror_image_write(snapshot, &head, fd, &stop, &err) < 0)
		fail_msg("%s", err.text);
	return fd;
}

/* Returns a mirror of the image, or NULL if it was refused. */
static struct mirror *read_image(const struct table *table, int fd, unsigned threads)
{
	struct mirror *mirror = mirror_new(table->fields, no_document, NULL);
	struct pl_err err = PL_ERR_INIT;

	if (mirror_image_read(mirror, fd, threads, &err) < 0) {
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_true(err.text[0] != '\0');
		mirror_publish(mirror);
		auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
		assert_int_equal(mirror_snapshot_count(snapshot), 0);
		mirror_snapshot_put(pl_take(snapshot));
		mirror_free(mirror);
		return NULL;
	}
	mirror_set_version(mirror, VERSION);
	mirror_publish(mirror);
	return mirror;
}

static void check_table(unsigned seed, size_t rows, bool are_asked)
{
	auto_table table;

	table_init(&table, seed);
	play(&table, rows, NULL);
	auto_fd int fd = write_image(table.mirror);
	auto_mirror struct mirror *other = read_image(&table, fd, 1 + seed % 4);
	assert_non_null(other);
	assert_true(are_equal(&table, other));
	if (are_asked)
		assert_same_answers(table.mirror, other);
	/* both continue */
	play(&table, rows / 4 + 10, other);
	assert_true(are_equal(&table, other));
	if (are_asked)
		assert_same_answers(table.mirror, other);
	/* an image of a mirror that was read */
	auto_fd int next = write_image(other);
	auto_mirror struct mirror *third = read_image(&table, next, 2);
	assert_non_null(third);
	assert_true(are_equal(&table, third));
}

static void test_mirror_image__reads_what_was_written(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 63, 64, 65, 300, 1100, 2500 };

	(void)state;
	for (unsigned seed = 0; seed < TABLES; seed++)
		check_table(seed, sizes[seed % PL_ARRAY_SIZE(sizes)], seed % 3 == 0);
}

static void test_mirror_image__reads_several_segments(void **state)
{
	auto_table table;
	struct mirror_row row = { .cells = NULL };

	(void)state;
	table_init(&table, 99);
	row.cells = table.cells;
	/* rows that differ in few columns */
	for (int64_t id = 1; id <= 2 * (int64_t)MIRROR_SEGMENT_ROWS + 1000; id++) {
		row.id = id;
		for (size_t i = 0; i < KINDS * STRIDE; i += STRIDE)
			table.cells[i] = random_cell(&table, (unsigned)(i / STRIDE), id,
						     table.texts[i]);
		mirror_append(table.mirror, &row);
		if (id % 20000 == 0)
			mirror_publish(table.mirror);
		if (id % 3 == 0 && id > (int64_t)MIRROR_SEGMENT_ROWS)
			assert_true(mirror_remove(table.mirror, id - 1));
	}
	mirror_set_version(table.mirror, VERSION);
	mirror_publish(table.mirror);
	auto_fd int fd = write_image(table.mirror);
	auto_mirror struct mirror *other = read_image(&table, fd, 3);
	assert_non_null(other);
	assert_same_answers(table.mirror, other);
	auto_snapshot struct mirror_snapshot *one = mirror_snapshot_take(table.mirror);
	auto_snapshot struct mirror_snapshot *two = mirror_snapshot_take(other);
	assert_int_equal(mirror_snapshot_count(one), mirror_snapshot_count(two));
	/* dead rows and small segments are gone */
	assert_true(two->segment_count <= 3);
	for (size_t i = 0; i < two->segment_count; i++)
		assert_null(two->dead[i]);
}

/* The rows as of the snapshot, whatever comes while they are written. */
static void test_mirror_image__is_of_one_moment(void **state)
{
	auto_table table;
	auto_table later;

	(void)state;
	table_init(&table, 5);
	table_init(&later, 5);
	play(&table, 500, NULL);
	play(&later, 500, NULL);
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(later.mirror);
	play(&later, 900, NULL);
	struct mirror_image_head head = { .version = mirror_snapshot_version(snapshot) };
	struct pl_err err = PL_ERR_INIT;
	atomic_bool stop = false;
	auto_fd int fd = memfd_create("image", MFD_CLOEXEC);
	assert_int_equal(mirror_image_write(snapshot, &head, fd, &stop, &err), 0);
	auto_mirror struct mirror *other = read_image(&later, fd, 2);
	assert_non_null(other);
	assert_true(are_equal(&table, other));
}

/* ---- damage ------------------------------------------------------------------------------------ */

static char *bytes_of(int fd, size_t *ret_len)
{
	off_t len = lseek(fd, 0, SEEK_END);
	char *bytes = pl_alloc((size_t)len + 1);

	assert_int_equal(pread(fd, bytes, (size_t)len, 0), len);
	*ret_len = (size_t)len;
	return bytes;
}

static struct mirror *read_bytes(const struct table *table, const char *bytes, size_t len)
{
	auto_fd int fd = memfd_create("image", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pl_fd_write(fd, bytes, len), 0);
	return read_image(table, fd, 1);
}

static void test_mirror_image__refuses_damage(void **state)
{
	auto_table table;
	size_t len;

	(void)state;
	table_init(&table, 17);
	play(&table, 200, NULL);
	auto_fd int fd = write_image(table.mirror);
	auto_free char *bytes = bytes_of(fd, &len);
	for (size_t i = 0; i < DAMAGES; i++) {
		/* the whole head, then anywhere */
		size_t at = i < 208 ? i : below(&table, (uint32_t)len);
		unsigned char bit = (unsigned char)(1u << below(&table, 8));
		bytes[at] = (char)(bytes[at] ^ (char)bit);
		auto_mirror struct mirror *other = read_bytes(&table, bytes, len);
		/* a bit of a frame's header may have no meaning */
		if (other != NULL && (i < 208 || !are_equal(&table, other)))
			fail_msg("bit %u of byte %zu was not noticed", bit, at);
		bytes[at] = (char)(bytes[at] ^ (char)bit);
	}
	for (size_t i = 0; i < DAMAGES / 8; i++) {
		size_t cut = below(&table, (uint32_t)len);
		auto_mirror struct mirror *other = read_bytes(&table, bytes, cut);
		assert_null(other);
	}
	auto_mirror struct mirror *longer = read_bytes(&table, bytes, len + 1);
	assert_null(longer);
	auto_mirror struct mirror *whole = read_bytes(&table, bytes, len);
	assert_non_null(whole);
}

static long peak_bytes(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss * 1024;
}

/* An index that says it unpacks to as much as a large file's is refused before it takes memory. */
static void test_mirror_image__a_small_file_takes_little_memory(void **state)
{
	enum { CLAIMED = 200 << 20 };
	auto_table table;
	struct image_top top;
	size_t len, packed_len;

	(void)state;
	table_init(&table, 29);
	play(&table, 20, NULL);
	auto_fd int fd = write_image(table.mirror);
	auto_free char *bytes = bytes_of(fd, &len);
	auto_free char *zeros = pl_alloc(CLAIMED);
	auto_free void *packed = pl_zst_pack_brief(zeros, CLAIMED, &packed_len);
	memcpy(&top, bytes, sizeof(top));
	top.index_packed = packed_len;
	top.index_bytes = CLAIMED;
	auto_free char *made = pl_alloc(top.index_at + packed_len);
	char sha256[PL_SHA256_HEX_BYTES];
	pl_sha256(&top, offsetof(struct image_top, sha256), sha256);
	memcpy(top.sha256, sha256, sizeof(top.sha256));
	memcpy(made, bytes, top.index_at);
	memcpy(made, &top, sizeof(top));
	memcpy(made + top.index_at, packed, packed_len);
	long before = peak_bytes();
	assert_null(read_bytes(&table, made, top.index_at + packed_len));
	assert_true(peak_bytes() - before < CLAIMED / 2);
}

static void test_mirror_image__stops(void **state)
{
	auto_table table;
	struct mirror_image_head head = { .version = 1 };
	struct pl_err err = PL_ERR_INIT;
	atomic_bool stop = true;

	(void)state;
	table_init(&table, 3);
	play(&table, 10, NULL);
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(table.mirror);
	auto_fd int fd = memfd_create("image", MFD_CLOEXEC);
	assert_int_equal(mirror_image_write(snapshot, &head, fd, &stop, &err), -1);
	assert_int_equal(err.code, PL_ERR_INTERRUPTED);
	assert_null(read_image(&table, fd, 1));
}

static void test_mirror_image__has_a_form(void **state)
{
	auto_table table;
	char one[PL_SHA256_HEX_BYTES], other[PL_SHA256_HEX_BYTES];
	struct mirror_image_head head;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	table_init(&table, 3);
	play(&table, 10, NULL);
	mirror_image_form(table.mirror, 3, one);
	mirror_image_form(table.mirror, 4, other);
	assert_string_not_equal(one, other);
	auto_fd int fd = write_image(table.mirror);
	assert_int_equal(mirror_image_read_head(fd, &head, &err), 0);
	assert_string_equal(head.form, one);
	assert_int_equal(head.version, VERSION);
	assert_int_equal(head.token[MIRROR_IMAGE_TOKEN_LEN - 1], 'a');
	/* fewer columns */
	table.mirror->column_count--;
	mirror_image_form(table.mirror, 3, other);
	table.mirror->column_count++;
	assert_string_not_equal(one, other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror_image__reads_what_was_written),
		cmocka_unit_test(test_mirror_image__reads_several_segments),
		cmocka_unit_test(test_mirror_image__is_of_one_moment),
		cmocka_unit_test(test_mirror_image__refuses_damage),
		cmocka_unit_test(test_mirror_image__a_small_file_takes_little_memory),
		cmocka_unit_test(test_mirror_image__stops),
		cmocka_unit_test(test_mirror_image__has_a_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Images of random tables: what is read equals what was written, and damage is noticed. */
#include "mirror/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/zst.h"
#include "mirror/image/image_priv.h"
#include "unit/mirror/random_table.h"
#include "unit/sanitizer.h"

#define TABLES 12
#ifdef __SANITIZE_ADDRESS__
#define DAMAGES 240
#else
#define DAMAGES 500
#endif

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

#define NUMBERS "results.latency_breakdown.server.ttft.mean_ms"

/* Appends rows whose only value is the number `number`, `number` + 1 and so on. */
static void append_numbers(struct table *table, struct mirror *other, int64_t number, size_t count)
{
	struct mirror_row row = { .run_id = "r", .cells = table->cells };
	size_t column = 0;

	while (strcmp(table->columns[column]->id, NUMBERS) != 0)
		column++;
	for (size_t i = 0; i < count; i++) {
		row.id = table->next_id++;
		table->cells[column] = number_cell((double)number + (double)i, i % 5 == 0);
		mirror_append(table->mirror, &row);
		if (other != NULL)
			mirror_append(other, &row);
	}
}

/* Once some numbers have no code, new ones get none either, though a compaction has dropped codes. */
static void test_mirror_image__numbers_without_codes_stay_so(void **state)
{
	auto_table table;

	(void)state;
	table_init(&table, 21);
	append_numbers(&table, NULL, 0, 10);
	mirror_seal(table.mirror);
	append_numbers(&table, NULL, 10, 2000);
	for (int64_t id = 1; id <= 1000; id++)
		assert_true(mirror_remove(table.mirror, id));
	mirror_compact(table.mirror);
	mirror_set_version(table.mirror, VERSION);
	mirror_publish(table.mirror);
	auto_fd int fd = write_image(table.mirror);
	auto_mirror struct mirror *other = read_image(&table, fd, 2);
	assert_non_null(other);
	/* some have a code, some are new, and some have none */
	append_numbers(&table, other, 1010, 10);
	append_numbers(&table, other, 990, 5);
	append_numbers(&table, other, 1900, 10);
	mirror_set_version(table.mirror, VERSION);
	mirror_publish(table.mirror);
	mirror_set_version(other, VERSION);
	mirror_publish(other);
	assert_true(are_equal(&table, other));
	assert_same_answers(table.mirror, other);
	auto_free char *answer = answer_of(other, "{\"facets\": [\"" NUMBERS "\"], \"limit\": 0}");
	assert_non_null(strstr(answer, "\"distinct\": 1015"));
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
		cmocka_unit_test(test_mirror_image__numbers_without_codes_stay_so),
		cmocka_unit_test(test_mirror_image__refuses_damage),
		cmocka_unit_test(test_mirror_image__a_small_file_takes_little_memory),
		cmocka_unit_test(test_mirror_image__stops),
		cmocka_unit_test(test_mirror_image__has_a_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Chooses the reader by the first bytes. */
#include "columnar/records_priv.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "columnar/arrow/arrow_priv.h"
#include "columnar/parquet/parquet_priv.h"

/* How much is read of a mapped file until its pages are released. */
#define RELEASE_BYTES ((size_t)16 << 20)

struct columnar_records {
	/* one of them is set */
	struct parquet_records *parquet;
	struct arrow_records *arrow;
	void *map; /* NULL: the caller has the bytes */
	size_t map_len;
	size_t released; /* read bytes when pages were released last */
};

static bool is_parquet(const void *bytes, size_t len)
{
	return len >= 4 && memcmp(bytes, PARQUET_MAGIC, 4) == 0;
}

bool columnar_is_records(const void *bytes, size_t len)
{
	return is_parquet(bytes, len) ||
	       (len >= ARROW_MAGIC_BYTES && memcmp(bytes, ARROW_MAGIC, ARROW_MAGIC_BYTES) == 0) ||
	       (len >= 8 && COLUMNAR_GET(uint32_t, bytes) == ARROW_CONTINUATION);
}

int columnar_records_open(const void *bytes, size_t len, const char *const *columns,
			  const struct columnar_limits *limits, struct columnar_records **ret,
			  struct pl_err *err)
{
	auto_columnar_records struct columnar_records *records = pl_alloc(sizeof(*records));

	*records = (struct columnar_records){ 0 };
	if ((is_parquet(bytes, len) ? columnar_parquet_records_open(bytes, len, columns, limits,
								    &records->parquet, err)
				    : columnar_arrow_records_open(bytes, len, columns, limits,
								  &records->arrow, err)) < 0)
		return -1;
	*ret = pl_take(records);
	return 0;
}

int columnar_records_open_file(int fd, const char *const *columns,
			       const struct columnar_limits *limits, struct columnar_records **ret,
			       struct pl_err *err)
{
	struct columnar_records *records = NULL;
	struct stat file;

	if (fstat(fd, &file) < 0)
		return pl_err_errno(err, "could not read the file");
	if (!S_ISREG(file.st_mode) || file.st_size == 0)
		return pl_err_invalid(err, "it is empty or not a regular file");
	size_t len = (size_t)file.st_size;
	void *map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return pl_err_errno(err, "could not map the file");
	if (columnar_records_open(map, len, columns, limits, &records, err) < 0) {
		munmap(map, len);
		return -1;
	}
	records->map = map;
	records->map_len = len;
	*ret = records;
	return 0;
}

void columnar_records_free(struct columnar_records *records)
{
	if (records == NULL)
		return;
	columnar_parquet_records_free(records->parquet);
	columnar_arrow_records_free(records->arrow);
	if (records->map != NULL)
		munmap(records->map, records->map_len);
	free(records);
}

void columnar_records_names(const struct columnar_records *records, struct pl_buf *out)
{
	if (records->parquet != NULL)
		columnar_parquet_records_names(records->parquet, out);
	else
		columnar_arrow_records_names(records->arrow, out);
}

int64_t columnar_records_count(const struct columnar_records *records)
{
	return records->parquet != NULL ? columnar_parquet_records_count(records->parquet)
					: columnar_arrow_records_count(records->arrow);
}

/* Releases the pages of the mapping: their bytes stay in the file. */
static void release(struct columnar_records *records)
{
	size_t read_bytes = records->parquet != NULL
				    ? columnar_parquet_records_read_bytes(records->parquet)
				    : columnar_arrow_records_read_bytes(records->arrow);

	if (records->map == NULL || read_bytes - records->released < RELEASE_BYTES)
		return;
	records->released = read_bytes;
	madvise(records->map, records->map_len, MADV_DONTNEED);
}

int columnar_records_next(struct columnar_records *records, json_t **ret, struct pl_err *err)
{
	release(records);
	return records->parquet != NULL ? columnar_parquet_records_next(records->parquet, ret, err)
					: columnar_arrow_records_next(records->arrow, ret, err);
}

/* ---- shared by the readers ------------------------------------------------------------------- */

int columnar_record_take(struct record_budget *budget, size_t bytes, struct pl_err *err)
{
	if (budget->values >= RECORD_VALUES_MAX || bytes > budget->bytes_max - budget->bytes)
		return pl_err_invalid(err,
				      "the record has more than %d values or more than %zu bytes",
				      RECORD_VALUES_MAX, budget->bytes_max);
	budget->values++;
	budget->bytes += bytes;
	return 0;
}

bool columnar_is_requested(const char *const *columns, const char *name)
{
	for (size_t i = 0; columns != NULL && columns[i] != NULL; i++) {
		if (strcmp(columns[i], name) == 0)
			return true;
	}
	return columns == NULL;
}

int columnar_records_check(bool has_any, struct pl_err *err)
{
	return has_any ? 0 : pl_err_invalid(err, "found none of the requested columns");
}

json_t *columnar_json_of_double(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

json_t *columnar_json_of_bytes(const char *bytes, size_t len)
{
	return json_stringn_nocheck(len > 0 ? bytes : "", len);
}

/*
 * Files of public results, for `import --baseline` (docs/reference/baselines.md): aggregate results of InferenceX as JSON, or
 * any CSV file with named columns. They are kept apart from the results of users (store/analysis/baseline.h).
 */
#pragma once

#include "base/json.h"
#include "base/text.h"

#define DASH_BASELINE_ROWS_MAX 10000

struct res_fields;

/*
 * Appends the rows of a file to `rows`:
 *
 *	{model, gpu, gpu_count, precision, input_length, output_length, concurrency, engine, source, date, note,
 *	 values: {FIELD: number}}
 *
 * Unknown properties are null. `ignored`: an array that gets the names of columns that are not used. `name`: of the file,
 * in errors, which name the line and the column too. Errors leave `rows` as an unfinished list.
 */
int dash_baseline_parse(const char *text, size_t len, const char *name, json_t *rows,
			json_t *ignored, struct pl_err *err) PL_MUST_CHECK;
/* The same for a path. */
int dash_baseline_read(const char *path, json_t *rows, json_t *ignored,
		       struct pl_err *err) PL_MUST_CHECK;
/* Tries the names that a column may have. */
void dash_baseline_nearest(const struct res_fields *fields, struct pl_nearest *nearest);
/* Returns whether a text is a date of the calendar, such as 2026-10-31, or a time that begins with one. */
bool dash_baseline_is_date(const char *text);

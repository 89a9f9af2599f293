/* The output formats of `profllm params`, shared by its files. */
#pragma once

#include "base/buf.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

struct option_row;

struct cli_params_form {
	size_t columns; /* of the terminal, at least 80 */
	bool color;
	bool details; /* also choices, bounds, notes and keys */
};

/* Writes a table with one heading per group. */
void cli_params_table(const struct option_row *const *args, size_t count,
		      const struct cli_params_form *form, struct pl_buf *text);
/*
 * Writes a page of the manual. `release`: the release of the arguments; NULL: those of the reference and of older ones.
 */
void cli_params_markdown(const struct option_row *const *args, size_t count, const char *release,
			 struct pl_buf *text);
/* Writes a comparison of vllm_help_diff(). */
void cli_params_diff(const json_t *diff, struct pl_buf *text);
/*
 * Write a comparison of vllm_release_diff(), with the releases' names as `since` and `until`; the second as a page of
 * the manual.
 */
void cli_params_release(const json_t *diff, struct pl_buf *text);
void cli_params_release_markdown(const json_t *diff, struct pl_buf *text);

/* Writes "default 1 -> 2"; for lists, additions and removals: "choices, new: a, gone: b". */
void cli_params_change(const char *key, const json_t *old, const json_t *new, struct pl_buf *text);
/* Writes a cell of a Markdown table, escaping Markdown syntax. */
void cli_params_cell(const char *cell, struct pl_buf *text);
/* Writes "at least 1", "above 0, at most 1"; "" without bounds. */
void cli_params_bounds(const struct option_row *arg, struct pl_buf *text);
/* Writes a JSON array as "a, b, c", texts without quotes. */
void cli_params_list(const json_t *list, struct pl_buf *text);
/* Writes one value, texts without quotes. */
void cli_params_value(const json_t *value, struct pl_buf *text);

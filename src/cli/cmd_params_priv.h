/*
 * What the files of `profllm params` share: the forms it prints.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

struct option_row;

struct cli_params_form {
	size_t columns; /* of the terminal, at least 80 */
	bool colour;
	bool details; /* choices, bounds, notes and keys too */
};

/* For people, under their groups' headings. */
void cli_params_table(const struct option_row *const *args, size_t count,
		      const struct cli_params_form *form, struct pl_buf *text);
/* A page of the manual. `release`: whose arguments they are; NULL: the reference's and older ones. */
void cli_params_markdown(const struct option_row *const *args, size_t count, const char *release,
			 struct pl_buf *text);
/* A comparison of vllm_help_diff(). */
void cli_params_diff(const json_t *diff, struct pl_buf *text);
/* A comparison of vllm_release_diff(), with the releases' names as `since` and `until`; the second
 * as a page of the manual. */
void cli_params_release(const json_t *diff, struct pl_buf *text);
void cli_params_release_markdown(const json_t *diff, struct pl_buf *text);

/* "default 1 -> 2"; of lists what is new and what is gone: "choices, new: a, gone: b". */
void cli_params_change(const char *key, const json_t *old, const json_t *new, struct pl_buf *text);
/* A cell of a Markdown table: what Markdown would read otherwise is marked. */
void cli_params_cell(const char *cell, struct pl_buf *text);
/* "at least 1", "above 0, at most 1"; "" where there are none. */
void cli_params_bounds(const struct option_row *arg, struct pl_buf *text);
/* "a, b, c" of a JSON array, texts without quotes. */
void cli_params_list(const json_t *list, struct pl_buf *text);
/* One value as people write it: texts without quotes. */
void cli_params_value(const json_t *value, struct pl_buf *text);

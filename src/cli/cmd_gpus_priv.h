/*
 * The data of `profllm gpus` as JSON, and its output, for the files of this command. A GPU is the object of
 * host_gpu_to_json() with "driver", "cuda", "source", "processes" (null: unknown) and "held_by" (null: none).
 */
#pragma once

#include "base/json.h"
#include "host/gpu/gpu.h"

#include <stdbool.h>

/* Reads all GPUs once; `live`: they are in this host, so processes and locks can be queried. New reference. */
json_t *cli_gpus_look(struct host_gpus *gpus, bool live);

struct cli_gpus_form {
	bool terminal; /* draw bars */
	bool color;
	size_t columns; /* of the terminal; 0: no limit */
	bool cut; /* cut lines at `columns`: each refresh must have the same number of lines */
};
void cli_gpus_table(const json_t *look, const struct cli_gpus_form *form, struct pl_buf *text);
/*
 * Writes one line per GPU, starting with `time`, in the columns of the previous call: for files and pipes. `first`:
 * with a heading.
 */
void cli_gpus_lines(const json_t *look, const char *time, bool first, struct pl_buf *text);

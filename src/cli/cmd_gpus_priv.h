/*
 * What `profllm gpus` knows, as JSON, and how it is shown: for the files of this command.
 *
 * One GPU is host_gpu_to_json()'s object with "driver", "cuda", "source", "processes" (null: not
 * told) and "held_by" (null: nobody) beside.
 */
#pragma once

#include "base/json.h"
#include "host/gpu/gpu.h"

#include <stdbool.h>

/* One look at all GPUs; `live`: of this host, so that processes and locks can be asked for.
 * New reference. */
json_t *cli_gpus_look(struct host_gpus *gpus, bool live);

struct cli_gpus_form {
	bool terminal; /* bars */
	bool colour;
	size_t columns; /* of the terminal; 0: no limit */
	bool cut;       /* lines are cut there: each look must have the lines it had */
};
void cli_gpus_table(const json_t *look, const struct cli_gpus_form *form, struct pl_buf *text);
/* One line a GPU, each with `time` in front and in the columns of the look before: for files and
 * pipes. `first`: with a heading. */
void cli_gpus_lines(const json_t *look, const char *time, bool first, struct pl_buf *text);

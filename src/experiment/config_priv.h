/*
 * Shared by the readers of the sections. Each records its problems and continues. A map node
 * without a line comes from a dotted name ("--set a.b=v") and is merged into the existing value;
 * any other map replaces it.
 */
#pragma once

#include "experiment/section.h"
#include "option/value.h"

/* Sets all rows of tbl/experiment_keys.h to their defaults. */
void exp_keys_init(struct exp_config *experiment);
void exp_keys_done(struct exp_config *experiment);
/* Reads one value of the section ("launch"; "" for the top), by its name in the section. */
void exp_key_read(struct option_reader *reader, const char *section, const struct pl_yaml *name,
		  const struct pl_yaml *value, struct exp_config *experiment);
/* Returns whether a row begins with "section.". */
bool exp_section_exists(const char *section);
/* Adds the section's rows with their effective values; "" for the top. */
void exp_keys_to_json(const struct exp_config *experiment, const char *section, json_t *into);
/* Adds the rows that were set, as written. */
void exp_keys_explicit(const struct exp_config *experiment, const char *section, json_t *into);

/* Uses server.port and server.host for those of `launch`; different values are a problem. */
void exp_launch_join(struct exp_config *experiment, struct option_problems *problems);
/*
 * Reads the file in server.config and, like vLLM, uses its values only for arguments that are not
 * set.
 */
void exp_server_config_read(struct exp_config *experiment, bool fields_open,
			    struct option_problems *problems);
void exp_server_read(const struct vllm_catalog *catalog, struct option_reader *reader,
		     const struct pl_yaml *map, json_t *server);
void exp_benchmark_read(struct option_reader *reader, const struct pl_yaml *map,
			struct vllm_bench *bench, bool bench_set[VLLM_BENCH_COUNT]);

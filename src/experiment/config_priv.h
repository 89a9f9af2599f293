/*
 * What the files experiment*.c share: the sections' readers. Each notes its problems and goes on.
 * A map node without a line comes from a dotted name ("--set a.b=v") and is laid over what is
 * there; any other map takes its place.
 */
#pragma once

#include "experiment/section.h"
#include "option/value.h"

/* All rows of tbl/experiment_keys.h at their defaults. */
void exp_keys_init(struct exp_config *experiment);
void exp_keys_done(struct exp_config *experiment);
/* One value of the section ("launch"; "" for the top), by its name in the section. */
void exp_key_read(struct option_reader *reader, const char *section, const struct pl_yaml *name,
		  const struct pl_yaml *value, struct exp_config *experiment);
/* Does a row begin with "section."? */
bool exp_section_exists(const char *section);
/* The section's rows with their effective values; "" for the top. */
void exp_keys_to_json(const struct exp_config *experiment, const char *section, json_t *into);
/* Those of them that were set, as they were written. */
void exp_keys_asked(const struct exp_config *experiment, const char *section, json_t *into);

/* Takes server.port and server.host for those of `launch`; two that differ are a problem. */
void exp_launch_join(struct exp_config *experiment, struct option_problems *problems);
/* Takes in the file that server.config names, as vLLM does: below what is set already. */
void exp_server_config_read(struct exp_config *experiment, bool fields_open,
			    struct option_problems *problems);
void exp_server_read(const struct vllm_catalog *catalog, struct option_reader *reader,
		     const struct pl_yaml *map, json_t *server);
void exp_benchmark_read(struct option_reader *reader, const struct pl_yaml *map,
			struct vllm_bench *bench, bool bench_set[VLLM_BENCH_COUNT]);

/*
 * `profllm validate --schema NAME`: files against a schema of api/.
 */
#pragma once

#include <stdbool.h>

/*
 * Every fault of every file, a line each or one JSON object; '-' is standard input. Files are JSON,
 * lines of it (.jsonl) or YAML (.yaml, .yml), and packed (.zst). Returns the exit status.
 */
int cli_schema_validate(const char *name, char **files, int file_count, bool as_json);

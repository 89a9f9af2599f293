/* `profllm validate --schema NAME`: validates files against a schema of api/. */
#pragma once

#include <stdbool.h>

/*
 * Prints every fault of every file, one per line or as one JSON object; '-' is standard input. Files are JSON, JSON
 * lines (.jsonl) or YAML (.yaml, .yml), also compressed (.zst). Returns the exit status.
 */
int cli_schema_validate(const char *name, char **files, int file_count, bool as_json);

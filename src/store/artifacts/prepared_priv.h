/* Prepared files, for the rest of the store. */
#pragma once

struct store_files;

/* Removes the files whose artifact is gone. */
void store_prepared_sweep(const struct store_files *files);
/* Removes the files of one artifact. */
void store_prepared_drop(const struct store_files *files, const char *sha256);

/* Prepared files, for the rest of the store. */
#pragma once

struct store_files;

/* Removes the files whose artifact is gone. */
void store_prepared_sweep(const struct store_files *files);

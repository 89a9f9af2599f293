/* Names that earlier versions wrote or accepted: the rows of src/tbl/former_names.h. */
#pragma once

#include <jansson.h>

/*
 * Renames the keys and values of a document, and of the runs in it, in place. If the current name
 * of a key also occurs, the former one remains, so that validation rejects it. Does nothing if the
 * document is not an object.
 */
void schema_rename_former(json_t *document);
/* The same for one run of a sweep. */
void schema_rename_former_run(json_t *run);

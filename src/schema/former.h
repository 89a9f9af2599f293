/*
 * Names that earlier versions wrote or accepted: the rows of src/tbl/former_names.h.
 */
#pragma once

#include <jansson.h>

/* Renames the keys and values of a document, and of the runs in it, in place. A key whose present name occurs, too,
 * keeps its former name, so that a check refuses it. Other types than objects are left as they are. */
void schema_rename_former(json_t *document);
/* The same for one run of a sweep. */
void schema_rename_former_run(json_t *run);

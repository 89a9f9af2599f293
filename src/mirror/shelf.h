/*
 * The numbers of columns that questions want in order (numbers.h), kept from one to the next. Any number of
 * threads may ask; none of them waits for another.
 */
#pragma once

#include "mirror/numbers.h"

struct shelf;
struct shelf *mirror_shelf_new(size_t columns);
void mirror_shelf_free(struct shelf *shelf);

/*
 * Of most rows of these segments: mirror_numbers_put(). NULL: they are not there, and are made when the column is asked for
 * once more, since what is asked for once is counted faster without. Those used least are dropped where they take more
 * than SHELF_ROW_BYTES a row.
 */
#define SHELF_ROW_BYTES 128
struct numbers *mirror_shelf_take(const struct mirror_column *column, const struct mask *masks,
				  size_t segments);
/* Memory that they take. */
size_t mirror_shelf_bytes(struct shelf *shelf);

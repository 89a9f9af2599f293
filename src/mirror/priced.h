/*
 * Fields computed from columns and prices (result/fields/priced.h): cost and carbon. Each is a column of every view.
 * - A snapshot has the prices of the time when it was published, and their columns. New prices have new columns, which
 *   the first query computes; later rows are added on the next use.
 */
#pragma once

#include "mirror/mirror.h"
#include "result/fields/priced.h"

/* For the writer: these prices apply from the next publish on. Takes them over. A new mirror has none. */
void mirror_set_prices(struct mirror *mirror, struct res_prices *prices);

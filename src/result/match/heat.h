/*
 * Heat maps of matched configurations: the mean difference for each pair of values of two inputs.
 *
 *  heat_map: {x, y: field or null}, and in each metric
 *  heat_map: {log_ratio: [[mean or null]], count: [[configurations]]}: a row per value of y, and in
 *            it a column per value of x; one row or column without such an axis
 */
#pragma once

#include "base/json.h"

#define RES_HEAT_AXIS_MAX 200 /* values; an input with more cannot be an axis */

/*
 * Adds the members to the JSON of a grid (result/match/grid.h). `chosen` are the fields of x and y;
 * NULL: those with the most values, and not two that only repeat each other, such as server.model
 * and benchmark.model. An axis in which the configurations do not differ is null.
 */
void res_heat_add(json_t *grid, const char *const *chosen, size_t count);

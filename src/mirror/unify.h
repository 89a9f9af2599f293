/* One text for JSON values that are equal. */
#pragma once

/*
 * Returns the compact JSON with each whole number as an integer ({"a":3.0} as {"a":3}), so that equal values have equal
 * texts. free(); NULL: the text already has this form.
 * - Only for comparisons in memory. The database and content hashes have numbers as documents wrote them.
 */
char *mirror_json_unify(const char *text);

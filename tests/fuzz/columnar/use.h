/* Reads all that a reader of columnar/ returned, so that a sanitizer finds what it should not have returned. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "columnar/columnar.h"

#define USE_LIMITS ((struct columnar_limits){ .bytes = 1 << 20, .rows = 1 << 16 })

static volatile uint64_t use_sum;

static inline void use_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		use_sum += (unsigned char)text[i];
}

static inline void use_schema(const struct columnar_schema *schema)
{
	for (size_t i = 0; i < schema->count; i++) {
		const struct columnar_field *field = &schema->fields[i];
		use_text(field->name, strlen(field->name));
		use_text(columnar_type_name(field->type), 3);
		for (size_t k = 0; k < field->pair_count; k++)
			use_text(field->pairs[k].value, strlen(field->pairs[k].value));
	}
}

static inline void use_values(enum columnar_type type, const struct columnar_values *values)
{
	for (size_t row = 0; row < values->count; row++) {
		uint32_t at = columnar_values_at(values, row);
		if (at == COLUMNAR_NULL)
			continue;
		if (at >= values->distinct)
			abort();
		if (type == COLUMNAR_TEXT)
			use_text(values->texts[at].bytes, values->texts[at].len);
		else if (type == COLUMNAR_YES)
			use_sum += values->yes[at];
		else if (type == COLUMNAR_F64)
			use_sum += values->f64[at] > 0;
		else
			use_sum += (uint64_t)values->i64[at];
	}
}

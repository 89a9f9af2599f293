/* Reads any bytes as an Arrow file or stream: refused, or all columns of all batches. Every value is used. */
#include "columnar/arrow/arrow.h"
#include "../use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_columnar_arrow struct columnar_arrow *arrow = NULL;
	struct columnar_values values;
	struct pl_err err = PL_ERR_INIT;

	if (columnar_arrow_open(data, size, &USE_LIMITS, &arrow, &err) < 0)
		return 0;
	const struct columnar_schema *schema = columnar_arrow_schema(arrow);
	use_schema(schema);
	for (size_t i = 0; i < columnar_arrow_batches(arrow); i++) {
		for (size_t k = 0; k < schema->count; k++) {
			if (columnar_arrow_read(arrow, i, k, &values, &err) < 0)
				continue;
			if ((int64_t)values.count != columnar_arrow_batch_rows(arrow, i))
				abort();
			use_values(schema->fields[k].type, &values);
		}
	}
	return 0;
}

/*
 * The metrics of a result as a request of the OpenTelemetry protocol: ExportMetricsServiceRequest in the JSON encoding of
 * OTLP 1.x. Each number of results.* and derived.* is one gauge "profllm.ID" with one data point, its unit in UCUM and its
 * definition. The run is the resource: service.name, service.version, profllm.run_id, .suite, .name, .model,
 * .engine_version, .status and .verdict, those that the result has.
 */
#pragma once

#include "result/fields/fields.h"

/*
 * time_ns: Unix time of the data points. *ret_count: number of metrics; may be NULL. A result without metrics gives a
 * request without any. New reference.
 */
json_t *res_otlp_request(const struct res_fields *fields, const json_t *result,
			 const char *program_version, int64_t time_ns, size_t *ret_count);

#include "store/db/tables.h"

const char *const store_tables[] = {
	"annotations",
	"artifacts",
	"baselines",
	"benchmark_changes",
	"benchmark_documents",
	"benchmark_edits",
	"benchmark_runs",
	"benchmark_texts", /* PostgreSQL only */
	"decisions",
	"dictionaries",
	"document_places",
	"holds",
	"job_bytes",
	"job_files",
	"job_items",
	"job_parts",
	"jobs",
	"presets",
	"prices",
	"sessions",
	"store_form", /* PostgreSQL only */
	"store_state",
	"sweeps",
	"views",
	"watch_states",
	"watches",
	NULL,
};

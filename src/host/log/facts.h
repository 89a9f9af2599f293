/* Facts about the engine from a server's log: the rows LOG_FACT and LOG_READ of tbl/log_lines.h. */
#pragma once

#include "base/json.h"

#include <stdbool.h>

struct host_log_line;

enum host_log_fact {
#define LOG_FACT(name, type, keep) HOST_FACT_##name,
#include "tbl/log_lines.h"
	HOST_FACT_COUNT
};

struct host_log_facts {
	bool known[HOST_FACT_COUNT];
	double number[HOST_FACT_COUNT]; /* COUNT NUMBER BYTES YES */
	char *text[HOST_FACT_COUNT];    /* TEXT */
};

void host_log_facts_take(struct host_log_facts *facts, const struct host_log_line *line);
void host_log_facts_done(struct host_log_facts *facts);
json_t *host_log_facts_json(const struct host_log_facts *facts);

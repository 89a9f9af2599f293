/*
 * Parts of the log's reader: a line behind its prefixes, and what phases, facts and causes make of
 * it.
 */
#ifndef HOST_LOG_SERVER_LOG_PRIV_H
#define HOST_LOG_SERVER_LOG_PRIV_H

#include "host/log/server_log.h"

#define HOST_LOG_LINE_BYTES_MAX 16384
#define HOST_LOG_WORD_BYTES     48
#define HOST_LOG_TOLD_BYTES     512

enum host_log_level { HOST_LOG_NO_LEVEL, HOST_LOG_QUIET, HOST_LOG_WARNING, HOST_LOG_ERROR };

struct host_log_line {
	const char *body; /* behind all prefixes; indentation of the message kept */
	char speaker[HOST_LOG_WORD_BYTES]; /* "EngineCore", "Worker_TP0"; "": not said */
	char source[HOST_LOG_WORD_BYTES];  /* "core.py"; "": not said */
	enum host_log_level level;
	bool stamped;
	int64_t stamp_ns;
};

/* Removes escape sequences and control bytes in place; no NUL is left but the last. */
size_t host_log_line_clean(char *text, size_t len);
/* `text` is clean and changed in place where a line is wrapped in JSON; `body` points into it. */
void host_log_line_read(char *text, int64_t real_ns, struct host_log_line *ret);

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

void host_log_phases_take(struct host_log_moment *moments, const struct host_log_line *line,
			  const struct host_log_time *seen);

/* Who says it, the better witness the higher. */
enum host_log_witness { HOST_LOG_NOBODY, HOST_LOG_VAGUE, HOST_LOG_FRONT, HOST_LOG_ENGINE };

struct host_log_causes {
	const char *cause;
	enum host_log_witness witness;
	char said[HOST_LOG_TOLD_BYTES];
	/* the first exception that no row knows */
	enum host_log_witness exception_witness;
	char exception[HOST_LOG_TOLD_BYTES];
	bool worker_killed; /* by SIGKILL, says the engine */
	bool in_config;     /* a frame of the traceback makes the configuration */
	unsigned details;   /* lines that may still belong to a pydantic exception */
};

void host_log_causes_take(struct host_log_causes *causes, const struct host_log_line *line,
			  bool listening);

#endif

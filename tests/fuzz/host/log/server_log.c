/*
 * Any bytes as a server's log, whole and cut in two pieces: the same facts, phases, cause, hint and
 * tail, and a result can hold all of it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/log/server_log.h"

#define TAIL_LINES 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct host_log_time now = { .mono_ns = 1, .real_ns = 1772690828000000000 };

static void check_same(const struct host_server_log *a, const struct host_server_log *b)
{
	auto_json json_t *facts_a = host_server_log_facts(a), *facts_b = host_server_log_facts(b);
	auto_json json_t *tail_a = host_server_log_tail(a), *tail_b = host_server_log_tail(b);
	const char *reported = host_server_log_cause_name(a),
		   *line = host_server_log_cause_quote(a);

	if (!json_equal(facts_a, facts_b) || !json_equal(tail_a, tail_b) ||
	    json_array_size(tail_a) > TAIL_LINES)
		abort();
	for (size_t i = 0; i < HOST_LOG_PHASE_COUNT; i++) {
		if (host_server_log_phase_ns(a, (enum host_log_phase)i) !=
		    host_server_log_phase_ns(b, (enum host_log_phase)i))
			abort();
	}
	if (reported == NULL)
		return;
	auto_json json_t *text = pl_json_text(line);
	if (text == NULL || !pl_text_equal(reported, host_server_log_cause_name(b)) ||
	    strcmp(line, host_server_log_cause_quote(b)) != 0 ||
	    host_server_log_hint(a) != host_server_log_hint(b))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct host_death death = { .signal_number = 9 };
	auto_server_log struct host_server_log *whole = host_server_log_new(TAIL_LINES);
	auto_server_log struct host_server_log *pieces = host_server_log_new(TAIL_LINES);
	size_t cut = size > 0 ? data[0] * size / 255 : 0;

	host_server_log_feed(whole, (const char *)data, size, &now);
	host_server_log_end(whole);
	host_server_log_feed(pieces, (const char *)data, cut, &now);
	host_server_log_feed(pieces, (const char *)data + cut, size - cut, &now);
	host_server_log_end(pieces);
	check_same(whole, pieces);
	if (host_server_log_cause(whole, &death)[0] == '\0')
		abort();
	return 0;
}

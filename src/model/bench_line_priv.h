/* What the files bench_line*.c share. */
#ifndef MODEL_BENCH_LINE_PRIV_H
#define MODEL_BENCH_LINE_PRIV_H

#include "model/bench_line.h"

/* "--random-input-len"; the caller's (free()). */
char *md_bench_flag_of(enum md_bench_id id);
/* Warns of options that change nothing on this line. */
void md_bench_line_check_idle(struct md_bench_line *line);
/* A fault about a word; takes `text`; hint NULL: none. Borrowed until the next one. */
struct md_bench_fault *md_bench_fault_add(struct md_bench_line *line, size_t word, char *text,
					  const char *hint);
/* A text in quotes, as Python's repr() shows it; the caller's (free()). */
char *md_bench_repr(const char *text);
/* Several words: at least how many, -1 for one word only. */
int md_bench_words_least(enum md_bench_id id);
/*
 * The typed value of the words behind a flag, as Python's int(), float() and json.loads() read
 * them. NULL with a fault.
 */
json_t *md_bench_value_read(struct md_bench_line *line, enum md_bench_id id, size_t word,
			    const char *const *texts, size_t count);

#endif

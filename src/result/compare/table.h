/*
 * A comparison (result/compare/compare.h) as people read it: what is compared, with what care, what differs, and
 * each figure of every side against the first. Both append.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

/* For a terminal; colour: ANSI codes. */
void res_compare_text(const json_t *comparison, bool colour, struct pl_buf *buf);
void res_compare_markdown(const json_t *comparison, struct pl_buf *buf);

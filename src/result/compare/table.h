/*
 * A comparison (result/compare/compare.h) as text: what is compared, cautions, differences, and
 * each metric of every side against the first. Both functions append.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

/* For a terminal; colour: use ANSI codes. */
void res_compare_text(const json_t *comparison, bool color, struct pl_buf *buf);
void res_compare_markdown(const json_t *comparison, struct pl_buf *buf);

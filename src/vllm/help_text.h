/*
 * Parses vLLM's help (`vllm serve --help=all`) into arguments. The text is argparse's:
 *
 *   ParallelConfig:                        heading of a group, followed by its description
 *     --nnodes NNODES, -n NNODES           an argument, indented by two; a value's name or choices
 *                      num of nodes …      its help, further indented or after two blanks
 *                      (default: 1)        at the end of the help, as printed by Python
 *
 * It lacks types other than choices and defaults, bounds, and whether a value may be null.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "vllm/catalog.h"

#include <stdbool.h>
#include <stddef.h>

/* The list owns the texts. */
struct vllm_help_arg {
	const char *flag;             /* the first long one, "--nnodes" */
	const char *aliases;          /* the others, separated by blanks; NULL: none */
	const char *negative_flag;    /* NULL: none */
	const char *negative_aliases; /* further ones, separated by blanks; NULL: none */
	const char *undecided;        /* flags of a switch with unknown sense; NULL: none */
	int line;                     /* first line, from 1 */
	const char *group;            /* "" for those under "options:" */
	enum option_style style;      /* a REPEAT looks like a VALUE here */
	json_t *choices;              /* array of texts without None; NULL: any value */
	bool choices_open;            /* informative only: the parser accepts others */
	bool takes_none;              /* None is one of the choices */
	const char *default_text;     /* as printed, with collapsed blanks; NULL: not printed */
	const char *help;             /* without the default */
};

struct vllm_help;
/* Returns an error if the text contains no argument. */
int vllm_help_parse(const char *text, size_t len, struct vllm_help **ret,
		    struct pl_err *err) PL_MUST_CHECK;
void vllm_help_free(struct vllm_help *help);
PL_AUTO_DEFINE(struct vllm_help, vllm_help_free);
#define auto_help PL_AUTO(vllm_help_free)

size_t vllm_help_count(const struct vllm_help *help);
const struct vllm_help_arg *vllm_help_at(const struct vllm_help *help, size_t i);

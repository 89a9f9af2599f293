/*
 * vLLM's own help (`vllm serve --help=all`) read back into arguments. The text is argparse's:
 *
 *   ParallelConfig:                        a group's heading, its description below
 *     --nnodes NNODES, -n NNODES           an argument, two blanks in; a value's name or choices
 *                      num of nodes …      its help, further in or behind two blanks
 *                      (default: 1)        at the end of the help, as Python prints it
 *
 * What it cannot say: types beyond choices and defaults, bounds, and whether a value may be null.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "vllm/catalog.h"

#include <stdbool.h>
#include <stddef.h>

/* The texts are the list's own. */
struct vllm_help_arg {
	const char *flag;             /* the first long one, "--nnodes" */
	const char *aliases;          /* the others, separated by blanks; NULL: none */
	const char *negative_flag;    /* NULL: none */
	const char *negative_aliases; /* further ones, separated by blanks; NULL: none */
	const char *undecided;        /* a switch's flags of unknown sense; NULL: none */
	int line;                     /* where it begins, from 1 */
	const char *group;            /* "" for those under "options:" */
	enum option_style style;      /* a REPEAT looks like a VALUE here */
	json_t *choices;              /* array of texts, None left out; NULL: any value */
	bool choices_open;            /* named for people only: the parser takes others */
	bool takes_none;              /* None is one of the choices */
	const char *default_text;     /* as printed, blanks collapsed; NULL: not printed */
	const char *help;             /* without the default */
};

struct vllm_help;
/* An error when there is no argument in it. */
int vllm_help_parse(const char *text, size_t len, struct vllm_help **ret,
		    struct pl_err *err) PL_MUST_CHECK;
void vllm_help_free(struct vllm_help *help);
PL_AUTO_DEFINE(struct vllm_help, vllm_help_free);
#define auto_help PL_AUTO(vllm_help_free)

size_t vllm_help_count(const struct vllm_help *help);
const struct vllm_help_arg *vllm_help_at(const struct vllm_help *help, size_t i);

/*
 * Prints the problems of a file on standard error, each line starting with its location, so that editors can open it.
 */
#pragma once

#include "option/problem.h"

void cli_print_problems(const struct option_problems *problems);

/* Problems of a file as lines on standard error, each beginning with its place, so that editors find it. */
#pragma once

#include "option/problem.h"

void cli_print_problems(const struct option_problems *problems);

/* Writes the page /metrics. */
#pragma once

#include "base/buf.h"

struct sim_server;

void sim_scrape(struct sim_server *server, struct pl_buf *out);

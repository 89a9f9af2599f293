/*
 * The page /metrics.
 */
#ifndef SIM_SCRAPE_H
#define SIM_SCRAPE_H

#include "base/buf.h"

struct sim_server;

void sim_scrape(struct sim_server *server, struct pl_buf *out);

#endif

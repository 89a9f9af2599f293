/*
 * The proxy that a response came through, as far as its headers name one.
 */
#pragma once

struct io_http_head;

/* "nginx, by the header Server"; NULL: no header names one. Static. */
const char *bench_via_of(const struct io_http_head *head);

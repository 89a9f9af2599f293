/* The proxy that forwarded a response, if its headers name one. */
#pragma once

struct io_http_head;

/* Returns "nginx, by the header Server"; NULL: no header names one. Static. */
const char *bench_via_of(const struct io_http_head *head);

/*
 * Which values the process treats as secrets by their names; base/redact.h then searches for them.
 */
#pragma once

/* The variables of this process's environment with a secret's name, and passwords in their URLs. */
void option_secret_know_env(void);
/* The passwords and tokens in the URLs of a text; NULL: none. */
void option_secret_know_urls(const char *text);
/* The parts of `text` that are "***" in `shown`, which is the same text otherwise. */
void option_secret_know_hidden(const char *text, const char *shown);
/*
 * "NAME=value" of a request header: its value, without a scheme such as "Bearer". Values of headers
 * such as Content-Type and Accept are none.
 */
void option_secret_know_header(const char *header);

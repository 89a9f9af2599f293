/*
 * Registers the values that the process treats as secrets because of their names; base/redact.h
 * then searches for them.
 */
#pragma once

/*
 * Registers the variables of this process's environment with a secret's name, and passwords in
 * their URLs.
 */
void option_secret_know_env(void);
/* Registers the passwords and tokens in the URLs of a text; ignores NULL. */
void option_secret_know_urls(const char *text);
/* Registers the parts of `text` that are "***" in `shown`, which is otherwise the same text. */
void option_secret_know_hidden(const char *text, const char *shown);
/*
 * Registers the value of a request header "NAME=value", without a scheme such as "Bearer". Headers
 * such as Content-Type and Accept are not secret.
 */
void option_secret_know_header(const char *header);

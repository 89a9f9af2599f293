/*
 * /tokenize, /detokenize and /tokenizer_info.
 */
#pragma once

struct sim_conn;

void sim_tokenize(struct sim_conn *conn);
void sim_detokenize(struct sim_conn *conn);
void sim_tokenizer_info(struct sim_conn *conn);

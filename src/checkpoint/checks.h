/*
 * What vLLM would find in a model after a minute of starting, found from its files at once.
 *
 *   rule                          severity
 *   model_not_found               warning; error for a folder without config.json
 *   model_config_broken           error: config.json cannot be read
 *   weight_files_broken           error: a weight file is cut short or no weight file
 *   weight_files_missing          warning: the index names files that are not here
 *   attention_heads_divide_by_tp  error
 *   kv_heads_divide_by_tp         error; warning for a family without a row in tbl/model_types.h
 *   layers_fill_pp                error
 *   max_model_len_within_model    error; warning with VLLM_ALLOW_LONG_MAX_MODEL_LEN
 *   batched_tokens_reach_model    error: no chunked prefill, and the model's own length is longer
 *   quantization_matches_model    error; warning where a method is not known
 *   dtype_suits_model             error
 *   dtype_suits_gpu               error
 *   lora_rank_within_max          error
 */
#pragma once

#include "checkpoint/case.h"
#include "option/problem.h"

/* A fact that is not known breaks no rule. */
void ckpt_checks(const struct ckpt_case *server, struct option_problems *problems);

/*
 * Errors that vLLM would report after a minute of startup, found at once from the model's files.
 *
 *   rule                          severity
 *   model_not_found               warning; error for a directory without config.json
 *   model_config_broken           error: config.json cannot be read
 *   weight_files_broken           error: a weight file is truncated or not a weight file
 *   weight_files_missing          warning: the index names missing files
 *   attention_heads_divide_by_tp  error
 *   kv_heads_divide_by_tp         error; warning for a family without a row in tbl/model_types.h
 *   layers_fill_pp                error
 *   max_model_len_within_model    error; warning with VLLM_ALLOW_LONG_MAX_MODEL_LEN
 *   batched_tokens_reach_model    error: no chunked prefill, and the maximum length of the model is longer
 *   quantization_matches_model    error; warning for an unknown method
 *   dtype_suits_model             error
 *   dtype_suits_gpu               error
 *   lora_rank_within_max          error
 */
#pragma once

#include "checkpoint/case.h"
#include "option/problem.h"

/* An unknown fact violates no rule. */
void ckpt_checks(const struct ckpt_case *server, struct option_problems *problems);

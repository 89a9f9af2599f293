/*
 * The sources of prompts: the values of `dataset_name`, in vLLM's order. Choices, checks, planning, help and the
 * generator's table of datasets are made from these rows (experiment/kinds.h, bench/data/dataset.c).
 *
 * DATASET(id, name, state, origin, traits)
 *   state    NOW: bench_dataset_ID of src/bench/data/ makes it; LATER: only vLLM's own client does
 *   origin   VLLM, or OLD_VLLM (of older releases: accepted in an experiment file, not on the command line)
 *   traits   of enum exp_dataset_trait: its requirements and properties
 * Undefined again at the end.
 */
DATASET(sharegpt, "sharegpt", NOW, VLLM, EXP_DATASET_FILE)
DATASET(burstgpt, "burstgpt", NOW, VLLM, EXP_DATASET_FILE | EXP_DATASET_TOKENS)
DATASET(random, "random", NOW, VLLM, EXP_DATASET_TOKENS | EXP_DATASET_WHOLE_OUTPUT)
DATASET(random_mm, "random-mm", NOW, VLLM,
	EXP_DATASET_TOKENS | EXP_DATASET_WHOLE_OUTPUT | EXP_DATASET_IMAGES)
DATASET(random_rerank, "random-rerank", NOW, VLLM, EXP_DATASET_TOKENS | EXP_DATASET_PAIRS)
DATASET(hf, "hf", NOW, VLLM, EXP_DATASET_FILE)
DATASET(custom, "custom", NOW, VLLM, EXP_DATASET_FILE | EXP_DATASET_UNCOUNTED | EXP_DATASET_ALL)
DATASET(custom_audio, "custom_audio", NOW, VLLM,
	EXP_DATASET_FILE | EXP_DATASET_UNCOUNTED | EXP_DATASET_ALL | EXP_DATASET_AUDIO)
DATASET(custom_image, "custom_image", NOW, VLLM,
	EXP_DATASET_FILE | EXP_DATASET_UNCOUNTED | EXP_DATASET_ALL | EXP_DATASET_IMAGES)
DATASET(prefix_repetition, "prefix_repetition", NOW, VLLM, EXP_DATASET_TOKENS)
DATASET(spec_bench, "spec_bench", NOW, VLLM, EXP_DATASET_FILE | EXP_DATASET_ALL)
DATASET(speed_bench, "speed_bench", NOW, VLLM, EXP_DATASET_FILE | EXP_DATASET_ALL)
DATASET(timed_trace, "timed_trace", NOW, VLLM, EXP_DATASET_FILE | EXP_DATASET_TOKENS | EXP_DATASET_TIMED |
    EXP_DATASET_WHOLE_OUTPUT | EXP_DATASET_ALL)
DATASET(sonnet, "sonnet", NOW, OLD_VLLM, EXP_DATASET_FILE | EXP_DATASET_BUILT_IN)

#undef DATASET

/*
 * The datasets of the Hugging Face hub that `dataset_name` hf knows, in vLLM's order: the first row whose names hold the
 * dataset's name decides how records become prompts (bench/data/hf/classes.c).
 *
 * HF_CLASS(id, state, names, split, output_len, columns, traits, needs)
 *   state       NOW: bench_hf_make_ID makes the prompts; TOOLS: bfcl.c makes them; LATER: only vLLM's own client does
 *   names       of the hub, separated by blanks
 *   split       the default of hf_split; NULL: none
 *   output_len  the default of hf_output_len
 *   columns     that are read, separated by blanks
 *   traits      of enum hf_trait
 *   needs       what a row of state LATER has that is not sent
 * Undefined again at the end.
 */
HF_CLASS(vision_arena, LATER, "lmarena-ai/VisionArena-Chat lmarena-ai/vision-arena-bench-v0.1", "train", 128, "", 0, "images")
HF_CLASS(mmvu, LATER, "yale-nlp/MMVU", "validation", 128, "", 0, "videos")
HF_CLASS(instruct_coder, NOW, "likaixin/InstructCoder", "train", 200, "input instruction", HF_TEMPLATED, NULL)
HF_CLASS(mt_bench, NOW, "philschmid/mt-bench", "train", 256, "turns", HF_TEMPLATED, NULL)
HF_CLASS(human_eval, NOW, "openai/openai_humaneval", "test", 256, "prompt", HF_TEMPLATED, NULL)
HF_CLASS(gsm8k, NOW, "openai/gsm8k", "test", 256, "question", HF_TEMPLATED, NULL)
HF_CLASS(multi_modal_conversation, LATER, "lmms-lab/LLaVA-OneVision-Data", NULL, 0, "", 0, "images")
HF_CLASS(conversation, NOW, "Aeala/ShareGPT_Vicuna_unfiltered", NULL, 0, "conversations", HF_MEASURED, NULL)
HF_CLASS(aimo, NOW, "AI-MO/aimo-validation-aime AI-MO/NuminaMath-1.5 AI-MO/NuminaMath-CoT", "train", 0, "problem solution",
    HF_MEASURED | HF_LONG, NULL)
HF_CLASS(next_edit, NOW, "zed-industries/zeta", "train", 0, "events input output", HF_MEASURED | HF_ANY_LENGTH, NULL)
HF_CLASS(asr, LATER,
    "openslr/librispeech_asr facebook/voxpopuli LIUM/tedlium edinburghcstr/ami speechcolab/gigaspeech kensho/spgispeech "
    "ArtificialAnalysis/Earnings22-Cleaned-AA D4nt3/esb-datasets-earnings22-validation-tiny-filtered",
    "train", 1024, "", 0, "audio")
HF_CLASS(blazedit, NOW, "vdaita/edit_5k_char vdaita/edit_10k_char", "train", 4000, "code change_request norm_distance",
    HF_TEMPLATED, NULL)
HF_CLASS(mlperf, NOW, "mgoin/mlperf-inference-llama2-data mgoin/mlperf-inference-llama3.1-data", "train", 0,
    "system_prompt question output", HF_TEMPLATED | HF_MEASURED | HF_BARE_OUTPUT, NULL)
HF_CLASS(mm_star, LATER, "Lin-Chen/MMStar", "val", 128, "", 0, "images")
HF_CLASS(bfcl, TOOLS, "gorilla-llm/Berkeley-Function-Calling-Leaderboard", NULL, 512, "question function", HF_TOOLS, NULL)

#undef HF_CLASS

#!/bin/sh
# Submit it with sbatch. 120 s before the time limit, Slurm sends SIGTERM: the run stops its
# server and writes the requests that finished.
#SBATCH --job-name=llama-3-8b-tp2
#SBATCH --output=llama-3-8b-tp2-%j.log
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gpus-per-node=4
#SBATCH --partition=gpu
#SBATCH --time=02:00:00
#SBATCH --signal=B:TERM@120

set -eu
: "${HF_TOKEN:?set it in the environment of sbatch}"
: "${VLLM_API_KEY:?set it in the environment of sbatch}"
base=${SLURM_SUBMIT_DIR:-.}/llama-3-8b-tp2-${SLURM_JOB_ID:-0}
cat >"$base.yaml" <<'END_OF_EXPERIMENT'
name: "Llama 3 8B, TP2"
server:
  model: meta-llama/Meta-Llama-3-8B
  tensor_parallel_size: 2
  pipeline_parallel_size: 2
launch:
  container: null
  env:
    HF_TOKEN: "${HF_TOKEN}"
    VLLM_LOGGING_LEVEL: INFO
    VLLM_API_KEY: "${VLLM_API_KEY}"
  ready_timeout: "1200s"
benchmark:
  num_prompts: 100
  backend: openai-chat
END_OF_EXPERIMENT
exec profllm run --config "$base.yaml" --output "$base.json"

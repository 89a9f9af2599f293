// Result files: one of the simulator, and copies that differ where a test needs it.
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const RUN_TIMEOUT_MS = 120_000
export type Document = any

export const program = (name: string) => join(process.env['PROFLLM_BIN'] as string, name)

const LOAD = {
  backend: 'openai',
  dataset_name: 'random',
  random_input_len: 32,
  random_output_len: 8,
  num_prompts: 20,
  max_concurrency: 4,
}

// `profllm run` starts the simulator itself. The load of the tests is short; pictures want one of several seconds.
export async function ownResult(folder: string, name = 'ours', load: object = LOAD): Promise<string> {
  const path = join(folder, `${name}.json`)
  const config = join(folder, `${name}.yaml`) // JSON is YAML
  writeFileSync(
    config,
    JSON.stringify({
      name,
      suite: 'web',
      server: { model: 'sim/test', max_model_len: 2048, tensor_parallel_size: 1 },
      launch: { command: [program('profllm-sim'), 'serve'], extra_args: ['--sim-step', '2ms'] },
      benchmark: load,
    }),
  )
  await run(program('profllm'), ['run', '--config', config, '--output', path], { timeout: RUN_TIMEOUT_MS })
  return path
}

// vLLM's file, as `vllm bench serve --save-result` writes it, against a simulator that runs already. Ours
// has the whole result in a last key of its own; without that it is vLLM's.
export async function vllmResult(folder: string): Promise<string> {
  const server = spawn(program('profllm-sim'), ['serve', 'sim/test', '--port', '0', '--sim-step', '2ms'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    const port = await new Promise<string>((resolve, reject) => {
      let said = ''
      const hear = (part: Buffer) => {
        said += part.toString()
        const found = /http:\/\/[^\s:]+:(\d+)/.exec(said)
        if (found) resolve(found[1] as string)
      }
      server.stdout.on('data', hear)
      server.stderr.on('data', hear)
      server.on('exit', () => reject(new Error(`the simulator ended: ${said}`)))
    })
    await run(
      program('profllm'),
      [
        'bench',
        'serve',
        '--backend',
        'openai',
        '--base-url',
        `http://127.0.0.1:${port}`,
        '--model',
        'sim/test',
        '--dataset-name',
        'random',
        '--random-input-len',
        '32',
        '--random-output-len',
        '8',
        '--num-prompts',
        '20',
        '--save-result',
        '--result-dir',
        folder,
        '--result-filename',
        'vllm.json',
      ],
      { timeout: RUN_TIMEOUT_MS },
    )
  } finally {
    server.kill()
  }
  const { profllm: _, ...flat } = read(join(folder, 'vllm.json'))
  return write(folder, 'vllm.json', flat)
}

export const read = (path: string): Document => JSON.parse(readFileSync(path, 'utf8'))

export function write(folder: string, name: string, document: Document) {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document))
  return path
}

export interface Variant {
  name: string
  tensor_parallel_size?: number
  quantization?: string | null
  max_concurrency?: number
  model?: string
  p99_ttft_ms?: number | null
  output_throughput?: number
  verdict?: string
  gpu_name?: string
}

// Sets the verdict, and the checks and the client error that lead to it: those of a short run on a busy host differ.
function judge({ quality }: Document, verdict: string) {
  quality.verdict = verdict
  if (quality.measurement) Object.assign(quality.measurement, { share: 0.004, lo: -0.01, hi: 0.05 })
  for (const check of quality.checks ?? []) {
    if (check?.status !== 'over_limit' || check.effect === 'info') continue
    check.status = 'passed'
    check.value = check.id === 'rate_shortfall' ? 1 : (check.limit ?? 0) / 2
  }
  const idle = quality.checks?.find((check: Document | null) => check?.id === 'idle_slots')
  if (idle && verdict !== 'trusted')
    Object.assign(idle, {
      status: 'over_limit',
      effect: verdict,
      value: verdict === 'degraded' ? 0.07 : 0.12,
      limit: 0.05,
    })
}

let made = 0
// Returns a copy with its own run id, which also contains its time.
export function variant(base: Document, values: Variant): Document {
  const document = structuredClone(base)
  made += 1
  const number = String(made).padStart(6, '0')
  document.run_id = `exp_20261101_${number}_${number}`
  document.timestamp = new Date(Date.UTC(2026, 10, 1, 0, made)).toISOString()
  document.name = values.name
  const { server, benchmark } = document.config
  const set = (section: Document, key: string, value: unknown) => {
    section[key] = value
    const explicit = document.config.server_explicit
    if (section === server && Array.isArray(explicit) && !explicit.includes(key)) explicit.push(key)
    if (section === server && document.config.server_source) document.config.server_source[key] = 'explicit'
  }
  if (values.model !== undefined) set(server, 'model', values.model)
  if (values.tensor_parallel_size !== undefined) set(server, 'tensor_parallel_size', values.tensor_parallel_size)
  if (values.quantization !== undefined) set(server, 'quantization', values.quantization)
  if (values.max_concurrency !== undefined) set(benchmark, 'max_concurrency', values.max_concurrency)
  if (values.p99_ttft_ms !== undefined) document.results.p99_ttft_ms = values.p99_ttft_ms
  if (values.output_throughput !== undefined) document.results.output_throughput = values.output_throughput
  if (values.verdict !== undefined) judge(document, values.verdict)
  if (values.gpu_name !== undefined)
    document.system.hardware_info = {
      ...document.system.hardware_info,
      gpu_name: values.gpu_name,
      gpu_count: values.tensor_parallel_size ?? 1,
    }
  return document
}

// A result with the required keys only; the number is its p99 and the minute of its start.
export const little = (number: number) => ({
  run_id: `run_${String(number).padStart(3, '0')}`,
  suite: 'many',
  timestamp: new Date(Date.UTC(2026, 9, 1, 0, number)).toISOString(),
  duration: 1,
  config: { server: {}, benchmark: {} },
  results: { p99_ttft_ms: number },
  system: {},
  profiling: {},
  status: 'completed',
})

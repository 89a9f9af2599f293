// Results that look like those of a laboratory, and its sweeps: copies of one result of the simulator with invented
// values. The pictures of the documentation and the list of states are made from them.
import type { APIRequestContext } from '@playwright/test'

import { type Document, variant } from './results'

export const MODELS = ['meta-llama/Llama-3.1-70B-Instruct', 'Qwen/Qwen2.5-72B-Instruct', 'openai/gpt-oss-120b']
const GPUS: [string, number][] = [
  ['NVIDIA H100 80GB HBM3', 1],
  ['NVIDIA H200', 1.3],
  ['NVIDIA B200', 2.1],
]
const SIZES = [2, 4, 8]
const LOADS = [16, 64, 256]

// 108 results of three models on three GPUs.
export function laboratory(base: Document): Document[] {
  const documents: Document[] = []
  let at = 0
  for (const model of MODELS)
    for (const [gpu_name, speed] of GPUS)
      for (const size of SIZES)
        for (const load of LOADS) {
          const wave = 1 + 0.17 * Math.sin(++at * 2.39)
          const output = 38 * speed * size * load ** 0.62 * wave
          const document = variant(base, {
            name: `${model.split('/')[1]?.split('-').slice(0, 2).join('-').toLowerCase()}-${gpu_name.split(' ')[1]?.toLowerCase()}-tp${size}-c${load}`,
            model,
            gpu_name,
            tensor_parallel_size: size,
            max_concurrency: load,
            quantization: at % 4 === 0 ? null : at % 3 === 0 ? 'nvfp4' : 'fp8',
            output_throughput: output,
            p99_ttft_ms: ((60 + load * 5.5) / speed / Math.sqrt(size)) * wave * 2.3,
            verdict: at % 7 === 4 ? 'degraded' : at % 16 === 2 ? 'client_limited' : 'trusted',
          })
          const { results } = document
          results.median_ttft_ms = results.p99_ttft_ms / 3.1
          results.median_tpot_ms = ((9 + load / 7) / speed / Math.sqrt(size)) * wave
          results.p99_tpot_ms = results.median_tpot_ms * 1.4
          results.median_e2el_ms = results.median_ttft_ms + 256 * results.median_tpot_ms
          results.energy_per_token_j = at % 5 === 0 ? null : (3.1 / output) * 400 * wave
          for (const key of Object.keys(results)) if (/_ci95$/.test(key)) results[key] = null
          document.environment.engine = {
            ...document.environment.engine,
            simulated: at % 11 === 3,
            name: at % 11 === 3 ? 'profllm-sim' : 'vllm',
            version: at % 11 === 3 ? '0.1.0' : '0.32.0',
          }
          documents.push(document)
        }
  return documents
}

const SPREADS: [string, number][] = [
  ['mean', 1.15],
  ['median', 1],
  ['p1', 0.55],
  ['p5', 0.64],
  ['p10', 0.7],
  ['p25', 0.84],
  ['p50', 1],
  ['p75', 1.2],
  ['p90', 1.55],
  ['p95', 2],
  ['p99', 3.1],
  ['p99.9', 5.4],
]
const SIDES = [
  {
    name: 'qwen72-h200-fp8-tp8-c64',
    gpu_name: 'NVIDIA H200',
    quantization: 'fp8',
    version: '0.32.0',
    ttft_ms: 108.6,
    tpot_ms: 18.3,
    output: 3424,
    start: 1,
  },
  {
    name: 'qwen72-h100-fp8-tp8-c64',
    gpu_name: 'NVIDIA H100 80GB HBM3',
    quantization: 'fp8',
    version: '0.31.2',
    ttft_ms: 175.9,
    tpot_ms: 29.5,
    output: 2128,
    start: 1.3,
  },
  {
    name: 'qwen72-b200-nvfp4-tp8-c64',
    gpu_name: 'NVIDIA B200',
    quantization: 'nvfp4',
    version: '0.32.0',
    ttft_ms: 101.9,
    tpot_ms: 10.8,
    output: 5824,
    start: 0.8,
  },
]

// Three experiments with percentiles, intervals and start phases.
export function sides(base: Document): Document[] {
  return SIDES.map(({ ttft_ms, tpot_ms, output, version, start, ...values }, at) => {
    const document = variant(base, {
      ...values,
      model: 'Qwen/Qwen2.5-72B-Instruct',
      tensor_parallel_size: 8,
      max_concurrency: 64,
      output_throughput: output,
      verdict: at === 1 ? 'degraded' : 'trusted',
    })
    const { results } = document
    const set = (key: string, value: number, share: number) => {
      results[key] = value
      results[`${key}_ci95`] = share > 0.4 ? null : [value * (1 - share), value * (1 + 1.2 * share)]
    }
    for (const [family, middle] of Object.entries({
      ttft_ms,
      tpot_ms,
      itl_ms: tpot_ms * 0.97,
      e2el_ms: ttft_ms + 255 * tpot_ms,
    }))
      for (const [statistic, factor] of SPREADS)
        set(
          `${statistic}_${family}`,
          middle * (family === 'ttft_ms' ? factor : factor ** 0.5),
          factor > 5 ? 1 : factor > 3 ? 0.17 : factor > 1.9 ? 0.05 : 0.02,
        )
    set('output_throughput', output, 0.01)
    document.environment.engine = { ...document.environment.engine, simulated: false, name: 'vllm', version }
    for (const [i, phase] of Object.keys(document.launch.phases)
      .filter((key) => key.endsWith('_s'))
      .entries())
      document.launch.phases[phase] = Math.round(start * (i + 1) ** 1.7 * 97) / 100
    return document
  })
}

const SEQS = [64, 128, 256, 512]
const AT_ONCE = [8, 16, 32, 64, 128, 256]
const MINUTE = 60_000

// A sweep that ran server by server; one server ran out of memory.
function statusOf(size: number, seqs: number, load: number) {
  if (load > seqs)
    return {
      status: 'skipped',
      cause: 'load_above_max_num_seqs',
      message: 'max_concurrency is above max_num_seqs: requests would wait for the load alone',
    }
  if (size === 4 && seqs === 512)
    return { status: 'launch_failed', cause: 'out_of_memory', message: 'no available memory for the cache blocks' }
  if (size === 8 && seqs === 256 && load === 64) return { status: 'running' }
  if (size === 8 && (seqs === 512 || (seqs === 256 && load > 32))) return { status: 'missing' }
  return size === 8 && seqs === 64 && load === 64
    ? { status: 'timeout', cause: 'run_timeout', message: 'the run took longer than 900 s' }
    : { status: 'completed' }
}

interface Cell {
  size: number
  seqs: number
  load: number
  id: string
  status: string
  cause?: string
  message?: string
}

const cells: Cell[] = [4, 8].flatMap((size) =>
  SEQS.flatMap((seqs) =>
    AT_ONCE.map((load) => ({ size, seqs, load, id: `${size}-${seqs}-${load}`, ...statusOf(size, seqs, load) })),
  ),
)
const labelOf = ({ size, seqs, load }: Cell) =>
  `tensor_parallel_size=${size} max_num_seqs=${seqs} max_concurrency=${load}`

interface Sweep {
  id: string
  name: string
  state: 'running' | 'ended' | null
  runs: Cell[]
} // null: it has results and no plan

export const SWEEPS: Record<'night' | 'whole' | 'unplanned', Sweep> = {
  night: { id: 'swp_20261102_213000_5c0de1', name: 'qwen72-night', state: 'running', runs: cells },
  whole: {
    id: 'swp_20261101_201500_77aa10',
    name: 'fp8-or-not',
    state: 'ended',
    runs: cells.filter(({ size, seqs }) => size === 8 && seqs === 128),
  },
  unplanned: {
    id: 'swp_20261030_190200_1b2c3d',
    name: 'loads',
    state: null,
    runs: cells.filter(({ size, seqs }) => size === 4 && seqs === 256),
  },
}

const planOf = ({ id, name, state, runs }: Sweep) => ({
  sweep: id,
  name,
  state,
  file: `${name}.yaml`,
  servers_started: new Set(
    runs.filter(({ status }) => status === 'completed').map(({ size, seqs }) => `${size} ${seqs}`),
  ).size,
  experiment: { server: { model: MODELS[1] } },
  excluded: [],
  runs: runs.map((cell) => ({
    run: cell.id,
    cell: cell.id,
    repeat: 1,
    server: `${cell.size}-${cell.seqs}`,
    set: null,
    label: labelOf(cell),
    point: {
      'server.tensor_parallel_size': cell.size,
      'server.max_num_seqs': cell.seqs,
      'benchmark.max_concurrency': cell.load,
    },
    status: cell.status === 'completed' ? 'missing' : cell.status,
    cause: cell.cause ?? null,
    message: cell.message ?? null,
    gone: false,
  })),
})

// Results of all sweeps.
export function sweepResults(base: Document): Document[] {
  return Object.values(SWEEPS).flatMap((sweep) =>
    sweep.runs
      .filter(({ status }) => status === 'completed')
      .map((cell, at) => {
        const { size, seqs, load } = cell
        const wave = 1 + 0.05 * Math.sin(at * 2.39)
        const document = variant(base, {
          name: labelOf(cell),
          model: MODELS[1] as string,
          gpu_name: 'NVIDIA H200',
          tensor_parallel_size: size,
          max_concurrency: load,
          output_throughput: 49 * size ** 0.8 * load ** 0.7 * (1 + seqs / 2600) * wave,
          verdict: at % 9 === 4 ? 'degraded' : 'trusted',
        })
        document.results.p99_ttft_ms = ((2 * (60 + load * 5.5)) / Math.sqrt(size)) * (1 + seqs / 4000)
        document.tags = {
          sweep: sweep.id,
          sweep_name: sweep.name,
          sweep_cell: cell.id,
          sweep_repeat: '1',
          sweep_point: labelOf(cell),
        }
        document.timestamp = new Date(Date.UTC(2026, 10, 2, 21, 34) + at * 5 * MINUTE).toISOString()
        document.duration = 214
        const simulated = sweep === SWEEPS.night && at === 3
        document.environment.engine = {
          ...document.environment.engine,
          simulated,
          name: simulated ? 'profllm-sim' : 'vllm',
          version: simulated ? '0.1.0' : '0.32.0',
        }
        return document
      }),
  )
}

// Sends the plans as 'profllm sweep run --upload' does.
export async function sendPlans(request: APIRequestContext, url: string) {
  for (const sweep of Object.values(SWEEPS))
    if (sweep.state) await request.put(`${url}/api/data/sweeps/${sweep.id}`, { data: planOf(sweep) })
}

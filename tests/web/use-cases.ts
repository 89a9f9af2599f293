// The results of configs/examples/use-cases as a test reads them without ProfLLM, and the addresses of docs/use-cases.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'

import type { Document } from './results'

export const PACKED = join(__dirname, '../../configs/examples/use-cases/results.jsonl.zst')

const ALL: Document[] = zstdDecompressSync(readFileSync(PACKED))
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

export const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
export function median(values: number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[half] ?? NaN) : mean(sorted.slice(half - 1, half + 1))
}

export const gpusOf = ({ system }: Document): number => system.hardware_info.gpu_count
export const perGpu = (one: Document): number => one.results.output_throughput / gpusOf(one)

// The results of a use case by a key: "8B 16" -> its runs.
export function runsOf(name: string, key: (server: Document, benchmark: Document, one: Document) => unknown[]) {
  const groups = new Map<string, Document[]>()
  for (const one of ALL.filter(({ suite }) => suite === `use-case-${name}`)) {
    const at = key(one.config.server, one.config.benchmark, one).join(' ')
    groups.set(at, [...(groups.get(at) ?? []), one])
  }
  return groups
}

const suite = (name: string) => `run.suite=use-case-${name}`

export const ADDRESSES = {
  models: `/pareto?${suite('models')}&group=server.model`,
  configuration: `/pareto?${suite('configuration')}`,
  scaling: `/?${suite('scaling')}&chart=bar&x=server.tensor_parallel_size&y=results.output_throughput&color=benchmark.max_concurrency&stat=mean`,
  memory: `/?${suite('memory')}&chart=bar&x=server.gpu_memory_utilization&y=results.p99_ttft_ms&color=server.enable_prefix_caching&stat=mean`,
  precision: `/pareto?${suite('precision')}&benchmark.max_concurrency=64&group=none&table=1`,
  regression: `/trends?${suite('regression')}`,
  utilization: `/?${suite('utilization')}&chart=bar&x=benchmark.request_rate&y=results.latency_breakdown.ttft.queue_high_ms&stat=mean`,
  validation: `/?${suite('validation')}`,
  capacity: `/pareto?${suite('capacity')}`,
} as const

// The page Scaling of the use case, which also has bars on Explore.
export const SCALING = `/scaling?${suite('scaling')}`

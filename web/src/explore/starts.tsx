// Views to start from: the most common questions. Each view is an address of Explore, and nothing else.
import { useIsFetching, useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'

import { apply } from '../api/queries'
import type { Filter } from '../api/types'
import { type Choices, treeOf } from '../filter/model'
import { count } from '../format/number'
import { ALL } from './preset-state'
import { oneStop } from '../ui/one-stop'
import { readExplore } from '../url/explore'
import { paths } from '../url/paths'
import css from './explore.module.css'

interface Start {
  name: string
  about: string
  address: string
  needs?: string[] // fields without which it shows nothing, other than its axes x and y
}

export const STARTS: Start[] = [
  {
    name: 'Model comparison',
    about: 'Output per GPU of each model, by GPU; trusted runs',
    address:
      'chart=bar&x=server.model&y=derived.output_throughput_per_gpu&color=system.hardware_info.gpu_name&quality.verdict=trusted&sort=-derived.output_throughput_per_gpu' +
      '&columns=server.model,system.hardware_info.gpu_name,derived.gpu_count,server.quantization,benchmark.max_concurrency,derived.output_throughput_per_gpu,results.median_ttft_ms,results.median_tpot_ms,quality.verdict',
  },
  {
    name: 'Precision and quantization',
    needs: ['server.dtype', 'results.median_tpot_ms'],
    about: 'Throughput, latency and memory per data type, with the inputs that determine them',
    address:
      'chart=parallel&axes=server.model,server.dtype,server.quantization,server.kv_cache_dtype,results.median_tpot_ms,derived.output_throughput_per_gpu&color=server.quantization&sort=-derived.output_throughput_per_gpu' +
      '&columns=server.model,server.dtype,server.quantization,server.kv_cache_dtype,system.hardware_info.gpu_name,derived.output_throughput_per_gpu,results.median_tpot_ms,results.energy_per_token_j,quality.verdict',
  },
  {
    name: 'Memory',
    about: 'Output by KV cache size; the size of a point is the peak memory',
    address:
      'x=launch.facts.kv_cache_gb&y=results.output_throughput&color=server.model&size=system.peak_gpu_memory_gb&launch.facts.kv_cache_gb=*&sort=-system.peak_gpu_memory_gb' +
      '&columns=server.model,system.hardware_info.gpu_name,server.tensor_parallel_size,server.gpu_memory_utilization,launch.facts.weights_gb,launch.facts.kv_cache_gb,launch.facts.kv_cache_tokens,system.peak_gpu_memory_gb,results.output_throughput',
  },
  {
    name: 'Utilization',
    about: 'Output by GPU utilization, with power and energy per token',
    address:
      'x=system.avg_gpu_utilization&y=derived.output_throughput_per_gpu&color=system.hardware_info.gpu_name&system.avg_gpu_utilization=*&sort=-system.avg_gpu_utilization' +
      '&columns=server.model,system.hardware_info.gpu_name,benchmark.max_concurrency,system.avg_gpu_utilization,system.gpus.power_mean_w,results.energy_per_token_j,system.host.cpu_share_mean,system.client.cpu_share_mean,derived.output_throughput_per_gpu',
  },
  {
    name: 'Load and parallelism',
    about: 'Output by tensor parallel size and load',
    address:
      'chart=heat&x=benchmark.max_concurrency&y=server.tensor_parallel_size&value=results.output_throughput&sort=-results.output_throughput',
  },
]

// The address of the view.
const addressOf = ({ address }: Start) => paths.explore({ ...ALL, ...readExplore(address) })

// The results that a view shows: those of its filters that have a place on its axes.
export function filterOf({ address, needs = [] }: Start): Filter {
  const { choices, chart } = readExplore(address)
  const axes = [...needs, chart.x, chart.y, chart.value].filter((id) => id !== null)
  const drawn: Choices = Object.fromEntries(axes.map((id) => [id, { present: true }]))
  return treeOf({ ...drawn, ...choices }) ?? { and: [] }
}

// How many results each view shows; null: not known yet. The requests wait until the chart and the table are loaded.
function useCounts(round: number): (number | null)[] {
  const isBusy = useIsFetching() > 0
  const [isIdle, setIdle] = useState(false)
  useEffect(() => {
    if (isBusy) return
    const timer = setTimeout(() => setIdle(true), IDLE_MS)
    return () => clearTimeout(timer)
  }, [isBusy])
  return useQueries({
    queries: STARTS.map((start) => ({
      queryKey: ['start', start.name, round],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await apply({ filter: filterOf(start), limit: 0 }, signal)).count,
      staleTime: Infinity,
      enabled: isIdle,
    })),
    combine: countsOf,
  })
}

const countsOf = (results: { data: number | undefined }[]) => results.map(({ data }) => data ?? null)

const IDLE_MS = 100
const LEAST = 2 // one result alone shows nothing next to another

// Views with too few results are not shown.
export function Starts({ round }: { round: number }) {
  const counts = useCounts(round)
  const shown = STARTS.map((start, at) => ({ start, n: counts[at] ?? null })).filter(
    ({ n }) => n !== null && n >= LEAST,
  )
  if (shown.length === 0) return null
  return (
    <nav className={css.starts} aria-label="Suggested views" {...oneStop}>
      <span>Suggested views</span>
      {shown.map(({ start, n }) => (
        <Link key={start.name} href={addressOf(start)} title={`${start.about}; ${count(n ?? 0)} experiments`}>
          {start.name}
        </Link>
      ))}
    </nav>
  )
}

// Sweeps: what there was to run and what came of it. One that runs is asked after as often as its size lets one.
import { keepPreviousData, useQuery } from '@tanstack/react-query'

import { get } from './client'
import type { Sweep, Sweeps } from './types'

const LIST_EVERY_MS = 5000
const EVERY_MS = 2000
const RARELY_MS = 15_000
const RUNS_A_MS = 2 // of a large one more time passes between two questions

export const sweepPath = (id: string) => `/api/data/sweeps/${encodeURIComponent(id)}`

export const useSweeps = () =>
  useQuery({ queryKey: ['sweeps'], queryFn: async ({ signal }) => (await get<Sweeps>('/api/data/sweeps', signal)).sweeps, refetchInterval: LIST_EVERY_MS })

// `metric` colors the map; `others` are the fields of the curves.
export function useSweep(id: string, metric: string, others: string[]) {
  const metrics = [...new Set([metric, ...others])].join(',')
  return useQuery({
    queryKey: ['sweep', id, metric, metrics],
    queryFn: async ({ signal }) => ({ ...(await get<Sweep>(`${sweepPath(id)}?${new URLSearchParams({ metrics }).toString()}`, signal)), metric }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? EVERY_MS + data.runs.length / RUNS_A_MS : RARELY_MS),
  })
}

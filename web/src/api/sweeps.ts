// Requests for sweeps. A running sweep is requested again, a large one less often.
import { keepPreviousData, useQuery } from '@tanstack/react-query'

import { get } from './client'
import { at } from './contract'

const LIST_EVERY_MS = 5000
const EVERY_MS = 2000
const RARELY_MS = 15_000
const RUNS_A_MS = 2 // the pause between two requests grows with the number of runs

export const useSweeps = () =>
  useQuery({
    queryKey: ['sweeps'],
    queryFn: async ({ signal }) => (await get(at('/api/data/sweeps'), signal)).sweeps,
    refetchInterval: LIST_EVERY_MS,
  })

// The head of one sweep in that list; a sweep without a plan has its name only there.
export const useSweepHead = (id: string, isNeeded: boolean) =>
  useQuery({
    queryKey: ['sweeps'],
    queryFn: async ({ signal }) => (await get(at('/api/data/sweeps'), signal)).sweeps,
    enabled: isNeeded,
    select: (sweeps) => sweeps.find((sweep) => sweep.id === id),
  }).data

// `metric` colors the map, or is empty: then one of `others`, the fields of the curves, does.
export function useSweep(id: string, metric: string, others: string[]) {
  const metrics = [...new Set([metric, ...others])].filter(Boolean).join(',')
  return useQuery({
    queryKey: ['sweep', id, metric, metrics],
    queryFn: async ({ signal }) => ({
      ...(await get(at('/api/data/sweeps/{id}', { id }, { metrics }), signal)),
      metric,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'running' ? EVERY_MS + data.runs.length / RUNS_A_MS : RARELY_MS,
  })
}

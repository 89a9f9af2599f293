// Requests for missing combinations and for baselines.
import { keepPreviousData, skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { get, post, remove } from './client'
import { at } from './contract'
import { patient } from './queries'
import type { BaselinesRequest, MissingRequest } from './types'

const BASELINES = 'baselines'

// null requests nothing.
export const useMissing = (request: MissingRequest | null) =>
  useQuery({
    queryKey: ['missing', request],
    queryFn: request ? ({ signal }) => post(at('/api/analysis/missing'), request, signal) : skipToken,
    placeholderData: keepPreviousData,
    ...patient,
  })

export const useBaselines = () =>
  useQuery({ queryKey: [BASELINES], queryFn: ({ signal }) => get(at('/api/baselines'), signal) })

export const useBaselineLines = (request: BaselinesRequest | null) =>
  useQuery({
    queryKey: [BASELINES, 'lines', request],
    queryFn: request ? ({ signal }) => post(at('/api/analysis/baselines'), request, signal) : skipToken,
    placeholderData: keepPreviousData,
    ...patient,
  })

export function useRemoveBaseline() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => remove(at('/api/baselines/{id}', { id: String(id) })),
    onSettled: () => client.invalidateQueries({ queryKey: [BASELINES] }),
  })
}

// Requests for frontiers: the configurations that no other one beats, and those that keep limits.
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'

import { post } from './client'
import { at } from './contract'
import { apply, patient } from './queries'
import type { Filter, ParetoRequest, SloRequest } from './types'

const PARETO = 'pareto'

// The last frontiers remain while the next ones load; null requests nothing. `round` grows when the user asks for newer
// data.
export const useFrontiers = (request: ParetoRequest | null, round: number) =>
  useQuery({
    queryKey: [PARETO, request, round],
    queryFn: request
      ? async ({ signal }) => ({
          ...(await post(at('/api/analysis/pareto'), request, signal)),
          request,
          at: Date.now(),
        })
      : skipToken,
    placeholderData: keepPreviousData,
    ...patient,
    staleTime: Infinity,
  })

export const useFeasible = (request: SloRequest | null, round: number) =>
  useQuery({
    queryKey: [PARETO, 'slo', request, round],
    queryFn: request
      ? async ({ signal }) => ({ ...(await post(at('/api/analysis/slo'), request, signal)), request })
      : skipToken,
    placeholderData: keepPreviousData,
    ...patient,
    staleTime: Infinity,
  })

// The values of some fields under a filter, for example its releases.
export const useValues = (filter: Filter | undefined, fields: string[], round: number) =>
  useQuery({
    queryKey: [PARETO, 'values', filter, fields, round],
    queryFn: async ({ signal }) =>
      (await apply({ ...(filter && { filter }), columns: [], limit: 0, facets: fields }, signal)).facets,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })

// Requests for frontiers: the configurations that no other one beats, and those that keep limits.
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'

import { get, post } from './client'
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
    structuralSharing: false, // large answers, and each one is new
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

const VALUES_MOST = 1000

// The values of a field, as many as they are, and the span of times under a filter. A facet lists only its most
// frequent values.
export const useHistoryOf = (filter: Filter | undefined, time: string, field: string, round: number) =>
  useQuery({
    queryKey: [PARETO, 'history', filter, time, field, round],
    queryFn: async ({ signal }) => {
      const { facets } = await apply(
        { ...(filter && { filter }), columns: [], limit: 0, facets: [time, field] },
        signal,
      )
      const facet = facets?.[field]
      const listed =
        facet?.more_count === 0
          ? facet
          : await get(
              at('/api/filters/values', {}, { field, limit: VALUES_MOST, filter: filter && JSON.stringify(filter) }),
              signal,
            )
      return { time: facets?.[time], values: listed.values.map(({ value }) => value) }
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })

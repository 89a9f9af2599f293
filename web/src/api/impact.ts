// Requests for the effects of inputs, and for the pairs of one of them.
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'

import { post } from './client'
import { at } from './contract'
import { patient } from './queries'
import type { ImpactRequest } from './types'

const IMPACT = 'impact'

// The last effects remain while the next ones load. `round` grows when the user asks for newer data.
export const useEffects = (request: ImpactRequest, round: number) =>
  useQuery({
    queryKey: [IMPACT, request, round],
    queryFn: async ({ signal }) => ({
      ...(await post(at('/api/analysis/impact'), request, signal)),
      request,
      at: Date.now(),
    }),
    placeholderData: keepPreviousData,
    ...patient,
    staleTime: Infinity,
  })

// null requests nothing.
export const usePairs = (request: ImpactRequest | null, round: number) =>
  useQuery({
    queryKey: [IMPACT, 'pairs', request, round],
    queryFn: request
      ? async ({ signal }) => (await post(at('/api/analysis/impact'), request, signal)).pairs
      : skipToken,
    ...patient,
    staleTime: Infinity,
  })

// Requests for scaling over parallel sizes.
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'

import { post } from './client'
import { at } from './contract'
import { patient } from './queries'
import type { ScalingRequest } from './types'

// The last lines remain while the next ones load; null requests nothing. `round` grows when the user asks for newer
// data.
export const useScaling = (request: ScalingRequest | null, round: number) =>
  useQuery({
    queryKey: ['scaling', request, round],
    queryFn: request
      ? async ({ signal }) => ({
          ...(await post(at('/api/analysis/scaling'), request, signal)),
          request,
          at: Date.now(),
        })
      : skipToken,
    placeholderData: keepPreviousData,
    ...patient,
    staleTime: Infinity,
  })

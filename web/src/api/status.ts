// The state of the server, for administrators.
import { useQuery } from '@tanstack/react-query'

import { get } from './client'
import { at } from './contract'

const EVERY_MS = 5000

export const useStatus = (enabled: boolean) =>
  useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => get(at('/api/status'), signal),
    refetchInterval: EVERY_MS,
    retry: false,
    enabled,
  })

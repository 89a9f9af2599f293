// The stored prices of GPUs, from which costs follow.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { put } from './client'
import { at } from './contract'
import { pricesOptions } from './queries'
import type { Prices, PricesRequest } from './types'

export const usePrices = () => useQuery(pricesOptions)

// Replaces the prices of a revision. The costs in all answers change with them. `onSave`: they are stored.
export function useSavePrices(onSave: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ prices, revision }: { prices: PricesRequest; revision: number }) =>
      put(at('/api/prices'), prices, { 'If-Match': `"${revision}"` }),
    onSuccess: (stored: Prices) => {
      onSave()
      client.setQueryData(pricesOptions.queryKey, stored)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'prices' })
    },
  })
}

// The stored prices of GPUs, from which costs follow.
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { put } from './client'
import { at } from './contract'
import { pricesOptions } from './queries'
import type { Prices, PricesRequest } from './types'

export const usePrices = () => useQuery(pricesOptions)

// The costs in all answers follow from the prices, and the currency of their unit.
const renewCosts = (client: QueryClient) =>
  client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'prices' })

// Loads the prices that someone else has stored.
export function useReloadPrices() {
  const client = useQueryClient()
  return () => void client.refetchQueries(pricesOptions).then(() => renewCosts(client))
}

// Replaces the prices of a revision. The costs in all answers change with them. `onSave`: they are stored.
export function useSavePrices(onSave: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ prices, revision }: { prices: PricesRequest; revision: number }) =>
      put(at('/api/prices'), prices, { 'If-Match': `"${revision}"` }),
    onSuccess: (stored: Prices) => {
      onSave()
      client.setQueryData(pricesOptions.queryKey, stored)
      void renewCosts(client)
    },
  })
}

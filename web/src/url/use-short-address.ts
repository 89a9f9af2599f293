// A long address works as it is, here; it is made short for who is sent it, and for loading it again: the server keeps
// the state, and the address has its id.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation, useSearch } from 'wouter'

import { post } from '../api/client'
import { at } from '../api/contract'
import { viewKey } from '../api/queries'
import { ADDRESS_MAX } from './explore'

const SHORTEN_AFTER_MS = 300

// `address`: of a state that is kept.
export function useShortAddress(address: (id: string) => string) {
  const search = useSearch()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: search is read from the window, as written
  useEffect(() => {
    const written = window.location.search.slice(1)
    if (written.length <= ADDRESS_MAX) return
    const shorten = async () => {
      const { id } = await post(at('/api/views'), { state: written })
      client.setQueryData(viewKey(id), { id, state: written, created: new Date().toISOString() })
      if (window.location.search === `?${written}`)
        navigate(address(id), { replace: true, state: history.state as unknown })
    }
    const timer = setTimeout(() => {
      shorten().catch(() => {})
    }, SHORTEN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [search, client, navigate, address])
}

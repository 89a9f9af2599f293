// The state of Trends is in the address, like that of Explore (use-explore.ts).
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

import { useView, viewKey } from '../api/queries'
import type { View } from '../api/types'
import { burstOptions, changeOptions } from './entry'
import { readView } from './explore'
import { paths } from './paths'
import { readTrends, type TrendsState } from './trends'
import { useShortAddress } from './use-short-address'

export type TrendsChange = (part: Partial<TrendsState>, options?: { typing?: string; replace?: boolean }) => void

export function useTrendsState(): { state: TrendsState; change: TrendsChange; view: ReturnType<typeof useView> } {
  const search = useSearch()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const view = useView(readView(search))
  const read = useCallback(
    (from: string) => {
      const id = readView(from)
      return readTrends(id === null ? from : (client.getQueryData<View>(viewKey(id))?.state ?? ''))
    },
    [client],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: read() finds view.data in the cache
  const state = useMemo(() => read(search), [read, search, view.data])
  useShortAddress(paths.trendsView)
  const change = useCallback<TrendsChange>(
    (part, options) =>
      navigate(
        paths.trends({ ...read(window.location.search), ...part }),
        options?.typing === undefined ? changeOptions(options?.replace ?? false) : burstOptions(options.typing),
      ),
    [navigate, read],
  )
  return { state, change, view }
}

// The state of Compare is in the address, like that of Explore (use-explore.ts).
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

import { useView, viewKey } from '../api/queries'
import type { View } from '../api/types'
import { type CompareState, readCompare } from './compare'
import { changeOptions } from './entry'
import { readView } from './explore'
import { paths } from './paths'
import { useShortAddress } from './use-short-address'

export type CompareChange = (change: Partial<CompareState>) => void

export function useCompare(): { state: CompareState; change: CompareChange; view: ReturnType<typeof useView> } {
  const search = useSearch()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const view = useView(readView(search))
  const read = useCallback(
    (from: string) => {
      const id = readView(from)
      return readCompare(id === null ? from : (client.getQueryData<View>(viewKey(id))?.state ?? ''))
    },
    [client],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: read() finds view.data in the cache
  const state = useMemo(() => read(search), [read, search, view.data])
  useShortAddress(paths.compareView)
  const change = useCallback<CompareChange>(
    (part) => navigate(paths.compare({ ...read(window.location.search), ...part }), changeOptions(false)),
    [navigate, read],
  )
  return { state, change, view }
}

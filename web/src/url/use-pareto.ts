// The state of Pareto is in the address, like that of Explore (use-explore.ts).
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

import { useView, viewKey } from '../api/queries'
import type { View } from '../api/types'
import { burstOptions, changeOptions } from './entry'
import { readView } from './explore'
import { type ParetoState, readPareto } from './pareto'
import { paths } from './paths'
import { useShortAddress } from './use-short-address'

export type ParetoChange = (part: Partial<ParetoState>, options?: { typing?: string; replace?: boolean }) => void

export function useParetoState(): { state: ParetoState; change: ParetoChange; view: ReturnType<typeof useView> } {
  const search = useSearch()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const view = useView(readView(search))
  const read = useCallback(
    (from: string) => {
      const id = readView(from)
      return readPareto(id === null ? from : (client.getQueryData<View>(viewKey(id))?.state ?? ''))
    },
    [client],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: read() finds view.data in the cache
  const state = useMemo(() => read(search), [read, search, view.data])
  useShortAddress(paths.paretoView)
  const change = useCallback<ParetoChange>(
    (part, options) =>
      navigate(
        paths.pareto({ ...read(window.location.search), ...part }),
        options?.typing === undefined ? changeOptions(options?.replace ?? false) : burstOptions(options.typing),
      ),
    [navigate, read],
  )
  return { state, change, view }
}

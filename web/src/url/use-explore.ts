// The state of Explore lives in the address and nowhere else; of one that is too long the server keeps it, and
// the address has its id.
import { type QueryClient, replaceEqualDeep, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'

import { useView, viewKey } from '../api/queries'
import type { View } from '../api/types'
import { burstOptions, changeOptions } from './entry'
import { type ExploreState, readExplore, readView } from './explore'
import { paths } from './paths'
import { useShortAddress } from './use-short-address'

// typing: of this, so that one entry of the history holds what is typed or dragged until it settles;
// replace: what the address said was wrong, and Back must not lead there
export type Change = (change: Partial<ExploreState>, options?: { typing?: string; replace?: boolean }) => void

export function readAddress(client: QueryClient, search: string): ExploreState {
  const view = readView(search)
  return readExplore(view === null ? search : (client.getQueryData<View>(viewKey(view))?.state ?? ''))
}

// Other rows begin at their first page.
const isOther = (part: Partial<ExploreState>) => 'choices' in part || 'where' in part || 'sort' in part

export function useExplore(): [ExploreState, Change] {
  const search = useSearch()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const kept = useView(readView(search)).data
  // parts that are equal in two addresses stay the same object, so that views of them alone do not redraw
  const last = useRef<ExploreState>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: readAddress() finds it in the cache
  const state = useMemo(
    () => (last.current = replaceEqualDeep(last.current, readAddress(client, search)) as ExploreState),
    [client, search, kept],
  )
  useShortAddress(paths.view)
  const change = useCallback<Change>(
    (part, options) => {
      // of what the address says now, not of what was last drawn: two changes may come in one moment
      const now = readAddress(client, window.location.search)
      const page = isOther(part) && !('page' in part) ? { page: 0 } : {}
      const how =
        options?.typing === undefined ? changeOptions(options?.replace ?? false) : burstOptions(options.typing)
      navigate(paths.explore({ ...now, ...page, ...part }), how)
    },
    [client, navigate],
  )
  return [state, change]
}

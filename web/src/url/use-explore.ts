// The state of Explore lives in the address and nowhere else.
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

import { burstOptions } from './entry'
import { type ExploreState, readExplore } from './explore'
import { paths } from './paths'

// typing: of this, so that one entry of the history holds what is typed or dragged until it settles;
// replace: what the address said was wrong, and Back must not lead there
export type Change = (change: Partial<ExploreState>, options?: { typing?: string; replace?: boolean }) => void

export function useExplore(): [ExploreState, Change] {
  const search = useSearch()
  const [, navigate] = useLocation()
  const state = useMemo(() => readExplore(search), [search])
  const change = useCallback<Change>(
    (part, options) => {
      // of what the address says now, not of what was last drawn: two changes may come in one moment
      const now = readExplore(window.location.search)
      const page = 'page' in part ? {} : { page: 0 }
      const how = options?.typing === undefined ? { replace: options?.replace ?? false } : burstOptions(options.typing)
      navigate(paths.explore({ ...now, ...page, ...part }), how)
    },
    [navigate],
  )
  return [state, change]
}

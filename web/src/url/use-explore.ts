// The state of Explore lives in the address and nowhere else.
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

import { type ExploreState, readExplore } from './explore'
import { paths } from './paths'

// replace: for what somebody is still typing or dragging, so that Back skips it
export type Change = (change: Partial<ExploreState>, options?: { replace?: boolean }) => void

export function useExplore(): [ExploreState, Change] {
  const search = useSearch()
  const [, navigate] = useLocation()
  const state = useMemo(() => readExplore(search), [search])
  const change = useCallback<Change>(
    (part, options) => {
      // of what the address says now, not of what was last drawn: two changes may come in one moment
      const now = readExplore(window.location.search)
      const page = 'page' in part ? {} : { page: 0 }
      navigate(paths.explore({ ...now, ...page, ...part }), { replace: options?.replace ?? false })
    },
    [navigate],
  )
  return [state, change]
}

// The state of a screen is in the address, like that of Explore (use-explore.ts): written there, or kept by the server.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

import { useView, viewKey } from '../api/queries'
import type { View } from '../api/types'
import { burstOptions, changeOptions } from './entry'
import { readView } from './explore'
import { useShortAddress } from './use-short-address'

// `typing`: names the field, so that one history entry serves for all that is typed into it.
export type StateChange<S> = (part: Partial<S>, options?: { typing?: string; replace?: boolean }) => void

// A constant of its module: effects depend on it.
export interface StateScreen<S> {
  read: (search: string) => S
  path: (state: S) => string
  viewPath: (id: string) => string // of a state that the server keeps
}

export function useViewState<S>(screen: StateScreen<S>): {
  state: S
  change: StateChange<S>
  view: ReturnType<typeof useView>
} {
  const search = useSearch()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const view = useView(readView(search))
  const read = useCallback(
    (from: string) => {
      const id = readView(from)
      return screen.read(id === null ? from : (client.getQueryData<View>(viewKey(id))?.state ?? ''))
    },
    [client, screen],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: read() finds view.data in the cache
  const state = useMemo(() => read(search), [read, search, view.data])
  useShortAddress(screen.viewPath)
  const change = useCallback<StateChange<S>>(
    (part, options) =>
      navigate(
        screen.path({ ...read(window.location.search), ...part }),
        options?.typing === undefined ? changeOptions(options?.replace ?? false) : burstOptions(options.typing),
      ),
    [navigate, read, screen],
  )
  return { state, change, view }
}

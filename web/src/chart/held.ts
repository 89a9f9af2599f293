// Keeps the last chart while the next one loads or the server is unreachable.
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'

import { isSilence } from '../api/client'
import type { Answer } from './model'

// Returns the value from before the wait.
export function useHeld<T>(value: T, isAwaited: boolean): T {
  const held = useRef(value)
  if (!isAwaited) held.current = value
  return held.current
}

// Returns the latest answer that a chart can draw, ignoring counts and other questions about its results.
export function latestOf(answers: readonly (Answer | undefined)[]): Answer | undefined {
  return answers.reduce((latest, one) => {
    const isDrawn = one && !one.request.count_only && (one.marks || one.groups || one.bins || one.grid || one.lines)
    return isDrawn && one.at > (latest?.at ?? -Infinity) ? one : latest
  }, undefined)
}

interface Asked {
  data: Answer | undefined
  error: Error | null
  isPlaceholderData: boolean
}

// Returns what the chart shows and whether it is older than the question because the server does not respond. A panel
// that mounts after the server left has no answer of its own, so it shows the latest answer of the page.
export function useAnswer({ data, error, isPlaceholderData }: Asked): { data: Answer | undefined; isAway: boolean } {
  const client = useQueryClient()
  const away = useRef(false)
  // a retry has no error yet: the server is back when it has answered
  if (isSilence(error)) away.current = true
  else if (error || (data && !isPlaceholderData)) away.current = false
  const last = useHeld(data, data === undefined)
  const isAway = away.current
  if (data || !isAway) return { data, isAway }
  return {
    data:
      last ??
      latestOf(
        client
          .getQueryCache()
          .findAll({ queryKey: ['points'] })
          .map(({ state }) => state.data as Answer | undefined),
      ),
    isAway,
  }
}

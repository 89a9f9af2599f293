// Runs in progress: their list, and the stream of one of them. A hidden page holds no connection, because a browser
// opens only six to one server.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { type ApiError, get } from './client'
import { at } from './contract'
import { follow, type StreamEvent } from './stream'
import type { LiveRuns } from './types'

const LIVE = ['live'] as const

export const useLiveRuns = (everyMs: number) =>
  useQuery({
    queryKey: LIVE,
    queryFn: async ({ signal }) => (await get(at('/api/live'), signal)).runs,
    refetchInterval: everyMs,
  })

// Whether a run of the last list reports, so that a result is about to come.
export const isRunReporting = (client: QueryClient) =>
  client.getQueryData<LiveRuns['runs']>(LIVE)?.some(({ state }) => state === 'reporting') ?? false

function useVisible() {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const note = () => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', note)
    return () => document.removeEventListener('visibilitychange', note)
  }, [])
  return isVisible
}

// Follows a stream while the page is visible. `onEvent` is stable. Returns why the connection is lost.
function useStream(path: string, onEvent: (event: StreamEvent) => void) {
  const isVisible = useVisible()
  const [error, setError] = useState<ApiError | null>(null)
  useEffect(() => {
    if (!isVisible) return
    const stop = new AbortController()
    void follow(path, { onOpen: () => setError(null), onEvent, onLost: setError }, stop.signal)
    return () => stop.abort()
  }, [path, isVisible, onEvent])
  return error
}

// Keeps the list of useLiveRuns() up to date.
export function useLiveList() {
  const client = useQueryClient()
  const [onEvent] = useState(() => ({ name, data }: StreamEvent) => {
    if (name === 'runs') client.setQueryData(LIVE, (JSON.parse(data) as LiveRuns).runs)
  })
  return useStream(at('/api/live'), onEvent)
}

export const useLiveEvents = (id: string, onEvent: (event: StreamEvent) => void) =>
  useStream(at('/api/live/{run_id}', { run_id: id }), onEvent)

const STORED_EVERY_MS = 3000

// The stored result of a run that does not report; null while there is none.
export const useStoredRun = (id: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['stored run', id],
    queryFn: async ({ signal }) => (await get(at('/api/data/experiments/{id}', { id }), signal)).id,
    enabled: isWanted,
    refetchInterval: ({ state: { data } }) => (data === undefined ? STORED_EVERY_MS : false),
  }).data ?? null

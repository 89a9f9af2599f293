// The line under the bar while the server does not respond. The health query is the probe: it repeats with growing
// pauses, and at once when the network or the tab comes back; after a success everything that failed is asked again.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { isSilence, isTimeout } from '../api/client'
import { useHealth } from '../api/queries'
import { time } from '../format/time'
import css from './away.module.css'
import { Act } from './controls'
import { Icon } from './icons'

export function Away() {
  const health = useHealth()
  const client = useQueryClient()
  const isAway = isSilence(health.error)
  const wasAway = useRef(false)
  // a request that timed out is not retried automatically while the server answers others
  useEffect(() => {
    if (isAway) return
    const isBack = wasAway.current
    wasAway.current = false
    if (health.dataUpdatedAt)
      void client.refetchQueries({
        type: 'active',
        predicate: ({ state: { status, error } }) =>
          status === 'error' && (isBack || (isSilence(error) && !isTimeout(error))),
      })
  }, [isAway, health.dataUpdatedAt, client])
  useEffect(() => {
    if (isAway) wasAway.current = true
  }, [isAway])
  useEffect(() => {
    const probe = () => {
      if (wasAway.current && document.visibilityState === 'visible') void health.refetch()
    }
    window.addEventListener('online', probe)
    document.addEventListener('visibilitychange', probe)
    return () => {
      window.removeEventListener('online', probe)
      document.removeEventListener('visibilitychange', probe)
    }
  }, [health.refetch])
  if (!isAway) return null
  const since = health.dataUpdatedAt
    ? `Showing data from ${time(new Date(health.dataUpdatedAt).toISOString()).slice(11)} UTC. `
    : ''
  return (
    <div className={css.away} role="status" data-away="">
      <Icon name="warn" />
      <span>{since}The server does not respond. Retrying…</span>
      <Act onPress={() => void health.refetch()}>Retry now</Act>
    </div>
  )
}

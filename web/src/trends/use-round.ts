// Which answers of the server a page shows.
import { useState } from 'react'

import { useHealth } from '../api/queries'

// Newer data do not move what is read: they are shown when the user asks.
export function useRound() {
  const health = useHealth()
  const [shown, setShown] = useState(0)
  return {
    shown,
    newer: (version: number) => (health.data?.data_version ?? version) > version,
    next: () => setShown(shown + 1),
  }
}

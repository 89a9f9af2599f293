// The last attempt that failed, until the next one.
import { useState } from 'react'

export interface Failure {
  what: string // a sentence, such as "Could not store the watch."
  error: Error
}

export function useFailure() {
  const [failure, setFailure] = useState<Failure | null>(null)
  const attempt = async (what: string, asked: Promise<unknown>) => {
    setFailure(null)
    try {
      await asked
      return true
    } catch (error) {
      setFailure({ what, error: error as Error })
      return false
    }
  }
  return { failure, attempt }
}

// A function that never changes, for components that render again only when their data do. It calls the latest one.
import { useCallback, useLayoutEffect, useRef } from 'react'

export function useStable<A extends unknown[]>(run: (...values: A) => void) {
  const latest = useRef(run)
  useLayoutEffect(() => {
    latest.current = run
  })
  return useCallback((...values: A) => latest.current(...values), [])
}

// What is drawn behind the rest: a value as it was when the last frame was painted in which nothing was awaited. At once: what
// is drawn before the rest.
import { useEffect, useReducer, useRef } from 'react'

export function usePainted<T>(value: T, { isAwaited, isAtOnce }: { isAwaited: boolean; isAtOnce: boolean }): T {
  const shown = useRef(value)
  const [, draw] = useReducer((times: number) => times + 1, 0)
  if (isAtOnce) shown.current = value
  useEffect(() => {
    if (shown.current === value || isAwaited) return
    let behind: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      behind = setTimeout(() => {
        shown.current = value
        draw()
      })
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(behind)
    }
  }, [value, isAwaited])
  return shown.current
}

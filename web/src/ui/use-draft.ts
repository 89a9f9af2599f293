// A value that the user types or drags: shown at once, applied after a pause.
import { useEffect, useRef, useState } from 'react'

export const PAUSE_MS = 120

interface Draft<T> {
  draft: T
  write: (value: T, isHeld?: boolean) => void // held: only flush() commits it
  flush: () => void
  drop: () => void // shows the committed value again
}

export function useDraft<T>(
  value: T,
  commit: (value: T) => void,
): [T, Draft<T>['write'], Draft<T>['flush'], Draft<T>['drop']] {
  const [draft, setDraft] = useState(value)
  const waiting = useRef<ReturnType<typeof setTimeout> | null>(null)
  const pending = useRef<{ value: T } | null>(null)
  const latest = useRef(commit)
  latest.current = commit
  const key = JSON.stringify(value)
  // a value from outside (Back, a chip's cross) replaces an old draft, not a current one
  // biome-ignore lint/correctness/useExhaustiveDependencies: key is the value as text, so an equal value does nothing
  useEffect(() => {
    if (!pending.current) setDraft(value)
  }, [key])
  const forget = () => {
    if (waiting.current) clearTimeout(waiting.current)
    waiting.current = null
    const last = pending.current
    pending.current = null
    return last
  }
  const flush = () => {
    const last = forget()
    if (last) latest.current(last.value)
  }
  const write = (next: T, isHeld = false) => {
    setDraft(next)
    forget()
    pending.current = { value: next }
    if (!isHeld) waiting.current = setTimeout(flush, PAUSE_MS)
  }
  const drop = () => {
    forget()
    setDraft(value)
  }
  useEffect(
    () => () => {
      if (waiting.current) clearTimeout(waiting.current)
    },
    [],
  )
  return [draft, write, flush, drop]
}

// What somebody is typing or dragging: shown at once, handed on when they pause.
import { useEffect, useRef, useState } from 'react'

export const PAUSE_MS = 120

interface Draft<T> {
  draft: T
  write: (value: T, isHeld?: boolean) => void // held: only flush() commits it
  flush: () => void
  drop: () => void // shows the committed value again
}

export function useDraft<T>(value: T, commit: (value: T) => void): [T, Draft<T>['write'], Draft<T>['flush'], Draft<T>['drop']] {
  const [draft, setDraft] = useState(value)
  const waiting = useRef<ReturnType<typeof setTimeout> | null>(null)
  const pending = useRef<{ value: T } | null>(null)
  const latest = useRef(commit)
  latest.current = commit
  const key = JSON.stringify(value)
  // what comes from outside (Back, a chip's cross) wins over an old draft, not over one that is being made
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
  useEffect(() => () => { if (waiting.current) clearTimeout(waiting.current) }, [])
  return [draft, write, flush, drop]
}

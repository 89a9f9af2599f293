// What somebody is typing or dragging: shown at once, handed on when they pause.
import { useEffect, useRef, useState } from 'react'

export const PAUSE_MS = 120

export function useDraft<T>(value: T, commit: (value: T) => void): [T, (value: T) => void, () => void] {
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
  const flush = () => {
    if (waiting.current) clearTimeout(waiting.current)
    waiting.current = null
    const last = pending.current
    pending.current = null
    if (last) latest.current(last.value)
  }
  const write = (next: T) => {
    setDraft(next)
    pending.current = { value: next }
    if (waiting.current) clearTimeout(waiting.current)
    waiting.current = setTimeout(flush, PAUSE_MS)
  }
  useEffect(() => () => { if (waiting.current) clearTimeout(waiting.current) }, [])
  return [draft, write, flush]
}

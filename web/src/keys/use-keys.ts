// Single-letter shortcuts: inactive while the user types, with a modifier, or if switched off.
import { useEffect, useRef } from 'react'

import { usePreferences } from './store'

export type Keys = Record<string, (event: KeyboardEvent) => void>

const takesLetters = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !/^(checkbox|radio|range)$/.test((target as HTMLInputElement).type)

// React Aria's Autocomplete keeps the focus in its input and sends a copy of each key from the highlighted option, so
// the target alone does not show that the reader types.
const isTyping = ({ target }: KeyboardEvent) => takesLetters(target) || takesLetters(document.activeElement)

export function useKeys(keys: Keys) {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.defaultPrevented ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        (isTyping(event) && !/^F\d/.test(event.key))
      )
        return
      if (event.key.length === 1 && !usePreferences.getState().letterKeys) return
      if (document.querySelector('[role=dialog][data-modal]') && event.key !== 'Escape') return
      const action = latest.current[event.key]
      if (!action) return
      event.preventDefault()
      action(event)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

// Makes a group of controls one stop of Tab, as in ARIA's toolbar: arrows, Home and End move inside, Tab leaves the group.
import type { KeyboardEvent } from 'react'

import { tabbablesIn, takesText } from './tabbable'

const isDate = (element: HTMLElement) => element instanceof HTMLInputElement && /^(date|time|month|week|datetime-local)$/.test(element.type)

// The step that a key makes among the controls; 0 where the control needs the key itself.
function stepOf(key: string, on: HTMLElement) {
  const isSide = key === 'ArrowLeft' || key === 'ArrowRight'
  if (isDate(on) || on instanceof HTMLSelectElement || (on instanceof HTMLInputElement && on.type === 'radio')) return 0
  if (isSide && (takesText(on) || (on instanceof HTMLInputElement && on.type === 'range'))) return 0
  return key === 'ArrowDown' || key === 'ArrowRight' ? 1 : key === 'ArrowUp' || key === 'ArrowLeft' ? -1 : 0
}

function leave(group: HTMLElement, isBack: boolean) {
  const scope = group.closest('[role=dialog]') ?? document
  const all = tabbablesIn(scope)
  const inside = all.filter((element) => group.contains(element))
  const edge = all.indexOf((isBack ? inside[0] : inside.at(-1)) as HTMLElement)
  const next = all[isBack ? edge - 1 : edge + 1] ?? (scope === document ? undefined : all.at(isBack ? -1 : 0))
  next?.focus()
  return next !== undefined
}

// A handler for the capture phase: it hears a key before the control does.
export function oneStop(event: KeyboardEvent<HTMLElement>) {
  const { key, currentTarget: group } = event
  const on = event.target as HTMLElement
  if (event.altKey || event.ctrlKey || event.metaKey || !group.contains(on)) return
  let isTaken = false
  if (key === 'Tab') isTaken = !isDate(on) && leave(group, event.shiftKey)
  else if (!event.shiftKey) {
    const all = tabbablesIn(group)
    const step = stepOf(key, on)
    const to = step !== 0 ? all[all.indexOf(on) + step] : takesText(on) ? undefined : key === 'Home' ? all[0] : key === 'End' ? all.at(-1) : undefined
    isTaken = step !== 0 || to !== undefined
    to?.focus()
  }
  if (!isTaken) return
  event.preventDefault()
  event.stopPropagation()
}

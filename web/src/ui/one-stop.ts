// Makes a group of controls one stop of Tab, as in ARIA's toolbar: arrows, Home and End move inside, Tab leaves the
// group, and Tab into the group goes back to the control that had the focus last.
import type { FocusEvent, KeyboardEvent } from 'react'

import { tabbablesIn, takesText } from './tabbable'

const isDate = (element: HTMLElement) =>
  element instanceof HTMLInputElement && /^(date|time|month|week|datetime-local)$/.test(element.type)

// The step that a key makes among the controls; 0 where the control needs the key itself.
function stepOf(key: string, on: HTMLElement) {
  const isSide = key === 'ArrowLeft' || key === 'ArrowRight'
  if (isDate(on) || (on instanceof HTMLInputElement && on.type === 'radio')) return 0
  // the arrows up and down change its value
  if (on instanceof HTMLSelectElement && !isSide) return 0
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

// Moves to a section's head: PageDown and PageUp go to the next and the previous one. On a head, ArrowRight opens its
// section and ArrowLeft closes it. Returns whether the key was used.
function moveBySection(key: string, group: HTMLElement, on: HTMLElement) {
  const heads = [...group.querySelectorAll<HTMLElement>('summary')]
  if (key === 'PageDown' || key === 'PageUp') {
    const isAfter = (head: HTMLElement) => (on.compareDocumentPosition(head) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
    const isBefore = (head: HTMLElement) => (on.compareDocumentPosition(head) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
    const to = key === 'PageDown' ? heads.find(isAfter) : heads.findLast(isBefore)
    to?.focus()
    return heads.length > 0
  }
  const section = on.tagName === 'SUMMARY' ? (on.parentElement as HTMLDetailsElement) : null
  if (!section || (key !== 'ArrowRight' && key !== 'ArrowLeft') || section.open === (key === 'ArrowRight')) return false
  on.click()
  return true
}

// Handlers for the capture phase: they hear a key before the control does.
function onKeyDownCapture(event: KeyboardEvent<HTMLElement>) {
  const { key, currentTarget: group } = event
  const on = event.target as HTMLElement
  if (event.altKey || event.ctrlKey || event.metaKey || !group.contains(on)) return
  let isTaken = false
  if (key === 'Tab') isTaken = !isDate(on) && leave(group, event.shiftKey)
  else if (!event.shiftKey) {
    const all = tabbablesIn(group)
    const step = stepOf(key, on)
    const to =
      step !== 0
        ? all[all.indexOf(on) + step]
        : takesText(on)
          ? undefined
          : key === 'Home'
            ? all[0]
            : key === 'End'
              ? all.at(-1)
              : undefined
    isTaken = moveBySection(key, group, on)
    if (!isTaken) {
      isTaken = step !== 0 || to !== undefined
      to?.focus()
    }
  }
  if (!isTaken) return
  event.preventDefault()
  event.stopPropagation()
}

const lastOf = new WeakMap<HTMLElement, HTMLElement>()
let isTab = false
globalThis.window?.addEventListener(
  'keydown',
  ({ key }) => {
    isTab = key === 'Tab'
  },
  { capture: true },
)
globalThis.window?.addEventListener(
  'pointerdown',
  () => {
    isTab = false
  },
  { capture: true },
)

// From either side Tab enters at the control that had the focus last, or else at the first one.
function onFocusCapture({ currentTarget: group, target, relatedTarget }: FocusEvent<HTMLElement>) {
  const isFromOutside = !(relatedTarget instanceof Node && group.contains(relatedTarget))
  const last = lastOf.get(group)
  const all = isTab && isFromOutside ? tabbablesIn(group) : []
  const to = last && all.includes(last) ? last : all[0]
  lastOf.set(group, to ?? (target as HTMLElement))
  if (to && to !== target) to.focus()
}

export const oneStop = { onKeyDownCapture, onFocusCapture }

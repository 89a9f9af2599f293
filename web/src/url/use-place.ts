// Where a screen was scrolled to and which row had the focus, kept for each entry of the history: Back finds
// both again, a new entry begins at the top.
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

import { beforeLeaving, entryNow, keepPlace, type Place, placeOf, useEntry } from './entry'

const TRIES = 5 // renders until what is scrolled is as large as it was

interface Scroller {
  at: () => { top: number; left: number }
  to: (place: { top: number; left?: number }) => void
  target: () => EventTarget | null
}

const page: Scroller = {
  at: () => ({ top: window.scrollY, left: window.scrollX }),
  to: (place) => window.scrollTo(place),
  target: () => window,
}

const elementScroller = (element: RefObject<HTMLElement | null>): Scroller => ({
  at: () => ({ top: element.current?.scrollTop ?? 0, left: element.current?.scrollLeft ?? 0 }),
  to: (place) => element.current?.scrollTo(place),
  target: () => element.current,
})

interface Options {
  content: string // names what is shown: other content begins at the top
  isReady: boolean // what is shown belongs to the entry
  scroll?: RefObject<HTMLElement | null> // without: the page itself scrolls
  onRow?: (row: number | null) => void // which row had the focus; null: another content, and none
}

// Returns a function that records which row has the focus.
export function usePlace({ content, isReady, scroll, onRow }: Options) {
  const entry = useEntry()
  const shown = useRef<{ entry: string; content: string | null; row: number | null }>({
    entry: '',
    content: null,
    row: null,
  })
  const wanted = useRef<{ place: Place; tries: number } | null>(null)
  const scroller = useRef(scroll ? elementScroller(scroll) : page).current
  // As of the last event of a scroll: where content has just changed, asking makes the browser lay out the page once
  // more.
  const last = useRef<ReturnType<Scroller['at']> | null>(null)
  const read = () => (last.current = scroller.at())
  const keep = () => {
    const { entry: of, row } = shown.current
    // not if the entry has been left and only its view remains
    if (of !== '' && of === entryNow()) keepPlace(of, { ...(last.current ?? read()), row })
  }
  // scroll events arrive with the next frame: a user who leaves earlier still leaves from this position
  const leave = () => {
    const { entry: of, row } = shown.current
    if (of !== '' && of !== entryNow() && !wanted.current) keepPlace(of, { ...scroller.at(), row })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place changes with the entry and its content alone
  useLayoutEffect(() => {
    const before = shown.current
    if (!isReady || (before.entry === entry && before.content === content)) return
    const kept = before.entry === entry ? undefined : placeOf(entry)
    const isOther = before.content !== content
    shown.current = { entry, content, row: kept ? kept.row : isOther ? null : before.row }
    wanted.current = kept ? { place: kept, tries: TRIES } : null
    if (!kept && isOther && last.current?.top !== 0) {
      scroller.to({ top: 0 })
      read()
    }
    if (kept || isOther) onRow?.(shown.current.row)
    if (!kept) keep()
  }, [entry, content, isReady])
  useLayoutEffect(() => {
    if (!wanted.current) return
    const { place } = wanted.current
    scroller.to(place)
    const { top, left } = read()
    if ((top === place.top && left === place.left) || --wanted.current.tries === 0) wanted.current = null
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: all of these read refs
  useEffect(() => {
    const target = scroller.target()
    const note = () => {
      read()
      keep()
    }
    target?.addEventListener('scroll', note, { passive: true })
    const stay = beforeLeaving(leave)
    return () => {
      target?.removeEventListener('scroll', note)
      stay()
    }
  }, [])
  return (row: number) => {
    shown.current.row = row
    keep()
  }
}

// The link of the row that had the focus gets it again, as soon as it is drawn, unless something outside the rows has
// it.
export function useRowFocus(root: RefObject<HTMLElement | null>) {
  const wanted = useRef<number | null>(null)
  useEffect(() => {
    const link =
      wanted.current === null ? null : root.current?.querySelector<HTMLElement>(`[data-id="${wanted.current}"] a`)
    if (!link) return
    wanted.current = null
    const { activeElement } = document
    if (
      !activeElement ||
      activeElement.matches('body, #main, [data-focus-home]') ||
      root.current?.contains(activeElement)
    )
      link.focus({ preventScroll: true })
  })
  return (row: number | null) => {
    wanted.current = row
  }
}

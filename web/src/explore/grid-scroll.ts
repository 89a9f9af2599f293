// The visible rows of a table of any length. All rows have the same height, so the others need no elements. If all rows
// together are higher than browsers allow, the scrolled element is shorter than they are.
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

import { entryNow, placeOf } from '../url/entry'

const OVERSCAN = 6 // each row more is painted in every frame of a scroll
const HEAD_PX = 38
// Browsers end an element at some 33 million pixels.
const HEIGHT_MAX = 30_000_000
const EDGE_PX = 20_000 // of the bar at both ends, where a pixel of it is a pixel of the rows
const JUMP_PX = 10_000 // a larger step is a drag of the bar, or the End key
const SETTLED_MS = 150

// Pixels: of all rows, and of what stands for them in the browser.
interface Heights {
  rows: number
  bar: number
}

export const heightsOf = (count: number, rowPx: number): Heights => ({
  rows: count * rowPx,
  bar: Math.min(count * rowPx, HEIGHT_MAX),
})

const stretch = ({ rows, bar }: Heights) => (rows - 2 * EDGE_PX) / (bar - 2 * EDGE_PX)

// Converts a position of the scroll bar to the position of the rows, and back.
export function rowsAt(bar: number, heights: Heights) {
  if (heights.rows === heights.bar || bar <= EDGE_PX) return bar
  if (bar >= heights.bar - EDGE_PX) return bar + heights.rows - heights.bar
  return EDGE_PX + (bar - EDGE_PX) * stretch(heights)
}

export function barAt(rows: number, heights: Heights) {
  if (heights.rows === heights.bar || rows <= EDGE_PX) return rows
  if (rows >= heights.rows - EDGE_PX) return rows + heights.bar - heights.rows
  return EDGE_PX + (rows - EDGE_PX) / stretch(heights)
}

const isEdge = (at: number, height: number) => at <= EDGE_PX || at >= height - EDGE_PX

export interface Seen {
  from: number // rendered rows, and the row after the last one
  to: number
  first: number // rows that one sees, at least in part
  last: number
  shift: number // distance from the position of the bar down to that of the rows
  isMoving: boolean
}

// `top`: of the rows; `high`: of the window on them.
export function seenAt(top: number, high: number, count: number, rowPx: number) {
  const last = Math.max(0, Math.min(count, Math.ceil((top + Math.max(rowPx, high)) / rowPx)) - 1)
  const first = Math.max(0, Math.min(last, Math.floor(top / rowPx)))
  return { from: Math.max(0, first - OVERSCAN), to: Math.min(count, last + 1 + OVERSCAN), first, last }
}

interface Options {
  scroll: RefObject<HTMLElement | null>
  count: number
  rowPx: number
  printed: number // rows on paper, from the first one
}

const isPrinted = () => window.matchMedia('print').matches

function onPaper(count: number, printed: number): Seen {
  const to = Math.min(count, printed)
  return { from: 0, to, first: 0, last: Math.max(0, to - 1), shift: 0, isMoving: false }
}

export function useScroll({ scroll, count, rowPx, printed }: Options) {
  const heights = heightsOf(count, rowPx)
  // the table can be mounted on paper: that is narrower than the screen, so the page changes its layout
  const [seen, setSeen] = useState<Seen>(() =>
    isPrinted()
      ? onPaper(count, printed)
      : { ...seenAt(placeOf(entryNow())?.top ?? 0, window.innerHeight, count, rowPx), shift: 0, isMoving: false },
  )
  const at = useRef({ bar: 0, shift: 0, isMoving: false, top: 0, high: 0 })
  const latest = useRef({ count, rowPx, heights })
  latest.current = { count, rowPx, heights }

  // Where content has just changed, this makes the browser lay out the page once more.
  const measure = useCallback(() => {
    if (scroll.current) [at.current.top, at.current.high] = [scroll.current.scrollTop, scroll.current.clientHeight]
  }, [scroll])

  // reports the last measured position: immediately while something moves, because the frame after next is too late
  const look = useCallback(
    (isNow: boolean) => {
      const element = scroll.current
      // in print the table is as high as its rows, which must not change the visible range
      if (!element || isPrinted()) return
      const { shift, isMoving, top, high } = at.current
      const { count: all, rowPx: px } = latest.current
      const next: Seen = { ...seenAt(top + shift, high - HEAD_PX, all, px), shift, isMoving }
      const tell = () =>
        setSeen((now) => ((Object.keys(next) as (keyof Seen)[]).every((key) => next[key] === now[key]) ? now : next))
      if (isNow) flushSync(tell)
      else tell()
    },
    [scroll],
  )

  // the rows stay where they are, the bar goes where it stands for them
  const putBar = useCallback(
    (rows: number) => {
      const element = scroll.current
      if (!element) return
      element.scrollTop = barAt(rows, latest.current.heights)
      const { rows: all, bar } = latest.current.heights
      measure()
      at.current.bar = at.current.top
      at.current.shift = all === bar ? 0 : rows - at.current.top
    },
    [scroll, measure],
  )

  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = () => {
      at.current.isMoving = false
      const { rows, bar } = latest.current.heights
      measure()
      if (bar < rows) putBar(at.current.top + at.current.shift)
      look(true)
    }
    const move = () => {
      const now = at.current
      const { rows, bar } = latest.current.heights
      const isShort = bar < rows
      measure()
      const { top } = now
      if (isShort && Math.abs(top - now.bar) > JUMP_PX) now.shift = rowsAt(top, { rows, bar }) - top
      else if (isShort && isEdge(top, bar) !== isEdge(top + now.shift, rows)) putBar(top + now.shift)
      now.bar = now.top
      now.isMoving = true
      clearTimeout(timer)
      timer = setTimeout(settle, SETTLED_MS)
      look(true)
    }
    const fit = () => {
      measure()
      look(false)
    }
    fit()
    const watch = new ResizeObserver(fit)
    watch.observe(element)
    element.addEventListener('scroll', move, { passive: true })
    return () => {
      clearTimeout(timer)
      watch.disconnect()
      element.removeEventListener('scroll', move)
    }
  }, [scroll, look, measure, putBar])

  // other rows: their top was measured already, unless the table is scrolled
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the rows change, and reads refs
  useLayoutEffect(() => {
    const { rows, bar } = latest.current.heights
    if (at.current.top !== 0) measure()
    const { top } = at.current
    Object.assign(at.current, { bar: top, shift: bar < rows ? rowsAt(top, { rows, bar }) - top : 0, isMoving: false })
    look(false)
  }, [count, rowPx, look, measure])

  // on paper the first rows, wherever the table was scrolled to
  useLayoutEffect(() => {
    const print = window.matchMedia('print')
    const change = () => {
      if (!print.matches) {
        measure()
        return look(true)
      }
      flushSync(() => setSeen(onPaper(latest.current.count, printed)))
    }
    print.addEventListener('change', change)
    return () => print.removeEventListener('change', change)
  }, [look, measure, printed])

  // so far as to see a row
  const show = useCallback(
    (index: number) => {
      const element = scroll.current
      if (!element) return
      measure()
      const top = at.current.top + at.current.shift
      const begin = index * latest.current.rowPx
      const least = begin + latest.current.rowPx - (at.current.high - HEAD_PX)
      putBar(begin < top ? begin : Math.max(top, least))
      look(true)
    },
    [scroll, measure, putBar, look],
  )

  // an answer with fewer rows is rendered before the scroll position is known
  const to = Math.min(seen.to, count)
  const from = Math.min(seen.from, to)
  const before = Math.max(0, from * rowPx - seen.shift)
  const after = Math.max(0, heights.bar - before - (to - from) * rowPx)
  return { seen: { ...seen, from, to }, before, after, show }
}

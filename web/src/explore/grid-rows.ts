// The rows of a table of any length, in pages that load when they become visible.
import { create } from 'zustand'

import { usePages } from '../api/queries'
import type { ApplyResponse, PageRequest, Row } from '../api/types'
import type { Seen } from './grid-scroll'

// The visible rows. A store, so that the status line can follow them without a redraw of the table.
export const useRange = create<{ first: number; last: number }>(() => ({ first: 0, last: 0 }))

const AHEAD_ROWS = 100 // requested before the user reaches them

// The pages of rows first to last, and of the rows after them; 0 is the response itself. Until the user scrolls, no row
// is requested ahead: most filters are changed without a scroll, and the first chart does not share the network with
// rows below it.
export function pagesOf(first: number, last: number, pageRows: number, count: number) {
  const end = Math.min(count - 1, last + (first > 0 ? AHEAD_ROWS : 0))
  const pages: number[] = []
  for (let page = Math.max(1, Math.floor(first / pageRows)); page * pageRows <= end; page++) pages.push(page)
  return pages
}

interface Asked {
  answer: ApplyResponse & { request: PageRequest }
  round: number
  seen: Seen
  kept: { pages: number[] } // a ref: what was asked for while nothing was dragged
}

// Waits before it loads a page, because a long drag of the scroll bar crosses pages that the user does not look at.
// Returns the page that a row is on, and the row.
export function useRows({ answer, round, seen, kept }: Asked) {
  const { rows, count, request } = answer
  const pages = pagesOf(seen.from, seen.to - 1, request.limit, count)
  const isNear = pages.every((page) => kept.pages.some((other) => Math.abs(other - page) <= 1) || page === 1)
  if (!seen.isMoving || isNear) kept.pages = pages
  const found = usePages(answer, round, kept.pages)
  const pageAt = (index: number): Row[] | undefined => {
    const page = Math.floor(index / request.limit)
    return page === 0 ? rows : found[kept.pages.indexOf(page)]
  }
  return { pageAt, rowAt: (index: number): Row | undefined => pageAt(index)?.[index % request.limit] }
}

// The rows of a table that may have very many: by pages, asked for where one looks.
import { create } from 'zustand'

import { usePages } from '../api/queries'
import type { ApplyAnswer, ApplyRequest, Row } from '../api/types'
import type { Seen } from './grid-scroll'

// Which rows are on the screen: told to the line below the table, which must not draw the table anew.
export const useRange = create<{ first: number; last: number }>(() => ({ first: 0, last: 0 }))

const AHEAD_ROWS = 100 // a page is asked for before somebody gets there

// The pages of rows first to last, and of those behind them; 0 is the answer itself.
export function pagesOf(first: number, last: number, pageRows: number, count: number) {
  const end = Math.min(count - 1, last + AHEAD_ROWS)
  const pages: number[] = []
  for (let page = Math.max(1, Math.floor(first / pageRows)); page * pageRows <= end; page++) pages.push(page)
  return pages
}

// Pages that came before and after new results may both have the row at their seam, and each is drawn.
export function keysOf(rows: (Row | undefined)[], from: number) {
  const seen = new Set<number>()
  return rows.map((row, i) => {
    const key = row === undefined ? `bone ${from + i}` : seen.has(row.id) ? `again ${from + i}` : String(row.id)
    if (row) seen.add(row.id)
    return key
  })
}

interface Asked {
  answer: ApplyAnswer & { request: ApplyRequest }
  round: number
  seen: Seen
  kept: { pages: number[] } // a ref: what was asked for while nothing was dragged
}

// Who drags the scroll bar far passes over pages that nobody wants to see.
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

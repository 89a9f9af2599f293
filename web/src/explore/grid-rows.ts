// The rows of a table that may have very many: by pages, asked for where one looks.
import type { Virtualizer } from '@tanstack/react-virtual'
import { create } from 'zustand'

import { usePages } from '../api/queries'
import type { ApplyAnswer, ApplyRequest, Row } from '../api/types'

// Which rows are on the screen: told to the line below the table, which must not draw the table anew.
export const useRange = create<{ first: number; last: number }>(() => ({ first: 0, last: 0 }))

// Browsers end an element at some 33 million pixels.
const HEIGHT_MAX = 30_000_000
export const rowsMax = (rowPx: number) => Math.floor(HEIGHT_MAX / rowPx)

// The pages of rows first to last, and the next one before somebody gets there; 0 is the answer itself.
export function pagesOf(first: number, last: number, pageRows: number, count: number) {
  const end = Math.min(count - 1, last + pageRows / 2)
  const pages: number[] = []
  for (let page = Math.max(1, Math.floor(first / pageRows)); page * pageRows <= end; page++) pages.push(page)
  return pages
}

// Pages that came before and after new results may both have the row at their seam.
export function onceEach(rows: (Row | undefined)[]) {
  const seen = new Set<number>()
  return rows.map((row) => {
    if (row === undefined || seen.has(row.id)) return undefined
    seen.add(row.id)
    return row
  })
}

interface Asked {
  answer: ApplyAnswer & { request: ApplyRequest }
  round: number
  virtual: Virtualizer<HTMLDivElement, Element>
  kept: { pages: number[] } // a ref: what was asked for while nothing was dragged
}

// Who drags the scroll bar far passes over pages that nobody wants to see.
export function useRows({ answer, round, virtual, kept }: Asked): (index: number) => Row | undefined {
  const { rows, count, request } = answer
  const items = virtual.getVirtualItems()
  const pages = pagesOf(items[0]?.index ?? 0, items.at(-1)?.index ?? 0, request.limit, count)
  const isNear = pages.every((page) => kept.pages.some((other) => Math.abs(other - page) <= 1) || page === 1)
  if (!virtual.isScrolling || isNear) kept.pages = pages
  const found = usePages(request, round, kept.pages)
  return (index) => {
    const page = Math.floor(index / request.limit)
    return (page === 0 ? rows : found[kept.pages.indexOf(page)])?.[index - page * request.limit]
  }
}

// The keys of the table, by ARIA's pattern of a grid: the table is one stop of Tab, and arrows move from cell to cell.
// The element that Tab reaches is marked in the document itself: a step draws nothing.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'

import { usePreferences } from '../keys/store'
import { useKeys } from '../keys/use-keys'
import { type Across, NAMES } from './grid-columns'
import { setWidth } from './grid-widths'

const HEAD = -1 // as a row
const NAME = 1 // the first column, as aria-colindex
const WIDTH_STEP_PX = 16

const SCREEN_SHARE = 0.85 // of the height, for PageDown

// Returns the scroll position in px that a key leads to, as on a page that scrolls; undefined: not such a key.
function scrollAfter({ key, shiftKey }: KeyboardEvent, { scrollTop, scrollHeight, clientHeight }: HTMLElement) {
  const screen = clientHeight * SCREEN_SHARE
  const places: Record<string, number> = {
    Home: 0,
    End: scrollHeight,
    PageUp: scrollTop - screen,
    PageDown: scrollTop + screen,
    ' ': shiftKey ? scrollTop - screen : scrollTop + screen,
  }
  return places[key]
}

interface At {
  row: number | null // null: none yet
  column: number
}

interface Options {
  table: RefObject<HTMLElement | null> // the element that scrolls
  count: number
  across: Across
  seen: { first: number; last: number } // rows on the screen
  show: (row: number) => void
  onSelect: (row: number) => void
  onPin: (row: number) => void
  onRow: (row: number) => void // a row gets the focus
}

// The control of a cell that takes the focus for it.
const stopOf = (cell: HTMLElement) => cell.querySelector<HTMLElement>('thead button, tbody a') ?? cell
const cellOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[aria-colindex]') : null

function placeOf(cell: HTMLElement): At | null {
  const { row } = cell.parentElement?.dataset ?? {}
  const isHead = cell.closest('thead') !== null
  return isHead || row !== undefined
    ? { row: isHead ? HEAD : Number(row), column: Number(cell.getAttribute('aria-colindex')) }
    : null
}

function markStop(table: HTMLElement, stop: HTMLElement) {
  for (const other of table.querySelectorAll<HTMLElement>('[tabindex="0"]')) if (other !== stop) other.tabIndex = -1
  stop.tabIndex = 0
}

// Scrolls sideways until the cell is not covered by the pinned columns.
function reveal(table: HTMLElement, cell: HTMLElement, { names, pinned }: Across) {
  if (getComputedStyle(cell).position === 'sticky' && cell.style.left !== '') return
  if (cell.getAttribute('aria-colindex') === String(NAME)) return
  const box = table.getBoundingClientRect()
  const { left, right } = cell.getBoundingClientRect()
  const begin = box.left + names + pinned.reduce((sum, { px }) => sum + px, 0)
  if (left < begin) table.scrollLeft -= begin - left
  else if (right > box.left + table.clientWidth)
    table.scrollLeft += Math.min(right - box.left - table.clientWidth, left - begin)
}

function widen(across: Across, column: number, by: number | null) {
  const drawn = [...across.pinned, ...across.drawn].find(({ at }) => at + NAME + 1 === column)
  if (column === NAME) setWidth(NAMES, by === null ? null : across.names + by)
  else if (drawn) setWidth(drawn.column.field.id, by === null ? null : drawn.px + by)
}

export function useGridKeys(options: Options) {
  const latest = useRef(options)
  latest.current = options
  const at = useRef<At>({ row: null, column: NAME })
  const wanted = useRef(false) // the cell is not drawn yet

  const cellAt = ({ row, column }: At) =>
    latest.current.table.current?.querySelector<HTMLElement>(
      `${row === HEAD ? 'thead tr' : `[data-row="${row}"]`} > [aria-colindex="${column}"]`,
    ) ?? null
  const focus = () => {
    const { table, across } = latest.current
    const cell = cellAt(at.current)
    if (!cell || !table.current) return
    wanted.current = false
    const stop = stopOf(cell)
    markStop(table.current, stop)
    reveal(table.current, cell, across)
    stop.focus({ preventScroll: true })
  }
  const go = (row: number, column = at.current.column) => {
    const { count, show, across, table } = latest.current
    const last = NAME + across.count
    at.current = {
      row: row === HEAD ? HEAD : Math.max(0, Math.min(count - 1, row)),
      column: Math.max(NAME, Math.min(last, column)),
    }
    wanted.current = true
    if (at.current.row !== HEAD) show(at.current.row as number)
    // a column far away is drawn when it is scrolled to
    if (!cellAt({ row: HEAD, column: at.current.column }) && table.current)
      table.current.scrollLeft = at.current.column === last ? table.current.scrollWidth : 0
    focus()
  }
  useEffect(() => {
    const { table, seen, count } = latest.current
    if (wanted.current) focus()
    // the row with the stop may be scrolled away
    if (!table.current || table.current.querySelector('[tabindex="0"]')) return
    const cell = cellAt({ row: count > 0 ? seen.first : HEAD, column: NAME })
    if (cell) stopOf(cell).tabIndex = 0
  })

  const rowNow = () => at.current.row ?? HEAD
  const onRow = (act: (row: number) => void) => () => {
    if (rowNow() !== HEAD) act(rowNow())
  }
  useKeys({
    j: () => go(rowNow() + 1, NAME),
    k: () => go(Math.max(0, rowNow() - 1), NAME),
    x: onRow((row) => latest.current.onSelect(row)),
    p: onRow((row) => latest.current.onPin(row)),
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const { table, count, across, seen } = latest.current
    const { key, shiftKey, ctrlKey } = event
    if (event.altKey || event.metaKey || (ctrlKey && key !== 'Home' && key !== 'End')) return
    const cell = cellOf(event.target)
    const now = (cell && placeOf(cell)) ?? at.current
    const row = now.row ?? seen.first
    const isHead = row === HEAD
    // a control other than the cell's stop, which the pointer reaches, has its own keys
    const isOther = event.target instanceof HTMLInputElement || (event.target instanceof HTMLButtonElement && !isHead)
    const last = NAME + across.count
    const screen = Math.max(1, seen.last - seen.first - 1)
    const sort = () =>
      cellAt({ row: HEAD, column: now.column })
        ?.querySelector('button')
        ?.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey }))
    const letters = usePreferences.getState().letterKeys
    const actions: Record<string, (() => void) | undefined> = {
      ArrowDown: () => go(isHead ? seen.first : row + 1, now.column),
      ArrowUp: isHead ? undefined : () => go(row === 0 ? HEAD : row - 1, now.column),
      ArrowRight: shiftKey ? () => widen(across, now.column, WIDTH_STEP_PX) : () => go(row, now.column + 1),
      ArrowLeft: shiftKey ? () => widen(across, now.column, -WIDTH_STEP_PX) : () => go(row, now.column - 1),
      Home: () => go(ctrlKey ? 0 : row, NAME),
      End: () => go(ctrlKey ? count - 1 : row, last),
      PageDown: () => go(isHead ? seen.first : row + screen, now.column),
      PageUp: isHead ? undefined : () => go(row - screen, now.column),
      Enter:
        isHead || isOther || event.target instanceof HTMLAnchorElement
          ? undefined
          : () => table.current?.querySelector<HTMLElement>(`[data-row="${row}"] a`)?.click(),
      ' ': isHead || isOther ? undefined : () => latest.current.onSelect(row),
      s: letters ? sort : undefined,
      S: letters ? sort : undefined,
      w: letters ? () => widen(across, now.column, null) : undefined,
    }
    const action = actions[key]
    if (!action) return
    event.preventDefault()
    action()
  }
  const onFocus = (event: FocusEvent) => {
    const { table } = latest.current
    const cell = cellOf(event.target)
    const place = cell && placeOf(cell)
    if (!cell || !place || !table.current) return
    at.current = place
    markStop(table.current, stopOf(cell))
    if (place.row !== HEAD && place.row !== null) latest.current.onRow(place.row)
  }
  const handlers = useRef({ onKeyDown, onFocus })
  handlers.current = { onKeyDown, onFocus }
  // before any effect gives the focus to a row
  useLayoutEffect(() => {
    const { current: table } = latest.current.table
    const press = (event: KeyboardEvent) => handlers.current.onKeyDown(event)
    const enter = (event: FocusEvent) => handlers.current.onFocus(event)
    table?.addEventListener('keydown', press)
    table?.addEventListener('focusin', enter)
    return () => {
      table?.removeEventListener('keydown', press)
      table?.removeEventListener('focusin', enter)
    }
  }, [])
  // In a wide window only the table scrolls. While no element has the focus, it takes the keys that scroll a page.
  useEffect(() => {
    const scroll = (event: KeyboardEvent) => {
      const { current: table } = latest.current.table
      const { scrollHeight, clientHeight } = document.documentElement
      if (!table || scrollHeight > clientHeight || document.activeElement !== document.body) return
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
      const top = scrollAfter(event, table)
      if (top === undefined) return
      event.preventDefault()
      table.scrollTo({ top })
    }
    window.addEventListener('keydown', scroll)
    return () => window.removeEventListener('keydown', scroll)
  }, [])
  // The next step begins at the first row again.
  return useCallback(() => {
    at.current = { row: null, column: NAME }
  }, [])
}

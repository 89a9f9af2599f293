// The format of a column follows from the rows of the first page. Its width is measured from them, or set by the user.
// Only visible columns are rendered.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useMemo } from 'react'

import type { ApplyRequest, Field, Row, Sort } from '../api/types'
import { type Catalogue, sectionOf, shortName } from '../fields/catalogue'
import { type Form, formFor, paddingOf } from '../format/number'
import { briefly, isFigure, nameOf, showValue, UNSET } from '../format/value'
import { usePreferences } from '../keys/store'
import type { RowName } from '../names/rows'
import { entryNow, placeOf } from '../url/entry'

export const VERDICT = 'quality.verdict'
export const NAMES = 'names' // the first column, which has no field
export const BAR_PX = 44
const NAMES_PX = 248
const NAME_CHROME_PX = 72 // the padding, the box and the slot next to a name
const NAMES_USUAL_PX = 340
const NAMES_MOST_PX = 372 // of names with wide letters
const SIGN_PX = 76 // of a simulated result
const OWN_PX = 20 // the ellipsis of the name after a label
const LETTER_PX = 7
const ALL_DRAWN = 40
const OVERSCAN = 3
const PAD_PX = 19
const MARK_PX = 18 // of a sort key
export const LEAST_PX = 56
const MOST_PX = 340
const VERDICT_PX = 100
const PINNED_SHARE = 0.6 // of the window: what is pinned must leave room for what scrolls

export interface Shown {
  field: Field
  form: Form
  top: number // of its bars: of the first sorted column only
  isDivided: boolean
  isWhole: boolean // a sort key is shown in full: its order is that of the whole text
}

// Other filters, another order or another page are other content; other columns are not.
export const contentOf = ({ sort, filter, offset }: ApplyRequest) => JSON.stringify([sort, filter, offset])

// Lines separate the metrics by kind. The parameters are one block.
const divides = (before: Field, field: Field) =>
  before.id !== VERDICT &&
  (before.role === 'output' || field.role === 'output') &&
  sectionOf(before) !== sectionOf(field)

export function useShown(catalogue: Catalogue, rows: Row[], columns: string[], sort: Sort[]) {
  return useMemo(
    () =>
      columns.map((id, i): Shown => {
        const field = catalogue.get(id)
        const values = rows.map((row) => row.cells[id])
        const numbers = values.filter((value): value is number => typeof value === 'number')
        const hasBars = sort[0]?.field === id && field.direction === 'higher' && Math.min(...numbers) >= 0
        const before = columns[i - 1]
        return {
          field,
          form: formFor(field, values),
          top: hasBars ? Math.max(...numbers) : 0,
          isDivided: before !== undefined && divides(catalogue.get(before), field),
          isWhole: sort.some((key) => key.field === id),
        }
      }),
    [catalogue, rows, columns, sort],
  )
}

type Ruler = (text: string, face: 'sans' | 'mono', weight?: number) => number

// Made once, because reading the style of an element makes the browser compute the styles of all.
let made: Ruler | undefined
function rulerOf(): Ruler {
  if (made) return made
  const context = document.createElement('canvas').getContext('2d')
  const style = getComputedStyle(document.documentElement)
  const faces = { sans: style.getPropertyValue('--sans'), mono: style.getPropertyValue('--mono') }
  made = (text, face, weight = 400) => {
    if (!context) return text.length * 8
    context.font = `${weight} 12px ${faces[face]}`
    return context.measureText(text).width
  }
  return made
}

export const textIn = ({ field, form, isWhole }: Shown, value: unknown) =>
  isWhole ? showValue(field, value, form) : briefly(field, showValue(field, value, form))

// The longest texts of a column. Among numbers, the lowest and the highest suffice, as all have the same decimals.
function longest(column: Shown, rows: Row[]) {
  const { field, form } = column
  let [text, low, high] = ['', Infinity, -Infinity]
  for (const { cells } of rows) {
    const value = cells[field.id]
    if (typeof value === 'number' && form.decimals !== null) [low, high] = [Math.min(low, value), Math.max(high, value)]
    else if (value !== undefined) {
      const shown = value === null ? UNSET : textIn(column, value)
      if (shown.length > text.length) text = shown
    }
  }
  return [
    text,
    ...[low, high]
      .filter(Number.isFinite)
      .map((value) => showValue(field, value, form) + ' '.repeat(paddingOf(value, form))),
  ]
}

function fitting(column: Shown, rows: Row[], ruler: Ruler) {
  const face = isFigure(column.field) ? 'mono' : 'sans'
  const cells = longest(column, rows).map((text) => ruler(text, face) + (column.top > 0 ? BAR_PX + 8 : 0))
  const head = [ruler(shortName(column.field), 'sans', 500) + MARK_PX, ruler(column.form.unit, 'sans') + MARK_PX]
  const verdict = column.field.id === VERDICT ? VERDICT_PX : 0
  return Math.ceil(Math.min(MOST_PX, Math.max(LEAST_PX, verdict, ...cells, ...head) + PAD_PX))
}

export interface Drawn {
  column: Shown
  at: number // among all columns
  px: number
  left: number | null // of one that is pinned
}

export interface Across {
  count: number // of all columns but the names
  names: number
  pinned: Drawn[]
  drawn: Drawn[] // of the others those that are looked at
  before: number // pixels of what is not drawn
  after: number
}

const sum = (list: number[]) => list.reduce((all, px) => all + px, 0)

// The length of a name that the column shows at a width, or at its largest one.
export const lettersIn = (px = NAMES_USUAL_PX) => Math.floor((px - NAME_CHROME_PX) / LETTER_PX)

export const useNameLetters = () => lettersIn(usePreferences((state) => state.widths[NAMES]))

// The width of the names: room for all of them, and for the signs next to them.
function fittingNames(rows: Row[], labels: ReadonlyMap<number, RowName>, ruler: Ruler) {
  let widest = 0
  for (const row of rows) {
    const name = labels.get(row.id)
    widest = Math.max(
      widest,
      ruler(name?.short ?? nameOf(row), 'sans', 500) +
        (name?.own ? OWN_PX : 0) +
        (row.simulated === true ? SIGN_PX : 0),
    )
  }
  return Math.ceil(Math.min(NAMES_MOST_PX, Math.max(NAMES_PX, widest + NAME_CHROME_PX)))
}

export function useAcross(
  shown: Shown[],
  pins: number,
  rows: Row[],
  labels: ReadonlyMap<number, RowName>,
  scroll: RefObject<HTMLElement | null>,
): Across {
  const made = usePreferences((state) => state.widths)
  const fit = useMemo(() => {
    const ruler = rulerOf()
    return shown.map((column) => fitting(column, rows, ruler))
  }, [shown, rows])
  const widths = useMemo(() => shown.map(({ field }, i) => made[field.id] ?? fit[i] ?? LEAST_PX), [shown, made, fit])
  const fitNames = useMemo(() => fittingNames(rows, labels, rulerOf()), [rows, labels])
  const names = made[NAMES] ?? fitNames
  const pinnedPx = sum(widths.slice(0, pins))
  const count = names + pinnedPx < window.innerWidth * PINNED_SHARE ? pins : 0
  const isCut = shown.length > ALL_DRAWN
  // another function with other columns: widths that are known belong to those that were
  // biome-ignore lint/correctness/useExhaustiveDependencies: another function makes the virtualizer measure again
  const keyOf = useCallback((i: number) => shown[count + i]?.field.id ?? i, [shown, count, widths])
  const virtual = useVirtualizer({
    horizontal: true,
    enabled: isCut,
    count: isCut ? shown.length - count : 0,
    getScrollElement: () => scroll.current,
    getItemKey: keyOf,
    estimateSize: (i) => widths[count + i] ?? LEAST_PX,
    paddingStart: names + (count > 0 ? pinnedPx : 0),
    overscan: OVERSCAN,
    initialOffset: () => placeOf(entryNow())?.left ?? 0,
  })
  const items = virtual.getVirtualItems()
  const [from, to] = isCut
    ? [count + (items[0]?.index ?? 0), count + (items.at(-1)?.index ?? -1) + 1]
    : [count, shown.length]
  return useMemo(() => {
    const drawn = (begin: number, end: number, isPinned: boolean) =>
      shown.slice(begin, end).map(
        (column, i): Drawn => ({
          column,
          at: begin + i,
          px: widths[begin + i] ?? LEAST_PX,
          left: isPinned ? names + sum(widths.slice(0, begin + i)) : null,
        }),
      )
    return {
      count: shown.length,
      names,
      pinned: drawn(0, count, true),
      drawn: drawn(from, to, false),
      before: sum(widths.slice(count, from)),
      after: sum(widths.slice(to)),
    }
  }, [shown, widths, names, count, from, to])
}

export const totalOf = ({ names, pinned, drawn, before, after }: Across) =>
  names + before + after + sum([...pinned, ...drawn].map(({ px }) => px))

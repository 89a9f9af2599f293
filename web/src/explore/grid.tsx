// The table: sorted and cut into pages by the server, drawn only where it is looked at.
import { rowSortingFeature, tableFeatures, useTable, type ColumnDef } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type Ref, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react'

import type { ApplyAnswer, ApplyRequest, Row, Sort } from '../api/types'
import { type Catalogue, shortName } from '../fields/catalogue'
import { useKeys } from '../keys/use-keys'
import { join } from '../ui/controls'
import { entryNow, placeOf } from '../url/entry'
import type { Change } from '../url/use-explore'
import { usePlace, useRowFocus } from '../url/use-place'
import explore from './explore.module.css'
import { BoneRow, Head, RowView } from './grid-cells'
import { type Across, contentOf, NAMES, totalOf, useAcross, useShown } from './grid-columns'
import { onceEach, rowsMax, useRange, useRows } from './grid-rows'
import { WidthHandle } from './grid-widths'
import css from './grid.module.css'

const OVERSCAN = 6 // each row more is painted in every frame of a scroll
const HEAD_PX = 44
const NO_SORT: Sort[] = []
const NO_ROWS: Row[] = []
const features = tableFeatures({ rowSortingFeature })

export interface GridHandle {
  onScreen: () => Row[]
  known: (id: number) => Row | undefined
}

interface Props {
  catalogue: Catalogue
  answer: ApplyAnswer & { request: ApplyRequest }
  columns: string[]
  pinned: number
  sort: Sort[] // what was asked for: a press on a head goes on from it
  selected: number[]
  round: number
  change: Change
  isWaiting: boolean
  ref: Ref<GridHandle>
}

interface RowKeys {
  count: number
  show: (index: number) => void
  body: React.RefObject<HTMLTableSectionElement | null>
  onSelect: (index: number) => void
}

function useRowKeys({ count, show, body, onSelect }: RowKeys) {
  const at = useRef(-1)
  const wanted = useRef(false)
  const focus = () => {
    const link = body.current?.querySelector<HTMLElement>(`[data-row="${at.current}"] a`)
    if (link) wanted.current = false
    link?.focus({ preventScroll: true })
  }
  const go = (to: number) => {
    at.current = Math.max(0, Math.min(count - 1, to))
    wanted.current = true
    show(at.current)
    // at once, so that Enter opens it; a row far away is drawn, or comes, later
    focus()
  }
  useEffect(() => { if (wanted.current) focus() })
  useKeys({ j: () => go(at.current + 1), k: () => go(at.current - 1), x: () => { if (at.current >= 0) onSelect(at.current) } })
  return useCallback((index: number) => { at.current = index }, [])
}

// A press on a head: the better way first, then the other, then none; with Shift as a further key.
function useHeads(shown: ReturnType<typeof useShown>, sort: Sort[], change: Change) {
  const columns = useMemo(
    () => shown.map(({ field }): ColumnDef<typeof features, Row> => ({ id: field.id, accessorFn: (row) => row.cells[field.id], header: shortName(field), sortDescFirst: field.direction === 'higher' || field.type === 'time' })),
    [shown],
  )
  const sorting = useMemo(() => sort.map(({ field, dir }) => ({ id: field, desc: dir === 'desc' })), [sort])
  const table = useTable({
    features, columns, data: NO_ROWS, manualSorting: true, enableMultiRemove: true, state: { sorting },
    onSortingChange: (updater) => {
      const next = typeof updater === 'function' ? updater(sorting) : updater
      change({ sort: next.map(({ id, desc }) => ({ field: id, dir: desc ? 'desc' : 'asc' })) })
    },
  })
  const headers = table.getHeaderGroups()[0]?.headers
  // they stay what they are while rows pass by: heads are not drawn anew in each frame of a scroll
  return useMemo(() => headers?.map(({ column }) => column.getToggleSortingHandler()) ?? [], [headers, sorting])
}

export function Grid({ catalogue, answer, columns, pinned, sort, selected, round, change, isWaiting, ref }: Props) {
  const { rows, count, request } = answer
  // marks tell of the rows that are shown: what was asked for may be refused, or not answered yet
  const shownSort = request.sort ?? NO_SORT
  const shown = useShown(catalogue, rows, columns, shownSort)
  const scroll = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const [rowPx] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 30)
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: Math.min(count, rowsMax(rowPx)), getScrollElement: () => scroll.current, estimateSize: () => rowPx, overscan: OVERSCAN, scrollPaddingStart: HEAD_PX,
    initialOffset: () => placeOf(entryNow())?.top ?? 0,
  })
  const kept = useRef({ pages: [] as number[] }).current
  const rowAt = useRows({ answer, round, virtual, kept })
  const across = useAcross(shown, pinned, rows, scroll)
  const latest = useRef({ rowAt, selected, keepRow: (_: number) => {} })
  const onSelect = useCallback((index: number) => {
    const { rowAt: at, selected: now } = latest.current
    const id = at(index)?.id
    if (id !== undefined) change({ selected: now.includes(id) ? now.filter((other) => other !== id) : [...now, id] }, { typing: 'select' })
  }, [change])
  const setAt = useRowKeys({ count, show: (i) => virtual.scrollToIndex(i), body, onSelect })
  const giveFocus = useRowFocus(body)
  const keepRow = usePlace({
    content: contentOf(request),
    isReady: !isWaiting,
    scroll,
    onRow: (id) => {
      if (id === null) setAt(-1)
      giveFocus(id)
    },
  })
  latest.current = { rowAt, selected, keepRow }
  const onFocus = useCallback((index: number) => {
    setAt(index)
    const id = latest.current.rowAt(index)?.id
    if (id !== undefined) latest.current.keepRow(id)
  }, [setAt])

  const items = virtual.getVirtualItems()
  const { first, last } = onScreen(virtual, rowPx)
  useLayoutEffect(() => useRange.setState({ first, last }), [first, last])
  const drawnRows = onceEach(items.map((item) => rowAt(item.index)))
  useImperativeHandle(ref, () => ({
    onScreen: () => Array.from({ length: last - first + 1 }, (_, i) => rowAt(first + i)).filter((row) => row !== undefined),
    known: (id) => [...rows, ...drawnRows].find((row) => row?.id === id),
  }))
  const handlers = useHeads(shown, sort, change)
  const chosen = useMemo(() => new Set(selected), [selected])
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div ref={scroll} className={join(css.scroll, isWaiting && explore.waiting)} tabIndex={0} role="region" aria-label="Table, scrolls sideways">
      <table className={css.grid} style={{ minWidth: totalOf(across) }} aria-rowcount={count + 1} aria-colcount={columns.length + 1}>
        <Widths across={across} />
        <Heads across={across} sort={shownSort} handlers={handlers} />
        <tbody ref={body}>
          {before > 0 && <tr className={css.space} aria-hidden="true"><td style={{ height: before }} /></tr>}
          {items.map((item, i) => {
            const row = drawnRows[i]
            return row
              ? <RowView key={row.id} row={row} index={item.index} across={across} isSelected={chosen.has(row.id)} onFocus={onFocus} onSelect={onSelect} />
              : <BoneRow key={`bone ${item.index}`} index={item.index} />
          })}
          {after > 0 && <tr className={css.space} aria-hidden="true"><td style={{ height: after }} /></tr>}
        </tbody>
      </table>
    </div>
  )
}

// The first and last row that one sees, at least in part.
function onScreen(virtual: ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>, rowPx: number) {
  const top = virtual.scrollOffset ?? 0
  const high = Math.max(rowPx, (virtual.scrollRect?.height ?? 0) - HEAD_PX)
  const last = Math.min(virtual.options.count, Math.ceil((top + high) / rowPx)) - 1
  return { first: Math.max(0, Math.min(last, Math.floor(top / rowPx))), last: Math.max(0, last) }
}

// Widths are given, for those of a table that is drawn in part would jump. A gap stands for what is left of what
// is drawn; the last column takes what the others leave.
const Widths = memo(function Widths({ across: { names, pinned, drawn, before } }: { across: Across }) {
  return (
    <colgroup>
      <col data-of={NAMES} style={{ width: names }} />
      {pinned.map(({ column, px }) => <col key={column.field.id} data-of={column.field.id} style={{ width: px }} />)}
      {before > 0 && <col style={{ width: before }} />}
      {drawn.map(({ column, px }) => <col key={column.field.id} data-of={column.field.id} style={{ width: px }} />)}
      <col />
    </colgroup>
  )
})

const Heads = memo(function Heads({ across, sort, handlers }: { across: Across; sort: Sort[]; handlers: ReturnType<typeof useHeads> }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th className={css.pin} scope="col" aria-colindex={1}><span className={css.head}>Experiment<small /></span><WidthHandle of={NAMES} name="Experiment" px={across.names} /></th>
        {across.pinned.map((drawn) => <Head key={drawn.column.field.id} {...drawn} sort={sort} onSort={handlers[drawn.at]} />)}
        {across.before > 0 && <td className={css.gap} aria-hidden="true" />}
        {across.drawn.map((drawn) => <Head key={drawn.column.field.id} {...drawn} sort={sort} onSort={handlers[drawn.at]} />)}
        <td className={css.gap} aria-hidden="true" />
      </tr>
    </thead>
  )
})

// The table: sorted and cut into pages by the server, drawn only where it is looked at.
import { rowSortingFeature, tableFeatures, useTable, type ColumnDef } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useMemo, useRef, useState } from 'react'

import type { ApplyAnswer, ApplyRequest, Row, Sort } from '../api/types'
import { type Catalogue, shortName } from '../fields/catalogue'
import { useKeys } from '../keys/use-keys'
import { join } from '../ui/controls'
import { entryNow, placeOf } from '../url/entry'
import type { Change } from '../url/use-explore'
import { usePlace, useRowFocus } from '../url/use-place'
import explore from './explore.module.css'
import { Head, RowView } from './grid-cells'
import { type Across, contentOf, PIN_PX, useAcross, useShown } from './grid-columns'
import css from './grid.module.css'

const OVERSCAN = 12
const NO_SORT: Sort[] = []
const features = tableFeatures({ rowSortingFeature })

interface Props {
  catalogue: Catalogue
  answer: ApplyAnswer & { request: ApplyRequest }
  columns: string[]
  sort: Sort[] // what was asked for: a press on a head goes on from it
  change: Change
  isWaiting: boolean
}

function useRowKeys(count: number, show: (i: number) => void, body: React.RefObject<HTMLTableSectionElement | null>) {
  const at = useRef(-1)
  const go = (to: number) => {
    at.current = Math.max(0, Math.min(count - 1, to))
    const link = () => body.current?.querySelector<HTMLElement>(`[data-row="${at.current}"] a`)
    show(at.current)
    // at once, so that Enter opens it; a row far away is drawn only after the scroll
    if (link()) link()?.focus({ preventScroll: true })
    else requestAnimationFrame(() => requestAnimationFrame(() => link()?.focus()))
  }
  useKeys({ j: () => go(at.current + 1), k: () => go(at.current - 1) })
  return useCallback((i: number) => { at.current = i }, [])
}

export function Grid({ catalogue, answer, columns, sort, change, isWaiting }: Props) {
  const { rows, count, request } = answer
  const offset = request.offset ?? 0
  // marks tell of the rows that are shown: what was asked for may be refused, or not answered yet
  const shownSort = request.sort ?? NO_SORT
  const shown = useShown(catalogue, rows, columns, shownSort)
  const scroll = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const [rowPx] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 30)
  const virtual = useVirtualizer({
    count: rows.length, getScrollElement: () => scroll.current, estimateSize: () => rowPx, overscan: OVERSCAN, scrollPaddingStart: 44,
    initialOffset: () => placeOf(entryNow())?.top ?? 0,
  })
  const across = useAcross(shown, rows, scroll)
  const setAt = useRowKeys(rows.length, (i) => virtual.scrollToIndex(i), body)
  const giveFocus = useRowFocus(body)
  const keepRow = usePlace({
    content: contentOf(request),
    isReady: !isWaiting,
    scroll,
    onRow: (id) => {
      setAt(rows.findIndex((row) => row.id === id))
      giveFocus(id)
    },
  })
  const latest = useRef({ rows, keepRow })
  latest.current = { rows, keepRow }
  const onFocus = useCallback((i: number) => {
    setAt(i)
    const id = latest.current.rows[i]?.id
    if (id !== undefined) latest.current.keepRow(id)
  }, [setAt])

  const columnDefs = useMemo(
    () => shown.map(({ field }): ColumnDef<typeof features, Row> => ({ id: field.id, accessorFn: (row) => row.cells[field.id], header: shortName(field), sortDescFirst: field.direction === 'higher' || field.type === 'time' })),
    [shown],
  )
  const sorting = useMemo(() => sort.map(({ field, dir }) => ({ id: field, desc: dir === 'desc' })), [sort])
  const table = useTable({
    features,
    columns: columnDefs,
    data: rows,
    getRowId: (row: Row) => String(row.id),
    manualSorting: true,
    enableMultiRemove: true,
    state: { sorting },
    onSortingChange: (updater) => {
      const next = typeof updater === 'function' ? updater(sorting) : updater
      change({ sort: next.map(({ id, desc }) => ({ field: id, dir: desc ? 'desc' : 'asc' })) })
    },
  })
  const headers = table.getHeaderGroups()[0]?.headers
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div ref={scroll} className={join(css.scroll, isWaiting && explore.waiting)} tabIndex={0} role="region" aria-label="Table, scrolls sideways">
      <table className={join(css.grid, across.widths !== null && css.cut)} style={across.widths ? { width: widthOf(across, across.widths) } : undefined} aria-rowcount={count + 1} aria-colcount={columns.length + 1}>
        <Widths across={across} />
        <thead>
          <tr aria-rowindex={1}>
            <th className={css.pin} scope="col" aria-colindex={1}><span className={css.head}>Experiment<small /></span></th>
            {across.widths && <td className={css.gap} aria-hidden="true" />}
            {across.drawn.map(({ column, at }) => <Head key={column.field.id} {...column} at={at} sort={shownSort} onSort={headers?.[at]?.column.getToggleSortingHandler()} />)}
            {across.widths && <td className={css.gap} aria-hidden="true" />}
          </tr>
        </thead>
        <tbody ref={body}>
          {before > 0 && <tr className={css.space} aria-hidden="true"><td style={{ height: before }} /></tr>}
          {items.map((item) => {
            const row = table.getRowModel().rows[item.index]
            return row && <RowView key={row.id} row={row.original} index={item.index} at={offset + item.index + 2} across={across} onFocus={onFocus} />
          })}
          {after > 0 && <tr className={css.space} aria-hidden="true"><td style={{ height: after }} /></tr>}
        </tbody>
      </table>
    </div>
  )
}

const widthOf = ({ before, after }: Across, widths: number[]) => PIN_PX + before + widths.reduce((all, px) => all + px, 0) + after

// Of a table that is not drawn whole: a gap stands for what is left of it, and one for what is right of it.
function Widths({ across: { drawn, widths, before, after } }: { across: Across }) {
  if (widths === null) return null
  return (
    <colgroup>
      <col style={{ width: PIN_PX }} />
      <col style={{ width: before }} />
      {drawn.map(({ column }, i) => <col key={column.field.id} style={{ width: widths[i] }} />)}
      <col style={{ width: after }} />
    </colgroup>
  )
}

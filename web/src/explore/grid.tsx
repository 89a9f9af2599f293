// The table: sorted and cut into pages by the server, drawn only where it is looked at.
import { rowSortingFeature, tableFeatures, useTable, type ColumnDef } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'

import type { ApplyAnswer, ApplyRequest, Field, Row, Sort } from '../api/types'
import { type Catalogue, sectionOf, shortName } from '../fields/catalogue'
import { directionWords } from '../filter/words'
import { arrow, type Form, formFor } from '../format/number'
import { briefly, isFigure, NOT_RECORDED, rawValue, showValue, UNSET } from '../format/value'
import { useKeys } from '../keys/use-keys'
import { join } from '../ui/controls'
import explore from './explore.module.css'
import { Simulated, Verdict } from '../ui/verdict'
import { paths } from '../url/paths'
import type { Change } from '../url/use-explore'
import css from './grid.module.css'

const BAR_PX = 44
const OVERSCAN = 12
const NO_SORT: Sort[] = []
const VERDICT = 'quality.verdict'
const features = tableFeatures({ rowSortingFeature })

export const nameOf = (row: Row) => {
  const name = row.cells['run.name']
  return typeof name === 'string' && name.trim() ? name : (row.run_id ?? `result ${row.id}`)
}

// Lines part what was measured by what it is; how a run was set up is one block.
const divides = (before: Field, field: Field) => before.id !== VERDICT && (before.role === 'output' || field.role === 'output') && sectionOf(before) !== sectionOf(field)

interface Props {
  catalogue: Catalogue
  answer: ApplyAnswer & { request: ApplyRequest }
  columns: string[]
  sort: Sort[] // what was asked for: a press on a head goes on from it
  change: Change
  isWaiting: boolean
}

interface Shown {
  field: Field
  form: Form
  top: number // of its bars: of the first sorted column only
  isDivided: boolean
}

// What a column looks like follows from the rows of the page.
function useShown(catalogue: Catalogue, rows: Row[], columns: string[], sort: Sort[]) {
  return useMemo(
    () =>
      columns.map((id, i): Shown => {
        const field = catalogue.get(id)
        const values = rows.map((row) => row.cells[id])
        const numbers = values.filter((value): value is number => typeof value === 'number')
        const hasBars = sort[0]?.field === id && field.direction === 'higher' && Math.min(...numbers) >= 0
        const before = columns[i - 1]
        return { field, form: formFor(field, values), top: hasBars ? Math.max(...numbers) : 0, isDivided: before !== undefined && divides(catalogue.get(before), field) }
      }),
    [catalogue, rows, columns, sort],
  )
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
  return (i: number) => { at.current = i }
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
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroll.current, estimateSize: () => rowPx, overscan: OVERSCAN, scrollPaddingStart: 44 })
  const setAt = useRowKeys(rows.length, (i) => virtual.scrollToIndex(i), body)
  const pageKey = JSON.stringify([request.sort, request.filter, offset])
  useEffect(() => { scroll.current?.scrollTo({ top: 0 }); setAt(-1) }, [pageKey])

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
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div ref={scroll} className={join(css.scroll, isWaiting && explore.waiting)} tabIndex={0} role="region" aria-label="Table, scrolls sideways">
      <table className={css.grid} aria-rowcount={count + 1} aria-colcount={columns.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th className={css.pin} scope="col"><span className={css.head}>Experiment<small /></span></th>
            {table.getHeaderGroups()[0]?.headers.map((header, i) => {
              const column = shown[i]
              return column && <Head key={header.id} {...column} sort={shownSort} onSort={header.column.getToggleSortingHandler()} />
            })}
          </tr>
        </thead>
        <tbody ref={body}>
          {before > 0 && <tr className={css.space} aria-hidden="true"><td style={{ height: before }} /></tr>}
          {items.map((item) => {
            const row = table.getRowModel().rows[item.index]
            return row && <RowView key={row.id} row={row.original} index={item.index} at={offset + item.index + 2} shown={shown} onFocus={setAt} />
          })}
          {after > 0 && <tr className={css.space} aria-hidden="true"><td style={{ height: after }} /></tr>}
        </tbody>
      </table>
    </div>
  )
}

function Head({ field, form, isDivided, sort, onSort }: Shown & { sort: Sort[]; onSort: ((event: unknown) => void) | undefined }) {
  const place = sort.findIndex((key) => key.field === field.id)
  const key = sort[place]
  const words = directionWords(field)
  return (
    <th scope="col" className={join(isFigure(field) && css.num, key && css.isSorted, isDivided && css.divided)}
      aria-sort={key ? (key.dir === 'asc' ? 'ascending' : 'descending') : undefined}>
      <button type="button" className={css.head} onClick={onSort} title={`${field.id}\n${field.help}${words ? `\n${words}` : ''}`}>
        <span>
          {shortName(field)} {key && <span className="mid" aria-hidden="true">{key.dir === 'asc' ? '▴' : '▾'}{sort.length > 1 && <sup>{place + 1}</sup>}</span>}
          {key && sort.length > 1 && <span className="sr">sort key {place + 1}</span>}
        </span>
        <small>{field.type === 'time' ? 'UTC' : form.unit} {arrow(field) && <span aria-hidden="true">{arrow(field)}</span>}<span className="sr">{words}</span></small>
      </button>
    </th>
  )
}

const RowView = memo(function RowView({ row, index, at, shown, onFocus }: { row: Row; index: number; at: number; shown: Shown[]; onFocus: (i: number) => void }) {
  return (
    <tr className={row.simulated ? css.simulated : undefined} aria-rowindex={at} data-row={index} onFocus={() => onFocus(index)}>
      <th className={css.pin} scope="row">
        <div className={css.name}>
          <Link className="clip" href={paths.experiment(row.id)} title={row.run_id ?? undefined}><bdi>{nameOf(row)}</bdi></Link>
          {row.simulated && <Simulated />}
        </div>
      </th>
      {shown.map((column) => <CellView key={column.field.id} row={row} {...column} />)}
    </tr>
  )
})

function CellView({ row, field, form, top, isDivided }: Shown & { row: Row }) {
  const value = row.cells[field.id]
  const look = join(isFigure(field) && css.num, isDivided && css.divided)
  if (field.id === VERDICT) return <td className={look}><Verdict verdict={row.verdict} /></td>
  if (value === undefined) return <td className={look}><span className={css.none} aria-label="not recorded" role="img">{NOT_RECORDED}</span></td>
  if (value === null) return <td className={look}><span className={css.none}>{UNSET}</span></td>
  return (
    <td className={look} title={`${rawValue(value)} ${field.unit}\n${field.id}`}>
      {top > 0 && typeof value === 'number' && <span className={css.bar} style={{ width: Math.round((value / top) * BAR_PX) }} />}
      <bdi>{briefly(field, showValue(field, value, form))}</bdi>
    </td>
  )
}

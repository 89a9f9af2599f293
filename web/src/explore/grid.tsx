// The table. The server sorts it and returns it in pages, and only visible cells are rendered.
import { rowSortingFeature, tableFeatures, useTable, type ColumnDef } from '@tanstack/react-table'
import { memo, type Ref, useCallback, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react'

import type { ApplyResponse, PageRequest, Row, Sort } from '../api/types'
import { type Catalogue, shortName } from '../fields/catalogue'
import { useFilm } from '../film/film'
import { count as formatted } from '../format/number'
import { nameOf } from '../format/value'
import { rowNames } from '../names/rows'
import { useTray } from '../tray/store'
import { join } from '../ui/controls'
import type { Change } from '../url/use-explore'
import { usePlace, useRowFocus } from '../url/use-place'
import explore from './explore.module.css'
import { BoneRow, Head, RowView } from './grid-cells'
import { type Across, contentOf, NAMES, totalOf, useAcross, useNameLetters, useShown } from './grid-columns'
import { useGridKeys } from './grid-keys'
import { useRange, useRows } from './grid-rows'
import { useScroll } from './grid-scroll'
import { WidthHandle } from './grid-widths'
import css from './grid.module.css'

const NO_SORT: Sort[] = []
const NO_ROWS: Row[] = []
const features = tableFeatures({ rowSortingFeature })

export interface GridHandle {
  onScreen: () => Row[]
  known: (id: number) => Row | undefined
}

interface Props {
  catalogue: Catalogue
  answer: ApplyResponse & { request: PageRequest }
  columns: string[]
  pinned: number
  sort: Sort[] // the requested order: a click on a column head changes it
  selected: number[]
  slots: ReadonlyMap<number, string> // of what is pinned to be compared
  round: number
  change: Change
  isWaiting: boolean
  ref: Ref<GridHandle>
}

// A click on a head sorts by the better direction first, then the other, then not at all; Shift adds a sort key.
function useHeads(shown: ReturnType<typeof useShown>, sort: Sort[], change: Change) {
  const columns = useMemo(
    () =>
      shown.map(
        ({ field }): ColumnDef<typeof features, Row> => ({
          id: field.id,
          accessorFn: (row) => row.cells[field.id],
          header: shortName(field),
          sortDescFirst: field.direction === 'higher' || field.type === 'time',
        }),
      ),
    [shown],
  )
  const sorting = useMemo(() => sort.map(({ field, dir }) => ({ id: field, desc: dir === 'desc' })), [sort])
  const table = useTable({
    features,
    columns,
    data: NO_ROWS,
    manualSorting: true,
    enableMultiRemove: true,
    state: { sorting },
    onSortingChange: (updater) => {
      const next = typeof updater === 'function' ? updater(sorting) : updater
      change({ sort: next.map(({ id, desc }) => ({ field: id, dir: desc ? 'desc' : 'asc' })) })
    },
  })
  const headers = table.getHeaderGroups()[0]?.headers
  // constant during a scroll, so that the heads are not redrawn in each frame
  // biome-ignore lint/correctness/useExhaustiveDependencies: the handlers change with the order
  return useMemo(() => headers?.map(({ column }) => column.getToggleSortingHandler()) ?? [], [headers, sorting])
}

export const Grid = memo(function Grid({ catalogue, columns, pinned, sort, ref, ...own }: Props) {
  const {
    answer: { rows, count, request },
    change,
    isWaiting,
  } = own
  // marks show the order of the visible rows: the requested order may be refused or still loading
  const shownSort = request.sort ?? NO_SORT
  const shown = useShown(catalogue, rows, columns, shownSort)
  const scroll = useRef<HTMLDivElement>(null)
  // the rows need their scroll container, which exists only after the first commit
  const [isThere, setThere] = useState(false)
  useLayoutEffect(() => setThere(true), [])
  const letters = useNameLetters()
  const across = useAcross(shown, pinned, rows, rowNames(rows, catalogue, letters), scroll)
  const handlers = useHeads(shown, sort, change)
  return (
    <div
      ref={scroll}
      className={join(css.scroll, isWaiting && explore.waiting)}
      tabIndex={-1}
      data-focus-home
      role="region"
      aria-label="Experiments table"
      aria-description="Scrolls sideways"
    >
      <table
        role="grid"
        aria-label="Experiments"
        aria-multiselectable
        className={css.grid}
        style={{ minWidth: totalOf(across) }}
        aria-rowcount={count + 1}
        aria-colcount={columns.length + 1}
      >
        <Widths across={across} />
        <Heads across={across} sort={shownSort} handlers={handlers} />
        {isThere && <Body {...own} catalogue={catalogue} ref={ref} scroll={scroll} across={across} />}
      </table>
      {count > request.limit && (
        <p className={css.printed}>
          The first {formatted(request.limit)} of {formatted(count)} rows. An export contains all rows.
        </p>
      )}
    </div>
  )
})

interface BodyProps
  extends Pick<Props, 'catalogue' | 'answer' | 'selected' | 'slots' | 'round' | 'change' | 'isWaiting' | 'ref'> {
  scroll: React.RefObject<HTMLDivElement | null>
  across: Across
}

// The part of the table that a scroll redraws.
function Body({ catalogue, answer, selected, slots, round, change, isWaiting, ref, scroll, across }: BodyProps) {
  const { rows, request } = answer
  const letters = useNameLetters()
  const filmed = useFilm(({ frame }) => frame?.rows)
  // the scroll bar keeps its length while a film runs
  const count = filmed ? Math.max(answer.count, request.limit) : answer.count
  const body = useRef<HTMLTableSectionElement>(null)
  const [rowPx] = useState(
    () => Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 30,
  )
  // first the scroll position, then the rows that are visible there
  const giveFocus = useRowFocus(body)
  const keepRow = usePlace({
    content: contentOf(request),
    isReady: !isWaiting,
    scroll,
    onRow: (id) => {
      if (id === null) forget()
      giveFocus(id)
    },
  })
  const { seen, before, after, show } = useScroll({ scroll, count, rowPx, printed: request.limit })
  const kept = useRef({ pages: [] as number[] }).current
  const { pageAt, rowAt: ownRow } = useRows({ answer, round, seen, kept })
  const rowAt = filmed ? (index: number) => filmed.rows[index] : ownRow
  const nameAt = (row: Row, index: number) =>
    rowNames((filmed ? filmed.rows : pageAt(index)) ?? NO_ROWS, catalogue, letters).get(row.id)
  useTopOfFilm(scroll, filmed !== undefined, contentOf(request))
  const latest = useRef({ rowAt, selected, keepRow: (_: number) => {} })
  const onSelect = useCallback(
    (index: number) => {
      const { rowAt: at, selected: now } = latest.current
      const id = at(index)?.id
      if (id !== undefined)
        change(
          { selected: now.includes(id) ? now.filter((other) => other !== id) : [...now, id] },
          { typing: 'select' },
        )
    },
    [change],
  )
  const onPin = useCallback((index: number) => {
    const row = latest.current.rowAt(index)
    if (row) useTray.getState().toggle({ ids: [row.id] }, nameOf(row))
  }, [])
  const onRow = useCallback((index: number) => {
    const id = latest.current.rowAt(index)?.id
    if (id !== undefined) latest.current.keepRow(id)
  }, [])
  const forget = useGridKeys({ table: scroll, count, across, seen, show, onSelect, onPin, onRow })
  latest.current = { rowAt, selected, keepRow }

  const { first, last, from, to } = seen
  useLayoutEffect(() => useRange.setState({ first, last }), [first, last])
  const drawnRows = Array.from({ length: Math.max(0, Math.min(to, filmed?.count ?? to) - from) }, (_, i) =>
    rowAt(from + i),
  )
  useImperativeHandle(ref, () => ({
    onScreen: () =>
      Array.from({ length: last - first + 1 }, (_, i) => rowAt(first + i)).filter((row) => row !== undefined),
    known: (id) => [...rows, ...drawnRows].find((row) => row?.id === id),
  }))
  const chosen = useMemo(() => new Set(selected), [selected])
  return (
    <tbody ref={body}>
      {before > 0 && <Space high={before} />}
      {/* keyed by place: another filter, or a frame of a film, writes other values into the same elements */}
      {drawnRows.map((row, i) =>
        row ? (
          <RowView
            key={from + i}
            row={row}
            name={nameAt(row, from + i)}
            index={from + i}
            across={across}
            isSelected={chosen.has(row.id)}
            slot={slots.get(row.id)}
            onSelect={onSelect}
            onPin={onPin}
          />
        ) : (
          <BoneRow key={from + i} index={from + i} />
        ),
      )}
      {after > 0 && <Space high={after} />}
    </tbody>
  )
}

// A film shows the first rows. If the content is the same after it, the table returns to its scroll position.
function useTopOfFilm(scroll: React.RefObject<HTMLDivElement | null>, isFilm: boolean, content: string) {
  const before = useRef<{ top: number; content: string } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the start and the end of a film matter
  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    if (isFilm) {
      before.current = { top: element.scrollTop, content }
      element.scrollTop = 0
    } else if (before.current) {
      if (before.current.content === content) element.scrollTop = before.current.top
      before.current = null
    }
  }, [isFilm])
}

const Space = ({ high }: { high: number }) => (
  <tr className={css.space} aria-hidden="true">
    <td style={{ height: high }} />
  </tr>
)

// Column widths are set, because automatic widths would change with the rendered part. A gap replaces the columns left
// of the rendered ones, and the last column takes the remaining width.
const Widths = memo(function Widths({ across: { names, pinned, drawn, before } }: { across: Across }) {
  return (
    <colgroup>
      <col data-of={NAMES} style={{ width: names }} />
      {pinned.map(({ column, px }) => (
        <col key={column.field.id} data-of={column.field.id} style={{ width: px }} />
      ))}
      {before > 0 && <col style={{ width: before }} />}
      {drawn.map(({ column, px }) => (
        <col key={column.field.id} data-of={column.field.id} style={{ width: px }} />
      ))}
      <col />
    </colgroup>
  )
})

const Heads = memo(function Heads({
  across,
  sort,
  handlers,
}: {
  across: Across
  sort: Sort[]
  handlers: ReturnType<typeof useHeads>
}) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th className={css.pin} scope="col" aria-colindex={1}>
          <span className={css.head}>
            Experiment
            <small />
          </span>
          <WidthHandle of={NAMES} px={across.names} />
        </th>
        {across.pinned.map((drawn) => (
          <Head key={drawn.column.field.id} {...drawn} sort={sort} onSort={handlers[drawn.at]} />
        ))}
        {across.before > 0 && <td className={css.gap} aria-hidden="true" />}
        {across.drawn.map((drawn) => (
          <Head key={drawn.column.field.id} {...drawn} sort={sort} onSort={handlers[drawn.at]} />
        ))}
        <td className={css.gap} aria-hidden="true" />
      </tr>
    </thead>
  )
})

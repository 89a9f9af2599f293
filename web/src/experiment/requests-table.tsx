// The rows of the selected requests, in pages.
import { memo, useMemo } from 'react'

import type { RequestPage } from '../api/types'
import { count, formOfUnit, showNumber } from '../format/number'
import { Button, join } from '../ui/controls'
import page from '../ui/page.module.css'
import { Nothing } from '../ui/verdict'
import { PAGE_ROWS } from './asked'
import css from './requests.module.css'

const USUAL = [
  'index',
  'status',
  'start_s',
  'client_queue_ms',
  'ttft_ms',
  'tpot_ms',
  'max_itl_ms',
  'e2el_ms',
  'duration_ms',
  'prompt_tokens',
  'output_tokens',
  'error',
]
// the slow and the failed ones are what one looks for
const FALLING = new Set(['number', 'count'])

interface Props {
  data: RequestPage
  sort: string
  number: number // of the page, from 1
  isAll: boolean
  isBusy: boolean
  marked: number | null
  onSort: (sort: string) => void
  onPage: (number: number) => void
  onMark: (index: number | null) => void
}

type Column = RequestPage['columns'][number]
type Cell = RequestPage['rows'][number][string] | undefined
type Form = ReturnType<typeof formOfUnit>

function textOf({ id, type }: Column, value: Cell, form: Form | null) {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return form ? showNumber(value, form) : count(value)
  return type === 'text' && id === 'status' ? value.replaceAll('_', ' ') : value
}

const hasSame = (before: Column[], now: Column[]) =>
  before.length === now.length && before.every(({ id }, i) => id === now[i]?.id)

interface RowProps {
  index: number
  place: number // of all rows, for screen readers
  columns: Column[]
  texts: (string | null)[] // null: no value
  isMarked: boolean
  onMark: (index: number | null) => void
}

// A zoom mostly keeps some rows: those with the same texts are not rendered again.
const isSame = (before: RowProps, now: RowProps) =>
  before.index === now.index &&
  before.place === now.place &&
  before.isMarked === now.isMarked &&
  before.onMark === now.onMark &&
  hasSame(before.columns, now.columns) &&
  before.texts.every((text, i) => text === now.texts[i])

const Row = memo(function Row({ index, place, columns, texts, isMarked, onMark }: RowProps) {
  return (
    <tr aria-rowindex={place} className={isMarked ? css.marked : undefined} data-request={index}>
      {columns.map(({ id, type }, i) =>
        id === 'index' ? (
          <th key={id} scope="row" className={page.num}>
            <Button
              look="low"
              aria-label={`${isMarked ? 'Unmark' : 'Mark'} request ${index}`}
              onPress={() => onMark(isMarked ? null : index)}
            >
              {index}
            </Button>
          </th>
        ) : (
          <td key={id} className={type === 'text' ? undefined : page.num}>
            {texts[i] === null ? <Nothing of={undefined} /> : type === 'text' ? <bdi>{texts[i]}</bdi> : texts[i]}
          </td>
        ),
      )}
    </tr>
  )
}, isSame)

interface HeadsProps {
  columns: Column[]
  sort: string
  onSort: (sort: string) => void
}

const isSameHeads = (before: HeadsProps, now: HeadsProps) =>
  before.sort === now.sort && before.onSort === now.onSort && hasSame(before.columns, now.columns)

const Heads = memo(function Heads({ columns, sort, onSort }: HeadsProps) {
  // a first click shows the largest values; those of the order of the plan, the smallest
  const next = (id: string, type: string) => {
    const usual = FALLING.has(type) && id !== 'index' ? `-${id}` : id
    if (sort === usual || (sort === '' && id === 'index')) return usual.startsWith('-') ? id : `-${id}`
    return usual
  }
  return columns.map(({ id, title, unit, type, text }) => {
    const dir = sort === id || (sort === '' && id === 'index') ? 'ascending' : 'descending'
    const isSorted = sort === id || sort === `-${id}` || (sort === '' && id === 'index')
    return (
      <th
        key={id}
        scope="col"
        title={text}
        className={type === 'text' ? undefined : page.num}
        aria-sort={isSorted ? dir : undefined}
      >
        <Button look="low" onPress={() => onSort(next(id, type))}>
          {title}
          {unit && <span className={css.unit}> {unit}</span>}
          {isSorted && <span aria-hidden="true"> {dir === 'ascending' ? '↑' : '↓'}</span>}
        </Button>
      </th>
    )
  })
}, isSameHeads)

export const Rows = memo(function Rows({ data, sort, number, isAll, isBusy, marked, onSort, onPage, onMark }: Props) {
  const columns = useMemo(() => data.columns.filter(({ id }) => isAll || USUAL.includes(id)), [data.columns, isAll])
  const forms = columns.map(({ id, unit, type }) =>
    type === 'number'
      ? formOfUnit(
          unit,
          data.rows.map((row) => row[id]),
        )
      : null,
  )
  const first = (number - 1) * PAGE_ROWS
  return (
    <>
      <div
        className={join(page.scroll, css.table)}
        tabIndex={0}
        role="region"
        aria-label="Requests table"
        aria-description="Scrolls sideways"
        aria-busy={isBusy}
      >
        <table className={page.rows} aria-rowcount={data.count + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <Heads columns={columns} sort={sort} onSort={onSort} />
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row, i) => {
              const index = Number(row['index'])
              return (
                <Row
                  key={index}
                  index={index}
                  place={first + i + 2}
                  columns={columns}
                  texts={columns.map((column, k) => textOf(column, row[column.id], forms[k] ?? null))}
                  isMarked={index === marked}
                  onMark={onMark}
                />
              )
            })}
          </tbody>
        </table>
      </div>
      <p className={css.foot}>
        <span role="status">
          {data.count === 0
            ? 'No request matches.'
            : `${count(first + 1)}–${count(Math.min(first + data.rows.length, data.count))} of ${count(data.count)}`}
        </span>
        {data.count > PAGE_ROWS && (
          <span className={css.pages}>
            <Button
              look="low"
              aria-label="Previous requests"
              isDisabled={number <= 1}
              onPress={() => onPage(number - 1)}
            >
              ‹ Previous
            </Button>
            <Button
              look="low"
              aria-label="Next requests"
              isDisabled={first + PAGE_ROWS >= data.count}
              onPress={() => onPage(number + 1)}
            >
              Next ›
            </Button>
          </span>
        )}
      </p>
    </>
  )
})

// The differences of two releases: as a heat map of two inputs with one stop of Tab, and as a table of configurations.
import { type KeyboardEvent, useRef, useState } from 'react'
import { Link } from 'wouter'

import type { ReleaseMetric, Releases } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, formFor, showNumber } from '../format/number'
import { NOT_RECORDED } from '../format/value'
import { join } from '../ui/controls'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import type { TrendsState } from '../url/trends'
import { percent } from './model'
import {
  axisOf,
  axisTexts,
  cellAddress,
  cellsAt,
  configurations,
  lookOfLog,
  nameOfCell,
  reachOf,
} from './releases-model'
import own from './releases.module.css'
import { usePages } from './tables'
import css from './trends.module.css'

const DRAWN_MOST = 2500 // cells, also without a value
const STRONGEST = 46 // percent of the color of the greatest difference; the text stays readable

interface Props {
  answer: Releases
  metric: ReleaseMetric
  catalogue: Catalogue
}

export function isDrawn({ heat_map: { x, y }, axes }: Releases) {
  const size = (id: string | null) => axes.find(({ field }) => field === id)?.values.length ?? 1
  return size(x) * size(y) <= DRAWN_MOST
}

const decimalsOf = (log: number) => (Math.abs(log) < 0.1 ? 1 : 0)
const logText = (log: number) => percent(Math.exp(log), decimalsOf(log))

export function HeatMap({ answer, state, metric, catalogue }: Props & { state: TrendsState }) {
  const [at, setAt] = useState<string | null>(null) // the cell that Tab enters
  const table = useRef<HTMLTableElement>(null)
  const [x, y] = [axisOf(answer, answer.heat_map.x), axisOf(answer, answer.heat_map.y)]
  const columns = x ? axisTexts(x, catalogue) : ['all']
  const rows = y ? axisTexts(y, catalogue) : ['all']
  const { log_ratio: logs, count: counts } = metric.heat_map
  const reach = reachOf(logs)
  const places = rows.flatMap((_, row) =>
    columns.flatMap((__, column) => (logs[row]?.[column] == null ? [] : [{ row, column }])),
  )
  const opened = places.find(({ row, column }) => cellAddress(answer, column, row) === state.cell)
  const known = places.some(({ row, column }) => `${row} ${column}` === at)
  const first = opened ?? places[0]
  const stop = known ? at : first && `${first.row} ${first.column}`
  const walk = (event: KeyboardEvent) => {
    const [, dx, dy] = STEPS.find(([key]) => key === event.key) ?? []
    const from = (event.target as HTMLElement).closest<HTMLElement>('[data-cell]')?.dataset['cell']
    if (dx === undefined || dy === undefined || !from || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    const to = nextOf(places, from, dx, dy)
    table.current?.querySelector<HTMLElement>(`[data-cell="${to}"] a`)?.focus()
  }
  if (places.length === 0)
    return (
      <p className={css.none}>No configuration has a value of {longName(catalogue.get(metric.field))} with both.</p>
    )
  return (
    <>
      <div className={join(page.scroll, css.tall)} role="group" aria-label="Heat map">
        <table
          ref={table}
          className={own.map}
          aria-label={`Change of ${longName(catalogue.get(metric.field))}; arrow keys move, Enter opens a cell`}
          onKeyDown={walk}
        >
          <thead>
            {x && (
              <tr>
                <td />
                <th scope="colgroup" colSpan={columns.length} className={own.axis}>
                  {longName(catalogue.get(x.field))} →
                </th>
              </tr>
            )}
            <tr>
              <th scope="col" className={own.axis}>
                {y ? `${longName(catalogue.get(y.field))} ↓` : <span className="sr">All</span>}
              </th>
              {columns.map((text, column) => (
                <th key={column} scope="col">
                  <bdi>{text}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((text, row) => (
              <tr key={row}>
                <th scope="row">
                  <bdi>{text}</bdi>
                </th>
                {columns.map((_, column) => {
                  const log = logs[row]?.[column]
                  if (log == null) return <td key={column} data-blank />
                  const key = `${row} ${column}`
                  const address = cellAddress(answer, column, row)
                  const n = counts[row]?.[column] ?? 1
                  const isOpened = address === state.cell
                  return (
                    <td
                      key={column}
                      data-cell={key}
                      data-look={lookOfLog(metric, log)}
                      style={
                        { '--share': `${((Math.abs(log) / reach) * STRONGEST).toFixed(0)}%` } as React.CSSProperties
                      }
                    >
                      <Link
                        href={paths.trends({ ...state, cell: isOpened ? '' : address })}
                        tabIndex={key === stop ? 0 : -1}
                        aria-current={isOpened ? 'true' : undefined}
                        aria-label={`${logText(log)}, ${configurations(n)}`}
                        title={configurations(n)}
                        onFocus={() => setAt(key)}
                      >
                        {logText(log)}
                        {n > 1 && <small>{count(n)}</small>}
                      </Link>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Legend metric={metric} reach={reach} hasCounts={counts.some((row) => row.some((n) => n > 1))} />
    </>
  )
}

const STEPS: [key: string, dx: number, dy: number][] = [
  ['ArrowLeft', -1, 0],
  ['ArrowRight', 1, 0],
  ['ArrowUp', 0, -1],
  ['ArrowDown', 0, 1],
]

interface Place {
  row: number
  column: number
}

// The nearest cell with a value in this direction; the same one at the edge.
function nextOf(places: Place[], from: string, dx: number, dy: number) {
  const [row = 0, column = 0] = from.split(' ').map(Number)
  const along = places
    .filter((one) => (dx === 0 ? one.column === column : one.row === row))
    .map((one) => ({ ...one, by: dx === 0 ? (one.row - row) * dy : (one.column - column) * dx }))
    .filter(({ by }) => by > 0)
    .toSorted((one, other) => one.by - other.by)
  const [to] = along
  return to ? `${to.row} ${to.column}` : from
}

function Legend({ metric, reach, hasCounts }: { metric: ReleaseMetric; reach: number; hasCounts: boolean }) {
  const ends = [-reach, reach]
  return (
    <p className={own.legend}>
      {ends.map((log) => (
        <span key={log}>
          <i
            data-look={lookOfLog(metric, log)}
            style={{ '--share': `${STRONGEST}%` } as React.CSSProperties}
            aria-hidden="true"
          />
          {logText(log)}
          {metric.direction !== 'neither' && `, ${lookOfLog(metric, log)}`}
        </span>
      ))}
      {hasCounts && <span>small number: configurations in the cell, whose mean is shown</span>}
    </p>
  )
}

// The configurations of the opened cell, with the way to their experiments.
export function CellDetail({ answer, state, metric, catalogue }: Props & { state: TrendsState }) {
  const cells = cellsAt(answer, state.cell)
  if (cells.length === 0)
    return (
      <p className={css.none} role="status">
        No matched configuration has the values of the opened cell.
      </p>
    )
  return (
    <div className={own.detail} role="group" aria-label="Opened cell">
      <h3>{configurations(cells.length)} in the opened cell</h3>
      <ConfigurationTable {...{ answer, metric, catalogue, cells }} label="Opened configurations" />
    </div>
  )
}

const MOST_IDS = 50 // of the server

interface TableProps extends Props {
  cells: number[] // positions
  label: string
}

export function ConfigurationTable({ answer, metric, catalogue, cells, label }: TableProps) {
  const { shown, buttons } = usePages(cells)
  const field = catalogue.get(metric.field)
  const form = formFor(field, [...metric.cells.a, ...metric.cells.b])
  const number = (value: number | null | undefined) => (value == null ? NOT_RECORDED : showNumber(value, form))
  const isCut = cells.some((i) => Math.max(answer.cells[i]?.a_count ?? 0, answer.cells[i]?.b_count ?? 0) > MOST_IDS)
  return (
    <>
      <div
        className={join(page.scroll, css.tall)}
        tabIndex={0}
        role="region"
        aria-label={label}
        aria-description="Scrolls"
      >
        <table className={join(page.rows, own.cells)} aria-rowcount={cells.length + 1}>
          <thead>
            <tr>
              <th scope="col">Configuration</th>
              {[answer.a, answer.b].map(({ name }, i) => (
                <th key={i} scope="col" className={page.num}>
                  <bdi>{name}</bdi> <span className="dim">{form.unit}</span>
                </th>
              ))}
              <th scope="col" className={page.num}>
                Change
              </th>
              <th scope="col" className={page.num}>
                Experiments
              </th>
              <th scope="col">Open</th>
            </tr>
          </thead>
          <tbody {...oneStop}>
            {shown.map((i) => {
              const cell = answer.cells[i]
              const log = metric.cells.log_ratio[i]
              if (!cell) return null
              const look = log == null ? 'same' : lookOfLog(metric, log)
              return (
                <tr key={cell.key} aria-rowindex={i + 2}>
                  <th scope="row" className={page.text}>
                    <bdi>{nameOfCell(cell, answer.axes, catalogue) || 'The only configuration'}</bdi>
                  </th>
                  <td className={page.num}>{number(metric.cells.a[i])}</td>
                  <td className={page.num}>{number(metric.cells.b[i])}</td>
                  <td className={join(page.num, look === 'better' || look === 'worse' ? css[look] : undefined)}>
                    {log == null ? NOT_RECORDED : percent(Math.exp(log))}
                  </td>
                  <td className={page.num}>
                    {count(cell.a_count)}, {count(cell.b_count)}
                  </td>
                  <td>
                    <Opens cell={cell} names={[answer.a.name ?? 'A', answer.b.name ?? 'B']} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {buttons}
      {isCut && <p className={css.none}>Compare shows the newest {MOST_IDS} experiments of each side.</p>}
    </>
  )
}

function Opens({ cell, names }: { cell: Releases['cells'][number]; names: [string, string] }) {
  const sides = [cell.a_ids, cell.b_ids].map((ids, i) => ({ label: names[i] ?? '', ids }))
  return (
    <span className={own.opens}>
      <Link href={paths.compare({ sides })}>Compare</Link>
      {sides.map(({ label, ids: [newest] }) =>
        newest === undefined ? null : (
          <Link key={label} href={paths.experiment(newest)} title={`Newest experiment of ${label}`}>
            <span className="sr">Newest experiment of </span>
            <bdi>{label}</bdi>
          </Link>
        ),
      )}
    </span>
  )
}

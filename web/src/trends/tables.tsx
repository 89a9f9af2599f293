// The points of charts as tables in pages, for the keyboard and for screen readers.
import { useState } from 'react'
import { Link } from 'wouter'

import type { Field, TrendLine, Verdict } from '../api/types'
import { longName } from '../fields/catalogue'
import { count, type Form, showNumber } from '../format/number'
import { time } from '../format/time'
import { NOT_RECORDED } from '../format/value'
import { Button, join } from '../ui/controls'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import css from './trends.module.css'

const PAGE = 200

export function usePages<T>(all: T[]) {
  const [wanted, setPage] = useState(0)
  const pages = Math.max(1, Math.ceil(all.length / PAGE))
  const at = Math.min(wanted, pages - 1)
  const buttons =
    pages === 1 ? null : (
      <p className={css.pages}>
        <Button look="line" isDisabled={at === 0} onPress={() => setPage(at - 1)}>
          Previous
        </Button>
        <span>
          {count(at * PAGE + 1)} to {count(Math.min(all.length, (at + 1) * PAGE))} of {count(all.length)}
        </span>
        <Button look="line" isDisabled={at === pages - 1} onPress={() => setPage(at + 1)}>
          Next
        </Button>
      </p>
    )
  return { shown: all.slice(at * PAGE, (at + 1) * PAGE), from: at * PAGE, buttons }
}

export function SeriesTable({ verdict, field, form }: { verdict: Verdict; field: Field; form: Form }) {
  const points = verdict.points ?? []
  const { shown, from, buttons } = usePages(points)
  const segments = verdict.segments ?? []
  return (
    <>
      <div
        className={join(page.scroll, css.tall)}
        tabIndex={0}
        role="region"
        aria-label="Runs table"
        aria-description="Scrolls"
      >
        <table className={page.rows} aria-rowcount={points.length + 1}>
          <thead>
            <tr>
              <th scope="col" className={page.num}>
                Run
              </th>
              <th scope="col">Start (UTC)</th>
              <th scope="col">Version</th>
              <th scope="col" className={page.num}>
                {longName(field)} <span className="dim">{form.unit}</span>
              </th>
              <th scope="col" className={page.num}>
                Segment median
              </th>
              <th scope="col">Host</th>
              <th scope="col">Notes</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((point, i) => {
              const index = from + i
              const median = segments.find((one) => one.from_index <= index && index <= one.to_index)?.median
              const notes = [
                point.outlier && 'outlier, kept',
                point.value === null && 'no value',
                verdict.changes.some((one) => one.state !== 'stable' && one.index === index) &&
                  'change before this run',
                verdict.markers.includes(index) && 'new hardware or driver',
              ]
              return (
                <tr key={point.id} aria-rowindex={index + 2}>
                  <th scope="row" className={page.num}>
                    <Link href={paths.experiment(point.id)}>{index + 1}</Link>
                  </th>
                  <td className="n">{point.time ? time(point.time) : NOT_RECORDED}</td>
                  <td>{point.version ?? NOT_RECORDED}</td>
                  <td className={page.num}>{point.value === null ? NOT_RECORDED : showNumber(point.value, form)}</td>
                  <td className={page.num}>{median == null ? NOT_RECORDED : showNumber(median, form)}</td>
                  <td>{point.host ?? NOT_RECORDED}</td>
                  <td>{notes.filter(Boolean).join(', ')}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {buttons}
    </>
  )
}

interface LinesProps {
  lines: TrendLine[]
  versions: Map<number, string> // by position; empty if the order is that of time
  field: Field
  form: Form
}

export function LinesTable({ lines, versions, field, form }: LinesProps) {
  const all = lines.flatMap((line) => line.points.value.map((value, i) => ({ line, value, i })))
  const { shown, buttons } = usePages(all)
  return (
    <>
      <div
        className={join(page.scroll, css.tall)}
        tabIndex={0}
        role="region"
        aria-label="Lines table"
        aria-description="Scrolls"
      >
        <table className={page.rows} aria-rowcount={all.length + 1}>
          <thead>
            <tr>
              <th scope="col">Series</th>
              <th scope="col">Start (UTC)</th>
              <th scope="col">Version</th>
              <th scope="col" className={page.num}>
                {longName(field)} <span className="dim">{form.unit}</span>
              </th>
              <th scope="col" className={page.num}>
                Low
              </th>
              <th scope="col" className={page.num}>
                High
              </th>
              <th scope="col" className={page.num}>
                Runs
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ line, value, i }) => {
              const { points } = line
              const number = (one: number | null | undefined) => (one == null ? NOT_RECORDED : showNumber(one, form))
              const when = points.time[i]
              return (
                <tr key={`${line.key} ${i}`}>
                  <th scope="row">
                    <bdi>{line.label || 'the only series'}</bdi>
                  </th>
                  <td className="n">{when === undefined ? NOT_RECORDED : time(new Date(when).toISOString())}</td>
                  <td>{versions.get(points.at[i] ?? NaN) ?? NOT_RECORDED}</td>
                  <td className={page.num}>{number(value)}</td>
                  <td className={page.num}>{number(points.low[i])}</td>
                  <td className={page.num}>{number(points.high[i])}</td>
                  <td className={page.num}>{points.count[i] ?? 1}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {buttons}
    </>
  )
}

// The missing combinations and the repeats as tables.
import { Link } from 'wouter'

import type { Missing } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count } from '../format/number'
import { UNSET } from '../format/value'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import { lengthOf, plural, repeatWords, shown } from './model'

const ROWS_MOST = 50

const Values = ({ values }: { values: unknown[] }) =>
  values.map((value, i) => (
    <td key={i}>
      <bdi>{value === null ? UNSET : shown(value)}</bdi>
    </td>
  ))

const Heads = ({ answer }: { answer: Missing }) =>
  answer.fields.map(({ field, label, unit }) => (
    <th key={field} scope="col">
      {label} <span className="dim">{unit}</span>
    </th>
  ))

const Results = ({ ids }: { ids: number[] }) =>
  ids.map((id, i) => (
    <span key={id}>
      {i > 0 && ', '}
      <Link className="inline" href={paths.experiment(id)}>
        {id}
      </Link>
    </span>
  ))

export function Combinations({ answer }: { answer: Missing }) {
  const { missing } = answer
  if (missing.length === 0) return null
  const more = missing.length - ROWS_MOST + answer.more_count
  return (
    <>
      <div className={page.scroll} tabIndex={0} role="region" aria-label="Missing combinations table">
        <table className={page.rows}>
          <thead>
            <tr>
              <Heads answer={answer} />
              <th scope="col">Reason</th>
              <th scope="col" className={page.num} title="Median total duration of the most similar combinations">
                One run
              </th>
              <th scope="col">Nearest result</th>
            </tr>
          </thead>
          <tbody>
            {missing.slice(0, ROWS_MOST).map((one) => (
              <tr key={JSON.stringify(one.values)}>
                <Values values={one.values} />
                <td>
                  {one.near_frontier.length > 0 ? (
                    <>
                      next to the frontier: <Results ids={one.near_frontier} />
                    </>
                  ) : (
                    'completes the grid'
                  )}
                </td>
                <td
                  className={page.num}
                  title={
                    one.seconds === null
                      ? undefined
                      : `${lengthOf(one.seconds_low)} to ${lengthOf(one.seconds_high)}; n = ${count(one.seconds_runs)}`
                  }
                >
                  {lengthOf(one.seconds)}
                </td>
                <td>
                  <Results ids={[one.nearest.id]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && <p className="dim">{plural(more, 'more combination')}; the files have up to 200.</p>}
    </>
  )
}

export function Repeats({ answer, catalogue }: { answer: Missing; catalogue: Catalogue }) {
  if (answer.repeats.length === 0) return null
  return (
    <>
      <h3>Repeats that decide most</h3>
      <div className={page.scroll} tabIndex={0} role="region" aria-label="Repeats table">
        <table className={page.rows}>
          <thead>
            <tr>
              <Heads answer={answer} />
              <th scope="col" className={page.num}>
                Runs
              </th>
              <th scope="col" className={page.num}>
                More runs
              </th>
              <th scope="col">Reason</th>
              <th scope="col" className={page.num}>
                Duration
              </th>
              <th scope="col">Newest run</th>
            </tr>
          </thead>
          <tbody>
            {answer.repeats.map((one) => (
              <tr key={one.ids.join()}>
                <Values values={one.values} />
                <td className={page.num}>{count(one.runs)}</td>
                <td className={page.num}>{count(one.more_runs)}</td>
                <td title={one.metric === null ? undefined : longName(catalogue.get(one.metric))}>
                  {repeatWords(one)}
                </td>
                <td className={page.num}>{lengthOf(one.seconds === null ? null : one.seconds * one.more_runs)}</td>
                <td>
                  <Results ids={one.ids.slice(-1)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

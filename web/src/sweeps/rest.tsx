// Runs of a sweep that finished without a good result, or never ran: each with its cause.
import { useEffect, useState } from 'react'
import { Link } from 'wouter'

import type { SweepRun } from '../api/types'
import { count } from '../format/number'
import { Act, join } from '../ui/controls'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import { rowId } from './map'
import { type Kind, KIND_WORDS, kindOf } from './model'
import { KindState } from './reading'
import css from './sweeps.module.css'

const ORDER: Kind[] = ['failed', 'partial', 'skipped', 'not_uploaded', 'missing']
const AT_ONCE = 100

export interface Wanted {
  run: string
}

// `wanted`: the run that was chosen on the map.
export function Rest({ runs, wanted }: { runs: SweepRun[]; wanted: Wanted | null }) {
  const [more, setMost] = useState(AT_ONCE)
  useEffect(() => {
    if (wanted) document.getElementById(rowId(wanted.run))?.focus()
  }, [wanted])
  const rest = runs
    .map((run) => ({ run, kind: kindOf(run) }))
    .filter(({ run, kind }) => !run.removed && ORDER.includes(kind))
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
  if (rest.length === 0) return null
  const most = Math.max(more, wanted ? rest.findIndex(({ run }) => run.run === wanted.run) + 1 : 0)
  return (
    <section className={page.block} aria-label="Failed and skipped">
      <div className={page.blockHead}>
        <h2>Failed and skipped</h2>
        <p>
          {ORDER.map((kind): [Kind, number] => [kind, rest.filter((one) => one.kind === kind).length])
            .filter(([, number]) => number > 0)
            .map(([kind, number]) => `${count(number)} ${KIND_WORDS[kind]}`)
            .join(', ')}
        </p>
      </div>
      <div
        className={page.scroll}
        tabIndex={0}
        role="region"
        aria-label="Failed and skipped table"
        aria-description="Scrolls sideways"
      >
        <table className={join(page.rows, css.rest)}>
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">State</th>
              <th scope="col">Cause</th>
              <th scope="col">Experiment</th>
            </tr>
          </thead>
          <tbody>
            {rest.slice(0, most).map(({ run, kind }) => (
              <tr key={run.run} id={rowId(run.run)} tabIndex={-1}>
                <th scope="row" className={page.text}>
                  {run.label ?? run.run}
                  {(run.repeat ?? 1) > 1 && <span className="dim"> run {run.repeat}</span>}
                </th>
                <td>
                  <KindState
                    kind={kind}
                    word={kind === 'failed' ? (run.status?.replaceAll('_', ' ') ?? KIND_WORDS[kind]) : KIND_WORDS[kind]}
                  />
                </td>
                <td className={page.text}>
                  {run.cause !== null && <b>{run.cause.replaceAll('_', ' ')}</b>}{' '}
                  <span className="mid">{run.message}</span>
                </td>
                <td>
                  {run.experiment !== null && (
                    <Link href={paths.experiment(run.experiment)}>
                      Open<span className="sr"> {run.label}</span>
                    </Link>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rest.length > most && <Act onPress={() => setMost(more + 10 * AT_ONCE)}>Show more</Act>}
    </section>
  )
}

// Quality side by side: the verdict, and what each check found. Checks that are within their limit everywhere are
// folded.
import { useState } from 'react'

import type { Experiment } from '../api/types'
import { count, showNumber } from '../format/number'
import { Act, join } from '../ui/controls'
import page from '../ui/page.module.css'
import { Nothing, Simulated, State, Verdict } from '../ui/verdict'
import css from './compare.module.css'
import { checkOf, type MetricView, missingText, type SideView, verdictsText } from './model'

function stateOf(experiment: Experiment | undefined, id: string) {
  const state = experiment?.fields[`quality.${id}.status`]?.value
  return typeof state === 'string' ? state : undefined
}

export function Quality({ details, views }: { details: MetricView[] | null; views: SideView[] }) {
  const [all, setAll] = useState(false)
  const checks = (details ?? []).filter(
    ({ told }) => checkOf(told.field) !== undefined && told.sides.some(({ n }) => n > 0),
  )
  const isFine = ({ told }: MetricView) =>
    views.every(
      ({ experiment, told: { runs } }) => runs === 0 || stateOf(experiment, checkOf(told.field) ?? '') === 'passed',
    )
  const shown = all ? checks : checks.filter((check) => !isFine(check))
  return (
    <section className={page.block} aria-label="Quality">
      <div className={page.blockHead}>
        <h2>Quality</h2>
        <p>Mean over runs for each check</p>
      </div>
      <div
        className={page.scroll}
        tabIndex={0}
        role="region"
        aria-label="Quality table"
        aria-description="Scrolls sideways"
      >
        <table className={join(page.rows, css.sided)}>
          <thead>
            <tr>
              <th scope="col">Check</th>
              {views.map(({ letter }) => (
                <th key={letter} scope="col">
                  {letter}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">Verdict</th>
              {views.map(({ letter, experiment, told }) => (
                <td key={letter}>
                  <span className={css.verdicts}>
                    {experiment ? <Verdict verdict={experiment.verdict} /> : <span>{verdictsText(told)}</span>}
                    {told.simulated > 0 && <Simulated />}
                  </span>
                </td>
              ))}
            </tr>
            {shown.map((metric) => (
              <Check key={metric.told.field} metric={metric} views={views} />
            ))}
          </tbody>
        </table>
      </div>
      {(all || shown.length < checks.length) && (
        <p className={css.foot}>
          <Act aria-expanded={all} onPress={() => setAll(!all)}>
            {all ? 'Hide passed checks' : `Show ${count(checks.length - shown.length)} checks that passed on all sides`}
          </Act>
        </p>
      )}
    </section>
  )
}

function Check({ metric: { told, field, form }, views }: { metric: MetricView; views: SideView[] }) {
  const id = checkOf(told.field) ?? ''
  return (
    <tr>
      <th scope="row" title={`${told.field}\n${field.help}`}>
        <code>{id}</code>
      </th>
      {views.map(({ letter, at, experiment }) => {
        const figure = told.sides[at]
        const state = stateOf(experiment, id)
        return (
          <td key={letter} title={figure && missingText(figure)}>
            <span className={css.verdicts}>
              {state !== undefined && <State state={state} />}
              {!figure || figure.value === null ? (
                <Nothing of={undefined} />
              ) : (
                <span className="n">
                  {showNumber(figure.value, form)} <span className="dim">{form.unit}</span>
                </span>
              )}
            </span>
          </td>
        )
      })}
    </tr>
  )
}

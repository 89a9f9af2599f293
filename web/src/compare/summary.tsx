// The outcome of each candidate in counts, with the most important metrics by name.
import { longName } from '../fields/catalogue'
import { count } from '../format/number'
import { join } from '../ui/controls'
import css from './compare.module.css'
import { clearPercent, isOfTheseRuns, isUndecidable, type MetricView, type SideView, summaryOf } from './model'

const NAMED = 2

export function Summary({ views, metrics }: { views: SideView[]; metrics: MetricView[] }) {
  if (metrics.length === 0) return null
  return (
    <section className={css.summary} aria-label="Summary">
      <p className={css.first}>
        Summary
        <br />
        {count(metrics.length)} metrics, compared with A
      </p>
      {views.map((view) =>
        view.at === 0 ? (
          <p key={view.letter} className="dim">
            baseline
          </p>
        ) : (
          <Outcome key={view.letter} view={view} metrics={metrics} />
        ),
      )}
      {isOfTheseRuns(metrics) && (
        <p className={css.why}>
          Single runs: these counts compare the runs, not their configurations. To compare configurations, repeat the
          runs.
        </p>
      )}
      {isUndecidable(views, metrics) && (
        <p className={css.why}>Each side has one run without a confidence interval. Repeat the runs to decide.</p>
      )}
    </section>
  )
}

function Outcome({ view: { letter, at }, metrics }: { view: SideView; metrics: MetricView[] }) {
  const { worse, better, changed, equal, unclear, without } = summaryOf(metrics, at)
  const rows: [number, string, string | undefined, MetricView[]][] = [
    [worse.length, 'worse', css.worse, worse],
    [better.length, 'better', css.better, better],
    [changed.length, 'different', undefined, changed],
  ]
  const shown = rows.filter(([n]) => n > 0)
  const rest = [
    unclear > 0 && `${count(unclear)} ${unclear === 1 ? 'is' : 'are'} unclear`,
    equal > 0 && `${count(equal)} ${equal === 1 ? 'is' : 'are'} equal`,
    without > 0 && without < metrics.length && `${count(without)} ${without === 1 ? 'has' : 'have'} no value`,
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <div>
      <span className={css.letter}>{letter}</span>
      {shown.map(([n, word, look, named]) => (
        <p key={word}>
          <b className={look}>
            {count(n)} {word}
          </b>
          {named.length > 0 && (
            <span title={named.map((metric) => textOf(metric, at)).join('\n')}>
              {named
                .slice(0, NAMED)
                .map((metric) => textOf(metric, at))
                .join(', ')}
              {n > NAMED && ` and ${count(n - NAMED)} more`}
            </span>
          )}
        </p>
      ))}
      {(rest || shown.length === 0) && <p className="dim">{rest || 'nothing to compare'}</p>}
    </div>
  )
}

function textOf({ told, field }: MetricView, at: number) {
  const ratio = told.ratios[at - 1]
  return join(longName(field), ratio && ratio.ratio !== null && clearPercent(ratio))
}

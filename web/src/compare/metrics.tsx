// One row per metric, one column per side: the value, the difference from the baseline with its verdict, and its
// interval on an axis that all metrics share.
import type { ComparedFigure, ComparedRatio } from '../api/types'
import { longName } from '../fields/catalogue'
import { directionWords } from '../filter/words'
import { arrow, type Form, showNumber } from '../format/number'
import { Slot } from '../tray/slot'
import { Check, join } from '../ui/controls'
import page from '../ui/page.module.css'
import { Nothing } from '../ui/verdict'
import css from './compare.module.css'
import { colourOf, Mark, MarkPath } from './mark'
import {
  type Answer,
  clearPercent,
  findingNote,
  findingText,
  findingWord,
  foldedText,
  howText,
  intervalText,
  isBeyond,
  isClear,
  isUndecidable,
  lookOf,
  markOf,
  type MetricView,
  missingText,
  percentInterval,
  pText,
  shareOf,
  type SideView,
  type Span,
  spanOf,
  tickText,
} from './model'

interface Props {
  answer: Answer
  views: SideView[]
  metrics: MetricView[]
  folded: [MetricView, MetricView][] // not shown: they repeat another one
  onlyClear: boolean
  onOnlyClear: (only: boolean) => void
}

const isShown = ({ told }: MetricView) => told.ratios.some(isClear)

export const shownOf = (metrics: MetricView[], onlyClear: boolean) => (onlyClear ? metrics.filter(isShown) : metrics)

export function Metrics({ answer, views, metrics, folded, onlyClear, onOnlyClear }: Props) {
  const shown = shownOf(metrics, onlyClear)
  const isSingle = views.every(({ told }) => told.runs === 1)
  const isVague = isUndecidable(views, metrics)
  const span = spanOf(metrics.flatMap(({ told }) => told.ratios))
  return (
    <section className={page.block} aria-label="Metrics">
      <div className={page.blockHead}>
        <h2>Metrics</h2>
        <p>
          {isVague
            ? 'Single runs without a confidence interval: a difference may be chance'
            : isSingle
              ? 'Single runs: 95 % CIs do not include run-to-run variation'
              : 'Means of runs; 95 % CIs include run-to-run variation, except for a side with one run'}
        </p>
        <span className={page.end}>
          <span className={css.legend}>
            <span>
              <Mark at={0} />
              clear: CI excludes 0 %
            </span>
            <span>
              <Mark at={0} look="hollow" />
              unclear: CI includes 0 %
            </span>
            <span>
              <Mark at={0} look="dashed" />
              no CI
            </span>
            <span>‹ › beyond the axis</span>
          </span>
          <Check isSelected={onlyClear} onChange={onOnlyClear}>
            Only clear differences
          </Check>
        </span>
      </div>
      {answer.incomplete.length > 0 && (
        <p className={css.foot}>Not computed in time: {answer.incomplete.join(', ')}.</p>
      )}
      <p className={join(css.foot, css.scale)}>
        Axis from {tickText(1 / span.limit)} to {tickText(span.limit)}, the same for all metrics.
      </p>
      {shown.length === 0 ? (
        <p className={css.quiet}>
          {metrics.length === 0
            ? 'No side has a headline metric.'
            : `None of ${metrics.length} metrics has a clear difference.`}
        </p>
      ) : (
        <div
          className={page.scroll}
          tabIndex={0}
          role="region"
          aria-label="Metrics table"
          aria-description="Scrolls sideways"
        >
          <table className={join(page.rows, css.sided, css.metrics)}>
            <thead>
              <tr>
                <th scope="col">Metric</th>
                {views.map(({ letter, at }) => (
                  <th key={letter} scope="col">
                    <div className={css.box}>
                      <div className={css.cell}>
                        <span>
                          {letter}
                          {at === 0 ? ' (baseline)' : ''}
                        </span>
                        {at > 0 && <Ticks span={span} />}
                      </div>
                    </div>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((metric) => (
                <Metric
                  key={metric.told.field}
                  metric={metric}
                  views={views}
                  span={span}
                  effect={answer.effect}
                  isVague={isVague}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {folded.length > 0 && <p className={css.foot}>Not shown, because equal on all sides: {foldedText(folded)}.</p>}
    </section>
  )
}

function Metric({
  metric: { told, field, form },
  views,
  span,
  effect,
  isVague,
}: {
  metric: MetricView
  views: SideView[]
  span: Span
  effect: number
  isVague: boolean
}) {
  return (
    <tr>
      <th scope="row" title={`${field.id}\n${field.help}`}>
        {longName(field)}{' '}
        <span className="dim">
          {form.unit}
          {'\u00a0'}
          {arrow(field)}
        </span>
        <span className="sr">{directionWords(field)}</span>
      </th>
      {views.map(({ letter, at, told: { runs, simulated } }) => {
        const ratio = at === 0 ? undefined : told.ratios[at - 1]
        return (
          <td key={letter}>
            <div className={css.box}>
              <div className={css.cell} data-simulated={(runs > 0 && simulated === runs) || undefined}>
                <span className={css.letter}>
                  <Slot letter={letter} />
                </span>
                <Value figure={told.sides[at]} runs={runs} unit={field.unit} form={form} />
                {ratio && <Against ratio={ratio} at={at} span={span} effect={effect} isVague={isVague} />}
              </div>
            </div>
          </td>
        )
      })}
    </tr>
  )
}

function Value({
  figure,
  runs,
  unit,
  form,
}: {
  figure: ComparedFigure | undefined
  runs: number
  unit: string
  form: Form
}) {
  if (!figure) return null
  const missing = missingText(figure)
  const interval = intervalText(figure, form)
  return (
    <span className={css.value}>
      {figure.value === null ? (
        <Nothing of={undefined} />
      ) : (
        <b title={`${figure.value} ${unit}\n95 % CI ${interval}`}>{showNumber(figure.value, form)}</b>
      )}
      {figure.value !== null && figure.low !== null && figure.low !== figure.high && (
        <span className={css.range}>{interval}</span>
      )}
      {(missing || runs > 1) && (
        <span className={css.range} title={missing || undefined}>
          n {figure.n}
          {missing && (
            <span className={css.missing}>
              {' '}
              of {runs}
              <span className="sr">: {missing}</span>
            </span>
          )}
        </span>
      )}
    </span>
  )
}

// isVague: the summary says once why nothing can be decided.
function Against({
  ratio,
  at,
  span,
  effect,
  isVague,
}: {
  ratio: ComparedRatio
  at: number
  span: Span
  effect: number
  isVague: boolean
}) {
  const interval = ratio.low === null || ratio.high === null ? null : `${percentInterval(ratio)} %`
  const note = isVague ? '' : findingNote(ratio, effect)
  return (
    <>
      <span
        className={join(css.delta, css[lookOf(ratio)])}
        title={[ratio.sentence, !isVague && findingText(ratio, effect), howText(ratio)].filter(Boolean).join('\n')}
      >
        {ratio.ratio !== null && <b>{clearPercent(ratio)}</b>} <span>{findingWord(ratio)}</span>
        {note !== '' && <span className={css.note}>{note}</span>}
      </span>
      <Interval span={span} ratio={ratio} at={at} />
      {interval !== null && (
        <span className={css.sure}>
          {interval}
          {ratio.p !== null && ratio.method !== 'within_runs' && `, p ${pText(ratio.p)}`}
        </span>
      )}
    </>
  )
}

const share = (span: Span, ratio: number) => `${(shareOf(span, ratio) * 100).toFixed(2)}%`

// The axis, once in the head of each candidate's column.
const Ticks = ({ span }: { span: Span }) => (
  <svg className={css.interval} aria-hidden="true" data-ticks="">
    {[...span.ticks, 1].map((tick) => (
      <text key={tick} className={css.tick} x={share(span, tick)} y="50%" dy="4">
        {tick === 1 ? '0' : tickText(tick)}
      </text>
    ))}
  </svg>
)

const Grid = ({ span }: { span: Span }) => (
  <>
    {span.ticks.map((tick) => (
      <line key={tick} x1={share(span, tick)} x2={share(span, tick)} y1="0" y2="100%" stroke="var(--grid)" />
    ))}
    <line x1="50%" x2="50%" y1="0" y2="100%" stroke="var(--line-3)" />
  </>
)

const arrowOf = (ratio: number) => (ratio > 1 ? 'M-3 -4L2 0L-3 4' : 'M3 -4L-2 0L3 4')

// The difference as a mark, its interval as a line with ends. A mark or an end beyond the axis is an arrow.
function Interval({
  span,
  ratio: { ratio, low, high, ...rest },
  at,
}: {
  span: Span
  ratio: ComparedRatio
  at: number
}) {
  const end = (to: number) => (
    <svg x={share(span, to)} y="50%" overflow="visible">
      {isBeyond(span, to) ? (
        <path d={arrowOf(to)} stroke={colourOf(at)} strokeWidth="1.3" fill="none" />
      ) : (
        <line y1="-3" y2="3" stroke={colourOf(at)} strokeWidth="1.3" />
      )}
    </svg>
  )
  return (
    <svg
      className={css.interval}
      aria-hidden="true"
      data-beyond={(ratio !== null && isBeyond(span, ratio)) || undefined}
    >
      {ratio !== null && <Grid span={span} />}
      {low !== null && high !== null && (
        <>
          <line
            x1={share(span, low)}
            x2={share(span, high)}
            y1="50%"
            y2="50%"
            stroke={colourOf(at)}
            strokeWidth="1.3"
          />
          {end(low)}
          {end(high)}
        </>
      )}
      {ratio !== null && (
        <svg x={share(span, ratio)} y="50%" overflow="visible">
          {isBeyond(span, ratio) ? (
            <path d={arrowOf(ratio)} stroke={colourOf(at)} strokeWidth="1.6" fill="none" />
          ) : (
            <MarkPath at={at} x={0} y={0} look={markOf({ ratio, low, high, ...rest })} scale={0.8} />
          )}
        </svg>
      )}
    </svg>
  )
}

// Figures: each side's with its interval, the difference from the base with how sure it is, drawn on one axis of ratios.
import type { ComparedRatio } from '../api/types'
import { longName } from '../fields/catalogue'
import { directionWords } from '../filter/words'
import { arrow, showNumber } from '../format/number'
import { Slot } from '../tray/slot'
import { Check, join } from '../ui/controls'
import page from '../ui/page.module.css'
import { Nothing } from '../ui/verdict'
import css from './compare.module.css'
import { colourOf, Mark, MarkPath } from './mark'
import { type Answer, arrowOf, decimalsFor, findingText, howText, intervalText, isClear, lookOf, markOf, type MetricView, missingText, percent, percentInterval, pText, type SideView, spanOf, tickText } from './model'

// said where intervals are, and on their heads
const NOT_SAMPLES = 'Requests of one run are never taken as independent samples of a configuration.'
const OF_WHAT = `Of a single run it is within that run; of a group over its runs. ${NOT_SAMPLES}`
const OF_RATIO = `Of two single runs it is made of the intervals within them and says nothing of how runs differ; of groups it is over runs. ${NOT_SAMPLES}`

const WIDE = 300
const HIGH = 20

interface Props {
  answer: Answer
  views: SideView[]
  metrics: MetricView[]
  onlyClear: boolean
  onOnlyClear: (only: boolean) => void
}

const isShown = ({ told }: MetricView) => told.against.some(isClear)

export const shownOf = (metrics: MetricView[], onlyClear: boolean) => (onlyClear ? metrics.filter(isShown) : metrics)

export function Metrics({ answer, views, metrics, onlyClear, onOnlyClear }: Props) {
  const shown = shownOf(metrics, onlyClear)
  const span = spanOf(shown.flatMap(({ told }) => told.against))
  const isSingle = views.every(({ told }) => told.runs === 1)
  return (
    <section className={page.block} aria-label="Metrics">
      <div className={page.blockHead}>
        <h2>Metrics</h2>
        <p>{isSingle ? 'single runs: intervals are within each run and say nothing about how runs differ' : 'means over runs; intervals are 95 % over runs, of a single run within it'}</p>
        <span className={page.end}>
          <span className={css.legend}><span><Mark at={0} look="hollow" />hollow: the interval holds equal</span><span><Mark at={0} look="dashed" />dashed: no interval</span></span>
          <Check isSelected={onlyClear} onChange={onOnlyClear}>Only clear differences</Check>
        </span>
      </div>
      {answer.not_ready.length > 0 && <p className={css.foot}>Not ready in time: {answer.not_ready.join(', ')}.</p>}
      <p className={css.foot}>{NOT_SAMPLES}</p>
      {shown.length === 0 ? <p className={css.quiet}>{metrics.length === 0 ? 'No side has a headline figure.' : `None of ${metrics.length} figures has a difference that is shown.`}</p> : (
        <div className={page.scroll} tabIndex={0} role="region" aria-label="Metrics, scroll sideways">
          <table className={join(page.rows, css.metrics)}>
            <thead>
              <tr>
                <th scope="col">Metric</th><th scope="col">Side</th><th scope="col" className={page.num}>Value</th><th scope="col" className={page.num}>n</th><th scope="col" className={page.num} title={OF_WHAT}>95 % interval</th>
                <th scope="col" className={page.num}>Against A</th><th scope="col" className={page.num} title={OF_RATIO}>95 % interval, %</th><th scope="col" className={page.num}>p</th>
                <th scope="col" className={css.forest}><span className="sr">The ratio to A and its interval</span><Axis span={span} /></th><th scope="col">In words</th>
              </tr>
            </thead>
            {shown.map((metric) => <Metric key={metric.told.field} metric={metric} views={views} span={span} effect={answer.effect} />)}
          </table>
        </div>
      )}
    </section>
  )
}

type Span = ReturnType<typeof spanOf>
const placeOf = ({ limit }: Span, ratio: number) => WIDE / 2 + (Math.log(Math.min(Math.max(ratio, 1 / limit), limit)) / Math.log(limit)) * (WIDE / 2 - 8)

const Axis = ({ span }: { span: Span }) => (
  <svg width={WIDE} height="16" viewBox={`0 0 ${WIDE} 16`} aria-hidden="true">
    <text className={css.tick} x={WIDE / 2} y="12">equal</text>
    {span.ticks.filter((tick) => tick < span.limit && tick > 1 / span.limit && Math.abs(placeOf(span, tick) - WIDE / 2) > 44).map((tick) => <text key={tick} className={css.tick} x={placeOf(span, tick)} y="12">{tickText(tick)}</text>)}
  </svg>
)

function Metric({ metric: { told, field, form }, views, span, effect }: { metric: MetricView; views: SideView[]; span: Span; effect: number }) {
  return (
    <tbody>
      {views.map(({ letter, at, told: { runs } }) => {
        const figure = told.sides[at]
        const ratio = at === 0 ? undefined : told.against[at - 1]
        const missing = figure && missingText(figure)
        return (
          <tr key={letter}>
            {at === 0 && (
              <th scope="rowgroup" rowSpan={views.length} title={`${field.id}\n${field.help}`}>
                {longName(field)} <span className="dim">{form.unit} {arrow(field)}</span><span className="sr">{directionWords(field)}</span>
              </th>
            )}
            <td className={css.who}><span><Slot letter={letter} /><Mark at={at} look={ratio ? markOf(ratio) : 'filled'} /></span></td>
            <td className={page.num} title={figure?.value === null ? undefined : `${figure?.value} ${field.unit}`}>{!figure || figure.value === null ? <Nothing of={undefined} /> : showNumber(figure.value, form)}</td>
            <td className={join(page.num, 'mid', css.n)} title={missing || undefined}>{figure?.n}{missing && <span className={css.missing}> of {runs}<span className="sr">: {missing}</span></span>}</td>
            <td className={join(page.num, 'mid', css.own)}>{figure ? intervalText(figure, form) : ''}</td>
            {ratio ? <Against ratio={ratio} at={at} span={span} effect={effect} /> : <><td className={join(page.num, 'dim')}>base</td><td /><td /><td className={css.forest}><Lines span={span} /></td><td /></>}
          </tr>
        )
      })}
    </tbody>
  )
}

function Against({ ratio, at, span, effect }: { ratio: ComparedRatio; at: number; span: Span; effect: number }) {
  const look = css[lookOf(ratio)]
  return (
    <>
      <td className={join(page.num, look)} title={ratio.words}>{ratio.ratio === null ? <Nothing of={undefined} /> : <>{percent(ratio.ratio, decimalsFor(ratio))} <span aria-hidden="true">{arrowOf(ratio)}</span></>}</td>
      <td className={join(page.num, 'mid', css.apart)} title={howText(ratio)}>{percentInterval(ratio)}</td>
      <td className={join(page.num, 'mid', css.p)}>{pText(ratio.p)}</td>
      <td className={css.forest}><Lines span={span} ratio={ratio} at={at} /></td>
      <td className={join(css.words, look)} title={ratio.words}>{findingText(ratio, effect)}{ratio.low !== null && ratio.high !== null && <span className={css.sure}> · {percentInterval(ratio)} %{ratio.p !== null && `, p ${pText(ratio.p)}`}</span>}</td>
    </>
  )
}

// The interval as a line with ends; what goes beyond the axis has none.
function Lines({ span, ratio, at = 0 }: { span: Span; ratio?: ComparedRatio; at?: number }) {
  const middle = HIGH / 2
  const ticks = span.ticks.filter((tick) => tick < span.limit && tick > 1 / span.limit)
  const [low, high] = [ratio?.low ?? null, ratio?.high ?? null]
  const whisker = low !== null && high !== null ? whiskerOf(span, low, high, middle) : null
  return (
    <svg width={WIDE} height={HIGH} viewBox={`0 0 ${WIDE} ${HIGH}`} aria-hidden="true">
      {ticks.map((tick) => <path key={tick} d={`M${placeOf(span, tick)} 0V${HIGH}`} stroke="var(--grid)" />)}
      <path d={`M${WIDE / 2} 0V${HIGH}`} stroke="var(--line-3)" />
      {whisker && <path d={whisker} stroke={colourOf(at)} strokeWidth="1.3" fill="none" />}
      {ratio && ratio.ratio !== null && <MarkPath at={at} x={placeOf(span, ratio.ratio)} y={middle} look={markOf(ratio)} scale={0.8} />}
    </svg>
  )
}

function whiskerOf(span: Span, low: number, high: number, middle: number) {
  const [from, to] = [placeOf(span, low), placeOf(span, high)]
  const end = (ratio: number, x: number) => (ratio < 1 / span.limit || ratio > span.limit ? '' : `M${x} ${middle - 3}v6`)
  return `M${from} ${middle}H${to}${end(low, from)}${end(high, to)}`
}

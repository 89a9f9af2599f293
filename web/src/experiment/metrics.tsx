// Metrics: the key ones at the top, and the families of latency with their intervals.
import type { Experiment } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { directionWords } from '../filter/words'
import { arrow, count, type Form, formFor, showNumber } from '../format/number'
import { rawValue, showValue } from '../format/value'
import { join } from '../ui/controls'
import { Padding } from '../ui/figure'
import page from '../ui/page.module.css'
import { Nothing } from '../ui/verdict'
import css from './experiment.module.css'
import { type Entry, type Family, type Interval, intervalOf } from './model'

const KEY = [
  'results.output_throughput',
  'results.request_throughput',
  'results.median_ttft_ms',
  'results.p99_ttft_ms',
  'results.median_tpot_ms',
  'results.energy_per_token_j',
]
// those of vLLM's offline benchmarks, by benchmark.kind
const KEY_OF: Record<string, string[]> = {
  latency: ['results.avg_latency', 'results.percentiles.50', 'results.percentiles.90', 'results.percentiles.99'],
  throughput: [
    'results.tokens_per_second',
    'results.requests_per_second',
    'results.elapsed_time',
    'results.num_requests',
    'results.total_num_tokens',
  ],
  startup: [
    'results.avg_cold_startup_time',
    'results.avg_warm_startup_time',
    'results.avg_cold_compilation_time',
    'results.avg_warm_compilation_time',
  ],
  'mm-processor': ['results.mean_e2el_ms', 'results.median_e2el_ms', 'results.p99_e2el_ms', 'results.completed'],
}
const INSTEAD = 'results.median_e2el_ms' // of energy, where none was measured
const GLYPH = 100
const RATE = /\/(s|tok)$/
const TIME = /^(s|ms|us)$/

function intervalWords([low, high]: [number, number], form: Form) {
  return `${showNumber(low, form)} – ${showNumber(high, form)}`
}

export function Figures({ experiment, catalogue }: { experiment: Experiment; catalogue: Catalogue }) {
  const own = KEY_OF[String(experiment.fields['benchmark.kind']?.value)]
  const wanted =
    own ?? KEY.map((id, i) => (i === KEY.length - 1 && typeof experiment.fields[id]?.value !== 'number' ? INSTEAD : id))
  const ids = wanted.filter((id) => experiment.fields[id]?.value !== undefined && experiment.fields[id].value !== null)
  if (ids.length === 0) return null
  return (
    <dl
      className={css.figures}
      data-simulated={experiment.simulated || undefined}
      aria-label="Key metrics, with the 95 % CI within the run"
    >
      {ids.map((id) => {
        const field = catalogue.get(id)
        const value = experiment.fields[id]?.value
        const form = formFor(field, [value])
        const interval = intervalOf(experiment, field)
        return (
          <div key={id}>
            <dt title={`${id}\n${field.help}`}>{longName(field)}</dt>
            <dd title={`${rawValue(value)} ${field.unit}`}>
              <span className={css.v}>{showValue(field, value, form)}</span>
              <span className={css.u}>{form.unit}</span>
              {interval && (
                <span className={css.c} title={`${id}_ci95`}>
                  95 % CI {intervalWords(interval, form)}
                </span>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

interface MetricsProps {
  families: Family[]
  figures: Entry[]
  experiment: Experiment
}

export function Metrics({ families, figures, experiment }: MetricsProps) {
  const done = experiment.fields['results.completed']?.value
  const failed = experiment.fields['results.failed']?.value
  // a file without intervals has no columns of them
  const hasIntervals =
    families.some(({ statistics }) => statistics.some(({ interval }) => interval)) ||
    figures.some(({ field }) => intervalOf(experiment, field))
  const table = { experiment, hasIntervals }
  return (
    <section className={page.block} id="metrics" aria-label="Metrics">
      <div className={page.blockHead}>
        <h2>Metrics</h2>
        <p>
          {typeof done === 'number'
            ? `${count(done)} requests${failed === 0 ? ', none failed' : typeof failed === 'number' ? `, ${count(failed)} failed` : ''}`
            : ''}
        </p>
      </div>
      <div
        className={page.scroll}
        tabIndex={0}
        role="region"
        aria-label="Metrics table"
        aria-description="Scrolls sideways"
      >
        <table className={page.rows} data-simulated={experiment.simulated || undefined}>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" className={page.num}>
                Value
              </th>
              <th scope="col">Unit</th>
              {hasIntervals && (
                <>
                  <th scope="col" className={page.num}>
                    95 % CI
                  </th>
                  <th
                    scope="col"
                    className={css.ci}
                    title="The axis spans −20 % to +20 % of the value; an arrow marks an end outside it"
                  >
                    CI relative to value
                  </th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            <Rows title="Rates" {...table} entries={figures.filter(({ field }) => RATE.test(field.unit))} />
            {families.map((family) => (
              <FamilyView
                key={family.title}
                family={family}
                isDefined={
                  family.twin !== null || families.some(({ twin }) => twin?.title === family.title && !twin.isSame)
                }
                hasIntervals={hasIntervals}
              />
            ))}
            <Rows title="Times" {...table} entries={figures.filter(({ field }) => TIME.test(field.unit))} />
            <Rows
              title="Counts and others"
              {...table}
              entries={figures.filter(({ field }) => !RATE.test(field.unit) && !TIME.test(field.unit))}
            />
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Rows({
  title,
  experiment,
  entries,
  hasIntervals,
}: {
  title: string
  experiment: Experiment
  entries: Entry[]
  hasIntervals: boolean
}) {
  if (entries.length === 0) return null
  return (
    <>
      <tr className={page.sect}>
        <th colSpan={5} scope="colgroup">
          {title}
        </th>
      </tr>
      {entries.map(({ field, value }) => {
        const form = formFor(field, [value.value])
        return (
          <tr key={field.id} title={`${field.id}\n${field.help}\n${String(value.value)} ${field.unit}`}>
            <th scope="row">{longName(field)}</th>
            <td className={page.num}>{showValue(field, value.value, form)}</td>
            <td className="dim">
              {form.unit} {arrow(field)}
              <span className="sr">{directionWords(field)}</span>
            </td>
            {hasIntervals && <IntervalCells value={value.value} interval={intervalOf(experiment, field)} form={form} />}
          </tr>
        )
      })}
    </>
  )
}

interface FamilyProps {
  family: Family
  isDefined: boolean // shows its definition, because another family measures nearly the same
  hasIntervals: boolean
}

function FamilyView({ family: { title, help, twin, statistics }, isDefined, hasIntervals }: FamilyProps) {
  const first = statistics[0]
  if (!first) return null
  if (twin?.isSame)
    return (
      <tr title={help}>
        <th scope="row">{title}</th>
        <td colSpan={hasIntervals ? 4 : 2} className={join('mid', page.text)}>
          same as {twin.title} in this run
        </td>
      </tr>
    )
  const form = formFor(
    first.field,
    statistics.map((one) => one.value),
  )
  return (
    <>
      <tr className={page.sect}>
        <th colSpan={5} scope="colgroup" title={help}>
          {title}
          {isDefined && (
            <>
              :<span className={css.definition}>{help}</span>
            </>
          )}
        </th>
      </tr>
      {statistics.map(({ id, name, field, value, interval }) => (
        <tr key={id} title={`${id}\n${field.help}\n${rawValue(value)} ${field.unit}`}>
          <th scope="row">{name}</th>
          <td className={page.num}>
            {showValue(field, value, form)}
            <Padding value={value} form={form} />
          </td>
          <td className="dim">
            {form.unit} {arrow(field)}
            <span className="sr">{directionWords(field)}</span>
          </td>
          {hasIntervals && <IntervalCells value={value} interval={interval} form={form} />}
        </tr>
      ))}
    </>
  )
}

const IntervalCells = ({ value, interval, form }: { value: unknown; interval: Interval; form: Form }) => (
  <>
    <td className={join(page.num, 'mid')}>{interval ? intervalWords(interval, form) : <Nothing of={undefined} />}</td>
    <td className={css.ci}>
      {interval && typeof value === 'number' && value !== 0 ? (
        <Glyph value={value} interval={interval} form={form} />
      ) : null}
    </td>
  </>
)

// The interval relative to its value. An end beyond ±20 % is an arrow.
function Glyph({ value, interval: [low, high], form }: { value: number; interval: [number, number]; form: Form }) {
  const place = (at: number) => Math.max(0, Math.min(GLYPH, GLYPH / 2 + ((at / value - 1) / 0.2) * (GLYPH / 2)))
  const [from, to] = [place(low), place(high)]
  const start = from > 0 ? `M${from} 4v6` : 'M4 4L0 7L4 10'
  const end = to < GLYPH ? `M${to} 4v6` : `M${GLYPH - 4} 4L${GLYPH} 7L${GLYPH - 4} 10`
  return (
    <svg viewBox={`0 0 ${GLYPH} 14`} role="img" aria-label={`95 % CI ${intervalWords([low, high], form)}`}>
      <path d={`M${GLYPH / 2} 1V13`} stroke="var(--line-2)" />
      <path
        data-cut={from <= 0 || to >= GLYPH || undefined}
        d={`M${from} 7H${to}${start}${end}`}
        stroke="var(--text-2)"
        fill="none"
      />
      <circle cx={GLYPH / 2} cy="7" r="2.6" fill="var(--text)" />
    </svg>
  )
}

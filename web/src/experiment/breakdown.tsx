// Where the time of a request went: a bar for each latency, and the same as tables.
import type { Experiment } from '../api/types'
import { count, formOfUnit, showNumber } from '../format/number'
import page from '../ui/page.module.css'
import css from './breakdown.module.css'
import { type Breakdown as Model, breakdownOf, type Limits, PARTS, segmentsOf, type Split } from './breakdown-parts'

const ms = (value: number) => {
  const form = formOfUnit('ms', [value])
  return `${showNumber(value, form)} ${form.unit}`
}

// Limits that read the same are one value.
function limitsText(limits: Limits | undefined) {
  if (!limits) return '–'
  const [low, high] = limits
  if (high === null) return `≥ ${ms(low)}`
  return ms(low) === ms(high) ? ms(low) : `${ms(low)} – ${ms(high)}`
}

const titleOf = (key: string) => PARTS.find((part) => part.key === key)?.title ?? 'Not attributed'
const isOpen = ({ unattributed, total }: Split) => unattributed > total * 0.001

function Bar({ split }: { split: Split }) {
  const segments = segmentsOf(split)
  const words = segments
    .map(({ key, width }) => `${titleOf(key)} ${width < 0.01 ? 'below 1' : Math.round(width * 100)} %`)
    .join(', ')
  return (
    <div className={css.row}>
      <span className={css.name}>{split.name}</span>
      <svg className={css.bar} role="img" aria-label={`${split.name}, mean ${ms(split.total)}: ${words}`}>
        {segments.map(({ key, start, width }) => (
          <rect key={key} data-part={key} x={`${start * 100}%`} y="0" width={`${width * 100}%`} height="100%">
            <title>{`${titleOf(key)}: ${ms(width * split.total)}, ${(width * 100).toFixed(1)} %`}</title>
          </rect>
        ))}
      </svg>
      <span className={css.total}>{ms(split.total)}</span>
    </div>
  )
}

function Parts({ breakdown }: { breakdown: Model }) {
  const { splits } = breakdown
  return (
    <table className={page.rows}>
      <thead>
        <tr>
          <th scope="col">Part</th>
          {splits.map(({ name }) => (
            <th key={name} scope="col" className={page.num}>
              {name}
            </th>
          ))}
          <th scope="col">Definition</th>
        </tr>
      </thead>
      <tbody>
        {PARTS.filter(({ key }) => splits.some(({ limits }) => limits.has(key))).map(({ key, title, text }) => (
          <tr key={key}>
            <th scope="row">
              <i className={css.key} data-part={key} aria-hidden="true" />
              {title}
            </th>
            {splits.map(({ name, limits }) => (
              <td key={name} className={page.num}>
                {limitsText(limits.get(key))}
              </td>
            ))}
            <td className="mid">{text}</td>
          </tr>
        ))}
        {splits.some(isOpen) && (
          <tr>
            <th scope="row">
              <i className={css.key} data-part="unattributed" aria-hidden="true" />
              Not attributed
            </th>
            {splits.map((split) => (
              <td key={split.name} className={page.num}>
                {ms(split.unattributed)}
              </td>
            ))}
            <td className="mid">the total minus the lower limits</td>
          </tr>
        )}
        <tr>
          <th scope="row">Total</th>
          {splits.map(({ name, total }) => (
            <td key={name} className={page.num}>
              {ms(total)}
            </td>
          ))}
          <td className="mid">mean of the client</td>
        </tr>
      </tbody>
    </table>
  )
}

function Histograms({ breakdown }: { breakdown: Model }) {
  return (
    <table className={page.rows}>
      <thead>
        <tr>
          <th scope="col">Server</th>
          <th scope="col" className={page.num}>
            Requests
          </th>
          <th scope="col" className={page.num}>
            Mean
          </th>
          <th scope="col" className={page.num}>
            Median within
          </th>
          <th scope="col" className={page.num}>
            P99 within
          </th>
          <th scope="col">Definition</th>
        </tr>
      </thead>
      <tbody>
        {breakdown.latencies.map(({ title, text, requests, mean, median, p99 }) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td className={page.num}>{count(requests)}</td>
            <td className={page.num}>{mean === null ? '–' : ms(mean)}</td>
            <td className={page.num}>{limitsText(median)}</td>
            <td className={page.num}>{limitsText(p99)}</td>
            <td className="mid">{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export const hasBreakdown = (experiment: Experiment) => breakdownOf(experiment) !== null

export function Breakdown({ experiment }: { experiment: Experiment }) {
  const breakdown = breakdownOf(experiment)
  if (!breakdown) return null
  const { splits, latencies, note, isBusyBefore, isLocal, requests } = breakdown
  const isUnclear = splits.some(isOpen)
  return (
    <section className={page.block} id="breakdown" aria-label="Where the time went">
      <div className={page.blockHead}>
        <h2>Where the time went</h2>
        <p>{splits.length > 0 && requests !== null ? `Means of ${count(requests)} completed requests` : ''}</p>
      </div>
      <div className={css.notes}>
        {note && <p>{note}</p>}
        {isBusyBefore && <p>Requests of others ran or waited at the server before the run.</p>}
        {isUnclear && !isLocal && (
          <p>Nothing measures where the network ends and the front end begins: their sum is known, each has limits.</p>
        )}
      </div>
      {splits.length > 0 && (
        <div className={css.bars}>
          {splits.map((split) => (
            <Bar key={split.name} split={split} />
          ))}
        </div>
      )}
      <div className={page.scroll} tabIndex={0} role="region" aria-label="Parts" aria-description="Scrolls sideways">
        {splits.length > 0 && <Parts breakdown={breakdown} />}
        {latencies.length > 0 && <Histograms breakdown={breakdown} />}
      </div>
    </section>
  )
}

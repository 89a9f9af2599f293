// Fields that changed at the place of a change, and the other series that changed there.
import { Link } from 'wouter'

import type { Incident, Regressions, Verdict } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { arrow, formFor, formOfRow } from '../format/number'
import { NOT_RECORDED, rawValue, valueText } from '../format/value'
import { join } from '../ui/controls'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import type { TrendsState } from '../url/trends'
import { type Cause, type Change, changeOf, intervalText, isLinear, lookOfChange, pText, sizeText } from './model'
import { Inseparable } from './separate'
import css from './trends.module.css'

interface CausesProps {
  change: Change
  incident: Incident | undefined
  catalogue: Catalogue
  versionField: string
}

export function Causes({ change, incident, catalogue, versionField }: CausesProps) {
  const causes = change.causes
  const groups = incident?.inseparable.filter((fields) => fields.length > 1) ?? []
  return (
    <section className={page.block} aria-label="Also changed at this place">
      <div className={page.blockHead}>
        <h2>Also changed at this place</h2>
        <p>ranked by how well the fields divide the runs</p>
      </div>
      {causes.length === 0 ? (
        <p className={css.none}>
          No recorded input or environment field changed with it
          {change.from_label === change.to_label ? '.' : `, other than ${longName(catalogue.get(versionField))}.`}
        </p>
      ) : (
        <div
          className={page.scroll}
          tabIndex={0}
          role="region"
          aria-label="Causes table"
          aria-description="Scrolls sideways"
        >
          <table className={join(page.rows, css.causes)}>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
                <th scope="col" className={page.num} title="Affected series in which the field changes at this place">
                  Series
                </th>
                <th scope="col" className={page.num} title="Other places at which the field changes">
                  Elsewhere
                </th>
              </tr>
            </thead>
            <tbody>
              {causes.map((cause) => (
                <CauseRow
                  key={cause.field}
                  cause={cause}
                  catalogue={catalogue}
                  isVersion={cause.field === versionField}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {groups.map((fields) => (
        <Inseparable key={fields.join()} {...{ fields, change, catalogue }} />
      ))}
    </section>
  )
}

interface RowProps {
  cause: Cause
  catalogue: Catalogue
  isVersion: boolean
}

function CauseRow({ cause, catalogue, isVersion }: RowProps) {
  const field = catalogue.get(cause.field)
  const form = formOfRow(field, [cause.before, cause.after])
  const text = (value: unknown) => (value == null ? NOT_RECORDED : valueText(field, value, form))
  return (
    <tr>
      <th scope="row" title={cause.field}>
        {longName(field)} {isVersion && <span className="dim">under study</span>}
      </th>
      <td className={page.val} title={rawValue(cause.before)}>
        <bdi>{text(cause.before)}</bdi>
      </td>
      <td className={page.val} title={rawValue(cause.after)}>
        <bdi>{text(cause.after)}</bdi>
      </td>
      <td className={page.num}>
        {cause.affected_count} of {cause.series_count}
      </td>
      <td className={page.num}>{cause.elsewhere_count}</td>
    </tr>
  )
}

interface IncidentProps {
  incident: Incident
  answer: Regressions
  opened: string
  state: TrendsState
  catalogue: Catalogue
}

export function SamePlace({ incident, answer, opened, state, catalogue }: IncidentProps) {
  const members = incident.series.flatMap(({ key, change_index: index }) => {
    const verdict = answer.series.find((one) => one.key === key)
    const change = verdict && (verdict.changes[index] ?? changeOf(verdict, null))
    return verdict && change ? [{ verdict, change }] : []
  })
  const ends = members.flatMap(({ change: { low, high } }) => [low, high]).filter((one) => one !== null)
  const reach = Math.max(0.02, ...ends.map((end) => Math.abs(Math.log(Math.max(end, 1e-9))))) * 1.08
  const hidden = incident.series.length - members.length
  return (
    <section className={page.block} aria-label="Same place, other series">
      <div className={page.blockHead}>
        <h2>Same place, other series</h2>
        <p>
          1 incident of {incident.series.length} series
          {` at ${incident.to_label}`}
        </p>
      </div>
      <div
        className={page.scroll}
        tabIndex={0}
        role="region"
        aria-label="Incident table"
        aria-description="Scrolls sideways"
      >
        <table className={join(page.rows, css.stack)}>
          <thead>
            <tr>
              <th scope="col">Configuration</th>
              <th scope="col">Metric</th>
              <th scope="col" className={page.num}>
                Change
              </th>
              <th scope="col" className={page.num}>
                95 % interval
              </th>
              <th scope="col">
                <span className="sr">Interval as a line; the middle is no change</span>
              </th>
              <th scope="col" className={page.num}>
                q
              </th>
            </tr>
          </thead>
          <tbody {...oneStop}>
            {members.map(({ verdict, change }) => (
              <MemberRow
                key={verdict.key}
                {...{ verdict, change, reach, catalogue }}
                isOpened={verdict.key === opened}
                href={paths.trends({ ...state, series: verdict.key, change: null })}
              />
            ))}
          </tbody>
        </table>
      </div>
      {hidden > 0 && <p className={css.none}>{hidden} more series of the incident are not in the list.</p>}
    </section>
  )
}

interface MemberProps {
  verdict: Verdict
  change: Change
  reach: number
  isOpened: boolean
  href: string
  catalogue: Catalogue
}

const ARROWS = ['↓', '↑'] as const

function MemberRow({ verdict, change, reach, isOpened, href, catalogue }: MemberProps) {
  const field = catalogue.get(verdict.metric)
  const form = formFor(field, [change.before.median, change.after.median])
  const look = lookOfChange(verdict, change)
  return (
    <tr data-opened={isOpened || undefined}>
      <th scope="row">
        {isOpened ? (
          <bdi>{verdict.label || 'this series'}</bdi>
        ) : (
          <Link href={href}>
            <bdi>{verdict.label || 'the only configuration'}</bdi>
          </Link>
        )}
      </th>
      <td>
        {longName(field)} <span className="dim">{[form.unit, arrow(field)].filter(Boolean).join(' ')}</span>
      </td>
      <td className={join(page.num, css[look])}>
        {sizeText(verdict, change, form)}{' '}
        {change.ratio === null ? '' : ARROWS[Number(change.ratio > (isLinear(verdict) ? 0 : 1))]}
      </td>
      <td className={join(page.num, 'mid')}>{intervalText(verdict, change, form)}</td>
      <td>{!isLinear(verdict) && <Interval change={change} reach={reach} look={look} />}</td>
      <td className={page.num}>{pText(change.q)}</td>
    </tr>
  )
}

const [WIDE, HIGH] = [150, 18]

function Interval({ change: { ratio, low, high }, reach, look }: { change: Change; reach: number; look: string }) {
  const toX = (value: number) => WIDE / 2 + (Math.log(Math.max(value, 1e-9)) / reach) * (WIDE / 2 - 4)
  if (ratio === null) return null
  return (
    <svg
      className={join(css.interval, css[look])}
      width={WIDE}
      height={HIGH}
      viewBox={`0 0 ${WIDE} ${HIGH}`}
      aria-hidden="true"
    >
      <path d={`M${WIDE / 2} 2V${HIGH - 2}`} stroke="var(--line-3)" />
      {low !== null && high !== null && (
        <path
          d={`M${toX(low)} 9H${toX(high)}M${toX(low)} 6v6M${toX(high)} 6v6`}
          stroke="currentColor"
          strokeWidth="1.3"
        />
      )}
      <circle cx={toX(ratio)} cy="9" r="3.2" fill="currentColor" />
    </svg>
  )
}

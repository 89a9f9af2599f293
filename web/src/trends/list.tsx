// The verdicts: significant changes first, by size and certainty; all other series are groups with a count.
import { type ReactNode, useId, useMemo, useState } from 'react'
import { Link } from 'wouter'

import type { Field, Incident, Regressions, Verdict } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, formFor, formOfRow } from '../format/number'
import { NOT_RECORDED, valueText } from '../format/value'
import { Act, join, Segment, Select } from '../ui/controls'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import { paths } from '../url/paths'
import type { TrendDirection, TrendGroup, TrendMode, TrendsState } from '../url/trends'
import type { TrendsChange } from '../url/use-trends'
import { Effect } from './effect'
import {
  type Change,
  changeOf,
  countsText,
  foundCount,
  groupsOf,
  incidentsText,
  isFound,
  lookOf,
  percent,
  quietNote,
  quietStates,
  sentence,
  sinceText,
  sizeText,
  STATE_WORDS,
} from './model'
import { LOOK_COLOURS, Spark } from './plot'
import { StateMark } from './state'
import css from './trends.module.css'

const SHOWN = 8 // of a group, until the user asks for all
const MEMBERS = 3 // of an incident

interface Props {
  answer: Regressions
  state: TrendsState
  change: TrendsChange
  catalogue: Catalogue
  isOld: boolean // of the previous question
  opened: string // the series whose entry is in the list, even if its group is closed
  children?: ReactNode // notes above the list
}

export function VerdictList({ answer, state, change, catalogue, isOld, opened, children }: Props) {
  const { by_state: counts, series: total } = answer.counts
  const found = foundCount(counts, state.mode)
  const all = useMemo(() => answer.series.filter((one) => isFound(one.state, state.mode)), [answer, state.mode])
  const listed = state.direction ? all.filter(({ trend }) => trend === state.direction) : all
  const incidents = useMemo(() => new Map(answer.incidents.map((one) => [one.id, one])), [answer])
  const groups = groupsOf(listed)
  const shared = groups.filter(({ members }) => members.length > 1)
  const isGrouped =
    state.group === '' ? groups.some(({ members }) => members.length >= MEMBERS) : state.group === 'incident'
  const entry = (verdict: Verdict) => (
    <Entry
      key={verdict.key}
      verdict={verdict}
      field={catalogue.get(verdict.metric)}
      state={state}
      affected={incidents.get(changeOf(verdict, null)?.incident ?? '')?.series.length ?? 1}
    />
  )
  return (
    <>
      <div className={css.sideHead}>
        <h2>
          <span role="status" aria-busy={isOld || undefined}>
            {found === 0 ? 'No change in' : `${count(found)} of`} {count(total)} series{found === 0 ? '' : ' changed'}
          </span>
        </h2>
        <p>
          {countsText(counts, state.mode) || nothingText(total)}
          {all.length === found && incidentsText(all)}
        </p>
        <div className={css.row}>
          <Segment
            label="Direction"
            value={state.direction || 'all'}
            onChange={(to) => change({ direction: to === 'all' ? '' : (to as TrendDirection) })}
            options={[
              ['all', 'All'],
              ['worse', 'Worse'],
              ['better', 'Better'],
            ]}
          />
          <span className={css.pick}>
            <span className="dim">mode</span>
            <Select
              label="Mode"
              value={state.mode}
              onChange={(mode) => change({ mode: mode as TrendMode })}
              options={[
                ['strict', 'strict'],
                ['sensitive', 'sensitive'],
              ]}
            />
          </span>
        </div>
        <div className={css.row}>
          <Effect state={state} change={change} />
        </div>
        {(shared.length > 0 || state.group !== '') && (
          <div className={css.row}>
            <span className={css.pick}>
              <span className="dim">group</span>
              <Select
                label="Group"
                value={isGrouped ? 'incident' : 'none'}
                onChange={(group) => change({ group: group as TrendGroup })}
                options={[
                  ['incident', 'by incident'],
                  ['none', 'none'],
                ]}
              />
            </span>
          </div>
        )}
        {state.mode === 'sensitive' && (
          <p className="dim">Includes suspects, from half of the minimum effect. Expect more false alarms.</p>
        )}
        {children}
      </div>
      <div role="group" aria-label="Series" {...oneStop}>
        <ul className={css.list} aria-label="Changed series">
          <li>
            <Link
              className={css.all}
              href={paths.trends({ ...state, series: '', change: null })}
              aria-current={state.series === '' ? 'true' : undefined}
              data-entry=""
            >
              Overview of all series
            </Link>
          </li>
          {!isGrouped
            ? listed.map(entry)
            : groups.map(({ id, members }) => {
                const incident = id === null ? undefined : incidents.get(id)
                return incident && members.length > 1 ? (
                  <IncidentGroup key={incident.id} {...{ incident, members, state, catalogue, opened }} />
                ) : (
                  members.map(entry)
                )
              })}
        </ul>
        {listed.length === 0 && all.length > 0 && <p className={css.more}>No series became {state.direction}.</p>}
        {all.length < found && (
          <p className={css.more}>
            {count(found - all.length)} more are beyond the limit of this list. Filter in Explore to see them.
          </p>
        )}
        {quietStates(state.mode).map((quiet) => (
          <Group
            key={quiet}
            state={state}
            name={sentence(STATE_WORDS[quiet]).replace(/\.$/, '')}
            total={counts[quiet] ?? 0}
            verdicts={answer.series.filter((one) => one.state === quiet)}
            opened={opened}
            catalogue={catalogue}
          />
        ))}
      </div>
    </>
  )
}

const nothingText = (total: number) =>
  total === 0 ? 'No series under this filter' : 'No significant change; the groups below say how sure that is'

interface EntryProps {
  verdict: Verdict
  field: Field
  state: TrendsState
  affected: number // series of its incident
  isMember?: boolean // below the heading of its incident
}

function Entry({ verdict, field, state, affected, isMember = false }: EntryProps) {
  const change = changeOf(verdict, null)
  const form = formFor(field, [change?.before.median, change?.after.median, verdict.current.median])
  const look = lookOf(verdict.state, verdict.trend)
  return (
    <li>
      <Link
        className={css.entry}
        href={paths.trends({ ...state, series: verdict.key, change: null })}
        aria-current={state.series === verdict.key ? 'true' : undefined}
        data-entry={verdict.key}
      >
        <span className={css.top}>
          <StateMark state={verdict.state} look={look} />
          <span className="n">{change ? sizeText(verdict, change, form) : tailSize(verdict)}</span>
        </span>
        <Spark verdict={verdict} change={change} colour={LOOK_COLOURS[look]} />
        <b>{longName(field)}</b>
        <span>
          {verdict.label && (
            <span className={join('clip', css.label)} title={verdict.label}>
              <bdi>{verdict.label}</bdi>
            </span>
          )}
          <span className="dim">{isMember && change ? memberNote(change) : entryNote(change, affected)}</span>
        </span>
      </Link>
    </li>
  )
}

interface IncidentProps {
  incident: Incident
  members: Verdict[]
  opened: string
  state: TrendsState
  catalogue: Catalogue
}

function IncidentGroup({ incident, members, opened, state, catalogue }: IncidentProps) {
  const [all, setAll] = useState(members.slice(MEMBERS).some(({ key }) => key === opened))
  const title = useId()
  const shown = all ? members : members.slice(0, MEMBERS)
  const hidden = members.length - shown.length
  const since = incident.causes[0]?.after === incident.to_label ? '' : `since ${incident.to_label} · ` // not twice
  const cause = causeText(incident, catalogue)
  return (
    <li className={css.incident}>
      <h3 id={title}>{cause || 'No recorded field changed'}</h3>
      <p>
        {since}incident of {count(incident.series.length)} series
      </p>
      <ul aria-labelledby={title}>
        {shown.map((verdict) => (
          <Entry
            key={verdict.key}
            verdict={verdict}
            field={catalogue.get(verdict.metric)}
            state={state}
            affected={members.length}
            isMember
          />
        ))}
      </ul>
      {hidden > 0 && (
        <p>
          <Act onPress={() => setAll(true)}>Show {count(hidden)} more</Act>
        </p>
      )}
    </li>
  )
}

// "PyTorch version 2.9.0 → 2.10.0": the first cause.
function causeText({ causes: [cause] }: Incident, catalogue: Catalogue) {
  if (!cause) return ''
  const field = catalogue.get(cause.field)
  const form = formOfRow(field, [cause.before, cause.after])
  const [before, after] = [cause.before, cause.after].map((value) =>
    value == null ? NOT_RECORDED : valueText(field, value, form),
  )
  return `${longName(field)} ${before} → ${after}`
}

const tailSize = ({ tail }: Verdict) => (tail.ratio == null ? '' : percent(tail.ratio))

function entryNote(change: Change | undefined, affected: number) {
  if (!change) return 'the newest runs'
  return [
    change.state === 'noisier' ? `spread ${sinceText(change)}, median unchanged` : sinceText(change),
    affected > 1 && `incident of ${affected} series`,
    affected <= 1 && change.state !== 'noisier' && `${change.seen_count} of 3 analyses`,
    change.decision !== 'none' && change.decision,
  ]
    .filter(Boolean)
    .join(' · ')
}

// The note of an entry below the heading of its incident, which has the version.
const memberNote = ({ state, seen_count: seen, decision }: Change) =>
  [
    state === 'noisier' && 'spread, median unchanged',
    seen < 3 && state !== 'noisier' && `${seen} of 3 analyses`,
    decision !== 'none' && decision,
  ]
    .filter(Boolean)
    .join(' · ')

interface GroupProps {
  name: string
  total: number
  verdicts: Verdict[]
  opened: string
  state: TrendsState
  catalogue: Catalogue
}

function Group({ name, total, verdicts, opened, state, catalogue }: GroupProps) {
  const holdsOpened = verdicts.some(({ key }) => key === opened)
  const [isOpen, setOpen] = useState(holdsOpened)
  const [all, setAll] = useState(holdsOpened)
  const shown = all ? verdicts : verdicts.slice(0, SHOWN)
  if (total === 0) return null
  return (
    <details className={css.group} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon name="right" small />
        {name}
        <span className="n-11">{count(total)}</span>
      </summary>
      {isOpen && (
        <ul aria-label={name}>
          {shown.map((verdict) => (
            <li key={verdict.key} className={css.quiet}>
              <Link
                href={paths.trends({ ...state, series: verdict.key, change: null })}
                aria-current={state.series === verdict.key ? 'true' : undefined}
                data-entry={verdict.key}
              >
                {longName(catalogue.get(verdict.metric))}
                {verdict.label && (
                  <span className="dim">
                    {' '}
                    · <bdi>{verdict.label}</bdi>
                  </span>
                )}
              </Link>
              <p>{quietNote(verdict)}</p>
            </li>
          ))}
        </ul>
      )}
      {isOpen && shown.length < verdicts.length && (
        <p className={css.more}>
          <Act onPress={() => setAll(true)}>Show {count(verdicts.length - shown.length)} more</Act>
        </p>
      )}
      {isOpen && verdicts.length < total && (
        <p className={css.more}>{count(total - verdicts.length)} more are beyond the limit of this list.</p>
      )}
    </details>
  )
}

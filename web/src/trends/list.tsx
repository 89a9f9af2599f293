// The verdicts: significant changes first, by size and certainty; all other series are groups with a count.
import { type ReactNode, useMemo, useState } from 'react'
import { Link } from 'wouter'

import type { Field, Regressions, Verdict } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, formFor } from '../format/number'
import { Act, join, Segment, Select } from '../ui/controls'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import { paths } from '../url/paths'
import type { TrendDirection, TrendMode, TrendsState } from '../url/trends'
import type { TrendsChange } from '../url/use-trends'
import {
  type Change,
  changeOf,
  countsText,
  foundCount,
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

interface Props {
  answer: Regressions
  state: TrendsState
  change: TrendsChange
  catalogue: Catalogue
  isOld: boolean // of the previous question
  children?: ReactNode // notes above the list
}

export function VerdictList({ answer, state, change, catalogue, isOld, children }: Props) {
  const { by_state: counts, series: total } = answer.counts
  const found = foundCount(counts, state.mode)
  const all = useMemo(() => answer.series.filter((one) => isFound(one.state, state.mode)), [answer, state.mode])
  const listed = state.direction ? all.filter(({ trend }) => trend === state.direction) : all
  const incidents = useMemo(() => new Map(answer.incidents.map((one) => [one.id, one.series.length])), [answer])
  return (
    <>
      <div className={css.sideHead}>
        <h2>
          <span role="status" aria-busy={isOld || undefined}>
            {found === 0 ? 'No change in' : `${count(found)} of`} {count(total)} series{found === 0 ? '' : ' changed'}
          </span>
        </h2>
        <p>{countsText(counts, state.mode) || nothingText(total)}</p>
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
        {state.mode === 'sensitive' && (
          <p className="dim">Includes suspects, from half of the usual minimum effect. Expect more false alarms.</p>
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
          {listed.map((verdict) => (
            <Entry
              key={verdict.key}
              verdict={verdict}
              field={catalogue.get(verdict.metric)}
              state={state}
              affected={incidentCount(verdict, incidents)}
            />
          ))}
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
            catalogue={catalogue}
          />
        ))}
      </div>
    </>
  )
}

const nothingText = (total: number) =>
  total === 0 ? 'No series under this filter' : 'No significant change; the groups below say how sure that is'

const incidentCount = (verdict: Verdict, incidents: Map<string, number>) => {
  const id = changeOf(verdict, null)?.incident
  return id == null ? 1 : (incidents.get(id) ?? 1)
}

interface EntryProps {
  verdict: Verdict
  field: Field
  state: TrendsState
  affected: number
}

function Entry({ verdict, field, state, affected }: EntryProps) {
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
          <span className="dim">{entryNote(change, affected)}</span>
        </span>
      </Link>
    </li>
  )
}

const tailSize = ({ tail }: Verdict) => (tail.ratio == null ? '' : percent(tail.ratio))

function entryNote(change: Change | undefined, affected: number) {
  if (!change) return 'the newest runs'
  return [
    change.state === 'noisier' ? `spread ${sinceText(change)}, median unchanged` : sinceText(change),
    affected > 1 && `incident of ${affected} series`,
    affected <= 1 && change.state !== 'noisier' && `found by ${change.seen_count} of 3 analyses`,
    change.decision !== 'none' && change.decision,
  ]
    .filter(Boolean)
    .join(' · ')
}

interface GroupProps {
  name: string
  total: number
  verdicts: Verdict[]
  state: TrendsState
  catalogue: Catalogue
}

function Group({ name, total, verdicts, state, catalogue }: GroupProps) {
  const holdsOpened = verdicts.some(({ key }) => key === state.series)
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

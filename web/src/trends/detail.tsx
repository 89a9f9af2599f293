// One series: its verdict, the decision on it, its chart, the reasons, and what else changed at the same place.
import { useMemo } from 'react'
import { Link } from 'wouter'

import { causeOf } from '../api/client'
import { useAnnotations, useDecisions, useSeriesVerdicts } from '../api/trends'
import type { Annotation, RegressionRequest, Regressions, TrendsRequest, Verdict } from '../api/types'
import { type Catalogue, longName, shortName } from '../fields/catalogue'
import { arrow, count, type Form, formFor, showNumber } from '../format/number'
import { Act, Bone, Button, ButtonLink, IconButton, join, Note, Progress } from '../ui/controls'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import type { TrendsState } from '../url/trends'
import type { TrendsChange } from '../url/use-trends'
import { Annotations } from './annotations'
import { Causes, SamePlace } from './causes'
import { Decide, Decisions } from './decide'
import { flagsOf, useLinesOf } from './flags'
import {
  type Change,
  changeOf,
  intervalText,
  lookOf,
  lookOfChange,
  nameOf,
  powerNote,
  quietNote,
  reasonsOf,
  runs,
  sentence,
  shownChanges,
  sizeText,
  STATE_WORDS,
} from './model'
import { MiniPlot, SeriesPlot } from './plot'
import { StateMark } from './state'
import { SeriesTable } from './tables'
import css from './trends.module.css'

interface Props {
  answer: Regressions // the list
  request: RegressionRequest // of the list
  round: number
  state: TrendsState
  change: TrendsChange
  catalogue: Catalogue
  tools: React.ReactNode
  children?: React.ReactNode // below the heading
}

export function Detail({ answer, request, round, state, change, catalogue, tools, children }: Props) {
  const listed = answer.series.find(({ key }) => key === state.series)
  const asked = useMemo(() => ({ ...plain(request), series: state.series }), [request, state.series])
  const [own] = useSeriesVerdicts([asked], round)
  const verdict = own?.data?.series.find(({ key }) => key === state.series)
  const shown = verdict ?? listed
  const name = shown ? nameOf(shown, catalogue) : 'Series'
  const read = shown && changeOf(shown, state.change)
  const isReady = own?.data !== undefined && own.data.incomplete.length === 0
  return (
    <>
      <p className={page.crumbs}>
        <Link href={paths.trends({ ...state, series: '', change: null })}>Trends</Link> <span>/</span>{' '}
        <span className="clip">{shown ? longName(catalogue.get(shown.metric)) : 'series'}</span>
      </p>
      <div className={page.head}>
        <div>
          <h1 tabIndex={-1}>
            <bdi>{name}</bdi>
          </h1>
          {shown && <Facts verdict={shown} />}
        </div>
        <div className={page.end} role="toolbar" aria-label="Series tools" {...oneStop}>
          {tools}
          {read && read.before_ids.length > 0 && read.after_ids.length > 0 && (
            <ButtonLink
              look="fill"
              href={paths.compare({
                sides: [
                  { label: `before ${read.label}`, ids: read.before_ids },
                  { label: `from ${read.label} on`, ids: read.after_ids },
                ],
              })}
            >
              Compare before and after
            </ButtonLink>
          )}
        </div>
      </div>
      {children}
      <Progress on={own?.isFetching ?? false} />
      {own?.error && (
        <div className={page.notice}>
          <Note kind="bad" role="alert">
            <b>Could not load this series.</b> {causeOf(own.error)} <Act onPress={() => void own.refetch()}>Retry</Act>
          </Note>
        </div>
      )}
      {isReady && !verdict && (
        <p className={page.lead} role="alert">
          No series with this key is under the current filter.{' '}
          <Link className="inline" href={paths.trends({ ...state, series: '', change: null })}>
            Show the overview
          </Link>
        </p>
      )}
      {shown && (
        <Body
          key={shown.key}
          {...{ answer, request, round, state, change, catalogue }}
          verdict={shown}
          hasPoints={verdict?.points !== undefined}
          read={read}
        />
      )}
    </>
  )
}

// The question without what only selects the listed series.
const plain = ({
  states: _,
  direction: __,
  limit: ___,
  offset: ____,
  ...request
}: RegressionRequest): RegressionRequest => request

const NO_ANNOTATIONS: Annotation[] = []

// The lines of the same question, which have the keys of its series.
const linesRequest = ({ filter, order, vary, keep, simulated }: RegressionRequest, metric: string): TrendsRequest => ({
  metric,
  ...(filter && { filter }),
  ...(order && { order }),
  ...(vary && { vary }),
  ...(keep && { keep }),
  ...(simulated && { simulated }),
})

function Facts({ verdict }: { verdict: Verdict }) {
  return (
    <p className={page.facts}>
      <span>
        <span className="n">{count(verdict.run_count)}</span> {verdict.run_count === 1 ? 'run' : 'runs'}
        {verdict.host_count > 0 && (
          <>
            {' '}
            on <span className="n">{count(verdict.host_count)}</span> {verdict.host_count === 1 ? 'host' : 'hosts'}
          </>
        )}
      </span>
    </p>
  )
}

interface BodyProps extends Omit<Props, 'tools' | 'children'> {
  verdict: Verdict
  hasPoints: boolean
  read: Change | undefined
}

function Body({ answer, request, round, state, change, catalogue, verdict, hasPoints, read }: BodyProps) {
  const field = catalogue.get(verdict.metric)
  const annotations = useAnnotations()
  const decisions = useDecisions(verdict.key)
  const form = useMemo(
    () =>
      formFor(field, [
        ...(verdict.points?.map(({ value }) => value) ?? []),
        ...(verdict.points ? [] : [verdict.current.median]),
      ]),
    [field, verdict],
  )
  const linesOf = useLinesOf(
    annotations.data ?? NO_ANNOTATIONS,
    useMemo(() => linesRequest(request, verdict.metric), [request, verdict.metric]),
    round,
  )
  const flags = flagsOf(annotations.data ?? NO_ANNOTATIONS, verdict.points ?? [], linesOf, verdict.key)
  const incident = answer.incidents.find(({ id }) => id === read?.incident)
  const axisName =
    answer.order.by === 'version'
      ? `${shortName(catalogue.get(answer.order.field))}, runs in order`
      : 'runs in order of time'
  const changes = shownChanges(verdict)
  const at = read ? changes.indexOf(read) : -1
  return (
    <>
      {read ? (
        <SizeLine {...{ verdict, form }} change={read} />
      ) : (
        <p className={css.sizeline}>
          <StateMark state={verdict.state} look={lookOf(verdict.state, verdict.trend)} isTitle />
          <span>{quietNote(verdict)}</span>
          {verdict.current.median !== null && (
            <span>
              median <span className="n">{showNumber(verdict.current.median, form)}</span>{' '}
              <span className="dim">
                {form.unit} {direction(field.direction)}
              </span>
            </span>
          )}
        </p>
      )}
      {changes.length > 1 && (
        <p className={css.steps}>
          Change {at + 1} of {changes.length}{' '}
          <Button look="line" isDisabled={at <= 0} onPress={() => change({ change: at })}>
            Previous <kbd aria-hidden="true">[</kbd>
          </Button>
          <Button look="line" isDisabled={at >= changes.length - 1} onPress={() => change({ change: at + 2 })}>
            Next <kbd aria-hidden="true">]</kbd>
          </Button>
        </p>
      )}
      {read && (
        <Decide key={read.at} verdict={verdict} change={read} decisions={decisions.data ?? []} by={answer.order.by} />
      )}
      <Decisions decisions={decisions.data ?? []} isOpen={!read} />
      {decisions.error && (
        <Note kind="bad" role="alert">
          <b>Could not load the decisions.</b> {causeOf(decisions.error)}{' '}
          <Act onPress={() => void decisions.refetch()}>Retry</Act>
        </Note>
      )}
      <section className={css.figure} aria-label="Chart" aria-busy={!hasPoints || undefined}>
        <Legend
          {...{ verdict, form }}
          name={longName(field)}
          asTable={state.asTable}
          onTable={(asTable) => change({ asTable })}
        />
        {!hasPoints ? (
          <div className={css.bones}>
            <Bone width={320} />
            <Bone width={480} />
          </div>
        ) : state.asTable ? (
          <SeriesTable {...{ verdict, field, form }} />
        ) : (
          <SeriesPlot {...{ verdict, field, form, axisName }} change={read} flags={flags} />
        )}
        {read && (
          <p className={css.ends}>
            <Link href={paths.experiment(read.id_before)}>Last experiment before</Link>
            <Link href={paths.experiment(read.id_after)}>First experiment after</Link>
          </p>
        )}
      </section>
      {read ? (
        <div className={css.halves}>
          <Reasons {...{ verdict, form }} change={read} total={answer.counts.series} />
          <Causes change={read} incident={incident} catalogue={catalogue} versionField={answer.order.field} />
        </div>
      ) : (
        <Quiet verdict={verdict} />
      )}
      {incident && incident.series.length > 1 && (
        <SamePlace {...{ incident, answer, state, catalogue }} opened={verdict.key} />
      )}
      <OtherMetrics {...{ answer, request, round, state, catalogue, verdict }} index={read?.index} />
      <Annotations
        usual={
          answer.order.by === 'version'
            ? { kind: 'version', place: read?.label ?? '' }
            : { kind: 'time', place: read?.label ?? '' }
        }
        catalogue={catalogue}
      />
    </>
  )
}

const direction = (word: string) => (word === 'lower' ? 'lower is better' : word === 'higher' ? 'higher is better' : '')

function SizeLine({ verdict, change, form }: { verdict: Verdict; change: Change; form: Form }) {
  const look = lookOfChange(verdict, change)
  const word = direction(verdict.direction)
  return (
    <p className={css.sizeline}>
      <StateMark state={change.state} look={look} isTitle />
      <span className={join(css.big, css[look])}>{sizeText(verdict, change, form)}</span>
      {change.state !== 'noisier' && (
        <span>
          <span className="n">{intervalText(verdict, change, form)}</span> at 95 %, over runs
        </span>
      )}
      {change.before.median !== null && change.after.median !== null && (
        <span>
          median <span className="n">{showNumber(change.before.median, form)}</span> before,{' '}
          <span className="n">{showNumber(change.after.median, form)}</span> after
          <span className="dim">
            {[form.unit, word]
              .filter(Boolean)
              .map((text) => `, ${text}`)
              .join('')}
          </span>
        </span>
      )}
    </p>
  )
}

interface LegendProps {
  verdict: Verdict
  form: Form
  name: string
  asTable: boolean
  onTable: (asTable: boolean) => void
}

function Legend({ verdict, form, name, asTable, onTable }: LegendProps) {
  const gaps = verdict.points?.filter(({ value }) => value === null).length ?? 0
  return (
    <div className={css.legend}>
      <h2 className={css.ytitle}>
        ↑ {name} <span className="dim">{form.unit}</span>
      </h2>
      {!asTable && (
        <>
          <span className={css.ent}>
            <svg viewBox="0 0 12 12" aria-hidden="true">
              <circle cx="6" cy="6" r="3.4" fill="var(--s1)" opacity="0.72" />
            </svg>
            one run
          </span>
          {verdict.outliers.length > 0 && (
            <span className={css.ent}>
              <svg viewBox="0 0 12 12" aria-hidden="true">
                <circle cx="6" cy="6" r="3.2" fill="none" stroke="var(--s1)" strokeWidth="1.4" />
              </svg>
              outlier, kept
            </span>
          )}
          {gaps > 0 && (
            <span className={css.ent}>
              <svg viewBox="0 0 12 12" aria-hidden="true">
                <path d="M0 11.5h12" stroke="var(--axis)" />
                <path d="M6 11V5" stroke="var(--text-3)" strokeWidth="1.5" />
              </svg>
              {runs(gaps)} without a value
            </span>
          )}
          <span className={css.ent}>
            <svg viewBox="0 0 12 12" aria-hidden="true">
              <path d="M0 1h12v10H0z" fill="var(--s1)" opacity="0.15" />
              <path d="M0 6h12" stroke="var(--s1)" strokeWidth="2" />
            </svg>
            median, 10 % to 90 % of runs
          </span>
          {shownChanges(verdict).length > 0 && (
            <span className={css.ent}>
              <svg viewBox="0 0 12 12" aria-hidden="true">
                <path d="M2 0h8v12H2z" fill="var(--worse)" opacity="0.15" />
                <path d="M6 0v12" stroke="var(--worse)" strokeWidth="1.6" />
              </svg>
              change, plausible places
            </span>
          )}
        </>
      )}
      <IconButton
        icon={asTable ? 'picture' : 'table'}
        name={asTable ? 'Show as chart' : 'Show as table'}
        onPress={() => onTable(!asTable)}
      />
    </div>
  )
}

interface ReasonsProps {
  verdict: Verdict
  change: Change
  form: Form
  total: number
}

function Reasons({ verdict, change, form, total }: ReasonsProps) {
  return (
    <section className={page.block} aria-label="Reasons">
      <div className={page.blockHead}>
        <h2>Reasons</h2>
      </div>
      <ul className={css.why}>
        {reasonsOf(verdict, change, form, total).map(({ claim, text }) => (
          <li key={claim}>
            <b>{claim}</b> {text}
          </li>
        ))}
      </ul>
      <Report verdict={verdict} />
    </section>
  )
}

// A series without a change: why, and how many runs would show one.
function Quiet({ verdict }: { verdict: Verdict }) {
  return (
    <section className={page.block} aria-label="Reasons">
      <div className={page.blockHead}>
        <h2>Reasons</h2>
      </div>
      <ul className={css.why}>
        <li>
          <b>{sentence(STATE_WORDS[verdict.state])}</b> {quietNote(verdict)}
        </li>
        {verdict.state !== 'stable' && powerNote(verdict) && <li>{powerNote(verdict)}</li>}
        {verdict.state === 'insufficient_data' && (
          <li>
            Repeat the measurement with the same inputs, for example with{' '}
            <code>profllm run --config RESULT --output FILE</code>.
          </li>
        )}
      </ul>
      <Report verdict={verdict} />
    </section>
  )
}

function Report({ verdict }: { verdict: Verdict }) {
  if (verdict.reasons.length === 0) return null
  return (
    <details className={css.history}>
      <summary>All numbers of the analysis</summary>
      <ul>
        {verdict.reasons.map((reason, i) => (
          <li key={i}>{sentence(reason)}</li>
        ))}
      </ul>
    </details>
  )
}

const OTHERS = 4

interface OtherProps {
  answer: Regressions
  request: RegressionRequest
  round: number
  state: TrendsState
  catalogue: Catalogue
  verdict: Verdict
  index: number | undefined
}

function OtherMetrics({ answer, request, round, state, catalogue, verdict, index }: OtherProps) {
  const others = answer.series.filter((one) => one.configuration === verdict.configuration && one.key !== verdict.key)
  const shown = others.slice(0, OTHERS)
  const answers = useSeriesVerdicts(
    shown.map(({ key }) => ({ ...plain(request), series: key })),
    round,
  )
  if (others.length === 0) return null
  return (
    <section className={page.block} aria-label="Other metrics of this configuration">
      <div className={page.blockHead}>
        <h2>Other metrics of this configuration</h2>
        <p>
          same runs, same axis
          {others.length > shown.length && `; ${shown.length} of ${others.length}, the others are in the list`}
        </p>
      </div>
      <div className={css.multi} role="group" aria-label="Small charts" {...oneStop}>
        {shown.map((one, i) => (
          <Small
            key={one.key}
            verdict={answers[i]?.data?.series.find(({ key }) => key === one.key) ?? one}
            href={paths.trends({ ...state, series: one.key, change: null })}
            index={index}
            catalogue={catalogue}
          />
        ))}
      </div>
    </section>
  )
}

interface SmallProps {
  verdict: Verdict
  href: string
  index: number | undefined
  catalogue: Catalogue
}

function Small({ verdict, href, index, catalogue }: SmallProps) {
  const field = catalogue.get(verdict.metric)
  const form = formFor(field, [verdict.current.median])
  const change = changeOf(verdict, null)
  return (
    <figure>
      <figcaption>
        <Link href={href}>{longName(field)}</Link> <span>{[form.unit, arrow(field)].filter(Boolean).join(' ')}</span>
      </figcaption>
      <MiniPlot
        verdict={verdict}
        index={index}
        label={`${longName(field)} of ${runs(verdict.count)}: ${STATE_WORDS[verdict.state]}`}
      />
      <p>
        {change
          ? `${sentence(STATE_WORDS[change.state]).replace(/\.$/, '')} ${sizeText(verdict, change, form)} since ${change.label}.`
          : `${sentence(STATE_WORDS[verdict.state])} ${quietNote(verdict)}`}
      </p>
    </figure>
  )
}

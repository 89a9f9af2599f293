// Two releases over all configurations that both were measured with: a sentence per metric, a heat map of the
// differences, and the configurations of one release only. The address has the state.
import { type ReactNode, useMemo, useState } from 'react'
import { Link } from 'wouter'

import { ApiError, causeOf } from '../api/client'
import { useFields } from '../api/queries'
import { useReleases } from '../api/trends'
import type { ReleaseMetric, Releases, ReleasesRequest } from '../api/types'
import { Catalogue, longName } from '../fields/catalogue'
import { FilterLine } from '../filter/filter-line'
import { treeOf } from '../filter/model'
import { count } from '../format/number'
import { NOT_RECORDED } from '../format/value'
import { useKeys } from '../keys/use-keys'
import { Act, Button, IconButton, join, Note, Progress, Select } from '../ui/controls'
import { Copy } from '../ui/copy'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { Suggest } from '../ui/suggest'
import { Waiting } from '../ui/waiting'
import { paths } from '../url/paths'
import { exploreOf, type TrendsState } from '../url/trends'
import { usePlace } from '../url/use-place'
import type { TrendsChange } from '../url/use-trends'
import { CellDetail, ConfigurationTable, HeatMap, isDrawn } from './heat-map'
import { Effect } from './effect'
import { percent, pText } from './model'
import { Excluded, FieldList } from './overview'
import {
  configurations,
  FINDING_WORDS,
  lookOfLog,
  rangeText,
  reasonOf,
  sentenceOf,
  type Unmatched,
  typedValue,
} from './releases-model'
import own from './releases.module.css'
import css from './trends.module.css'
import { useRound } from './use-round'

const BUDGET_MS = 10000 // for all metrics of a large grid

function questionOf(state: TrendsState, catalogue: Catalogue): ReleasesRequest {
  const filter = treeOf(state.choices, state.where)
  const field = catalogue.get(state.version)
  const [a, b] = [typedValue(field, state.a), typedValue(field, state.b)]
  return {
    field: state.version,
    ...(a !== null && { a }),
    ...(b !== null && { b }),
    ...(filter && { filter }),
    ...(state.metrics.length && { metrics: state.metrics }),
    ...(state.vary.length && { vary: state.vary }),
    ...(state.effect !== null && { effect: state.effect }),
    ...(state.axes.length && { axes: state.axes.slice(0, 2) }),
    ...(state.withSimulated && { simulated: true }),
    budget_ms: BUDGET_MS,
  }
}

interface Props {
  state: TrendsState
  change: TrendsChange
  viewError: Error | null
}

export function TwoReleases(props: Props) {
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  const error = fields.error ?? props.viewError
  return (
    <main id="main" className={join(css.body, own.body)}>
      {catalogue ? (
        <Loaded {...props} catalogue={catalogue} />
      ) : (
        <>
          <Progress on={!error} />
          <h1>Two releases</h1>
          {error && <Failure error={error} onRetry={() => void fields.refetch()} />}
        </>
      )}
    </main>
  )
}

interface OfState {
  state: TrendsState
  change: TrendsChange
  catalogue: Catalogue
}

function Loaded({ state, change, catalogue, viewError }: Props & { catalogue: Catalogue }) {
  const request = useMemo(() => questionOf(state, catalogue), [state, catalogue])
  const round = useRound()
  const found = useReleases(request, round.shown)
  const answer = found.data
  usePlace({ content: 'trends releases', isReady: answer !== undefined })
  useKeys({ t: () => change({ asTable: !state.asTable }) })
  const error = found.error ?? viewError
  const isOld = answer !== undefined && JSON.stringify(answer.request) !== JSON.stringify(request)
  return (
    <>
      <Progress on={found.isFetching} />
      <div className={page.head}>
        <div>
          <h1>Two releases</h1>
          {answer && <Facts answer={answer} />}
          <FilterLine {...{ state, change, catalogue }} explore={exploreOf(state)} />
        </div>
        <div className={page.end}>
          {answer && round.newer(answer.data_version) && <Act onPress={round.next}>Show newer results</Act>}
          <Copy text={() => window.location.href}>Copy link</Copy>
        </div>
      </div>
      {error && (
        <div className={page.notice}>
          <Failure error={error} onRetry={() => void found.refetch()} />
        </div>
      )}
      {!answer && !error && (
        <p className={page.lead} role="status">
          Comparing the releases…
        </p>
      )}
      <Waiting queries={[found]} />
      {answer && (
        <div className={join(isOld && css.isOld)} aria-busy={isOld || undefined}>
          <Choice {...{ answer, state, change, catalogue }} />
          {answer.values.length < 2 && state.a === '' && state.b === '' ? (
            <Nothing {...{ answer, state, change, catalogue }} />
          ) : (
            <Result {...{ answer, state, change, catalogue }} />
          )}
          <MayVary {...{ state, change, catalogue }} />
          <Excluded {...{ answer, state, change }} />
        </div>
      )}
    </>
  )
}

function Facts({ answer: { a, b, cells } }: { answer: Releases }) {
  return (
    <p className={page.facts}>
      {[a, b].map(
        ({ name, runs }, i) =>
          name !== null && (
            <span key={i}>
              <bdi className="n">{name}</bdi>: {count(runs)} {runs === 1 ? 'experiment' : 'experiments'}
            </span>
          ),
      )}
      {a.name !== null && (
        <span>
          <span className="n">{count(cells.length)}</span> matched{' '}
          {cells.length === 1 ? 'configuration' : 'configurations'}
        </span>
      )}
    </p>
  )
}

function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const id = error instanceof ApiError ? error.problem.instance : undefined
  return (
    <Note kind="bad" role="alert">
      <b>Could not compare the releases.</b> {causeOf(error)} <Act onPress={onRetry}>Retry</Act>
      {id && <span className="dim"> Request {id}</span>}
    </Note>
  )
}

// ---- what is compared -----------------------------------------------------------------------------------------------

const OFFERED = 40

function Choice({ answer, state, change, catalogue }: OfState & { answer: Releases }) {
  const [words, setWords] = useState('')
  const fields = useMemo(
    () =>
      catalogue
        .search(
          words,
          catalogue.fields.filter(({ role, id, type }) => role !== 'output' && type !== 'json' && id !== state.version),
        )
        .slice(0, OFFERED)
        .map((one) => ({ id: one.id, name: longName(one), note: one.id })),
    [catalogue, words, state.version],
  )
  const [a, b] = [answer.a, answer.b].map(({ value }) => (value == null ? '' : String(value)))
  const options = (chosen: string | undefined, other: string | undefined): [string, string][] => {
    const listed = answer.values
      .toReversed()
      .map(({ value, label, count: n }): [string, string] => [String(value), `${label} (${count(n)})`])
      .filter(([value]) => value !== other)
    return listed.some(([value]) => value === chosen) ? listed : [[chosen ?? '', chosen || NOT_RECORDED], ...listed]
  }
  return (
    <div className={join(css.tools, own.choice)} role="group" aria-label="Compared values">
      <span className={own.pick}>
        <span aria-hidden="true">compare</span>
        <Suggest
          label="Compared field"
          text={longName(catalogue.get(state.version))}
          items={fields}
          onType={setWords}
          onPick={(version) => change({ version, a: '', b: '', cell: '' })}
        />
      </span>
      {a !== '' && b !== '' && (
        <>
          <span className={own.pick}>
            <span aria-hidden="true">A</span>
            <Select
              label="Baseline A"
              value={a ?? ''}
              onChange={(to) => change({ a: to, b: b ?? '' })}
              options={options(a, b)}
            />
          </span>
          <span className={own.pick}>
            <span aria-hidden="true">B</span>
            <Select
              label="Candidate B"
              value={b ?? ''}
              onChange={(to) => change({ a: a ?? '', b: to })}
              options={options(b, a)}
            />
          </span>
          <Button look="line" onPress={() => change({ a: b ?? '', b: a ?? '' })}>
            Swap
          </Button>
          <Effect state={state} change={change} />
        </>
      )}
    </div>
  )
}

function Nothing({ answer, state, change, catalogue }: OfState & { answer: Releases }) {
  const name = longName(catalogue.get(state.version))
  const isFiltered = treeOf(state.choices, state.where) !== undefined
  const [only] = answer.values
  return (
    <div className={css.empty}>
      <p>
        {only
          ? `${isFiltered ? 'Under this filter, all' : 'All'} results have one value of ${name}: ${only.label}.`
          : `No result${isFiltered ? ' under this filter' : ''} has a value of ${name}.`}{' '}
        A comparison needs two.
      </p>
      {isFiltered && <Act onPress={() => change({ choices: {}, where: undefined })}>Clear filter</Act>}
      {!isFiltered && (
        <Link className="inline" href={paths.upload()}>
          Upload earlier results
        </Link>
      )}
    </div>
  )
}

function MayVary({ state, change, catalogue }: OfState) {
  return (
    <details className={css.options} open={state.vary.length > 0}>
      <summary>
        <Icon name="right" small />
        Fields that make a configuration
      </summary>
      <p>
        All inputs that were set, the engine, and the model and number of GPUs are equal within a configuration, except
        for the compared field and these:
      </p>
      <FieldList
        label="May differ within a configuration"
        fields={state.vary}
        catalogue={catalogue}
        onChange={(vary) => change({ vary })}
      />
    </details>
  )
}

// ---- the result -----------------------------------------------------------------------------------------------------

function Result({ answer, state, change, catalogue }: OfState & { answer: Releases }) {
  const metric = answer.metrics.find(({ field }) => field === state.metric) ?? answer.metrics[0]
  return (
    <>
      {answer.cells.length === 0 ? (
        <div className={page.notice}>
          <Note kind="warn">
            <b>No configuration was measured with both.</b> The lists below say in which inputs the configurations
            differ. Let these inputs differ, or measure one configuration with both.
          </Note>
        </div>
      ) : (
        <>
          {answer.incomplete.length > 0 && (
            <div className={page.notice}>
              <Note kind="warn" role="status">
                <b>Not computed in time:</b> {lateParts(answer, catalogue)}. Choose fewer metrics or a narrower filter.
              </Note>
            </div>
          )}
          <Summary {...{ answer, state, catalogue }} chosen={metric} />
          {metric && <Configurations key={metric.field} {...{ answer, state, change, catalogue, metric }} />}
        </>
      )}
      <OneSided {...{ answer, catalogue }} />
    </>
  )
}

interface SummaryProps {
  answer: Releases
  state: TrendsState
  catalogue: Catalogue
  chosen: ReleaseMetric | undefined
}

function Summary({ answer, state, catalogue, chosen }: SummaryProps) {
  return (
    <section className={page.block} aria-label="Summary">
      <div className={page.blockHead}>
        <h2>Summary</h2>
        <p>
          over {configurations(answer.cells.length)}, ratio of {answer.b.name} to {answer.a.name}
        </p>
      </div>
      {chosen && <p className={own.sentence}>{sentenceOf(chosen, longName(catalogue.get(chosen.field)), answer)}</p>}
      <div
        className={page.scroll}
        tabIndex={0}
        role="region"
        aria-label="Summary table"
        aria-description="Scrolls sideways"
      >
        <table className={join(page.rows, own.summary)}>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col">Finding</th>
              <th scope="col" className={page.num}>
                Mean change
              </th>
              <th scope="col" className={page.num}>
                95 % interval
              </th>
              <th scope="col" className={page.num}>
                Better
              </th>
              <th scope="col" className={page.num}>
                Worse
              </th>
              <th scope="col" className={page.num}>
                Of
              </th>
              <th scope="col" className={page.num}>
                Wilcoxon p
              </th>
              <th scope="col" className={page.num}>
                Sign test p
              </th>
            </tr>
          </thead>
          <tbody {...oneStop}>
            {answer.metrics.map((metric) => (
              <MetricRow
                key={metric.field}
                {...{ metric, catalogue }}
                isChosen={metric === chosen}
                href={paths.trends({ ...state, metric: metric.field })}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const CLEAR = new Set(['better', 'worse', 'higher', 'lower'])

interface MetricProps {
  metric: ReleaseMetric
  catalogue: Catalogue
  isChosen: boolean
  href: string
}

function MetricRow({ metric, catalogue, isChosen, href }: MetricProps) {
  const { finding, ratio, direction } = metric
  const look = CLEAR.has(finding) && ratio !== null ? lookOfLog(metric, Math.log(ratio)) : 'same'
  const isKnown = direction !== 'neither'
  return (
    <tr data-chosen={isChosen || undefined}>
      <th scope="row">
        <Link href={href} aria-current={isChosen ? 'true' : undefined}>
          {longName(catalogue.get(metric.field))}
        </Link>{' '}
        <span className="dim">{isKnown && (direction === 'lower' ? '↓' : '↑')}</span>
      </th>
      <td className={look === 'better' || look === 'worse' ? css[look] : undefined}>{FINDING_WORDS[finding]}</td>
      <td className={page.num}>{percent(ratio)}</td>
      <td className={page.num}>{rangeText(metric) || NOT_RECORDED}</td>
      <td className={page.num}>{isKnown ? count(metric.faster) : NOT_RECORDED}</td>
      <td className={page.num}>{isKnown ? count(metric.slower) : NOT_RECORDED}</td>
      <td className={page.num}>{count(metric.count)}</td>
      <td className={page.num}>{pText(metric.signed_rank.p)}</td>
      <td className={page.num}>{pText(metric.sign_p)}</td>
    </tr>
  )
}

// ---- the heat map ---------------------------------------------------------------------------------------------------

const NONE = 'none'

function Configurations({
  answer,
  state,
  change,
  catalogue,
  metric,
}: OfState & { answer: Releases; metric: ReleaseMetric }) {
  const { x, y } = answer.heat_map
  const name = longName(catalogue.get(metric.field))
  const fits = isDrawn(answer)
  const asTable = state.asTable || !fits
  const options = (isSecond: boolean): [string, string][] => [
    ...(isSecond ? ([[NONE, 'no second axis']] as [string, string][]) : []),
    ...answer.axes.map(({ field }): [string, string] => [field, longName(catalogue.get(field))]),
  ]
  const choose = (axes: (string | null)[]) =>
    change({ axes: axes.filter((one): one is string => one !== null && one !== NONE), cell: '' })
  return (
    <section className={page.block} aria-label="Configurations">
      <div className={page.blockHead}>
        <h2>{name}</h2>
        <p>
          change from {answer.a.name} to {answer.b.name} per configuration, {wordOf(metric)}
        </p>
      </div>
      <div className={join(css.tools, own.choice)}>
        {!asTable && x !== null && (
          <>
            <span className={own.pick}>
              <span aria-hidden="true">columns</span>
              <Select
                label="Columns"
                value={x}
                onChange={(to) => choose(to === y ? [to, x] : [to, y])}
                options={options(false)}
              />
            </span>
            <span className={own.pick}>
              <span aria-hidden="true">rows</span>
              <Select
                label="Rows"
                value={y ?? NONE}
                onChange={(to) => choose(to === x && y !== null ? [y, to] : [x, to === x ? NONE : to])}
                options={options(true)}
              />
            </span>
          </>
        )}
        {fits ? (
          <IconButton
            icon={asTable ? 'picture' : 'table'}
            name={asTable ? 'Show as heat map' : 'Show as table'}
            onPress={() => change({ asTable: !state.asTable })}
          />
        ) : (
          <span className="dim">The heat map of these two inputs is too large to draw.</span>
        )}
      </div>
      {asTable ? (
        <ConfigurationTable
          {...{ answer, metric, catalogue }}
          cells={answer.cells.map((_, i) => i)}
          label="Configurations table"
        />
      ) : (
        <>
          <HeatMap {...{ answer, state, metric, catalogue }} />
          {state.cell !== '' && <CellDetail {...{ answer, state, metric, catalogue }} />}
        </>
      )}
    </section>
  )
}

// Parts for which the server had no time.
const lateParts = ({ incomplete }: Releases, catalogue: Catalogue) =>
  incomplete
    .map((part) => (part === 'unmatched' ? 'unmatched configurations' : longName(catalogue.get(part))))
    .join(', ')

const wordOf = ({ direction }: ReleaseMetric) =>
  direction === 'neither' ? 'neither direction is better' : `${direction} is better`

// ---- configurations of one release only -----------------------------------------------------------------------------

function OneSided({ answer, catalogue }: { answer: Releases; catalogue: Catalogue }) {
  const { a, b, a_count: fromA, b_count: fromB } = answer.unmatched
  const [nameA, nameB] = [answer.a.name ?? 'A', answer.b.name ?? 'B']
  if (fromA + fromB === 0) return null
  return (
    <section className={page.block} aria-label="Unmatched configurations">
      <div className={page.blockHead}>
        <h2>Unmatched configurations</h2>
        <p>measured with one of the two only; not part of the comparison</p>
      </div>
      <Side title={`Only ${nameA}`} list={a} total={fromA} other={nameB} catalogue={catalogue} />
      <Side title={`Only ${nameB}`} list={b} total={fromB} other={nameA} catalogue={catalogue} />
    </section>
  )
}

const SHOWN = 10

interface SideProps {
  title: string
  list: Unmatched[]
  total: number
  other: string
  catalogue: Catalogue
}

function Side({ title, list, total, other, catalogue }: SideProps): ReactNode {
  const [all, setAll] = useState(false)
  const shown = all ? list : list.slice(0, SHOWN)
  if (total === 0) return null
  return (
    <>
      <h3 className={own.side}>
        {title} <span className="dim">{configurations(total)}</span>
      </h3>
      <div className={page.scroll} tabIndex={0} role="region" aria-label={title} aria-description="Scrolls sideways">
        <table className={join(page.rows, own.unmatched)}>
          <thead>
            <tr>
              <th scope="col">Configuration</th>
              <th scope="col">Reason</th>
              <th scope="col" className={page.num}>
                Experiments
              </th>
              <th scope="col">Newest</th>
            </tr>
          </thead>
          <tbody {...oneStop}>
            {shown.map((one) => (
              <tr key={one.key}>
                <th scope="row" className={page.text}>
                  <bdi>{one.label}</bdi>
                </th>
                <td className={page.text}>{reasonOf(one, other, catalogue)}</td>
                <td className={page.num}>{count(one.count)}</td>
                <td>
                  {one.ids[0] !== undefined && (
                    <Link href={paths.experiment(one.ids[0])}>
                      Experiment <span className="n">{one.ids[0]}</span>
                    </Link>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < list.length && (
        <p className={own.rest}>
          <Act onPress={() => setAll(true)}>
            Show {count(list.length - shown.length)} more<span className="sr"> of {title}</span>
          </Act>
        </p>
      )}
      {list.length < total && shown.length === list.length && (
        <p className={css.none}>{count(total - list.length)} more are not listed. Use a filter to see them.</p>
      )}
    </>
  )
}

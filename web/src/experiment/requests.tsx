// The requests of one experiment: filters, lanes on the time of the timeline, percentile curves, and rows.
import { type FormEvent, memo, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'

import { causeOf } from '../api/client'
import { requestsPath } from '../api/experiment-paths'
import { useArtifacts, useRequests } from '../api/queries'
import type { Experiment, RequestPage } from '../api/types'
import { count, formOfUnit, showNumber } from '../format/number'
import { Act, Bone, Check, Field, Note, Segment, Select } from '../ui/controls'
import controls from '../ui/controls.module.css'
import page from '../ui/page.module.css'
import { useStable } from '../ui/use-stable'
import { Waiting } from '../ui/waiting'
import { readRequests, type RequestsState, writeRequests } from '../url/requests'
import { readTimeline, writeTimeline } from '../url/timeline'
import { conditionsOf, measuredRun, PAGE_ROWS, rowsQuestion, wholeQuestion } from './asked'
import { CurveTable, Curves } from './requests-curves'
import { LanePlot } from './requests-lanes-plot'
import { MarkedRequest } from './requests-log'
import { Rows } from './requests-table'
import css from './requests.module.css'

// the sums that the metrics of a result have under the same names
const COUNTS = ['completed', 'failed', 'total_output_tokens'] as const

// The file of vLLM's client may have lists of requests. `missing`: the artifact that was not uploaded.
export function useHasRequests(experiment: Experiment): { has: boolean; missing: string | null } {
  const artifacts = useArtifacts(experiment.id)
  const isKind = ({ kind }: { kind: string }) => kind === 'requests'
  const stored = artifacts.data?.artifacts.some(isKind) ?? false
  const lost = artifacts.data?.missing?.find(isKind)?.name ?? null
  const isListed = experiment.has_request_lists
  return { has: stored || lost !== null || isListed, missing: stored || isListed ? null : lost }
}

interface Props {
  experiment: Experiment
  missing: string | null
  onLog: ((line: number) => void) | null // leads to a line of the log; null: it is not stored
}

export function Requests({ experiment, missing, onLog }: Props) {
  const search = useSearch()
  const [place, navigate] = useLocation()
  const state = useMemo(() => readRequests(search), [search])
  const { range } = useMemo(() => readTimeline(search), [search])
  const go = (query: string) =>
    navigate(`${place}${query ? `?${query}` : ''}${window.location.hash}`, {
      replace: true,
      state: history.state as unknown,
    })
  const set = useStable((change: Partial<RequestsState>) =>
    go(writeRequests({ ...state, page: 1, ...change }, window.location.search)),
  )
  const setRange = useStable((next: [number, number] | null) =>
    go(
      writeRequests(
        { ...state, page: 1 },
        writeTimeline({ ...readTimeline(window.location.search), range: next }, window.location.search),
      ),
    ),
  )
  const conditions = conditionsOf(state, range)
  const isAsked = missing === null
  const whole = useRequests(experiment.id, isAsked ? wholeQuestion(conditions) : null)
  // the address may have any column and any page: the response of the whole limits both
  const isKnown = whole.data !== undefined || (state.sort === '' && state.page === 1)
  const sort = whole.data?.columns.some(({ id }) => id === state.sort.replace('-', '')) ? state.sort : ''
  const last = whole.data && !whole.isPlaceholderData ? Math.max(1, Math.ceil(whole.data.count / PAGE_ROWS)) : Infinity
  const number = Math.min(state.page, last)
  const rows = useRequests(experiment.id, isAsked && isKnown ? rowsQuestion(conditions, sort, number) : null)
  const data = whole.data ?? rows.data
  const error = whole.error ?? rows.error
  const isFiltered = !!(range || state.status || state.error || state.min || state.id)
  const clear = useStable(() => {
    const rest = writeTimeline({ ...readTimeline(window.location.search), range: null }, window.location.search)
    go(writeRequests({ ...state, status: '', error: '', min: null, id: '', page: 1 }, rest))
  })
  const mark = useStable((marked: number | null) => set({ marked, page: state.page }))
  const sortBy = useStable((by: string) => set({ sort: by === 'index' ? '' : by }))
  const showPage = useStable((to: number) => set({ page: to }))
  return (
    <section className={page.block} id="requests" aria-label="Requests">
      <div className={page.blockHead}>
        <h2>Requests</h2>
        <p>{data && <Total data={data} />}</p>
        {data && (
          <span className={page.end}>
            <Check isSelected={state.isAll} onChange={(isAll) => set({ isAll, page: state.page })}>
              All columns
            </Check>
            <a
              className={controls.button}
              href={requestsPath(experiment.id, { ...conditions, sort: sort || undefined, format: 'csv' })}
              download
            >
              Download CSV
            </a>
          </span>
        )}
      </div>
      {missing !== null && (
        <p className={css.quiet}>
          <bdi>{missing}</bdi> was not uploaded. Upload it with the result to see its requests.
        </p>
      )}
      <Waiting queries={[whole, rows]} />
      {error && (
        <Note kind="warn" role="alert">
          <b>Could not load the requests.</b> {causeOf(error)}{' '}
          <Act
            onPress={() => {
              void whole.refetch()
              if (isKnown) void rows.refetch()
            }}
          >
            Retry
          </Act>
          {isFiltered && (
            <>
              {' '}
              <Act onPress={clear}>Clear filters</Act>
            </>
          )}
        </Note>
      )}
      {isAsked && !data && !error && (
        <div role="status" aria-label="Loading the requests">
          <Bone width={520} />
        </div>
      )}
      {data && data.total === 0 && <p className={css.quiet}>The file contains no records of requests.</p>}
      {data && data.total > 0 && (
        <>
          <Bar data={data} state={state} range={range} isFiltered={isFiltered} onChange={set} onClear={clear} />
          <Sums data={data} experiment={experiment} isFiltered={isFiltered} />
        </>
      )}
      {data && data.total > 0 && data.count === 0 && (
        <p className={css.quiet}>
          No request matches. <Act onPress={clear}>Clear filters</Act>
        </p>
      )}
      {whole.data?.lanes && whole.data.count > 0 && (
        <LanesPart
          data={whole.data}
          range={range}
          hasRun={measuredRun(experiment) !== null}
          marked={state.marked}
          isBusy={whole.isPlaceholderData}
          onRange={setRange}
          onMark={mark}
        />
      )}
      {whole.data?.curve && whole.data.count > 0 && (
        <div className={css.part}>
          <div className={css.partHead}>
            <h3>Percentiles</h3>
            <Segment
              label="Percentiles view"
              value={state.isCurveTable ? 'table' : 'chart'}
              onChange={(to) => set({ isCurveTable: to === 'table', page: state.page })}
              options={[
                ['chart', 'Chart'],
                ['table', 'Table'],
              ]}
            />
          </div>
          {state.isCurveTable ? <CurveTable curve={whole.data.curve} /> : <Curves curve={whole.data.curve} />}
        </div>
      )}
      {data && state.marked !== null && (
        <MarkedRequest
          key={state.marked}
          experiment={experiment}
          search={search}
          onLog={onLog}
          onUnmark={() => mark(null)}
        />
      )}
      {rows.data && rows.data.count > 0 && (
        <Rows
          data={rows.data}
          sort={sort}
          number={number}
          isAll={state.isAll}
          isBusy={rows.isPlaceholderData}
          marked={state.marked}
          onSort={sortBy}
          onPage={showPage}
          onMark={mark}
        />
      )}
    </section>
  )
}

const Total = ({ data }: { data: RequestPage }) => (
  <>
    {data.count === data.total ? count(data.total) : `${count(data.count)} of ${count(data.total)}`}
    {data.skipped > 0 && `. Skipped ${count(data.skipped)} ${data.skipped === 1 ? 'line' : 'lines'} of the file.`}
  </>
)

interface BarProps {
  data: RequestPage
  state: RequestsState
  range: [number, number] | null
  isFiltered: boolean
  onChange: (change: Partial<RequestsState>) => void
  onClear: () => void
}

const Bar = memo(function Bar({ data, state, range, isFiltered, onChange, onClear }: BarProps) {
  const { status, error } = data.facets
  const failures = Object.entries(error).toSorted((a, b) => b[1] - a[1])
  const numbers = data.columns.filter(({ type }) => type === 'number')
  const [column, setColumn] = useState(state.min?.column ?? 'ttft_ms')
  const unit = numbers.find(({ id }) => id === column)?.unit ?? ''
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (form.get('least') as string).trim().replace(',', '.')
    const value = text === '' ? NaN : Number(text)
    onChange({ min: Number.isFinite(value) ? { column, value } : null, id: (form.get('id') as string).trim() })
  }
  return (
    <form className={css.bar} onSubmit={submit} aria-label="Filter requests">
      <Select
        label="Status"
        value={state.status}
        onChange={(to) => onChange({ status: to })}
        options={[
          ['', 'Any status'],
          ...Object.entries(status)
            .filter(([name, n]) => n > 0 || name === state.status)
            .map(([name, n]): [string, string] => [name, `${name.replaceAll('_', ' ')} (${count(n)})`]),
        ]}
      />
      {(failures.length > 0 || state.error) && (
        <Select
          label="Error"
          value={state.error}
          onChange={(to) => onChange({ error: to })}
          options={[
            ['', 'Any error'],
            ...(state.error && !(state.error in error) ? [[state.error, state.error] as [string, string]] : []),
            ...failures.map(([name, n]): [string, string] => [name, `${name} (${count(n)})`]),
          ]}
        />
      )}
      <Select
        label="Column of the lower limit"
        value={column}
        onChange={setColumn}
        options={numbers.map(({ id, title }) => [id, `${title} at least`])}
      />
      <Field
        key={`least ${state.min?.column} ${state.min?.value}`}
        label={`Lower limit, ${unit}`}
        name="least"
        number
        placeholder={unit}
        defaultValue={state.min?.value ?? ''}
      />
      <Field
        key={`id ${state.id}`}
        label="Part of the request ID"
        name="id"
        icon="search"
        placeholder="Request ID"
        defaultValue={state.id}
      />
      <button type="submit" className={controls.button}>
        Filter
      </button>
      {range && (
        <span className={css.range}>
          in flight {range[0].toFixed(3).replace('-', '−')} to {range[1].toFixed(3).replace('-', '−')} s
        </span>
      )}
      {isFiltered && <Act onPress={onClear}>Clear filters</Act>}
    </form>
  )
})

function Sums({ data, experiment, isFiltered }: { data: RequestPage; experiment: Experiment; isFiltered: boolean }) {
  const { sums } = data
  const means = [sums.mean_ttft_ms, sums.mean_tpot_ms, sums.mean_itl_ms, sums.mean_e2el_ms]
  const names = ['Mean TTFT', 'Mean TPOT', 'Mean ITL', 'Mean E2EL']
  const wrong = COUNTS.filter((name) => {
    const metric = experiment.fields[`results.${name}`]?.value
    return !isFiltered && typeof metric === 'number' && metric !== sums[name]
  })
  return (
    <>
      <dl className={css.sums}>
        <Sum name="Completed" value={count(sums.completed)} />
        <Sum name="Failed" value={count(sums.failed)} />
        {sums.not_sent > 0 && <Sum name="Not sent" value={count(sums.not_sent)} />}
        {sums.total_input_tokens !== null && <Sum name="Input tokens" value={count(sums.total_input_tokens)} />}
        {sums.total_output_tokens !== null && <Sum name="Output tokens" value={count(sums.total_output_tokens)} />}
        {names.map((name, i) => {
          const value = means[i]
          return value == null ? null : (
            <Sum key={name} name={name} value={`${showNumber(value, formOfUnit('ms', [value]))} ms`} />
          )
        })}
      </dl>
      {wrong.length > 0 && (
        <Note kind="warn">
          <b>The records differ from the metrics of the result.</b>{' '}
          {wrong
            .map((name) => {
              const sum = sums[name]
              const metric = experiment.fields[`results.${name}`]?.value as number
              return `${name}: ${sum === null ? 'unknown' : count(sum)}, not ${count(metric)}`
            })
            .join('; ')}
        </Note>
      )}
    </>
  )
}

const Sum = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

interface LanesProps {
  data: RequestPage
  range: [number, number] | null
  hasRun: boolean
  marked: number | null
  isBusy: boolean
  onRange: (range: [number, number] | null) => void
  onMark: (index: number | null) => void
}

const LanesPart = memo(function LanesPart({ data, range, marked, isBusy, onRange, onMark }: LanesProps) {
  const { lanes, span_s: span } = data
  const [begin, end] = [span[0] ?? null, span[1] ?? null]
  if (!lanes || begin === null || end === null) return <p className={css.quiet}>The start times are not recorded.</p>
  const bounds: [number, number] = [begin, Math.max(end, begin + 0.01)]
  const stall = lanes.stall_ms
  return (
    <div className={css.part}>
      <div className={css.partHead}>
        <h3>Lanes</h3>
        <p>
          {lanes.shown < lanes.started
            ? `The ${count(lanes.shown)} longest of ${count(lanes.started)} requests. Zoom in to see more of them.`
            : `${count(lanes.shown)} requests; each is drawn in the first lane that is free when it starts.`}
        </p>
        <ul className={css.legend} aria-label="Legend">
          <li data-part="send">sending</li>
          <li data-part="wait">waiting for the first chunk</li>
          <li data-part="tokens">chunks</li>
          {stall !== null && (
            <li data-part="stalls">gap over {showNumber(stall, formOfUnit('ms', [stall]))} ms (5 × the median)</li>
          )}
          <li data-part="failed">failed</li>
        </ul>
      </div>
      {lanes.shown === 0 ? (
        <p className={css.quiet}>The start times are not recorded.</p>
      ) : (
        <LanePlot
          lanes={lanes}
          range={range ?? bounds}
          bounds={bounds}
          marked={marked}
          isZoomed={range !== null}
          isBusy={isBusy}
          onRange={onRange}
          onMark={onMark}
        />
      )}
    </div>
  )
})

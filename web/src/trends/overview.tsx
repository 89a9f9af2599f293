// All series of one metric: a line per series, or a small chart each, and what makes a series.
import { useMemo, useState } from 'react'
import { Link } from 'wouter'

import { causeOf } from '../api/client'
import { useAnnotations, useLines } from '../api/trends'
import type { Annotation, Field, Regressions, TrendLine, Trends, TrendsRequest } from '../api/types'
import { colourOf, slotsOf } from '../chart/slots'
import { type Catalogue, longName, shortName } from '../fields/catalogue'
import { arrow, count, type Form, formFor, showNumber } from '../format/number'
import { Act, Bone, Check, IconButton, join, Note, Progress, Select } from '../ui/controls'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import { Suggest } from '../ui/suggest'
import { Waiting } from '../ui/waiting'
import { paths } from '../url/paths'
import { AGGREGATES, type Aggregate, BANDS, type Band, type TrendsState, USUAL_VERSION } from '../url/trends'
import type { TrendsChange } from '../url/use-trends'
import { Annotations } from './annotations'
import { type Flag, type LinesOf, useLinesOf } from './flags'
import { LinesPlot, SlotMark } from './lines-plot'
import { runs, STATE_WORDS } from './model'
import { LinesTable } from './tables'
import css from './trends.module.css'

const USUAL_METRICS = [
  'results.p99_ttft_ms',
  'results.median_ttft_ms',
  'results.p99_tpot_ms',
  'results.median_tpot_ms',
  'results.output_throughput',
  'results.request_throughput',
  'derived.output_throughput_per_gpu',
  'results.p99_e2el_ms',
]
const VERSIONS = [USUAL_VERSION, 'environment.profllm', 'tags.release', 'tags.commit', 'tags.image']

const AGGREGATE_WORDS: Record<Aggregate, string> = { none: 'every run', median: 'median', mean: 'mean' }
const BAND_WORDS: Record<Band, string> = {
  none: 'no band',
  p10_p90: '10 % to 90 %',
  mad: '±1.48 MAD',
  minmax: 'minimum to maximum',
  ci95: '95 % CI',
}

interface Props {
  answer: Regressions
  request: TrendsRequest
  round: number
  state: TrendsState
  change: TrendsChange
  catalogue: Catalogue
}

export function Overview({ answer, request, round, state, change, catalogue }: Props) {
  const found = useLines(request, round)
  const annotations = useAnnotations()
  const linesOf = useLinesOf(annotations.data ?? NO_ANNOTATIONS, request, round)
  const field = catalogue.get(state.metric)
  const metrics = useMemo(
    () => [
      ...new Set([
        ...answer.series.map(({ metric }) => metric),
        ...USUAL_METRICS.filter((id) => catalogue.byId.has(id)),
        state.metric,
      ]),
    ],
    [answer, catalogue, state.metric],
  )
  const data = found.data
  const form = useMemo(() => formFor(field, data?.lines.flatMap(({ points }) => points.value) ?? []), [field, data])
  const slots = useMemo(() => slotsOf(data?.lines.map(({ key }) => key) ?? []), [data])
  const isOld = data !== undefined && data.request.metric !== request.metric
  return (
    <>
      <section className={css.figure} aria-label="Chart" aria-busy={found.isFetching || undefined}>
        <div className={css.tools}>
          <Select
            label="Metric"
            value={state.metric}
            onChange={(metric) => change({ metric })}
            options={metrics.map((id) => [id, longName(catalogue.get(id))])}
          />
          <Select
            label="Order"
            value={state.by === 'time' ? 'time' : state.version}
            onChange={(to) => change(to === 'time' ? { by: 'time' } : { by: 'version', version: to })}
            options={[
              ...[...new Set([...VERSIONS, state.version])].map((id): [string, string] => [
                id,
                `by ${catalogue.byId.has(id) ? longName(catalogue.get(id)) : id}`,
              ]),
              ['time', 'by time'],
            ]}
          />
          <Select
            label="Values"
            value={state.values}
            onChange={(values) => change({ values: values as Aggregate })}
            options={AGGREGATES.map((one) => [
              one,
              one === 'none'
                ? AGGREGATE_WORDS.none
                : `${AGGREGATE_WORDS[one]} per ${state.by === 'time' ? 'day' : 'version'}`,
            ])}
          />
          <Select
            label="Band"
            value={state.band}
            onChange={(band) => change({ band: band as Band })}
            options={BANDS.map((one) => [one, BAND_WORDS[one]])}
          />
          <Check isSelected={state.each} onChange={(each) => change({ each })}>
            One chart per series
          </Check>
          <IconButton
            icon={state.asTable ? 'picture' : 'table'}
            name={state.asTable ? 'Show as chart' : 'Show as table'}
            onPress={() => change({ asTable: !state.asTable })}
          />
        </div>
        <Progress on={found.isFetching} />
        <Waiting queries={[found]} />
        {found.error && (
          <Note kind="bad" role="alert">
            <b>Could not load the chart.</b> {causeOf(found.error)}{' '}
            <Act onPress={() => void found.refetch()}>Retry</Act>
          </Note>
        )}
        {!data && !found.error && (
          <div className={css.bones}>
            <Bone width={320} />
            <Bone width={480} />
          </div>
        )}
        {data && (
          <div className={join(isOld && css.isOld)}>
            <h2 className={css.ytitle}>
              ↑ {longName(field)}{' '}
              <span className="dim">
                {[form.unit, arrow(field)].filter(Boolean).join(' ')}
                {state.band !== 'none' &&
                  `, band: ${BAND_WORDS[state.band]} of ${state.values === 'none' ? '15 neighboring runs' : state.by === 'time' ? 'the runs of a day' : 'the runs of a version'}`}
              </span>
            </h2>
            <Drawing
              {...{ state, data, slots, field, form, catalogue }}
              annotations={annotations.data ?? NO_ANNOTATIONS}
              {...{ answer, linesOf }}
            />
          </div>
        )}
      </section>
      <KeyFields {...{ state, change, catalogue }} />
      <Excluded answer={answer} state={state} change={change} />
      <Annotations usual={{ kind: state.by, place: '' }} catalogue={catalogue} />
    </>
  )
}

const NO_ANNOTATIONS: Annotation[] = []

interface DrawingProps {
  state: TrendsState
  data: Trends
  slots: Map<string, number>
  field: Field
  form: Form
  catalogue: Catalogue
  annotations: Annotation[]
  linesOf: LinesOf
  answer: Regressions
}

function Drawing({ state, data, slots, field, form, catalogue, annotations, linesOf, answer }: DrawingProps) {
  const versions = useMemo(
    () => new Map(data.axis.by === 'version' ? data.axis.labels.map(({ at, label }) => [at, label]) : []),
    [data],
  )
  if (data.lines.length === 0)
    return (
      <p className={css.none}>No result under this filter has a number for {longName(field)}. Choose another metric.</p>
    )
  const hidden = data.total_lines - data.lines.length
  const axisName = data.axis.by === 'version' ? shortName(catalogue.get(data.order.field)) : 'start of the run, UTC'
  return (
    <>
      {state.asTable ? (
        <LinesTable lines={data.lines} {...{ versions, field, form }} />
      ) : state.each ? (
        <div className={css.multi}>
          {data.lines.map((line) => (
            <LineSmall
              key={line.key}
              line={line}
              slot={slots.get(line.key) ?? -1}
              {...{ state, field, form, answer }}
            />
          ))}
        </div>
      ) : (
        <LinesPlot
          answer={data}
          lines={data.lines}
          flags={flagsOn(data, annotations, linesOf)}
          {...{ slots, field, form, axisName }}
        />
      )}
      {!state.each && !state.asTable && <Legend lines={data.lines} {...{ slots, state, answer }} />}
      {hidden > 0 && <p className={css.none}>{count(hidden)} more series have fewer runs. Filter to see them.</p>}
      {data.lines.some(({ thinned }) => thinned) && (
        <p className={css.none}>Lines with many runs show the least and the greatest value of each part.</p>
      )}
    </>
  )
}

const US = 1000

// Positions of annotations on the axis; of versions, their columns.
function flagsOn({ axis }: Trends, annotations: Annotation[], linesOf: LinesOf): Flag[] {
  return annotations.flatMap((one, i) => {
    const at = one.at_time === null ? NaN : Date.parse(one.at_time) * US
    const label = axis.labels.findIndex((each) => each.label === one.version)
    const index = axis.by === 'version' ? label : one.version === null ? at : (axis.labels[label]?.at ?? NaN)
    return Number.isNaN(index) || (axis.by === 'version' && index < 0)
      ? []
      : [{ index, number: i + 1, lines: linesOf(one) }]
  })
}

interface OfLines {
  state: TrendsState
  answer: Regressions
}

const stateOf = (answer: Regressions, key: string) => answer.series.find((one) => one.key === key)?.state

function Legend({ lines, slots, state, answer }: OfLines & { lines: TrendLine[]; slots: Map<string, number> }) {
  return (
    <ul className={css.lines} aria-label="Series" {...oneStop}>
      {lines.map((line) => {
        const of = stateOf(answer, line.key)
        return (
          <li key={line.key}>
            <SlotMark slot={slots.get(line.key) ?? -1} />
            <Link href={paths.trends({ ...state, series: line.key, change: null })} title={line.label}>
              <bdi>{line.label || 'All runs have one configuration'}</bdi>
            </Link>{' '}
            <span className="dim">
              {runs(line.total_count)}
              {of && of !== 'stable' ? `, ${STATE_WORDS[of]}` : ''}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

const [WIDE, HIGH] = [260, 84]

function LineSmall({
  line,
  slot,
  state,
  field,
  form,
  answer,
}: OfLines & { line: TrendLine; slot: number; field: Field; form: Form }) {
  const { value: values } = line.points
  const there = values.filter((value) => value !== null)
  const [low, high] = [
    there.reduce((a, b) => Math.min(a, b), Infinity),
    there.reduce((a, b) => Math.max(a, b), -Infinity),
  ]
  const reach = Math.max((high - low) / 2, Math.abs(high + low) * 0.06, Number.MIN_VALUE)
  const toY = (value: number) => HIGH / 2 - ((value - (low + high) / 2) / reach) * (HIGH / 2 - 6)
  const toX = (i: number) => ((i + 0.5) / Math.max(1, values.length)) * WIDE
  const of = stateOf(answer, line.key)
  return (
    <figure>
      <figcaption>
        <Link href={paths.trends({ ...state, series: line.key, change: null })}>
          <bdi>{line.label || longName(field)}</bdi>
        </Link>
      </figcaption>
      <div
        className={css.mini}
        role="img"
        aria-label={`${longName(field)} of ${line.label || 'the only series'}, ${runs(there.length)}`}
      >
        <svg width="100%" height={HIGH} viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={`M0 ${HIGH - 0.5}H${WIDE}`} stroke="var(--axis)" />
          <path
            d={values
              .map((value, i) =>
                value === null
                  ? ''
                  : `${values[i - 1] == null ? 'M' : 'L'}${toX(i).toFixed(1)} ${toY(value).toFixed(1)}`,
              )
              .join('')}
            stroke={colourOf(slot)}
            strokeWidth="1.5"
            fill="none"
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      </div>
      <p>
        {showNumber(low, form)} – {showNumber(high, form)} {form.unit}, {runs(there.length)}
        {of ? `, ${STATE_WORDS[of]}` : ''}
      </p>
    </figure>
  )
}

interface KeyProps {
  state: TrendsState
  change: TrendsChange
  catalogue: Catalogue
}

const OFFERED = 40

// Which fields may differ between the runs of a series.
function KeyFields({ state, change, catalogue }: KeyProps) {
  return (
    <details className={css.options} open={state.vary.length + state.keep.length > 0}>
      <summary>
        <Icon name="right" small />
        Fields that make a series
      </summary>
      <p>
        All inputs except the version under study are equal within a series. New hardware or a new driver begins a new
        segment, and is never a regression.
      </p>
      <FieldList
        label="May differ within a series"
        fields={state.vary}
        catalogue={catalogue}
        onChange={(vary) => change({ vary })}
      />
      <FieldList
        label="Make separate series"
        fields={state.keep}
        catalogue={catalogue}
        onChange={(keep) => change({ keep })}
      />
    </details>
  )
}

interface FieldListProps {
  label: string
  fields: string[]
  catalogue: Catalogue
  onChange: (fields: string[]) => void
}

export function FieldList({ label, fields, catalogue, onChange }: FieldListProps) {
  const [words, setWords] = useState('')
  const items = useMemo(
    () =>
      catalogue
        .search(
          words,
          catalogue.fields.filter(({ role, id }) => role !== 'output' && !fields.includes(id)),
        )
        .slice(0, OFFERED)
        .map((one) => ({ id: one.id, name: longName(one), note: one.id })),
    [catalogue, words, fields],
  )
  return (
    <div className={css.fields} role="group" aria-label={label}>
      <span>{label}</span>
      {fields.map((id) => (
        <span key={id} className={css.chip}>
          {longName(catalogue.get(id))}
          <IconButton
            icon="close"
            name={`Remove ${longName(catalogue.get(id))}`}
            onPress={() => onChange(fields.filter((one) => one !== id))}
          />
        </span>
      ))}
      <Suggest
        label={`${label}: add a field`}
        text=""
        placeholder="Add a field"
        items={items}
        onType={setWords}
        onPick={(id) => onChange([...fields, id])}
      />
    </div>
  )
}

const EXCLUDED: [keyof Regressions['excluded'], string][] = [
  ['simulated', 'simulated'],
  ['no_time', 'without a start time'],
  ['no_version', 'without a version'],
  ['no_metric', 'without a number for any of the metrics'],
  ['older', 'older than the newest 1,000 of their configuration'],
]

interface ExcludedProps {
  answer: Pick<Regressions, 'excluded'>
  state: TrendsState
  change: TrendsChange
}

export function Excluded({ answer, state, change }: ExcludedProps) {
  const parts = EXCLUDED.filter(([key]) => answer.excluded[key] > 0)
  if (parts.length === 0) return null
  return (
    <p className={css.none}>
      Not shown: {parts.map(([key, words]) => `${count(answer.excluded[key])} ${words}`).join(', ')}.{' '}
      {answer.excluded.simulated > 0 && !state.withSimulated && (
        <Act onPress={() => change({ withSimulated: true })}>Include simulated results</Act>
      )}
      {answer.excluded.no_version > 0 && state.by === 'version' && (
        <Act onPress={() => change({ by: 'time' })}>Order by time</Act>
      )}
    </p>
  )
}

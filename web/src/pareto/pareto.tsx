// Pareto: the configurations that no other one beats in two or three metrics, with limits, uncertainty and history. The
// address has the state.
import { useCallback, useMemo, useRef, useState } from 'react'

import frame from '../analysis/analysis.module.css'
import { GuardLine } from '../analysis/guard-line'
import { Nothing } from '../analysis/nothing'
import { Exports, Screen, useCatalogue, useLast } from '../analysis/screen'
import { useFeasible, useFrontiers, useHistoryOf } from '../api/pareto'
import { useBaselineLines } from '../api/planner'
import type { BaselineLine, Field, Pareto as Answer } from '../api/types'
import { Pick } from '../chart/pick'
import { type Catalogue, longName } from '../fields/catalogue'
import { treeOf } from '../filter/model'
import { count, formOfScale, isNumeric } from '../format/number'
import { useKeys } from '../keys/use-keys'
import { Baselines } from '../planner/baselines'
import { MissingPanel } from '../planner/missing-panel'
import { slotOf, useTray } from '../tray/store'
import { Act, IconButton, join, Select } from '../ui/controls'
import type { ExportKinds } from '../ui/export-menu'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { useStable } from '../ui/use-stable'
import { exploreOfPareto, type ParetoLimit, type ParetoState, type Way } from '../url/pareto'
import { usePlace } from '../url/use-place'
import { type ParetoChange, useParetoState } from '../url/use-pareto'
import { Capacity } from './capacity-panel'
import { Card } from './card'
import { Cheapest } from './cheapest'
import { csvOf, jsonOf, type Shown as ShownInFile } from './files'
import { History } from './history'
import { Limits } from './limits'
import {
  bestOf,
  capacityRequestOf,
  compareReleases,
  type Configuration,
  configurations,
  configurationsOf,
  countOutside,
  type Corner,
  daysBetween,
  filterAsOf,
  type Group,
  groupsOf,
  isNotable,
  isOfAxes,
  isRelease,
  keptOf,
  requestOf,
  sinceOf,
  sloRequestOf,
  stairs,
  TIME,
  VERSION,
} from './model'
import css from './pareto.module.css'
import type { Axis } from './plot'
import { Plots } from './plots'
import { PricesButton } from './prices'
import { GroupMark, Groups, Points, SizeLegend } from './tables'

const NO_LINES: BaselineLine[] = []
const NONE_KEPT: ReadonlyMap<number, boolean | null> = new Map()

// The frontiers that the state describes: as of then, and now to compare with.
function useAnswers(state: ParetoState, catalogue: Catalogue | undefined, round: number) {
  const tree = treeOf(state.choices, state.where)
  const history = useHistoryOf(tree, TIME, VERSION, round)
  const releases = useMemo(
    () => (history.data?.values ?? []).filter(isRelease).toSorted(compareReleases),
    [history.data],
  )
  const days = useMemo(() => daysBetween(history.data?.time?.min, history.data?.time?.max), [history.data])
  const { asOf } = state
  const isReady = catalogue !== undefined && (asOf === null || 'until' in asOf || history.data !== undefined)
  const also = useMemo(() => (asOf ? filterAsOf(asOf, releases) : undefined), [asOf, releases])
  const request = useMemo(() => (isReady ? requestOf(state, catalogue, also) : null), [isReady, state, catalogue, also])
  const now = useMemo(() => {
    const since = sinceOf(asOf, releases)
    return isReady && since ? { ...requestOf(state, catalogue), since } : null
  }, [isReady, state, catalogue, asOf, releases])
  const slo = useMemo(() => sloRequestOf(state, also), [state, also])
  const capacity = useMemo(() => capacityRequestOf(state, also), [state, also])
  return {
    frontiers: useFrontiers(request, round),
    now: useFrontiers(now, round),
    slo: useFeasible(slo, round),
    capacity: useFeasible(capacity, round),
    history,
    request,
    releases,
    days,
  }
}

export function Pareto() {
  const { state, change, view } = useParetoState()
  const { fields, catalogue } = useCatalogue()
  const [round, setRound] = useState(0)
  const answers = useAnswers(state, catalogue, round)
  const { frontiers, history, now, slo, capacity } = answers
  const answer = useLast(frontiers.data)
  const shape = useShape(answer, state.group, catalogue)
  usePlace({ content: 'pareto', isReady: answer !== undefined })
  useKeys({ t: () => change({ asTable: !state.asTable }) })
  return (
    <Screen
      title="Pareto"
      noun="frontiers"
      facts={
        answer && (
          <>
            <span>
              <span className="n">{count(answer.configuration_count)}</span>{' '}
              {answer.configuration_count === 1 ? 'configuration' : 'configurations'}
            </span>
            <span>
              <span className="n">{count(answer.groups.reduce((sum, one) => sum + one.frontier_count, 0))}</span> on a
              frontier
            </span>
          </>
        )
      }
      tools={
        answer && shape && answer.count > 0 ? (
          <>
            <Exports
              noun="configurations"
              file="profllm-pareto"
              kinds={KINDS}
              shown={{ answer, all: shape.all, group: shape.groupField }}
            />
            <PricesButton />
          </>
        ) : null
      }
      {...{ answer, state, change, catalogue }}
      explore={exploreOfPareto(state)}
      queries={[frontiers, history, now, slo, capacity, fields]}
      viewError={view.error}
      onNewer={() => setRound(round + 1)}
    >
      {answer && catalogue && shape && <Body {...{ state, change, catalogue, answers, answer }} {...shape} />}
    </Screen>
  )
}

type Shown = Answer & { at: number; request: unknown }

interface Shape {
  groupField: string // '' if there is one frontier
  groups: Group[]
  all: Configuration[]
}

function useShape(answer: Shown | undefined, group: string, catalogue: Catalogue | undefined): Shape | undefined {
  return useMemo(() => {
    if (!answer || !catalogue) return undefined
    const groupField = answer.groups.some(({ key }) => Object.keys(key).length > 0) || group ? group : ''
    const groups = groupsOf(answer, groupField, catalogue)
    return { groupField, groups, all: configurationsOf(groups, catalogue) }
  }, [answer, group, catalogue])
}

const KINDS: ExportKinds<ShownInFile> = {
  csv: ['CSV', csvOf, 'text/csv'],
  json: ['JSON', jsonOf, 'application/json'],
}

interface BodyProps extends Shape {
  state: ParetoState
  change: ParetoChange
  catalogue: Catalogue
  answers: ReturnType<typeof useAnswers>
  answer: Shown
}

// The first of equal values.
function useSame<T>(value: T): T {
  const last = useRef(value)
  if (JSON.stringify(last.current) !== JSON.stringify(value)) last.current = value
  return last.current
}

function Body({ state, change, catalogue, answers, answer, groupField, groups, all }: BodyProps) {
  const { now, releases, days } = answers
  const slo = state.limits.length > 0 ? answers.slo.data : undefined
  const [dragged, setDragged] = useState<ParetoLimit | null>(null)
  const pinned = useTray((tray) => tray.pinned)
  const letterOf = useCallback(({ point }: Configuration) => slotOf(pinned, { ids: point.ids }), [pinned])
  const axes = useMemo((): [Axis, Axis, ...Axis[]] => {
    const axis = (i: number): Axis => {
      const metric = answer.metrics[i]
      const field = catalogue.get(metric?.field ?? '')
      return {
        field,
        form: formOfScale(
          field,
          all.map((one) => (i === 0 ? one.x : i === 1 ? one.y : (one.z ?? NaN))),
        ),
        way: metric?.direction ?? 'higher',
      }
    }
    return [axis(0), axis(1), ...(answer.metrics.length > 2 ? [axis(2)] : [])]
  }, [answer, catalogue, all])
  // the drawing remains while only other parts of the state change: an address is read into new objects
  const [wanted, metrics] = [useSame(state.limits), useSame(state.metrics)]
  const limits = useMemo(
    () =>
      wanted.map((limit) => (dragged && limit.field === dragged.field && limit.op === dragged.op ? dragged : limit)),
    [wanted, dragged],
  )
  const kept = useMemo(
    () => (limits.length > 0 ? keptOf(all, limits, metrics, slo) : NONE_KEPT),
    [all, limits, metrics, slo],
  )
  const drawnLimits = useMemo(
    () => limits.filter(({ field }) => metrics.slice(0, 2).some((metric) => metric.field === field)),
    [limits, metrics],
  )
  const countOf = (kind: boolean | null) => [...kept.values()].filter((one) => one === kind).length
  const baselines = useBaselineLines(
    useMemo(() => {
      const filter = treeOf(state.choices, state.where)
      const pair = axes.slice(0, 2).map(({ field, way }) => ({ field: field.id, direction: way }))
      return state.baselines.length > 0
        ? { baselines: state.baselines, metrics: pair, limit: 8, ...(filter && { filter }) }
        : null
    }, [state, axes]),
  )
  const earlier = useMemo((): Corner[][] => {
    if (state.asOf === null || !now.data) return []
    const ways: [Way, Way] = [axes[0].way, axes[1].way]
    return now.data.groups.flatMap(({ points }) => {
      const on = points.filter(({ frontier }) => frontier)
      const corners = on.flatMap(({ values: [x, y] }): Corner[] =>
        x?.mean == null || y?.mean == null ? [] : [[x.mean, y.mean]],
      )
      const line = stairs(corners, ways, [0, 0])
      return line.length ? [line.slice(1, -1)] : []
    })
  }, [state.asOf, now.data, axes])
  const opened = state.point === null ? undefined : all.find(({ point }) => point.ids.includes(state.point ?? 0))
  const best = bestOf(all, kept, limits.length > 0, axes[1].way)
  const shown = opened ?? best
  const open = useStable((point: number) => change({ point }))
  const step = (by: number) => {
    const at = opened ? all.indexOf(opened) + by : by > 0 ? 0 : all.length - 1
    const next = all[Math.min(all.length - 1, Math.max(0, at))]
    if (next) change({ point: next.id }, { replace: true })
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  const notable = useMemo(() => all.filter(({ point }) => isNotable(point)), [all])
  const far = state.asTable ? 0 : countOutside(all)
  const groupName = groupField ? longName(catalogue.get(groupField)) : ''
  if (answer.count === 0) return <NoConfiguration {...{ answer, state, change, catalogue }} />
  // a limit of an axis begins at the median, so that it can be dragged from there
  const add = (field: Field): ParetoLimit | null => {
    const i = state.metrics.findIndex((metric) => metric.field === field.id)
    const axis = axes[i]
    if (!axis || all.length === 0) return null
    const values = all.map((one) => [one.x, one.y, one.z ?? 0][i] ?? 0).toSorted((a, b) => a - b)
    const value = Number((values[Math.floor(values.length / 2)] ?? 0).toPrecision(2))
    return { field: field.id, op: axis.way === 'lower' ? '<=' : '>=', value }
  }
  const card = shown && (
    <Card
      title={
        opened
          ? 'Chosen configuration'
          : limits.length > 0
            ? 'Best within all limits'
            : shown.point.knee
              ? 'Knee of the frontier'
              : 'Best on the frontier'
      }
      one={shown}
      axes={axes}
      limits={state.limits}
      slo={slo}
      nameOf={(id) => all.find(({ point }) => point.ids.includes(id))?.name ?? `result ${id}`}
      catalogue={catalogue}
      request={answers.request}
      other={opened && best && best !== opened ? best : undefined}
      onClose={opened ? () => change({ point: null }) : null}
    />
  )
  const isOld = answers.frontiers.isPlaceholderData
  const lines = (state.baselines.length > 0 && baselines.data?.lines) || NO_LINES
  const { filter, metrics: asked, group_by: by, simulated, untrusted } = answers.request ?? {}
  const missing = {
    ...(filter && { filter }),
    ...(asked && { metrics: asked }),
    ...(by && { group_by: by }),
    ...(simulated && { simulated }),
    ...(untrusted && { untrusted }),
  }
  return (
    <>
      <GuardLine
        {...{ answer, state, change, catalogue }}
        last={[
          answer.unmeasured > 0 &&
            `${count(answer.unmeasured)} without ${answer.metrics.length > 2 ? 'all three' : 'both'} metrics`,
          answer.more_count > 0 && `${count(answer.more_count)} more groups`,
          answer.incomplete.length > 0 && 'memberships not computed in time',
        ]}
      />
      <Limits
        limits={limits}
        catalogue={catalogue}
        isBusy={answers.slo.isFetching || dragged !== null}
        summary={
          limits.length === 0
            ? 'No limits: all configurations count.'
            : `${count(countOf(true))} of ${count(all.length)} configurations keep all limits${countOf(null) > 0 ? `; ${count(countOf(null))} unknown` : ''}.`
        }
        onChange={(next) => change({ limits: next })}
        onAdd={add}
      />
      {slo && <Cheapest {...{ slo, all, catalogue }} request={answers.request} onOpen={open} />}
      <div className={join(frame.split, isOld && frame.isOld)}>
        <section className={css.chart} aria-label="Chart" aria-busy={isOld || undefined}>
          <AxisTools {...{ state, change, catalogue, axes }} />
          <p className={join(frame.legend, css.chartLegend)}>
            {groups.length > 1 &&
              groups.map((group) => (
                <span key={group.at}>
                  <GroupMark slot={group.slot} /> <bdi title={group.full}>{group.label}</bdi>
                </span>
              ))}
            <span>line: frontier</span>
            {answer.groups.some(({ has_spread: has }) => has) ? (
              <>
                <span>full ring: surely on it</span>
                <span>dashed ring: perhaps</span>
                <span>band: 95 % CI</span>
              </>
            ) : (
              <span>too few repeated runs for memberships</span>
            )}
            {limits.length > 0 && <span>hollow: beyond a limit</span>}
            {axes[2] && <SizeLegend axis={axes[2]} all={all} />}
            {far > 0 && (
              <span>
                outside the axes, by far larger than most: {configurations(far)};{' '}
                <Act onPress={() => change({ asTable: true })}>Show the table</Act>
              </span>
            )}
          </p>
          {state.asTable ? (
            <Points
              all={all}
              axes={axes}
              kept={limits.length > 0 ? kept : null}
              slo={slo}
              groupName={groups.length > 1 ? groupName : ''}
              opened={opened?.id ?? null}
              onOpen={open}
            />
          ) : (
            <Plots
              {...{ slo, catalogue }}
              allLimits={limits}
              axes={axes}
              groups={groups}
              all={all}
              kept={kept}
              limits={drawnLimits}
              earlier={earlier}
              baselines={lines}
              opened={opened?.at ?? null}
              letterOf={letterOf}
              onOpen={(one) => open(one.id)}
              onLimit={(limit, value, isMoving) => {
                if (isMoving) return setDragged({ ...limit, value })
                setDragged(null)
                change(
                  {
                    limits: state.limits.map((one) =>
                      one.field === limit.field && one.op === limit.op ? { ...one, value } : one,
                    ),
                  },
                  { typing: `limit ${limit.field}` },
                )
              }}
            />
          )}
          <Baselines
            chosen={state.baselines}
            lines={lines}
            moreCount={baselines.data?.more_count ?? 0}
            isAnswered={baselines.data !== undefined && !baselines.isPlaceholderData}
            error={baselines.error}
            onRetry={() => void baselines.refetch()}
            onChange={(chosen) => change({ baselines: chosen })}
          />
          <History
            asOf={state.asOf}
            days={days}
            releases={releases}
            groups={now.data?.groups}
            onChange={(asOf) => change({ asOf }, { typing: 'history' })}
          />
        </section>
        {card}
      </div>
      <section className={page.block} aria-label="Frontiers" {...oneStop}>
        <div className={page.blockHead}>
          <h2>Frontiers</h2>
        </div>
        <Groups
          answer={answer}
          groups={groups}
          all={all}
          axes={axes}
          name={groupName}
          catalogue={catalogue}
          onOpen={open}
        />
      </section>
      {!state.asTable && notable.length > 0 && (
        <section className={page.block} aria-label="On the frontier" {...oneStop}>
          <div className={page.blockHead}>
            <h2>On the frontier</h2>
            <span className="dim">
              {count(notable.length)}, surely or perhaps; {count(all.length - notable.length)} others in the table of
              the chart
            </span>
          </div>
          <Points
            label="On the frontier table"
            all={notable}
            axes={axes}
            kept={limits.length > 0 ? kept : null}
            slo={slo}
            groupName={groups.length > 1 ? groupName : ''}
            opened={opened?.id ?? null}
            onOpen={open}
          />
        </section>
      )}
      <MissingPanel request={missing} catalogue={catalogue} />
      <Capacity
        {...{ state, change, catalogue, all }}
        slo={answers.capacity.data}
        isBusy={answers.capacity.isFetching}
        onOpen={open}
      />
    </>
  )
}

const WAYS: [Way, string][] = [
  ['higher', 'higher is better'],
  ['lower', 'lower is better'],
]

function AxisTools({
  state,
  change,
  catalogue,
  axes,
}: Only<BodyProps, 'state' | 'change' | 'catalogue'> & { axes: [Axis, Axis, ...Axis[]] }) {
  const give = (next: ParetoState['metrics']) =>
    change({
      metrics: next,
      limits: state.limits.filter((limit) => isOfAxes(limit, { ...state, metrics: next }) === isOfAxes(limit, state)),
    })
  const set = (i: number, part: Partial<ParetoState['metrics'][0]>) => {
    const before = state.metrics[i]
    const next = [...state.metrics]
    next[i] = { ...(before ?? { field: '', direction: null }), ...part }
    // a metric that another axis has changes places, or leaves the third
    const other = next.findIndex(({ field }, k) => k !== i && field === next[i]?.field)
    if (other >= 0 && before) next[other] = { ...before, direction: null }
    give((other >= 0 && !before ? state.metrics : next) as ParetoState['metrics'])
  }
  const wayOfNew = (id: string) => (catalogue.get(id).direction === 'neither' ? 'higher' : null)
  const third = axes[2]
  const axis = (i: 0 | 1) => {
    const { field, way } = axes[i]
    return (
      <>
        <Pick
          role={i === 0 ? 'x' : 'y'}
          name={`Metric of axis ${i === 0 ? 'x' : 'y'}`}
          value={field.id}
          catalogue={catalogue}
          varying={undefined}
          fits={isNumeric}
          onPick={(id) => set(i, { field: id, direction: wayOfNew(id) })}
        />
        <Select
          label={`Better values of axis ${i === 0 ? 'x' : 'y'}`}
          value={way}
          onChange={(to) => set(i, { direction: to === field.direction ? null : (to as Way) })}
          options={WAYS}
        />
      </>
    )
  }
  return (
    <div className={frame.tools} role="toolbar" aria-label="Metrics and groups" {...oneStop}>
      {axis(1)}
      {axis(0)}
      <Pick
        role="size"
        name="Third metric, as the size of the marks"
        value={third?.field.id ?? ''}
        canBeNone="none"
        catalogue={catalogue}
        varying={undefined}
        fits={isNumeric}
        onPick={(id) =>
          id === '' ? give([state.metrics[0], state.metrics[1]]) : set(2, { field: id, direction: wayOfNew(id) })
        }
      />
      {third && (
        <Select
          label="Better values of the third metric"
          value={third.way}
          onChange={(to) => set(2, { direction: to === third.field.direction ? null : (to as Way) })}
          options={WAYS}
        />
      )}
      <Pick
        role="group"
        name="Frontier per value of"
        value={state.group}
        canBeNone="none"
        catalogue={catalogue}
        varying={undefined}
        onPick={(group) => change({ group })}
      />
      <IconButton
        icon={state.asTable ? 'picture' : 'table'}
        name={state.asTable ? 'Show as chart' : 'Show as table'}
        onPress={() => change({ asTable: !state.asTable })}
      />
    </div>
  )
}

type Only<T, K extends keyof T> = { [P in K]: T[P] }

// No configuration: what is missing, and what to do.
function NoConfiguration({
  answer,
  state,
  change,
  catalogue,
}: Only<BodyProps, 'answer' | 'state' | 'change' | 'catalogue'>) {
  const isFiltered = treeOf(state.choices, state.where) !== undefined
  return (
    <Nothing
      total={answer.total}
      needs="A frontier needs results of several configurations."
      isFiltered={isFiltered}
      onClear={() => change({ choices: {}, where: undefined })}
    >
      <p>
        {answer.unmeasured > 0
          ? `No result has ${state.metrics.length > 2 ? 'all of' : 'both'} ${state.metrics.map(({ field }) => longName(catalogue.get(field))).join(' and ')}.`
          : isFiltered
            ? 'The filter removes all experiments.'
            : 'No experiment existed at that time.'}
      </p>
      {state.asOf && (
        <p>
          <Act onPress={() => change({ asOf: null })}>Show now</Act>
        </p>
      )}
      {answer.unmeasured > 0 && <AxisChoice {...{ state, change }} />}
    </Nothing>
  )
}

const AxisChoice = ({ change }: Only<BodyProps, 'state' | 'change'>) => (
  <p>
    <Act
      onPress={() =>
        change({
          metrics: [
            { field: 'results.p99_ttft_ms', direction: null },
            { field: 'results.output_throughput', direction: null },
          ],
        })
      }
    >
      Use P99 TTFT and output throughput
    </Act>
  </p>
)

// Scaling: how a metric grows over parallel sizes, how far it is from ideal, and where more GPUs stop paying. The
// address has the state.
import { useCallback, useMemo, useState } from 'react'
import { Link } from 'wouter'

import frame from '../analysis/analysis.module.css'
import { GuardLine } from '../analysis/guard-line'
import { Nothing } from '../analysis/nothing'
import { Exports, Screen, useCatalogue, useLast } from '../analysis/screen'
import { ServerCommand } from '../analysis/server-command'
import { useScaling } from '../api/scaling'
import { Pick } from '../chart/pick'
import { type Catalogue, longName } from '../fields/catalogue'
import { treeOf } from '../filter/model'
import { count, formFor, formOfUnit, isNumeric } from '../format/number'
import { useKeys } from '../keys/use-keys'
import { MissingPanel } from '../planner/missing-panel'
import { missingOf } from '../planner/model'
import { Pin } from '../tray/pin'
import { slotOf, useTray } from '../tray/store'
import { Act, ButtonLink, join, Segment, Select } from '../ui/controls'
import type { ExportKinds } from '../ui/export-menu'
import { oneStop } from '../ui/one-stop'
import { useMedia } from '../ui/use-media'
import { useStable } from '../ui/use-stable'
import { paths } from '../url/paths'
import { AXES, exploreOfScaling, type ScalingState } from '../url/scaling'
import { usePlace } from '../url/use-place'
import { type ScalingChange, useScalingState } from '../url/use-scaling'
import { csvOf, jsonOf, type Shown } from './files'
import { AXIS_NAMES, bestOf, limitOf, type Placed, placedOf, requestOf, runs, stopOf } from './model'
import { Panel } from './plot'
import { LineMark, PointsTable } from './points-table'
import css from './scaling.module.css'

const CONCURRENCY = 'benchmark.max_concurrency'
const RUNS_SHOWN = 6
const GAINS = ['0.3', '0.5', '0.7', '0.9']

const KINDS: ExportKinds<Shown> = {
  csv: ['CSV', csvOf, 'text/csv'],
  json: ['JSON', jsonOf, 'application/json'],
}

export function Scaling() {
  const { state, change, view } = useScalingState()
  const { fields, catalogue } = useCatalogue()
  const [round, setRound] = useState(0)
  const request = useMemo(() => (catalogue ? requestOf(state, catalogue) : null), [state, catalogue])
  const scaling = useScaling(request, round)
  const answer = useLast(scaling.data)
  usePlace({ content: 'scaling', isReady: answer !== undefined })
  const lines = answer ? answer.lines.length + answer.more_count : 0
  return (
    <Screen
      title="Scaling"
      noun="lines"
      facts={
        <span>
          <span className="n">{count(lines)}</span> {lines === 1 ? 'line' : 'lines'} with several sizes
        </span>
      }
      tools={answer ? <Exports noun="sizes" file="profllm-scaling" kinds={KINDS} shown={{ answer }} /> : null}
      {...{ answer, state, change, catalogue }}
      explore={exploreOfScaling(state)}
      queries={[scaling, fields]}
      viewError={view.error}
      onNewer={() => setRound(round + 1)}
    >
      {catalogue && (answer || scaling.error) && <AxisTools {...{ state, change, catalogue }} />}
      {answer && catalogue && <Body {...{ state, change, catalogue, answer }} isOld={scaling.isPlaceholderData} />}
    </Screen>
  )
}

interface BodyProps {
  state: ScalingState
  change: ScalingChange
  catalogue: Catalogue
  answer: Shown['answer']
  isOld: boolean
}

function Body({ state, change, catalogue, answer, isOld }: BodyProps) {
  const all = useMemo(() => placedOf(answer), [answer])
  const sizes = useMemo(
    () => [...new Set(all.filter(({ slot }) => slot >= 0).map(({ point }) => point.size))].toSorted((a, b) => a - b),
    [all],
  )
  const opened = state.point === null ? undefined : all.find(({ point }) => point.ids.includes(state.point ?? 0))
  const pinned = useTray((tray) => tray.pinned)
  const letterOf = useCallback(({ point }: Placed) => slotOf(pinned, { ids: point.ids }), [pinned])
  const open = useStable((point: number) => change({ point }))
  const step = (by: number) => {
    const at = opened ? all.indexOf(opened) + by : by > 0 ? 0 : all.length - 1
    const next = all[Math.min(all.length - 1, Math.max(0, at))]
    if (next) change({ point: next.id }, { replace: true })
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  const isNarrow = useMedia('(max-width: 900px)')
  const best = bestOf(all)
  const one = opened ?? best
  const card = one && (
    <Card
      title={
        opened ? 'Chosen configuration' : one.line.stop ? 'Largest size that pays' : 'Largest size; every size pays'
      }
      {...{ one, all }}
      onClose={opened ? () => change({ point: null }) : null}
    />
  )
  const { isLinear } = state
  const shown = { all, sizes, isLinear, opened, letterOf, onOpen: open }
  const metric = catalogue.get(answer.metric.field)
  const times = formOfUnit('', [1.5])
  return (
    <>
      <GuardLine
        {...{ answer, state, change, catalogue }}
        last={[
          answer.unmeasured > 0 && `${count(answer.unmeasured)} without the metric`,
          answer.unsized_count > 0 && `${count(answer.unsized_count)} of unknown size`,
          answer.single_count > 0 && `${count(answer.single_count)} configurations of one size not shown`,
          answer.incomplete.length > 0 && 'intervals not computed in time',
        ]}
      />
      {answer.lines.length === 0 ? (
        <NoLine {...{ answer, state, change, catalogue }} />
      ) : (
        <div className={isOld ? frame.isOld : undefined}>
          <section aria-label="Lines">
            <ul className={join(frame.legend, css.lines)}>
              {answer.lines.slice(0, 8).map((line) => (
                <li key={line.id}>
                  <LineMark slot={all.find((one) => one.line === line)?.slot ?? -1} />{' '}
                  <bdi title={line.label}>
                    {all.find((one) => one.line === line)?.label}
                    {line.gpu_unit === 'mig_instance' && ' (MIG instances)'}
                  </bdi>
                  : {stopOf(line, answer.gain_limit)}
                </li>
              ))}
              {answer.lines.length + answer.more_count > 8 && (
                <li>
                  {count(answer.lines.length + answer.more_count - 8)} more lines are not drawn
                  {answer.more_count > 0 && `, ${count(answer.more_count)} of them not in the table`}
                </li>
              )}
              <li>dashed: ideal · hollow: next to the line · ring: largest size that pays</li>
            </ul>
          </section>
          <div className={frame.split}>
            {isNarrow && card}
            <section className={css.panels} aria-label="Charts" aria-busy={isOld || undefined}>
              <Panel
                title={`Speed-up of ${longName(metric)}`}
                form={times}
                numbersOf={({ point }) => point.speedup}
                idealOf={({ point }) => point.ideal}
                {...shown}
              />
              <Panel
                title="Efficiency"
                form={formOfUnit('share', [1])}
                numbersOf={({ point }) => point.efficiency}
                {...shown}
              />
              <Panel
                title="Gain of each added GPU"
                form={formOfUnit('share', [1])}
                limit={answer.gain_limit}
                numbersOf={({ point }) => point.gain}
                {...shown}
              />
              {answer.panels.map(({ field: id }, i) => {
                const field = catalogue.get(id)
                return (
                  <Panel
                    key={id}
                    title={longName(field)}
                    form={formFor(
                      field,
                      all.map(({ point }) => point.panels[i]?.mean),
                    )}
                    numbersOf={({ point }) => ({
                      value: point.panels[i]?.mean ?? null,
                      low: point.panels[i]?.low ?? null,
                      high: point.panels[i]?.high ?? null,
                    })}
                    {...shown}
                  />
                )
              })}
            </section>
            {!isNarrow && card}
          </div>
          <PointsTable {...{ answer, all, catalogue }} opened={opened?.id ?? null} letterOf={letterOf} onOpen={open} />
        </div>
      )}
      {answer.total > 0 && <MissingPanel request={missingOf(state)} catalogue={catalogue} />}
    </>
  )
}

function AxisTools({ state, change, catalogue }: Omit<BodyProps, 'answer' | 'isOld'>) {
  const gains = GAINS.includes(String(state.gain)) ? GAINS : [...GAINS, String(state.gain)]
  return (
    <div className={join(frame.tools, css.axes)} role="toolbar" aria-label="Axes" {...oneStop}>
      <Select
        label="Size"
        value={state.axis}
        onChange={(axis) => change({ axis: AXES.find((one) => one === axis) ?? 'gpus', point: null })}
        options={AXES.map((axis) => [axis, AXIS_NAMES[axis]])}
      />
      <Pick
        role="Metric"
        name="Metric"
        value={state.metric.field}
        catalogue={catalogue}
        varying={undefined}
        fits={isNumeric}
        onPick={(field) => change({ metric: { field, direction: null } })}
      />
      <Select
        label="Limit of the gain"
        value={String(state.gain)}
        onChange={(gain) => change({ gain: Number(gain) })}
        options={gains.map((gain) => [gain, `pays from ${limitOf(Number(gain))} of an ideal GPU`])}
      />
      <Segment
        label="Scale"
        value={state.isLinear ? 'linear' : 'log'}
        onChange={(scale) => change({ isLinear: scale === 'linear' })}
        options={[
          ['log', 'Log'],
          ['linear', 'Linear'],
        ]}
      />
      <Act
        onPress={() =>
          change({
            vary: state.vary.includes(CONCURRENCY)
              ? state.vary.filter((id) => id !== CONCURRENCY)
              : [...state.vary, CONCURRENCY],
          })
        }
      >
        {state.vary.includes(CONCURRENCY) ? 'Compare equal concurrency' : 'Take the best concurrency of each size'}
      </Act>
    </div>
  )
}

// A point: its runs, a comparison with the smallest size, and the command of its server.
function Card({
  title,
  one,
  all,
  onClose,
}: {
  title: string
  one: Placed
  all: Placed[]
  onClose: (() => void) | null
}) {
  const base = all.find(({ line, point }) => line === one.line && point.on_line)
  return (
    <section className={frame.card} aria-label="Configuration">
      <p className={frame.cardTop}>
        <span>{title}</span>
        {onClose && <Act onPress={onClose}>Close</Act>}
      </p>
      <h2>
        <Link href={paths.experiment(one.id)}>
          <bdi>{one.name}</bdi>
        </Link>
      </h2>
      <p {...oneStop}>
        {runs(one.point.ids.length)}:{' '}
        {one.point.ids.slice(-RUNS_SHOWN).map((id, i) => (
          <span key={id}>
            {i > 0 && ', '}
            <Link className="inline" href={paths.experiment(id)}>
              {id}
            </Link>
          </span>
        ))}
        {one.point.ids.length > RUNS_SHOWN && ` and ${count(one.point.ids.length - RUNS_SHOWN)} earlier`}
      </p>
      <ServerCommand id={one.id}>
        <Pin side={{ ids: one.point.ids }} name={one.name} look="line" />
        {base && base !== one && (
          <ButtonLink
            look="line"
            href={paths.compare({
              sides: [
                { ids: base.point.ids, label: base.name },
                { ids: one.point.ids, label: one.name },
              ],
            })}
          >
            Compare with the smallest size
          </ButtonLink>
        )}
      </ServerCommand>
    </section>
  )
}

// No line: what is missing, and what to do.
function NoLine({ answer, state, change, catalogue }: Omit<BodyProps, 'isOld'>) {
  const others = answer.axes.filter(({ axis, sizes }) => axis !== state.axis && sizes.length > 1)
  const sizes = answer.axes.find(({ axis }) => axis === state.axis)?.sizes ?? []
  return (
    <Nothing
      total={answer.total}
      needs="Scaling needs results of several sizes, such as tensor parallel sizes 1, 2 and 4."
      isFiltered={treeOf(state.choices, state.where) !== undefined}
      onClear={() => change({ choices: {}, where: undefined })}
    >
      <p>
        {answer.single_count > 0
          ? sizes.length === 1
            ? `All results have one size: ${AXIS_NAMES[state.axis]} ${sizes[0]}. Run another size with equal other inputs.`
            : 'No two results of different sizes are equal in all other inputs.'
          : answer.unmeasured > 0
            ? `No result has ${longName(catalogue.get(state.metric.field))}.`
            : answer.unsized_count > 0
              ? `No result says its ${AXIS_NAMES[state.axis]}.`
              : 'The filter removes all experiments.'}
      </p>
      {others.map(({ axis, sizes: found, more_count }) => (
        <p key={axis}>
          <Act
            onPress={() => change({ axis })}
          >{`Show ${AXIS_NAMES[axis]} (${found.join(', ')}${more_count > 0 ? ` and ${count(more_count)} larger ones` : ''})`}</Act>
        </p>
      ))}
    </Nothing>
  )
}

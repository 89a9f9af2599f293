// Scaling: how a metric grows over parallel sizes, how far it is from ideal, and where more GPUs stop paying. The
// address has the state.
import { useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'

import { ApiError, causeOf } from '../api/client'
import { useCommands, useFields, useHealth } from '../api/queries'
import { useScaling } from '../api/scaling'
import type { Scaling as Answer } from '../api/types'
import { mixedList, splitCautions } from '../chart/guard'
import { Pick } from '../chart/pick'
import { Catalogue, longName } from '../fields/catalogue'
import { FilterLine } from '../filter/filter-line'
import { treeOf } from '../filter/model'
import { count, formFor, formOfUnit, isNumeric } from '../format/number'
import { Pin } from '../tray/pin'
import { Act, Bone, ButtonLink, join, Note, Progress, Segment, Select } from '../ui/controls'
import { Copy } from '../ui/copy'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { visible } from '../ui/visible'
import { Waiting } from '../ui/waiting'
import { paths } from '../url/paths'
import { AXES, exploreOfScaling, type ScalingState } from '../url/scaling'
import { usePlace } from '../url/use-place'
import { type ScalingChange, useScalingState } from '../url/use-scaling'
import { AXIS_NAMES, type Placed, placedOf, requestOf, runs, stopOf } from './model'
import { Panel } from './plot'
import { LineMark, PointsTable } from './points-table'
import css from './scaling.module.css'

const CONCURRENCY = 'benchmark.max_concurrency'
const GAINS = ['0.3', '0.5', '0.7', '0.9']

export function Scaling() {
  const { state, change, view } = useScalingState()
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  const health = useHealth()
  const [round, setRound] = useState(0)
  const request = useMemo(() => (catalogue ? requestOf(state, catalogue) : null), [state, catalogue])
  const scaling = useScaling(request, round)
  // the last lines remain if an update fails
  const last = useRef(scaling.data)
  if (scaling.data) last.current = scaling.data
  const answer = scaling.data ?? last.current
  usePlace({ content: 'scaling', isReady: answer !== undefined })
  const error = scaling.error ?? fields.error ?? view.error
  const hasNewer = answer && (health.data?.data_version ?? 0) > answer.data_version
  return (
    <main id="main" className={css.body}>
      <Progress on={scaling.isFetching && !error} />
      <div className={page.head}>
        <div>
          <h1>Scaling</h1>
          {answer && (
            <p className={page.facts}>
              <span>
                <span className="n">{count(answer.count)}</span> of <span className="n">{count(answer.total)}</span>{' '}
                experiments
              </span>
              <span>
                <span className="n">{count(answer.lines.length + answer.more_count)}</span>{' '}
                {answer.lines.length + answer.more_count === 1 ? 'line' : 'lines'} with several sizes
              </span>
              {hasNewer && <Act onPress={() => setRound(round + 1)}>Show newer results</Act>}
            </p>
          )}
          {catalogue && <FilterLine {...{ state, change, catalogue }} explore={exploreOfScaling(state)} />}
        </div>
      </div>
      {error && (
        <div className={page.notice}>
          <Note kind="bad" role="alert">
            <b>{answer ? 'Could not update the lines.' : 'Could not load the lines.'}</b> {causeOf(error)}{' '}
            <Act
              onPress={() => {
                if (scaling.error) void scaling.refetch()
                if (fields.error) void fields.refetch()
              }}
            >
              Retry
            </Act>
            {error instanceof ApiError && error.problem.instance && (
              <span className="dim"> Request {error.problem.instance}</span>
            )}
          </Note>
        </div>
      )}
      <Waiting queries={[scaling]} />
      {!answer && !error && (
        <>
          <p className={page.lead} role="status">
            Loading the lines…
          </p>
          <div className={css.bones}>
            <Bone width={320} />
            <Bone width={480} />
          </div>
        </>
      )}
      {answer && catalogue && <Body {...{ state, change, catalogue, answer }} isOld={scaling.isPlaceholderData} />}
    </main>
  )
}

interface BodyProps {
  state: ScalingState
  change: ScalingChange
  catalogue: Catalogue
  answer: Answer
  isOld: boolean
}

function Body({ state, change, catalogue, answer, isOld }: BodyProps) {
  const all = useMemo(() => placedOf(answer), [answer])
  const sizes = useMemo(
    () => [...new Set(all.filter(({ slot }) => slot >= 0).map(({ point }) => point.size))].toSorted((a, b) => a - b),
    [all],
  )
  const opened = state.point === null ? undefined : all.find(({ point }) => point.ids.includes(state.point ?? 0))
  const { isLinear } = state
  const metric = catalogue.get(answer.metric.field)
  const times = formOfUnit('', [1.5])
  return (
    <>
      <Tools {...{ state, change, catalogue }} />
      <Guard {...{ state, change, answer }} />
      {answer.lines.length === 0 ? (
        <Nothing {...{ answer, state, change, catalogue }} />
      ) : (
        <div className={join(isOld && css.isOld)}>
          <section aria-label="Lines">
            <ul className={css.legend}>
              {answer.lines.slice(0, 8).map((line) => (
                <li key={line.id}>
                  <LineMark slot={all.find((one) => one.line === line)?.slot ?? -1} />{' '}
                  <bdi>
                    {line.label}
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
          <section className={css.panels} aria-label="Charts" aria-busy={isOld || undefined}>
            <Panel
              title={`Speed-up of ${longName(metric)}`}
              form={times}
              numbersOf={({ point }) => point.speedup}
              idealOf={({ point }) => point.ideal}
              {...{ all, sizes, isLinear }}
            />
            <Panel
              title="Efficiency"
              form={formOfUnit('share', [1])}
              numbersOf={({ point }) => point.efficiency}
              {...{ all, sizes, isLinear }}
            />
            <Panel
              title="Gain of each added GPU"
              form={formOfUnit('share', [1])}
              limit={answer.gain_limit}
              numbersOf={({ point }) => point.gain}
              {...{ all, sizes, isLinear }}
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
                  {...{ all, sizes, isLinear }}
                />
              )
            })}
          </section>
          {opened && <Card one={opened} all={all} onClose={() => change({ point: null })} />}
          <PointsTable
            {...{ answer, all, catalogue }}
            opened={opened?.id ?? null}
            onOpen={(point) => change({ point })}
          />
        </div>
      )}
    </>
  )
}

function Tools({ state, change, catalogue }: Omit<BodyProps, 'answer' | 'isOld'>) {
  const gains = GAINS.includes(String(state.gain)) ? GAINS : [...GAINS, String(state.gain)]
  return (
    <div className={css.tools} role="toolbar" aria-label="Axes" {...oneStop}>
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
        options={gains.map((gain) => [gain, `pays from ${Math.round(Number(gain) * 100)} % of an ideal GPU`])}
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

function Guard({ state, change, answer }: GuardProps) {
  const { ofAll, mixed } = splitCautions(answer.cautions)
  const isAllSimulated = answer.simulated > 0 && answer.excluded === 0 && !state.withSimulated
  const lines = [
    mixed.length > 0 && `Mixed: ${mixedList(mixed)}`,
    ofAll.length > 0 && `Caution: ${ofAll.map(({ title }) => title).join(', ')}`,
    isAllSimulated && 'All results are simulated',
    answer.excluded > 0 && `${count(answer.excluded)} simulated not shown`,
    answer.untrusted_excluded > 0 && `${count(answer.untrusted_excluded)} with another verdict than trusted not shown`,
    answer.unmeasured > 0 && `${count(answer.unmeasured)} without the metric`,
    answer.unsized_count > 0 && `${count(answer.unsized_count)} of unknown size`,
    answer.single_count > 0 && `${count(answer.single_count)} configurations of one size not shown`,
    answer.incomplete.length > 0 && 'intervals not computed in time',
  ].filter((line) => line !== false)
  if (lines.length === 0) return null
  return (
    <div className={css.guard} role="note" aria-label="About these results">
      <span>{lines.join(' · ')}</span>
      {answer.excluded > 0 && <Act onPress={() => change({ withSimulated: true })}>Include simulated</Act>}
      {answer.untrusted_excluded > 0 && (
        <Act onPress={() => change({ withUntrusted: true })}>Include other verdicts</Act>
      )}
      {(state.withSimulated || state.withUntrusted) && (
        <Act onPress={() => change({ withSimulated: false, withUntrusted: false })}>Trusted results only</Act>
      )}
    </div>
  )
}

type GuardProps = Omit<BodyProps, 'catalogue' | 'isOld'>

// A point: its runs, a comparison with the smallest size, and the command of its server.
function Card({ one, all, onClose }: { one: Placed; all: Placed[]; onClose: () => void }) {
  const base = all.find(({ line, point }) => line === one.line && point.on_line)
  const commands = useCommands(one.id)
  const server = commands.data?.commands.find((command) => command.id === 'server')
  const text = server?.text?.trimEnd() ?? null
  return (
    <section className={css.card} aria-label="Configuration">
      <p>
        <bdi>{one.name}</bdi>, {runs(one.point.ids.length)}:{' '}
        {one.point.ids.slice(-6).map((id, i) => (
          <span key={id}>
            {i > 0 && ', '}
            <Link className="inline" href={paths.experiment(id)}>
              {id}
            </Link>
          </span>
        ))}{' '}
        <Act onPress={onClose}>Close</Act>
      </p>
      {commands.error && (
        <p role="alert">
          Could not load the command. {causeOf(commands.error)} <Act onPress={() => void commands.refetch()}>Retry</Act>
        </p>
      )}
      {text !== null && (
        <pre tabIndex={0} role="region" aria-label="Server command">
          <bdi>{visible(text)}</bdi>
        </pre>
      )}
      {server && text === null && (
        <p className="dim">
          Server command not known: <bdi>{server.reason}</bdi>.
        </p>
      )}
      <p className={css.acts}>
        {text !== null && (
          <Copy text={() => text} of="of the server">
            Copy command
          </Copy>
        )}
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
      </p>
    </section>
  )
}

function Nothing({ answer, state, change, catalogue }: Omit<BodyProps, 'isOld'>) {
  const isFiltered = treeOf(state.choices, state.where) !== undefined
  const others = answer.axes.filter(({ axis, sizes }) => axis !== state.axis && sizes.length > 1)
  const sizes = answer.axes.find(({ axis }) => axis === state.axis)?.sizes ?? []
  return (
    <div className={css.empty}>
      {answer.total === 0 ? (
        <>
          <p>No results yet. Scaling needs results of several sizes, such as tensor parallel sizes 1, 2 and 4.</p>
          <code>profllm sweep run FILE --upload {window.location.origin}</code>
          <Link className="inline" href={paths.upload()}>
            Upload earlier results
          </Link>
        </>
      ) : answer.single_count > 0 ? (
        <p>
          {sizes.length === 1
            ? `All results have one size: ${AXIS_NAMES[state.axis]} ${sizes[0]}. Run another size with equal other inputs.`
            : 'No two results of different sizes are equal in all other inputs.'}
        </p>
      ) : answer.unmeasured > 0 ? (
        <p>No result has {longName(catalogue.get(state.metric.field))}.</p>
      ) : answer.unsized_count > 0 ? (
        <p>No result says its {AXIS_NAMES[state.axis]}.</p>
      ) : (
        <p>The filter removes all experiments.</p>
      )}
      {others.map(({ axis, sizes: found }) => (
        <Act key={axis} onPress={() => change({ axis })}>
          {`Show ${AXIS_NAMES[axis]} (${found.join(', ')})`}
        </Act>
      ))}
      {isFiltered && <Act onPress={() => change({ choices: {}, where: undefined })}>Clear filter</Act>}
    </div>
  )
}

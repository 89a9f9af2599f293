// Impact: the effect of each input on a metric, in pairs of runs that are equal in all other inputs. The address is the
// state.
import { useMemo, useState } from 'react'

import frame from '../analysis/analysis.module.css'
import { GuardLine } from '../analysis/guard-line'
import { Nothing } from '../analysis/nothing'
import { Exports, Screen, useCatalogue, useLast } from '../analysis/screen'
import { useEffects } from '../api/impact'
import type { Impact as Answer, ImpactEffect } from '../api/types'
import { Pick } from '../chart/pick'
import { type Catalogue, longName } from '../fields/catalogue'
import { treeOf } from '../filter/model'
import { arrow, count, isNumeric } from '../format/number'
import { useKeys } from '../keys/use-keys'
import { MissingPanel } from '../planner/missing-panel'
import { missingOf } from '../planner/model'
import { Act, IconButton, join, Select } from '../ui/controls'
import type { ExportKinds } from '../ui/export-menu'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { useMedia } from '../ui/use-media'
import { exploreOfImpact, type ImpactState } from '../url/impact'
import { usePlace } from '../url/use-place'
import { type ImpactChange, useImpactState } from '../url/use-impact'
import { csvOf, jsonOf, type Shown } from './files'
import css from './impact.module.css'
import { axisOf, effectWith, inputNames, plainOf, requestOf } from './model'
import { Pairs } from './pairs'
import { Constant, EffectTable, Explanation, Interactions, Rest } from './tables'
import { Whiskers } from './whiskers'

const KINDS: ExportKinds<Shown> = {
  csv: ['CSV', csvOf, 'text/csv'],
  json: ['JSON', jsonOf, 'application/json'],
}
const LEAST_EFFECTS = [0.01, 0.02, 0.05, 0.1, 0.2]
const [TICKS, TICKS_NARROW] = [9, 5]

export function Impact() {
  const { state, change, view } = useImpactState()
  const { fields, catalogue } = useCatalogue()
  const [round, setRound] = useState(0)
  const request = useMemo(() => requestOf(state), [state])
  const effects = useEffects(request, round)
  const answer = useLast(effects.data)
  usePlace({ content: 'impact', isReady: answer !== undefined })
  useKeys({ t: () => change({ asTable: !state.asTable }) })
  return (
    <Screen
      title="Impact"
      noun="effects"
      facts={
        answer && (
          <>
            <span>
              <span className="n">{count(answer.effects.length)}</span>{' '}
              {answer.effects.length === 1 ? 'effect' : 'effects'}
            </span>
            <span>
              <span className="n">{count(answer.rest.length)}</span> not identifiable
            </span>
          </>
        )
      }
      tools={answer ? <Exports noun="effects" file="profllm-impact" kinds={KINDS} shown={{ answer }} /> : null}
      {...{ answer, state, change, catalogue }}
      explore={exploreOfImpact(state)}
      queries={[effects, fields]}
      viewError={view.error}
      onNewer={() => setRound(round + 1)}
    >
      {catalogue && (answer || effects.error) && <ImpactTools {...{ state, change, catalogue }} answer={answer} />}
      {answer && catalogue && (
        <Body {...{ state, change, catalogue, answer, round }} isOld={effects.isPlaceholderData} />
      )}
    </Screen>
  )
}

interface ToolsProps {
  state: ImpactState
  change: ImpactChange
  catalogue: Catalogue
}

function ImpactTools({ state, change, catalogue, answer }: ToolsProps & { answer: Shown['answer'] | undefined }) {
  const least = LEAST_EFFECTS.includes(state.effect) ? LEAST_EFFECTS : [...LEAST_EFFECTS, state.effect]
  const varying = useMemo(
    () =>
      answer && new Set([...answer.effects.flatMap(({ inputs }) => inputs), ...answer.rest].map(({ field }) => field)),
    [answer],
  )
  return (
    <div className={join(frame.tools, css.axes)} role="toolbar" aria-label="Metric and inputs" {...oneStop}>
      <Pick
        role="metric"
        name="Metric"
        value={state.metric}
        catalogue={catalogue}
        varying={undefined}
        fits={isNumeric}
        onPick={(metric) => change({ metric })}
      />
      <Pick
        role="ignore"
        name="Input that need not be equal"
        value=""
        canBeNone="none"
        catalogue={catalogue}
        varying={varying}
        fits={({ role, id }) => (role === 'input' || varying?.has(id) === true) && !state.vary.includes(id)}
        onPick={(id) => id && change({ vary: [...state.vary, id] })}
      />
      <Select
        label="Least effect that matters"
        value={String(state.effect)}
        onChange={(effect) => change({ effect: Number(effect) })}
        options={least
          .toSorted((a, b) => a - b)
          .map((effect) => [String(effect), `matters from ${Number((effect * 100).toPrecision(3))} %`])}
      />
      <IconButton
        icon={state.asTable ? 'picture' : 'table'}
        name={state.asTable ? 'Show as chart' : 'Show as table'}
        onPress={() => change({ asTable: !state.asTable })}
      />
    </div>
  )
}

interface BodyProps extends ToolsProps {
  answer: Shown['answer']
  round: number
  isOld: boolean
}

function Body({ state, change, catalogue, answer, round, isOld }: BodyProps) {
  const isNarrow = useMedia('(max-width: 640px)')
  const axis = useMemo(
    () =>
      axisOf(
        answer.effects.flatMap(({ contrasts: [one] }) => (one ? [{ ...one, plain: plainOf(one) }] : [])),
        isNarrow ? TICKS_NARROW : TICKS,
      ),
    [answer, isNarrow],
  )
  const opened = effectWith(answer, state.input)
  const open = (effect: ImpactEffect | undefined, replace = false) => {
    const input = effect?.inputs[0]?.field ?? null
    change({ input: !replace && effect === opened ? null : input, change: null }, { replace })
  }
  const step = (by: number) => {
    const all = answer.effects
    const at = opened ? all.indexOf(opened) + by : by > 0 ? 0 : all.length - 1
    open(all[Math.min(all.length - 1, Math.max(0, at))], true)
  }
  useKeys({ j: () => answer.effects.length > 0 && step(1), k: () => answer.effects.length > 0 && step(-1) })
  if (answer.count === 0) return <NoRun {...{ answer, state, change, catalogue }} />
  const metric = catalogue.get(answer.metric.field)
  return (
    <>
      <GuardLine
        {...{ answer, state, change, catalogue }}
        mixedWord="Not matched"
        first={[answer.ignored.length > 0 && `Need not be equal: ${inputNames(answer.ignored, catalogue)}`]}
        last={[
          answer.unmeasured > 0 && `${count(answer.unmeasured)} without a metric above 0`,
          answer.incomplete.length > 0 &&
            `not computed in time: ${answer.incomplete.map((part) => (part === 'effects' ? `effects of ${count(answer.omitted_count)} ${answer.omitted_count === 1 ? 'input' : 'inputs'}` : 'importances')).join(', ')}`,
        ]}
        acts={answer.ignored.length > 0 && <Act onPress={() => change({ vary: [] })}>Match all inputs</Act>}
      />
      <section className={join(page.block, isOld && frame.isOld)} aria-label="Chart" aria-busy={isOld || undefined}>
        <div className={page.blockHead}>
          <h2>
            Effects on {longName(metric)} {arrow(metric)}
          </h2>
        </div>
        {answer.effects.length === 0 ? (
          <p className={css.sentence}>
            No effect can be measured: no two runs differ in a single input.{' '}
            {answer.rest.length === 0
              ? 'All runs have the same inputs. Vary one of them with a sweep:'
              : 'The inputs below vary, but never alone. To measure one, run a sweep that varies it and keeps the others:'}{' '}
            <code>profllm sweep run FILE --upload {window.location.origin}</code>
          </p>
        ) : (
          <>
            <p className={frame.legend}>
              <span>filled: differs from no effect (circle: better or higher, square: worse or lower)</span>
              <span>hollow circle: none or unclear</span>
              <span>line: 95 % CI</span>
              <span>hollow diamond: plain group means</span>
            </p>
            {state.asTable ? (
              <EffectTable {...{ answer, catalogue, opened }} onOpen={open} />
            ) : (
              <Whiskers {...{ answer, axis, catalogue, opened }} onOpen={open} />
            )}
            {answer.explained_share !== null && <Explanation answer={answer} />}
          </>
        )}
      </section>
      {opened && <Pairs {...{ answer, state, change, catalogue, round }} effect={opened} />}
      <section className={page.block} aria-label="Interactions">
        <div className={page.blockHead}>
          <h2>Interactions</h2>
          <p>of the strongest effects: whether one depends on the value of another input</p>
        </div>
        <Interactions {...{ answer, catalogue }} />
      </section>
      <section className={page.block} aria-label="Not identifiable">
        <div className={page.blockHead}>
          <h2>Not identifiable</h2>
          <p>inputs that vary, but never alone</p>
        </div>
        <Rest {...{ answer, catalogue }} />
        <Constant {...{ answer, catalogue }} />
      </section>
      <MissingPanel request={missingOf(state)} catalogue={catalogue} />
    </>
  )
}

// No run: what is missing, and what to do.
const NoRun = ({ answer, state, change, catalogue }: ToolsProps & { answer: Answer }) => (
  <Nothing
    total={answer.total}
    needs="An effect needs results that differ in one input."
    isFiltered={treeOf(state.choices, state.where) !== undefined}
    onClear={() => change({ choices: {}, where: undefined })}
  >
    <p>
      {answer.unmeasured > 0
        ? `No result has a value above 0 of ${longName(catalogue.get(state.metric))}.`
        : 'The filter removes all experiments.'}
    </p>
  </Nothing>
)

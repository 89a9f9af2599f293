// Impact: the effect of each input on a metric, in pairs of runs that are equal in all other inputs. The address is the
// state.
import { useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'

import { ApiError, causeOf } from '../api/client'
import { useEffects } from '../api/impact'
import { useFields, useHealth } from '../api/queries'
import type { Impact as Answer, ImpactEffect } from '../api/types'
import { Pick } from '../chart/pick'
import { Catalogue, longName } from '../fields/catalogue'
import { FilterLine } from '../filter/filter-line'
import { treeOf } from '../filter/model'
import { arrow, count, isNumeric } from '../format/number'
import { useKeys } from '../keys/use-keys'
import { Act, Bone, ButtonLink, IconButton, join, Note, Progress, Select } from '../ui/controls'
import { Copy } from '../ui/copy'
import { type ExportKinds, ExportMenu } from '../ui/export-menu'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { useMedia } from '../ui/use-media'
import { Waiting } from '../ui/waiting'
import { exploreOfImpact, type ImpactState } from '../url/impact'
import { paths } from '../url/paths'
import { usePlace } from '../url/use-place'
import { type ImpactChange, useImpactState } from '../url/use-impact'
import { csvOf, jsonOf, type Shown } from './files'
import { GuardLine } from './guard-line'
import css from './impact.module.css'
import { axisOf, effectWith, plainOf, requestOf } from './model'
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
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  const health = useHealth()
  const [round, setRound] = useState(0)
  const request = useMemo(() => requestOf(state), [state])
  const effects = useEffects(request, round)
  // the last effects remain if an update fails
  const last = useRef(effects.data)
  if (effects.data) last.current = effects.data
  const answer = effects.data ?? last.current
  usePlace({ content: 'impact', isReady: answer !== undefined })
  useKeys({ t: () => change({ asTable: !state.asTable }) })
  const error = effects.error ?? fields.error ?? view.error
  const hasNewer = answer && (health.data?.data_version ?? 0) > answer.data_version
  return (
    <main id="main" className={css.body}>
      <Progress on={effects.isFetching && !error} />
      <div className={page.head}>
        <div>
          <h1>Impact</h1>
          {answer && (
            <p className={page.facts}>
              <span>
                <span className="n">{count(answer.count)}</span> of <span className="n">{count(answer.total)}</span>{' '}
                experiments
              </span>
              <span>
                <span className="n">{count(answer.effects.length)}</span>{' '}
                {answer.effects.length === 1 ? 'effect' : 'effects'}
              </span>
              <span>
                <span className="n">{count(answer.rest.length)}</span> not identifiable
              </span>
              {hasNewer && <Act onPress={() => setRound(round + 1)}>Show newer results</Act>}
            </p>
          )}
          {catalogue && <FilterLine {...{ state, change, catalogue }} explore={exploreOfImpact(state)} />}
        </div>
      </div>
      {error && (
        <div className={page.notice}>
          <Note kind="bad" role="alert">
            <b>{answer ? 'Could not update the effects.' : 'Could not load the effects.'}</b> {causeOf(error)}{' '}
            <Act
              onPress={() => {
                if (effects.error) void effects.refetch()
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
      <Waiting queries={[effects]} />
      {!answer && !error && (
        <>
          <p className={page.lead} role="status">
            Loading the effects…
          </p>
          <div className={css.bones}>
            <Bone width={480} />
            <Bone width={320} />
            <Bone width={400} />
          </div>
        </>
      )}
      {catalogue && (answer || error) && <ImpactTools {...{ state, change, catalogue }} answer={answer} />}
      {answer && catalogue && (
        <Body {...{ state, change, catalogue, answer, round }} isOld={effects.isPlaceholderData} />
      )}
    </main>
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
    <div className={css.tools} role="toolbar" aria-label="Metric and inputs" {...oneStop}>
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
      <Copy text={() => window.location.href}>Copy link</Copy>
      {answer && (
        <ExportMenu
          label="Export the effects"
          file="profllm-impact"
          kinds={KINDS}
          shown={() => ({ answer, link: window.location.href })}
        />
      )}
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
  if (answer.count === 0) return <Nothing {...{ answer, state, change, catalogue }} />
  const metric = catalogue.get(answer.metric.field)
  return (
    <>
      <GuardLine {...{ answer, state, change, catalogue }} />
      <section className={join(page.block, isOld && css.isOld)} aria-label="Chart" aria-busy={isOld || undefined}>
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
            <p className={css.legend}>
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
    </>
  )
}

// No run: what is missing, and what to do.
function Nothing({ answer, state, change, catalogue }: ToolsProps & { answer: Answer }) {
  const isFiltered = treeOf(state.choices, state.where) !== undefined
  if (answer.total === 0)
    return (
      <div className={css.empty}>
        <p>No results yet. An effect needs results that differ in one input.</p>
        <code>profllm sweep run FILE --upload {window.location.origin}</code>
        <p>
          <Link className="inline" href={paths.upload()}>
            Upload earlier results
          </Link>
        </p>
      </div>
    )
  return (
    <div className={css.empty}>
      <p>
        {answer.unmeasured > 0
          ? `No result has a value above 0 of ${longName(catalogue.get(state.metric))}.`
          : 'The filter removes all experiments.'}
      </p>
      {isFiltered && (
        <p>
          <Act onPress={() => change({ choices: {}, where: undefined })}>Clear filter</Act>
        </p>
      )}
      {!isFiltered && (
        <ButtonLink look="line" href={paths.explore()}>
          Explore experiments
        </ButtonLink>
      )}
    </div>
  )
}

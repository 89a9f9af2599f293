// The chart on Explore: its controls, the drawing or its table, the reading of one point, and the cautions. Its state
// is in the address.
import { memo, type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'

import { causeOf } from '../api/client'
import { pointsOptions, usePoints, usePointsAhead } from '../api/queries'
import type { Filter, Row } from '../api/types'
import { unknownFieldOf } from '../api/unknown-field'
import type { Catalogue } from '../fields/catalogue'
import { type ChartAnswer, film } from '../film/film'
import { type Choices, treeOf } from '../filter/model'
import { isNumeric } from '../format/number'
import { Act, Acts, Bone, Button, IconButton, join, Note, Progress, Segment } from '../ui/controls'
import { oneStop } from '../ui/one-stop'
import { UnknownFieldActs, UnknownFieldWords } from '../ui/unknown-field'
import { AXES_MAX, AXES_MIN, CHART_KINDS, type ChartKind, type ChartState } from '../url/chart'
import { AxisPager, useAxesPage } from './axis-pager'
import { isLogScale } from './axes'
import { brushed, canBrushOn } from './brush'
import { captionOf } from './caption'
import css from './chart.module.css'
import { useColours } from './colours'
import { DataTable } from './data-table'
import { Files } from './files-menu'
import { FrontierNames, hasFrontierNames } from './frontier-names'
import { Guard } from './guard'
import { useAnswer, useHeld } from './held'
import type { Box } from './hits'
import {
  type Chart,
  chartOf,
  drawnOf,
  isOverRuns,
  type Item,
  linesOf,
  nameOf,
  OVER_RUNS,
  ownNameOf,
  unitOf,
} from './items'
import { Legend } from './legend'
import { useLinked } from './linked'
import { isList, KINDS, type KindRow } from './kind-rows'
import { axesOf, type Axes, canBeLogIn, chartWords, drawnKind, filmRequestOf, needsVarying, requestOf } from './model'
import { filmedOf } from './film'
import { Nothing } from './nothing'
import { drawingOf } from './option'
import { Options } from './options'
import { partOf } from './parallel'
import { Pick } from './pick'
import { Plot } from './plot'
import { AmongRows, type NamedAmong, usePointName } from './point-name'
import { Reading } from './reading'
import { sloAxes, type Slo, sloOf, usualSlo, withSlo } from './slo'
import { IdleSlo, SloBar } from './slo-bar'
import { SloLine } from './slo-line'
import { BaselineMarks, ScatterBaselines, useScatterBaselines } from './baselines'

interface Asked {
  state: ChartState
  tree: Filter | undefined
  selected: number[]
  catalogue: Catalogue
  varying: ReadonlySet<string> | undefined
  round: number
}

interface PanelProps extends Asked {
  choices: Choices
  where: Filter | undefined // the conditions of the tree that are not choices
  rows: RefObject<readonly Row[]> // of the table, for the names of points
  onChart: (chart: ChartState) => void
  onChoose: (choices: Choices) => void // of a region; the request has been sent
  onField: (id: string, to: string | null) => void // instead of a field that does not exist
}

function useRequest({ state, tree, selected, catalogue, varying }: Asked) {
  const canAsk = varying !== undefined || !needsVarying(state)
  const own = needsVarying(state) ? varying : undefined
  return useMemo(
    () => (canAsk ? requestOf(state, own, catalogue, tree, selected) : null),
    [canAsk, state, own, catalogue, tree, selected],
  )
}

// A new filter redraws nothing before its answer arrives, so that the page has time for the checkbox or the region that
// the user is changing.
export function ChartPanel(props: PanelProps) {
  const { state, where, choices, selected, catalogue, varying, round, onChart, onChoose } = props
  const request = useRequest(props)
  const asked = usePoints(request, round)
  const { refetch } = asked
  const { data, isAway } = useAnswer(asked)
  const axes = useMemo(() => axesOf(state, varying, data), [state, varying, data])
  const again = useCallback(() => void refetch(), [refetch])
  // the controls show the user's choice immediately, the drawing shows the answer
  const chart = useMemo(
    () => (data ? chartOf({ ...state, kind: drawnKind(state.kind, data) }, data, catalogue) : null),
    [data, state, catalogue],
  )
  const isWaiting = asked.isFetching && (!data || asked.isPlaceholderData)
  const tree = useHeld(props.tree, isWaiting)
  const now = useRef({} as Now)
  now.current = { state, varying, where, choices, selected, round, catalogue, chart, tree }
  const set = useCallback((part: Partial<ChartState>) => onChart({ ...state, ...part }), [onChart, state])
  const ahead = usePointsAhead()
  const askOf = useCallback((next: Choices) => {
    const { state: of, varying: on, catalogue: fields, where: also, selected: ids } = now.current
    return requestOf(of, needsVarying(of) ? on : undefined, fields, treeOf(next, also), ids)
  }, [])
  const choose = useCallback(
    (next: Choices) => {
      ahead(askOf(next), now.current.round)
      onChoose(next)
    },
    [ahead, askOf, onChoose],
  )
  const canFilm = chart !== null && !state.asTable
  useEffect(() => {
    if (!canFilm) return
    film.setPoints((next) => {
      const { state: of, chart: drawn, catalogue: fields } = now.current
      return pointsOptions(
        drawn ? filmRequestOf(askOf(next), of, drawn.answer, fields) : askOf(next),
        now.current.round,
      ) as never
    })
    return () => film.setPoints(null)
  }, [canFilm, askOf])
  const brush = useCallback(
    (box: Box) => {
      if (now.current.chart) choose(brushed(now.current.chart, now.current.choices, box))
    },
    [choose],
  )
  // its controls have their places before the answer arrives
  const scaleOf = (axis: 'x' | 'y') => (chart ? isLogScale(chart, axis) : canBeLogIn(state.kind, axis) ? false : null)
  const among = useMemo<NamedAmong>(
    () => ({ rows: props.rows, catalogue, tree, round }),
    [props.rows, catalogue, tree, round],
  )
  return (
    <section
      className={join(css.chart, isWaiting && css.waiting, isAway && css.old)}
      aria-label="Chart"
      aria-busy={isWaiting}
    >
      <div className={css.tools}>
        <Kinds kind={state.kind} set={set} />
        <Picks
          state={state}
          axes={axes}
          catalogue={catalogue}
          varying={varying}
          scaleX={scaleOf('x')}
          scaleY={scaleOf('y')}
          isLoading={!chart}
          set={set}
        />
        <span className={css.end} role="toolbar" aria-label="Chart tools" {...oneStop}>
          <Files of={now} isDisabled={!chart} />
          <TableButton asTable={state.asTable} set={set} />
          <Options
            state={state}
            chart={chart}
            choices={choices}
            catalogue={catalogue}
            onChange={set}
            onChoose={choose}
          />
          <HideButton set={set} />
        </span>
      </div>
      <Progress on={isWaiting} />
      {asked.error && !(isAway && data) && (
        <Failed error={asked.error} onRetry={() => void asked.refetch()} onField={props.onField} />
      )}
      {!chart && (!asked.error || isAway) && (
        <div className={css.bones}>
          <Bone width={210} />
          <Bone width={320} />
          <span className={css.axes} />
        </div>
      )}
      {chart && (
        <AmongRows value={among}>
          <Shown
            tree={tree}
            chart={chart}
            catalogue={catalogue}
            selected={selected}
            round={round}
            set={set}
            onBrush={brush}
          />
        </AmongRows>
      )}
      {chart && <Guard chart={chart} catalogue={catalogue} round={round} set={set} onAgain={again} />}
    </section>
  )
}

// The current state of the panel, for event handlers, which need no redraw when it changes.
interface Now
  extends Pick<PanelProps, 'state' | 'varying' | 'where' | 'choices' | 'selected' | 'round' | 'catalogue' | 'tree'> {
  chart: Chart | null
}

type Set = (part: Partial<ChartState>) => void

const Kinds = memo(function Kinds({ kind: chosen, set }: { kind: ChartKind; set: Set }) {
  return (
    <span className={css.kinds}>
      <Segment
        label="Kind of chart"
        value={chosen}
        onChange={(kind) => set({ kind: kind as ChartKind, point: null })}
        options={CHART_KINDS.map((kind) => [
          kind,
          <span key={kind} title={KINDS[kind].words}>
            <KindIcon {...KINDS[kind].icon} />
            <span className="sr">{KINDS[kind].words}</span>
          </span>,
        ])}
      />
    </span>
  )
})

function KindIcon({ lines, dots, solid }: KindRow['icon']) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      <path d={lines} />
      {dots && <path d={dots} strokeWidth="2" />}
      {solid && <path d={solid} fill="currentColor" stroke="none" />}
    </svg>
  )
}

const TableButton = memo(function TableButton({ asTable, set }: { asTable: boolean; set: Set }) {
  return (
    <IconButton
      icon="table"
      name={asTable ? 'Show the drawing' : 'Show as a table'}
      aria-pressed={asTable}
      onPress={() => set({ asTable: !asTable })}
    />
  )
})

const HideButton = memo(function HideButton({ set }: { set: Set }) {
  return <IconButton icon="up" name="Hide the chart" onPress={() => set({ isOpen: false })} />
})

interface PicksProps extends Pick<PanelProps, 'state' | 'catalogue' | 'varying'> {
  axes: Axes
  scaleX: boolean | null // logarithmic; null: no scale to choose
  scaleY: boolean | null
  isLoading: boolean
  set: Set
}

const Picks = memo(function Picks({ state, axes, catalogue, varying, scaleX, scaleY, isLoading, set }: PicksProps) {
  const own = { catalogue, varying }
  const { roles, codes, fits = {} } = KINDS[state.kind]
  if (isList(state.kind)) return <ListPicks {...own} axes={axes} set={set} />
  const axis = (role: 'x' | 'y') =>
    roles.includes(role) && (
      <Pick
        {...own}
        role={role}
        name={`Axis ${role}`}
        value={axes[role]}
        {...(fits[role] && { fits: fits[role] })}
        onPick={(id) => set(role === 'x' ? { x: id, logX: null } : { y: id, logY: null })}
      />
    )
  return (
    <span className={join(css.picks, 'fades')} role="toolbar" aria-label="Axes and colors" {...oneStop}>
      {axis('y')}
      {scaleY !== null && <ScaleButton axis="y" isLog={scaleY} isDisabled={isLoading} set={set} />}
      {axis('x')}
      {scaleX !== null && <ScaleButton axis="x" isLog={scaleX} isDisabled={isLoading} set={set} />}
      {roles.includes('value') && (
        <Pick
          {...own}
          role="value"
          name="Cell value"
          value={axes.value}
          {...(fits.value && { fits: fits.value })}
          onPick={(value) => set({ value })}
        />
      )}
      {codes.includes('color') && (
        <Pick
          {...own}
          role="color"
          name="Color"
          value={axes.color}
          canBeNone="none"
          onPick={(color) => set({ color })}
        />
      )}
      {codes.includes('shape') && (
        <Pick
          {...own}
          role="shape"
          name="Shape"
          value={state.shape}
          canBeNone="same as color"
          onPick={(shape) => set({ shape })}
        />
      )}
      {codes.includes('size') && (
        <Pick
          {...own}
          role="size"
          name="Size"
          value={state.size}
          canBeNone="none"
          fits={isNumeric}
          onPick={(size) => set({ size })}
        />
      )}
    </span>
  )
})

function ScaleButton({
  axis,
  isLog,
  isDisabled,
  set,
}: {
  axis: 'x' | 'y'
  isLog: boolean
  isDisabled: boolean
  set: Set
}) {
  return (
    <Button
      look="low"
      isDisabled={isDisabled}
      aria-pressed={isLog}
      aria-label={`log scale of ${axis}`}
      onPress={() => set(axis === 'x' ? { logX: !isLog } : { logY: !isLog })}
    >
      <span className={css.scaleWord}>log</span>
    </Button>
  )
}

// One control per axis, left to right, and one more to add an axis.
function ListPicks({
  axes: { axes, color },
  set,
  ...own
}: {
  axes: Axes
  catalogue: Catalogue
  varying: ReadonlySet<string> | undefined
  set: Set
}) {
  return (
    <span className={join(css.picks, 'fades')} role="toolbar" aria-label="Axes and colors" {...oneStop}>
      {axes.map((id, at) => (
        <Pick
          key={at}
          {...own}
          role={String(at + 1)}
          name={`Axis ${at + 1}`}
          value={id}
          {...(axes.length > AXES_MIN && { canBeNone: 'no axis' })}
          onPick={(next) => set({ axes: next === '' ? axes.toSpliced(at, 1) : axes.with(at, next) })}
        />
      ))}
      {axes.length < AXES_MAX && (
        <Pick
          {...own}
          role="add"
          name="Add an axis"
          value=""
          canBeNone="axis"
          onPick={(next) => {
            if (next) set({ axes: [...axes, next] })
          }}
        />
      )}
      <Pick {...own} role="color" name="Color" value={color} canBeNone="none" onPick={(next) => set({ color: next })} />
    </span>
  )
}

function Failed({ error, onRetry, onField }: { error: Error; onRetry: () => void; onField: PanelProps['onField'] }) {
  const unknown = unknownFieldOf(error)
  // the note above the table is about the same field
  if (unknown && unknown.use !== 'draws' && unknown.use !== 'uses') return null
  if (unknown)
    return (
      <div className={css.failed}>
        <Note kind="bad" role="alert">
          <UnknownFieldWords unknown={unknown} />{' '}
          <Acts>
            <UnknownFieldActs unknown={unknown} onField={onField} />
          </Acts>
        </Note>
      </div>
    )
  return (
    <div className={css.failed}>
      <Note kind="bad" role="alert">
        <b>Could not load the chart.</b> {causeOf(error)} <Act onPress={onRetry}>Retry</Act>
      </Note>
    </div>
  )
}

type ShownProps = Pick<PanelProps, 'catalogue' | 'selected' | 'round' | 'tree'> & {
  chart: Chart
  set: Set
  onBrush: (box: Box) => void
}

const WIDE_STEP = 20 // widths within it have the same layout of names

let lastWide = 0 // restores the height for Back, before anything is measured

// How wide an element is, from before it is painted on.
function useRoughWidth(element: RefObject<HTMLElement | null>) {
  const [wide, setWide] = useState(lastWide)
  useLayoutEffect(() => {
    const watched = element.current
    if (!watched) return
    const read = () => {
      lastWide = Math.max(1, Math.floor(watched.clientWidth / WIDE_STEP)) * WIDE_STEP
      setWide(lastWide)
    }
    read()
    const watch = new ResizeObserver(read)
    watch.observe(watched)
    return () => watch.disconnect()
  }, [element])
  return wide
}

const Shown = memo(function Shown({ tree, chart, catalogue, selected, round, set, onBrush }: ShownProps) {
  const { state, answer, items } = chart
  const colours = useColours()
  const fig = useRef<HTMLDivElement>(null)
  const wide = useRoughWidth(fig)
  const { page, setFrom } = useAxesPage(chart, wide)
  const { from, end } = page
  const drawing = useMemo(() => drawingOf(partOf(chart, from, end), colours, wide), [chart, from, end, colours, wide])
  const filmed = useCallback(
    (next: ChartAnswer) =>
      filmedOf(
        partOf(chartOf({ ...state, kind: drawnKind(state.kind, next) }, next, catalogue), from, end),
        colours,
        wide,
      ),
    [state, catalogue, from, end, colours, wide],
  )
  const [hovered, setHovered] = useState<number | null>(null)
  // the address contains experiments only
  const [group, setGroup] = useState<{ answer: unknown; target: number } | null>(null)
  // of a line the place where it begins
  const byId = useMemo(
    () =>
      new Map(
        drawing.targets
          .map(({ item }, target): [number | null | undefined, number] => [items[item]?.id, target])
          .reverse(),
      ),
    [drawing, items],
  )
  const pinned = state.point !== null ? (byId.get(state.point) ?? null) : group?.answer === answer ? group.target : null
  const itemOf = (target: number | null) =>
    target === null ? null : (items[drawing.targets[target]?.item ?? -1] ?? null)
  const linked = useLinked(itemOf(hovered)?.id ?? null)
  const ringed = useMemo(
    () => [...selected, ...(linked === null ? [] : [linked])].flatMap((id) => byId.get(id) ?? []),
    [selected, linked, byId],
  )
  const label = chartWords(state, answer, catalogue, drawnOf(chart))
  const pin = (target: number | null) => {
    const item = itemOf(target)
    setGroup(item && item.id === null && target !== null ? { answer, target } : null)
    if (state.point !== (item?.id ?? null)) set({ point: item?.id ?? null })
  }
  const canBrush = canBrushOn(chart)
  const [moved, setMoved] = useState<Slo | null>(null) // the line while it is dragged
  const slo = moved ?? sloOf(chart)
  const [limitable] = sloAxes(chart)
  const changeSlo = (axis: Slo['axis'], value: number) => {
    setMoved(null)
    set(withSlo(chart, axis, value))
  }
  const said = itemOf(hovered ?? pinned)
  const baselines = useScatterBaselines(chart, tree)
  const [outside, setOutside] = useState(0) // marks of baselines
  const isAlone = pinned === null && (state.asTable || items.length === 0) // nothing can be selected
  return (
    <>
      <div className={css.body} data-alone={isAlone || undefined}>
        <div ref={fig} className={css.fig}>
          {wide === 0 ? null : state.asTable ? (
            <DataTable chart={chart} label={label} />
          ) : (
            <>
              <Legend chart={chart} colours={colours} />
              {drawing.targets.length === 0 ? (
                <Nothing chart={chart} catalogue={catalogue} round={round} set={set} />
              ) : (
                <Plot
                  drawing={drawing}
                  filmed={filmed}
                  label={label}
                  hovered={hovered}
                  ringed={ringed}
                  pinned={pinned}
                  canBrush={canBrush}
                  over={
                    slo || hasFrontierNames(chart) || baselines.lines.length > 0
                      ? (scale) => (
                          <>
                            {baselines.lines.length > 0 && (
                              <BaselineMarks lines={baselines.lines} scale={scale} onOutside={setOutside} />
                            )}
                            {hasFrontierNames(chart) && <FrontierNames chart={chart} colours={colours} scale={scale} />}
                            {slo && (
                              <SloLine
                                chart={chart}
                                slo={slo}
                                scale={scale}
                                onMove={(value) => setMoved({ ...slo, value })}
                                onChange={(value) => changeSlo(slo.axis, value)}
                                onCancel={() => setMoved(null)}
                              />
                            )}
                          </>
                        )
                      : undefined
                  }
                  tip={(target) => <Tip chart={chart} target={itemOf(target)} />}
                  onHover={setHovered}
                  onPin={pin}
                  onBrush={({ x, y }) => onBrush(answer.lines ? { x: [x[0] + from, x[1] + from], y } : { x, y })}
                />
              )}
              <div className={css.xtitle}>
                <span className={css.what}>
                  {captionOf(chart) && <span>{capital(captionOf(chart))}</span>}
                  {limitable && !slo && drawing.targets.length > 0 && (
                    <span title="Service level objective: a limit on this axis that results must meet">
                      <Act onPress={() => changeSlo(limitable, usualSlo(chart, limitable))}>Set an SLO</Act>
                    </span>
                  )}
                </span>
                <AxisPager page={page} onFrom={setFrom} />
                {!answer.lines && (
                  <span>
                    {chart.x.name} <span className="dim">{unitOf(chart.x)}</span> <span aria-hidden="true">→</span>
                  </span>
                )}
              </div>
            </>
          )}
        </div>
        {!isAlone && (
          <Reading chart={chart} item={itemOf(pinned)} catalogue={catalogue} round={round} onClose={() => pin(null)} />
        )}
      </div>
      {slo && !state.asTable && (
        <SloBar
          chart={chart}
          catalogue={catalogue}
          round={round}
          slo={slo}
          isMoving={moved !== null}
          onChange={(value) => changeSlo(slo.axis, value)}
          onRemove={() => set({ slo: null })}
        />
      )}
      {!slo && state.slo && !state.asTable && (
        <IdleSlo
          slo={state.slo}
          catalogue={catalogue}
          isScatter={state.kind === 'scatter'}
          onRemove={() => set({ slo: null })}
        />
      )}
      {state.kind === 'scatter' && !state.asTable && (
        <ScatterBaselines
          chosen={state.baselines}
          {...baselines}
          outsideCount={outside}
          onChange={(next) => set({ baselines: next })}
        />
      )}
      <Said chart={chart} item={said} />
    </>
  )
})

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function useItemName(chart: Chart, item: Item | null) {
  const name = usePointName(item?.id ?? null, item ? ownNameOf(chart, item) : null)
  return item && item.id === null ? { short: nameOf(chart, item), full: nameOf(chart, item), own: '' } : name
}

// The announcement of the point under the pointer or the cursor.
function Said({ chart, item }: { chart: Chart; item: Item | null }) {
  const name = useItemName(chart, item)
  return (
    <p className="sr" role="status" aria-label="Chart reading">
      {item
        ? `${name.short}: ${linesOf(chart, item)
            .map(([what, value]) => `${what} ${value}`)
            .join(', ')}`
        : ''}
    </p>
  )
}

function Tip({ chart, target }: { chart: Chart; target: Item | null }) {
  const name = useItemName(chart, target)
  if (!target) return null
  return (
    <>
      <b>
        <bdi>{name.short}</bdi>
      </b>
      {name.own && (
        <p className={css.by}>
          <bdi>{name.own}</bdi>
        </p>
      )}
      <dl>
        {linesOf(chart, target).map(([what, value]) => (
          <div key={what} style={{ display: 'contents' }}>
            <dt>{what}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isOverRuns(chart) && <p className={css.by}>{OVER_RUNS}</p>}
    </>
  )
}

// Explore: filters on the left, matching experiments on the right. Both have their state in the address.
import { useQueryClient } from '@tanstack/react-query'
import {
  memo,
  type ReactNode,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'

import { useLocation, useSearch } from 'wouter'

import { get, isSilence } from '../api/client'
import { unknownFieldOf } from '../api/unknown-field'
import { experimentPath } from '../api/experiment-paths'
import {
  applyOptions,
  useApply,
  useFields,
  useHealth,
  usePointsAhead,
  usePresets,
  useVarying,
  useView,
} from '../api/queries'
import type { PageRequest, Filter, Row, Sort } from '../api/types'
import { CARD_COLUMNS, Catalogue, DEFAULT_COLUMNS, PARAMETER_COLUMNS } from '../fields/catalogue'
import { film } from '../film/film'
import { fieldsWithChoice, treeOf } from '../filter/model'
import { useKeys } from '../keys/use-keys'
import { useHeldWhile } from '../ui/held'
import { useMedia } from '../ui/use-media'
import { usePreferences } from '../keys/store'
import { NAMING_FIELDS } from '../names/names'
import { Tray } from '../tray/tray'
import { slotsById, useTray } from '../tray/store'
import { undo } from '../url/entry'
import { DEFAULT_SORT, type ExploreState, readExplore, readView, writeSort } from '../url/explore'
import { withFieldReplaced } from '../url/field-in-state'
import { paths } from '../url/paths'
import { useExplore } from '../url/use-explore'
import { Button, join, Progress } from '../ui/controls'
import { Icon } from '../ui/icons'
import { lazyPart } from '../ui/lazy-part'
import { AnswerLine } from './answer-line'
import { cardColumns, Cards } from './cards'
import { usualColumns } from './columns-model'
import css from './explore.module.css'
import { FilterDrawer } from './filter-drawer'
import { FilterPanel, type PanelHandle } from './filter-panel'
import { Grid, type GridHandle } from './grid'
import { VERDICT } from './grid-columns'
import { markdownOf, rowOf } from './markdown'
import { PresetBar } from './preset-bar'
import { stateOf } from './preset-state'
import { Beyond, ChartBones, Empty, ErrorNote, FirstRun, Outline, Waiting } from './states'
import { StatusLine } from './status-line'
import { TableTools } from './table-tools'

const MissingDialog = lazyPart(() => import('./missing-dialog').then((module) => module.MissingDialog))
const ExportDialog = lazyPart(() => import('./export-dialog').then((module) => module.ExportDialog))
const chartPanel = () => import('../chart/panel')
const chartModel = () => import('../chart/model')
const ChartPanel = memo(lazyPart(() => chartPanel().then((module) => module.ChartPanel)))
// The script of the chart is large: it arrives while the first answers are on their way. The panel reports what fails.
export function startChart() {
  chartModel().catch(() => {})
  chartPanel().catch(() => {})
}
const TreeEditor = lazyPart(() => import('./tree-editor').then((module) => module.TreeEditor))

const PAGE_ROWS = 200 // of cards
const TABLE_ROWS = 100 // that come at a time: a screen has some thirty
const ROW_LEAST_PX = 20
const CHIPS_LATEST_MS = 150
const NO_SORT: Sort[] = []
const ALWAYS = ['run.name', 'run.status', ...NAMING_FIELDS] // names of the rows, and which runs failed

// Applies the default preset if the page opens without a query. Only once, because "All experiments" has no query
// either.
let hasBegun = false
function useBeginning() {
  const isBare = !hasBegun && window.location.search === ''
  const presets = usePresets()
  const [, navigate] = useLocation()
  const first = isBare ? presets.data?.find((preset) => preset.is_default) : undefined
  const isWaiting = isBare && presets.isPending
  useEffect(() => {
    if (isWaiting) return
    hasBegun = true
    if (first) navigate(paths.explore(stateOf(first)), { replace: true })
  }, [isWaiting, first, navigate])
  return isWaiting || first !== undefined
}

export function Explore() {
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  const search = useSearch()
  const view = useView(readView(search))
  const isBeginning = useBeginning()
  if (catalogue && !isBeginning && !view.isLoading && !view.error) return <Screen catalogue={catalogue} />
  const failed = fields.error ? fields : view
  if (!failed.error) return <Outline hasChart={readExplore(search).chart.isOpen} />
  return (
    <main id="main" className={css.main}>
      <h1 className="sr">Explore</h1>
      <ErrorNote
        error={failed.error}
        what={fields.error ? 'Could not load the fields.' : 'Could not load this link.'}
        onRetry={() => void failed.refetch()}
      />
    </main>
  )
}

function useScreen(catalogue: Catalogue, isPhone: boolean) {
  const [state, change] = useExplore()
  const [round, setRound] = useState(0)
  const tree = useMemo(() => treeOf(state.choices, state.where), [state.choices, state.where])
  const chosen = useMemo(
    () => state.columns ?? (isPhone ? CARD_COLUMNS : DEFAULT_COLUMNS).filter((id) => catalogue.byId.has(id)),
    [state.columns, catalogue, isPhone],
  )
  // rows without the sort key that the server refused, instead of none
  const [refusal, setRefusal] = useState<{ id: string; error: Error } | null>(null)
  const isRefused = refusal !== null && state.sort.some(({ field }) => field === refusal.id)
  const sort = useMemo(() => {
    const left = isRefused ? state.sort.filter(({ field }) => field !== refusal.id) : state.sort
    return left.length > 0 ? left : DEFAULT_SORT
  }, [state.sort, isRefused, refusal])
  const requestOf = useCallback(
    (filter: Filter | undefined, page: number): PageRequest => {
      const cells = isPhone ? cardColumns(catalogue, chosen, state.sort) : chosen
      const asked: PageRequest = {
        sort,
        columns: [...new Set([...ALWAYS.filter((id) => catalogue.byId.has(id)), ...cells])],
        limit: isPhone ? PAGE_ROWS : TABLE_ROWS,
        offset: isPhone ? page * PAGE_ROWS : 0,
      }
      return filter ? { ...asked, filter } : asked
    },
    [catalogue, chosen, isPhone, state.sort, sort],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page matters on a phone alone
  const request = useMemo(() => requestOf(tree, state.page), [requestOf, tree, isPhone && state.page])
  const looked = useRef(new Map<string, string[]>())
  const facetsOf = useCallback(() => [...looked.current.values()].flat(), [])
  const answer = useApply(request, round, facetsOf)
  useEffect(() => {
    const unknown = unknownFieldOf(answer.error)
    if (unknown?.use === 'sorts by' && answer.error) setRefusal({ id: unknown.id, error: answer.error })
  }, [answer.error])
  const refused = isRefused ? refusal.error : null
  const isAwaited = answer.isFetching && (!answer.data || answer.isPlaceholderData)
  // the last answer remains on the screen, even if the server refuses the next request
  const last = useRef(answer.data)
  if (answer.data) last.current = answer.data
  // rendered in steps, after the chart: both answers arrive at about the same time, and the table takes longer
  const shown = useDeferredValue(last.current)
  const isWaiting = isAwaited || shown !== last.current
  const options = useVarying(tree, round, !isWaiting || !answer.data)
  // after an error, the last counts remain, like the last rows
  const lastOptions = useRef(options.data)
  if (options.data) lastOptions.current = options.data
  const data = options.data ?? lastOptions.current
  const { isPlaceholderData } = options
  const told = useDeferredValue(useMemo(() => ({ data, isOld: isPlaceholderData }), [data, isPlaceholderData]))
  const varying = useMemo(() => told.data && new Set(Object.keys(told.data.options)), [told.data])
  const choosable = useMemo(() => told.data && fieldsWithChoice(told.data.options), [told.data])
  // the order of the address is in view; one that is chosen at a head moves no column
  const [leading] = useState(() =>
    writeSort(state.sort) === writeSort(DEFAULT_SORT) ? [] : state.sort.map(({ field }) => field),
  )
  const columns = useMemo(() => {
    const isMetric = (id: string) => id !== VERDICT && catalogue.get(id).role === 'output'
    const usual =
      state.columns || isPhone || !shown
        ? chosen
        : usualColumns({
            columns: chosen,
            rows: shown.rows,
            count: shown.count,
            sorted: state.sort.map(({ field }) => field),
            leading,
            varying: choosable,
            parameters: PARAMETER_COLUMNS,
            isMetric,
          })
    return state.onlyDiffering && varying ? usual.filter((id) => varying.has(id)) : usual
  }, [catalogue, chosen, varying, choosable, leading, state.onlyDiffering, state.columns, state.sort, isPhone, shown])
  // the fields that vary load after the rows: until then they belong to the previous filter, not to the visible rows
  const isStale = told.isOld && !isWaiting
  // where nothing matches, the panel shows the values of all results, so that another one can be chosen
  const isEmpty = shown?.count === 0 && tree !== undefined
  const all = useVarying(undefined, round, isEmpty)
  const facets = useMemo(
    () => (isEmpty && all.data ? all.data.options : { ...(isStale ? {} : told.data?.options), ...shown?.facets }),
    [told.data, isStale, shown?.facets, isEmpty, all.data],
  )
  // a frame of a film needs the rows that fit the window, the least that the server has to send and the page to read
  useFilmed(state, isWaiting, (filter) =>
    applyOptions({ ...requestOf(filter, 0), limit: Math.ceil(window.innerHeight / ROW_LEAST_PX) }, round, facetsOf),
  )
  const choices = useMemo(
    () => (isEmpty && all.data ? fieldsWithChoice(all.data.options) : choosable),
    [isEmpty, all.data, choosable],
  )
  return {
    state,
    change,
    round,
    setRound,
    tree,
    options,
    varying,
    choosable: choices,
    facets,
    panelTree: isEmpty ? undefined : tree,
    looked,
    chosen,
    columns,
    answer,
    refused,
    isAwaited,
    isWaiting,
    shown,
  }
}

// The first chart's question does not wait for the chart's script.
function useFirstPoints(of: {
  state: ExploreState
  tree: Filter | undefined
  catalogue: Catalogue
  selected: number[]
  round: number
}) {
  const ahead = usePointsAhead()
  const first = useRef(of)
  useEffect(() => {
    const {
      state: { chart },
      tree,
      catalogue,
      selected,
      round,
    } = first.current
    if (chart.isOpen)
      void chartModel().then(({ needsVarying, requestOf }) => {
        if (!needsVarying(chart)) ahead(requestOf(chart, undefined, catalogue, tree, selected), round)
      })
  }, [ahead])
}

// Opens the film for this screen, and ends it once the page shows the released state.
function useFilmed(
  state: ExploreState,
  isWaiting: boolean,
  rows: (filter: Filter | undefined) => ReturnType<typeof applyOptions>,
) {
  const client = useQueryClient()
  const latest = useRef({ state, rows })
  latest.current = { state, rows }
  useEffect(
    () =>
      film.open({
        client,
        choices: () => latest.current.state.choices,
        rows: (choices) => latest.current.rows(treeOf(choices, latest.current.state.where)) as never,
      }),
    [client],
  )
  useLayoutEffect(() => {
    if (!isWaiting) film.settle()
  })
}

function Screen({ catalogue }: { catalogue: Catalogue }) {
  const isNarrow = useMedia('(max-width: 1023px)')
  const isPhone = useMedia('(max-width: 640px)')
  const isLow = useMedia('(max-height: 600px)')
  const {
    state,
    change,
    round,
    setRound,
    tree,
    options,
    varying,
    choosable,
    facets,
    panelTree,
    looked,
    chosen,
    columns,
    answer,
    refused,
    isAwaited,
    isWaiting,
    shown,
  } = useScreen(catalogue, isPhone)
  const health = useHealth()
  const panel = useRef<PanelHandle>(null)
  const [drawer, setDrawer] = useState(false)
  const named = useRef<readonly Row[]>([])
  named.current = shown?.rows ?? []
  const [picker, setPicker] = useState(false)
  const [isTree, setTree] = useState(false)
  const [isExport, setExport] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const inTray = useTray((tray) => tray.pinned)
  const slots = useMemo(() => slotsById(inTray), [inTray])
  // a thinned chart also draws these marks, with a ring
  const marked = useMemo(() => [...new Set([...state.selected, ...slots.keys()])], [state.selected, slots])
  useFirstPoints({ state, tree, catalogue, selected: marked, round })
  const openTree = useCallback(() => {
    setDrawer(false)
    setTree(true)
  }, [])
  const openDrawer = useCallback(() => setDrawer(true), [])
  const toggleTree = useCallback(() => setTree((is) => !is), [])
  const openMissing = useCallback(() => setMissing(true), [])
  const openExport = useCallback(() => setExport(true), [])
  const askNewer = useCallback(() => setRound((last) => last + 1), [setRound])
  useKeys({
    f: () => (isNarrow ? setDrawer(true) : panel.current?.focus()),
    c: () => setPicker(!picker),
    '[': undo,
    ']': () => history.forward(),
    e: () => {
      if (shown?.count) setExport(true)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is in the address
  useEffect(() => usePreferences.getState().set({ lastExplore: `/${window.location.search}` }), [state])

  const { data_version: version, total = 0 } = health.data ?? {}
  const newer = shown && version !== undefined && version > shown.data_version ? total - shown.total : null
  // an empty page has nothing that could move under the pointer, so the first results appear immediately
  const isFirst = shown?.total === 0 && (newer ?? 0) > 0
  useEffect(() => {
    if (isFirst) askNewer()
  }, [isFirst, askNewer])

  const page = (shown?.request.offset ?? 0) / PAGE_ROWS
  const asked = answer.error ?? refused ?? options.error
  const grid = useRef<GridHandle>(null)
  const pinned = useMemo(
    () => columns.filter((id) => chosen.indexOf(id) < state.pinned).length,
    [columns, chosen, state.pinned],
  )
  const now = useRef(state)
  now.current = state
  const copy = useCallback(async () => {
    const ids = now.current.selected
    const rows =
      ids.length === 0
        ? (grid.current?.onScreen() ?? [])
        : await Promise.all(ids.map(async (id) => grid.current?.known(id) ?? rowOf(await get(experimentPath(id)))))
    await navigator.clipboard.writeText(markdownOf(catalogue, columns, rows))
    return rows.length
  }, [catalogue, columns])
  const { choices, where, onlyVarying, sort, selected, onlyDiffering } = state
  // chips and tabs follow the pressed control: with the response if that comes soon, as one render costs less than two
  const late = useDeferredValue(
    useHeldWhile(
      isAwaited,
      useMemo(() => ({ state, tree, isWaiting }), [state, tree, isWaiting]),
      CHIPS_LATEST_MS,
    ),
  )
  const onChart = useCallback((chart: ExploreState['chart']) => change({ chart }), [change])
  const onField = useCallback(
    (id: string, to: string | null) => change(withFieldReplaced(now.current, id, to), { replace: true }),
    [change],
  )
  const onChoose = useCallback((chosen: ExploreState['choices']) => change({ choices: chosen }), [change])
  const filtered = useMemo(() => ({ choices, where, onlyVarying }), [choices, where, onlyVarying])
  const arranged = useMemo(
    () => ({ sort, selected, onlyDiffering, columns: state.columns, pinned: state.pinned }),
    [sort, selected, onlyDiffering, state.columns, state.pinned],
  )
  const status = useMemo(
    () =>
      shown && (
        <StatusLine
          isPaged={isPhone}
          answer={shown}
          page={page}
          pageRows={PAGE_ROWS}
          change={change}
          newer={newer ?? null}
          nowVersion={version}
          onNewer={askNewer}
        />
      ),
    [isPhone, shown, page, change, newer, version, askNewer],
  )
  const filters = (
    <FilterPanel
      ref={panel}
      catalogue={catalogue}
      state={filtered}
      change={change}
      varying={choosable}
      facets={facets}
      isSettled={!isWaiting && !options.isFetching}
      isFailed={options.isError}
      looked={looked}
      tree={panelTree}
      round={round}
      onTree={openTree}
    />
  )
  return (
    <div className={css.explore}>
      <div className={css.presets}>
        <PresetBar state={late.state} />
      </div>
      {!isNarrow && filters}
      {isNarrow && (
        <FilterDrawer isOpen={drawer} onClose={() => setDrawer(false)} onTree={openTree} matching={shown?.count}>
          {filters}
        </FilterDrawer>
      )}
      <main id="main" className={css.main}>
        <h1 className="sr">Explore experiments</h1>
        <Progress on={isWaiting} />
        <AnswerLine
          {...late}
          now={now}
          catalogue={catalogue}
          change={change}
          shown={shown}
          facets={facets}
          round={round}
          isTree={isTree}
          onFilters={openDrawer}
          onTree={toggleTree}
          onMissing={openMissing}
          onExport={openExport}
        />
        {isTree && (
          <Suspense fallback={null}>
            <TreeEditor
              catalogue={catalogue}
              tree={tree}
              error={answer.error}
              round={round}
              change={change}
              onClose={() => setTree(false)}
            />
          </Suspense>
        )}
        {asked && !(shown && isSilence(asked)) && (
          <ErrorNote
            error={asked}
            what={shown ? 'Could not update the table.' : 'Could not load the table.'}
            onRetry={() => void (answer.error ? answer.refetch() : options.refetch())}
            onField={onField}
          />
        )}
        {!shown && !asked && <Waiting hasChart={state.chart.isOpen} />}
        {shown && shown.total === 0 && <FirstRun />}
        {shown && shown.total > 0 && shown.count === 0 && (
          <Empty catalogue={catalogue} state={state} change={change} round={round} />
        )}
        {shown && shown.count > 0 && (
          <ChartPlace isOpen={state.chart.isOpen} onOpen={() => change({ chart: { ...state.chart, isOpen: true } })}>
            <ChartPanel
              state={state.chart}
              tree={tree}
              choices={choices}
              where={where}
              varying={varying}
              round={round}
              selected={marked}
              rows={named}
              catalogue={catalogue}
              onChart={onChart}
              onChoose={onChoose}
              onField={onField}
            />
          </ChartPlace>
        )}
        {shown && shown.count > 0 && (
          <section
            className={join(css.wrap, isSilence(answer.error) && css.old)}
            aria-label="Experiments"
            aria-busy={isWaiting}
          >
            <TableTools
              status={isPhone ? null : status}
              isLow={isLow}
              catalogue={catalogue}
              state={arranged}
              sort={shown.request.sort ?? NO_SORT}
              change={change}
              chosen={chosen}
              columns={columns}
              varying={varying}
              picker={picker}
              setPicker={setPicker}
              onCopy={copy}
              isPhone={isPhone}
            />
            {shown.rows.length === 0 ? (
              <Beyond count={shown.count} page={page} pageRows={PAGE_ROWS} change={change} />
            ) : isPhone ? (
              <Cards catalogue={catalogue} answer={shown} columns={columns} isWaiting={isWaiting} slots={slots} />
            ) : (
              <Grid
                ref={grid}
                catalogue={catalogue}
                answer={shown}
                columns={columns}
                pinned={pinned}
                sort={sort}
                selected={selected}
                slots={slots}
                round={round}
                change={change}
                isWaiting={isWaiting}
              />
            )}
            {isPhone && status}
          </section>
        )}
        <Tray catalogue={catalogue} />
      </main>
      <Suspense fallback={null}>
        {isMissing && <MissingDialog tree={tree} catalogue={catalogue} onClose={() => setMissing(false)} />}
        {isExport && (
          <ExportDialog
            tree={tree}
            sort={state.sort}
            columns={columns}
            rows={shown?.count ?? 0}
            onClose={() => setExport(false)}
          />
        )}
      </Suspense>
    </div>
  )
}

// Keeps the place of the chart while its script loads.
function ChartPlace({ isOpen, onOpen, children }: { isOpen: boolean; onOpen: () => void; children: ReactNode }) {
  if (!isOpen)
    return (
      <div className={css.chartClosed}>
        <Button onPress={onOpen}>
          <Icon name="lower" />
          Show the chart
        </Button>
      </div>
    )
  return <Suspense fallback={<ChartBones />}>{children}</Suspense>
}

// One sweep: its progress, its map and curves, and the runs without a good result.
import { useCallback, useEffect, useMemo, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'

import { ApiError, causeOf } from '../api/client'
import { useFields } from '../api/queries'
import { useSweep, useSweepHead } from '../api/sweeps'
import type { Sweep as Told } from '../api/types'
import { Catalogue, shortName } from '../fields/catalogue'
import { arrow, count, formFor, isNumeric, showNumber } from '../format/number'
import { time } from '../format/time'
import { Act, ButtonLink, join, Note, Progress, Select } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import page from '../ui/page.module.css'
import { Simulated } from '../ui/verdict'
import { paths } from '../url/paths'
import { readSweep, type SweepState } from '../url/sweep'
import { usePlace } from '../url/use-place'
import { distinctNames } from '../names/names'
import { Curves, limitText } from './curves'
import { bestOf, beyondOf, curvesOf } from './curves-model'
import { Legend } from './legend'
import { SweepMap } from './map'
import {
  axesOf,
  type Cell,
  cellsOf,
  countRuns,
  facetsOf,
  inputsOf,
  isSilent,
  paceOf,
  runsNow,
  scaleOf,
  shortKey,
  startOf,
} from './model'
import { Pace } from './pace'
import { Reading } from './reading'
import { Rest, type Wanted } from './rest'
import css from './sweeps.module.css'

// The metrics offered for the map. The address can name any other field.
const METRICS = [
  'results.output_throughput',
  'results.request_throughput',
  'results.total_token_throughput',
  'results.request_goodput',
  'derived.output_throughput_per_gpu',
  'derived.tokens_per_s_per_user',
  'results.median_ttft_ms',
  'results.p99_ttft_ms',
  'results.median_tpot_ms',
  'results.p99_tpot_ms',
  'results.median_itl_ms',
  'results.median_e2el_ms',
  'results.p99_e2el_ms',
  'results.energy_per_token_j',
  'launch.phases.ready_s',
  'launch.facts.kv_cache_tokens',
  'run.duration',
]

// Axes of the curves, each with its usual limit.
const CURVE_X: [id: string, limit: number][] = [
  ['results.p99_ttft_ms', 500],
  ['results.median_ttft_ms', 500],
  ['results.p99_tpot_ms', 50],
  ['results.median_tpot_ms', 50],
  ['derived.tokens_per_s_per_user', 20],
]
const CURVE_Y = ['derived.output_throughput_per_gpu', 'results.output_throughput']

function limitOf({ limit, cx }: SweepState) {
  if (limit === 'none') return null
  const number = Number(limit)
  return limit !== '' && number > 0 ? number : (CURVE_X.find(([id]) => id === cx)?.[1] ?? null)
}

export function Sweep({ id }: { id: string }) {
  const state = readSweep(useSearch())
  const sweep = useSweep(id, state.metric, [state.cx, ...CURVE_Y])
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  if (sweep.data && catalogue)
    return <Screen sweep={sweep.data} state={state} catalogue={catalogue} error={sweep.error} />
  const error = sweep.error ?? fields.error
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <Progress on={!error} />
      <h1>
        Sweep <span className="n">{id}</span>
      </h1>
      {error && (
        <>
          {error instanceof ApiError && error.status === 404 ? (
            <p className={page.lead} role="alert">
              No sweep has this ID.
            </p>
          ) : (
            <div className={page.notice}>
              <Note kind="bad" role="alert">
                <b>Could not load this sweep.</b> {causeOf(error)}{' '}
                <Act
                  onPress={() => {
                    void sweep.refetch()
                    void fields.refetch()
                  }}
                >
                  Retry
                </Act>
              </Note>
            </div>
          )}
          <ButtonLink href={paths.sweeps()} look="line">
            Show all sweeps
          </ButtonLink>
        </>
      )}
    </main>
  )
}

function Head({ sweep, name, models }: { sweep: Told; name: string; models: string[] }) {
  const began = startOf(sweep.id) ?? sweep.created_at
  const known = sweep.runs.filter((run) => run.simulated !== null).length
  const simulated = sweep.runs.filter((run) => run.simulated).length
  return (
    <>
      <p className={page.crumbs}>
        <Link href={paths.sweeps()}>Sweeps</Link> <span>/</span> <span className="n clip">{sweep.id}</span>
      </p>
      <div className={page.head}>
        <div>
          <h1>
            <bdi>{name}</bdi>
          </h1>
          <p className={page.facts}>
            {simulated > 0 && (
              <span className={css.marked}>
                {simulated < known && (
                  <span>
                    <span className="n">{count(simulated)}</span> of <span className="n">{count(known)}</span> results{' '}
                    {simulated === 1 ? 'is' : 'are'}
                  </span>
                )}
                <Simulated />
              </span>
            )}
            {began !== null && (
              <span>
                started <span className="n">{time(began)}</span> UTC
              </span>
            )}
            {models.map((model) => (
              <span key={model}>
                <bdi>{model}</bdi>
              </span>
            ))}
            {sweep.file !== null && (
              <span>
                <code>{sweep.file}</code>
              </span>
            )}
            {sweep.servers_started !== null && (
              <span>
                <span className="n">{count(sweep.servers_started)}</span>{' '}
                {sweep.servers_started === 1 ? 'server' : 'servers'} started
              </span>
            )}
          </p>
        </div>
        <div className={page.end}>
          <ButtonLink look="line" href={paths.sweepResults(sweep.id)}>
            Explore experiments
          </ButtonLink>
        </div>
      </div>
    </>
  )
}

// The models of the experiment file, or those of the results.
const modelsOf = ({ experiment }: Told, ofResults: string[]) => {
  const model = (experiment?.['server'] as { model?: unknown } | undefined)?.model
  return typeof model === 'string' ? [model] : ofResults
}

function Screen({
  sweep,
  state,
  catalogue,
  error,
}: {
  sweep: Told & { metric: string }
  state: SweepState
  catalogue: Catalogue
  error: Error | null
}) {
  const [, navigate] = useLocation()
  const [shown, setShown] = useState<string | null>(null)
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const head = useSweepHead(sweep.id, !sweep.has_plan)
  const name = sweep.name ?? head?.name ?? `Sweep ${sweep.id}`
  useEffect(() => {
    document.title = `${name} · ProfLLM`
  }, [name])
  usePlace({ content: `sweep ${sweep.id}`, isReady: true })
  const isRunning = sweep.state === 'running' && !isSilent(paceOf(sweep.runs), sweep.changed_at, Date.now())
  const runs = useMemo(() => runsNow(sweep.runs, isRunning), [sweep.runs, isRunning])
  const cy = CURVE_Y.includes(state.cy)
    ? state.cy
    : (CURVE_Y.find((id) => runs.some(({ values }) => typeof values[id] === 'number')) ?? (CURVE_Y[1] as string))
  const metric = sweep.metric || cy
  const cells = useMemo(() => cellsOf(runs, metric), [runs, metric])
  const inputs = useMemo(() => inputsOf(cells), [cells])
  const keys = useMemo(() => inputs.map(({ key }) => key), [inputs])
  const axes = useMemo(() => axesOf(inputs, state.x, state.y), [inputs, state.x, state.y])
  const facets = useMemo(() => facetsOf(cells, inputs, axes), [cells, inputs, axes])
  const counts = useMemo(() => countRuns(runs), [runs])
  const scale = useMemo(() => scaleOf(cells), [cells])
  const field = catalogue.get(metric)
  const form = useMemo(
    () =>
      formFor(
        field,
        cells.map(({ value }) => value),
      ),
    [field, cells],
  )
  const curves = useMemo(() => curvesOf(cells, inputs, state.cx, cy), [cells, inputs, state.cx, cy])
  const names = useMemo(
    () =>
      distinctNames(
        curves.lines.map(({ id, values }) => ({ id, name, values })),
        catalogue,
      ),
    [curves, name, catalogue],
  )
  const limit = limitOf(state)
  const isLower = catalogue.get(state.cx).direction !== 'higher'
  const best = bestOf(curves.lines, limit, isLower)?.cell.id
  const beyond = useMemo(() => beyondOf(curves.lines, limit, isLower), [curves, limit, isLower])
  const cellsShow = cy === metric ? '' : `; the cells show ${shortName(field)}`
  const limitWords = limit === null ? '' : limitText(catalogue.get(state.cx), limit)
  const isMixed = new Set(sweep.runs.map(({ simulated }) => simulated).filter((known) => known !== null)).size > 1
  const onRead = useCallback((cell: Cell) => setShown(cell.id), [])
  const onTrouble = useCallback((run: string) => setWanted({ run }), [])
  const change = (part: Partial<SweepState>) =>
    navigate(paths.sweep(sweep.id, { ...state, ...part }), { replace: true })
  const options = keys.map((key): [string, string] => [key, shortKey(key, keys)])
  const metrics = [...new Set([...METRICS.filter((id) => isNumeric(catalogue.get(id))), metric])].map(
    (id): [string, string] => [id, shortName(catalogue.get(id))],
  )
  const toRun = [
    counts.failed > 0 && `${count(counts.failed)} failed`,
    counts.missing > 0 && `${count(counts.missing)} missing`,
  ]
    .filter(Boolean)
    .join(' and ')
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <Head sweep={sweep} name={name} models={modelsOf(sweep, head?.models ?? [])} />
      {error && (
        <Note kind="warn" role="alert">
          <b>Could not update the sweep.</b> {causeOf(error)}
        </Note>
      )}
      <Pace sweep={sweep} counts={counts} isRunning={isRunning} />
      {!sweep.has_plan && (
        <div className={css.plan}>
          <Note>
            The plan of this sweep was not uploaded, so the map shows only runs with results. To upload the plan, run{' '}
            <code>profllm upload DIR --to {window.location.origin}</code>, where DIR is the directory of the sweep.
          </Note>
        </div>
      )}
      <div className={join(page.block, css.pair)}>
        <section aria-label="Map">
          <div className={css.tools}>
            <label>
              Color <Select label="Color" value={metric} onChange={(to) => change({ metric: to })} options={metrics} />
            </label>
            {axes.x && (
              <label>
                Columns{' '}
                <Select
                  label="Columns"
                  value={axes.x.key}
                  onChange={(x) => change({ x, ...(x === axes.y?.key && { y: axes.x?.key ?? '' }) })}
                  options={options}
                />
              </label>
            )}
            {axes.y && (
              <label>
                Rows{' '}
                <Select
                  label="Rows"
                  value={axes.y.key}
                  onChange={(y) => change({ y, ...(y === axes.x?.key && { x: axes.y?.key ?? '' }) })}
                  options={options}
                />
              </label>
            )}
            {sweep.has_plan && counts.failed + counts.missing > 0 && (
              <a
                className={join(controls.button, controls.line, css.file)}
                href={paths.sweepFile(sweep.id, isRunning ? 'failed' : 'failed,missing')}
                download
                title={'To run the file: profllm sweep run -o DIR FILE\nIt has only the combinations of these runs.'}
              >
                <Icon name="download" /> Download experiment file to {counts.missing === 0 ? 'retry' : 'run'} the{' '}
                {toRun} {counts.failed + counts.missing === 1 ? 'run' : 'runs'}
              </a>
            )}
          </div>
          <Legend
            name={`${shortName(field)} ${arrow(field)}`.trim()}
            unit={form.unit}
            low={scale && showNumber(scale.low, form)}
            high={scale && showNumber(scale.high, form)}
            isLog={scale?.isLog ?? false}
            cells={cells}
            isMixed={isMixed}
            beyond={beyond.size > 0 ? limitWords : null}
            best={best === undefined ? null : `best ${shortName(catalogue.get(cy))} with ${limitWords}${cellsShow}`}
          />
          <div className={css.body}>
            <SweepMap
              facets={facets}
              x={axes.x}
              y={axes.y}
              keys={keys}
              scale={scale}
              form={form}
              isMixed={isMixed}
              best={best}
              beyond={beyond}
              slotOf={curves.lines.length > 1 ? curves.slotOf : undefined}
              onRead={onRead}
              onTrouble={onTrouble}
            />
          </div>
        </section>
        <div className={css.beside}>
          <Curves
            model={curves}
            names={names}
            shown={shown}
            onRead={onRead}
            limit={limit}
            onLimit={(to) => change({ limit: to === null ? 'none' : String(to) })}
            x={{
              field: catalogue.get(state.cx),
              options: CURVE_X.map(([id]) => [id, shortName(catalogue.get(id))]),
              onChange: (cx) => change({ cx, limit: '' }),
            }}
            y={{
              field: catalogue.get(cy),
              options: CURVE_Y.map((id) => [id, shortName(catalogue.get(id))]),
              onChange: (to) => change({ cy: to }),
            }}
          />
          <Reading
            cell={cells.find(({ id }) => id === shown)}
            metric={metric}
            name={shortName(field)}
            form={form}
            keys={keys}
          />
        </div>
      </div>
      <Rest runs={runs} wanted={wanted} />
      {counts.removed > 0 && (
        <p className={join('dim', 'small', css.removed)}>
          {count(counts.removed)} runs that were removed from the experiment file are not on the map.
        </p>
      )}
    </main>
  )
}

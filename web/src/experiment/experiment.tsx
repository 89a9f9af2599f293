// One experiment: its verdict, metrics, parameters, artifacts and document.
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'

import { ApiError, causeOf } from '../api/client'
import { useArtifacts, useChange, useExperiment, useFields, useRestore } from '../api/queries'
import type { Experiment as Result } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { count } from '../format/number'
import { span, time } from '../format/time'
import { usePreferences } from '../keys/store'
import { Act, Bone, Button, ButtonLink, join, Note, Progress } from '../ui/controls'
import { Needs } from '../ui/needs'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { Simulated } from '../ui/verdict'
import { Pin } from '../tray/pin'
import { paths } from '../url/paths'
import { usePlace } from '../url/use-place'
import { Breakdown, hasBreakdown } from './breakdown'
import { Checks } from './checks'
import { Commands } from './commands'
import { Document } from './document'
import css from './experiment.module.css'
import { AllFields } from './all-fields'
import { Artifacts } from './artifacts'
import { type Called, Log } from './log'
import { logSource } from './log-lines'
import { Figures, Metrics } from './metrics'
import { checksOf, entriesOf, familiesOf, figuresOf, isDefault, isSet, textOf } from './model'
import { hasNotes, Notes } from './notes'
import notes from './notes.module.css'
import { Parameters } from './parameters'
import { Requests, useHasRequests } from './requests'
import { Ruling } from './ruling'
import { Timeline } from './timeline'
import { hasTraces, Traces } from './traces'

export function Experiment({ id }: { id: string }) {
  const experiment = useExperiment(id)
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  if (experiment.data && catalogue) return <Screen experiment={experiment.data} catalogue={catalogue} shown={id} />
  const error = experiment.error ?? fields.error
  if (experiment.error instanceof ApiError && experiment.error.status === 410) return <Gone id={id} />
  if (!error) {
    return (
      <div className={page.doc}>
        <div className={css.toc}>
          {[64, 84, 56, 96].map((width) => (
            <Bone key={width} width={width} />
          ))}
        </div>
        <main id="main" className={page.read}>
          <Progress on />
          <h1>
            Experiment <span className="n">{id}</span>
          </h1>
          <div className={css.waiting} role="status" aria-label="Loading the experiment">
            {[320, 520, 440, 480].map((width) => (
              <Bone key={width} width={width} />
            ))}
          </div>
        </main>
      </div>
    )
  }
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <h1>
        Experiment <span className="n">{id}</span>
      </h1>
      {error instanceof ApiError && error.status === 404 ? (
        <p className={page.lead} role="alert">
          No experiment has this number or run ID.
        </p>
      ) : (
        <div className={page.notice}>
          <Note kind="bad" role="alert">
            <b>Could not load this experiment.</b> {causeOf(error)}{' '}
            <Act
              onPress={() => {
                void experiment.refetch()
                void fields.refetch()
              }}
            >
              Retry
            </Act>
          </Note>
        </div>
      )}
      <ButtonLink href={paths.explore()} look="line">
        Explore experiments
      </ButtonLink>
    </main>
  )
}

function Gone({ id }: { id: string }) {
  const restore = useRestore(id)
  const author = usePreferences((kept) => kept.author)
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <h1>
        Experiment <span className="n">{id}</span>
      </h1>
      <p className={page.lead}>This experiment was deleted. You can restore it until the store is pruned.</p>
      {restore.error && (
        <Note kind="bad" role="alert">
          <b>Could not restore the experiment.</b> {causeOf(restore.error)}
        </Note>
      )}
      <p className={page.lead}>
        <Needs role="admin">
          <Button look="line" {...(restore.isPending && { isDisabled: true })} onPress={() => restore.mutate(author)}>
            Restore
          </Button>
        </Needs>{' '}
        <ButtonLink href={paths.explore()}>Explore experiments</ButtonLink>
      </p>
    </main>
  )
}

export function titleOf(experiment: Result) {
  const name = textOf(experiment, 'run.name')
  return typeof name === 'string' && name.trim()
    ? name
    : (experiment.run_id ?? experiment.name ?? `Result ${experiment.id}`)
}

function Facts({ experiment }: { experiment: Result }) {
  const text = (id: string) => textOf(experiment, id)
  const gpus = text('derived.gpu_count')
  const duration = text('run.duration')
  const started = text('run.timestamp')
  const sweep = experiment.tags['sweep'] === undefined ? undefined : String(experiment.tags['sweep'])
  const model = text('server.model') ?? text('benchmark.model') ?? null
  const engine = text('environment.engine.name') === null ? null : String(text('environment.engine.name'))
  const version = String(text('environment.engine.version') ?? '')
  return (
    <p className={page.facts}>
      {experiment.simulated && <Simulated />}
      {text('run.status') !== null && <span>{String(text('run.status')).replaceAll('_', ' ')}</span>}
      {model !== null && (
        <span>
          <bdi>{String(model)}</bdi>
        </span>
      )}
      {text('system.hardware_info.gpu_name') !== null && (
        <span>
          {typeof gpus === 'number' && (
            <>
              <span className="n">{gpus}</span>×{' '}
            </>
          )}
          <bdi>{String(text('system.hardware_info.gpu_name'))}</bdi>
        </span>
      )}
      {engine !== null && (
        <span>
          {version.startsWith(engine) ? '' : `${engine === 'vllm' ? 'vLLM' : engine} `}
          <span className="n">{version}</span>
        </span>
      )}
      {typeof started === 'string' && <span className="n">{time(started, true)} UTC</span>}
      {sweep !== undefined && (
        <span>
          sweep{' '}
          <Link href={paths.sweep(sweep)}>
            <bdi>{String(experiment.tags['sweep_name'] ?? sweep)}</bdi>
          </Link>
        </span>
      )}
      {typeof duration === 'number' && (
        <span>
          took <span className="n">{span(duration)}</span>
        </span>
      )}
    </p>
  )
}

function Screen({ experiment, catalogue, shown }: { experiment: Result; catalogue: Catalogue; shown: string }) {
  const { remove } = useChange(experiment, shown)
  const restore = useRestore(shown)
  const author = usePreferences((kept) => kept.author)
  // notes come before the metrics
  const isNoted = hasNotes(experiment)
  const [isGone, setGone] = useState(false)
  const entries = useMemo(() => entriesOf(catalogue, experiment), [catalogue, experiment])
  const checks = useMemo(() => checksOf(experiment), [experiment])
  const metrics = useMemo(
    () => ({ families: familiesOf(experiment, entries), figures: figuresOf(entries) }),
    [experiment, entries],
  )
  const artifacts = useArtifacts(experiment.id)
  const hasArtifacts = !artifacts.data || artifacts.data.artifacts.length + (artifacts.data.missing?.length ?? 0) > 0
  const stored = artifacts.data?.artifacts.some(({ kind }) => kind === 'series') ?? false
  const lost = artifacts.data?.missing?.find(({ kind }) => kind === 'series')?.name ?? null
  const hasTimeline = stored || lost !== null
  const requests = useHasRequests(experiment)
  const source = logSource(experiment, artifacts.data)
  const [called, setCalled] = useState<Called | null>(null)
  const log = source && (
    <Log
      key={experiment.id}
      experiment={experiment}
      source={source}
      called={called?.id === experiment.id ? called : null}
    />
  )
  const isFailure = textOf(experiment, 'error.message') !== null
  // derived fields alone are not a measurement
  const isMeasured = metrics.families.length > 0 || metrics.figures.some(({ field }) => field.id.startsWith('results.'))
  const set = entries.filter(isSet).length
  const parameters = <Parameters entries={entries} experiment={experiment} />
  const lastExplore = usePreferences((kept) => kept.lastExplore)
  const title = titleOf(experiment)
  useEffect(() => {
    document.title = `${title} · ProfLLM`
  }, [title])
  usePlace({ content: `experiment ${experiment.id}`, isReady: true })
  const places: [string, string, string][] = [
    ['verdict', isFailure ? 'Failure' : 'Verdict', ''],
    ...(log && isFailure ? [['log', 'Server log', ''] as [string, string, string]] : []),
    ['parameters', 'Parameters', set > 0 ? `${set} explicit` : count(entries.filter(isDefault).length)],
    ...(isMeasured ? [['metrics', 'Metrics', ''] as [string, string, string]] : []),
    ...(isMeasured && hasBreakdown(experiment)
      ? [['breakdown', 'Where the time went', ''] as [string, string, string]]
      : []),
    ...(hasTimeline ? [['timeline', 'Timeline', ''] as [string, string, string]] : []),
    ...(requests.has ? [['requests', 'Requests', ''] as [string, string, string]] : []),
    ...(checks.length ? [['checks', 'Quality checks', String(checks.length)] as [string, string, string]] : []),
    ...(log && !isFailure ? [['log', 'Server log', ''] as [string, string, string]] : []),
    ...(hasTraces(artifacts.data) ? [['traces', 'Traces', ''] as [string, string, string]] : []),
    ['commands', 'Commands', ''],
    ['fields', 'All fields', count(entries.length)],
    ['notes', 'Tags and notes', ''],
    ...(hasArtifacts ? [['artifacts', 'Artifacts', ''] as [string, string, string]] : []),
    ['document', 'Result file', ''],
  ]
  return (
    <div className={page.doc}>
      <nav className={join(css.toc, 'fades')} aria-label="On this page" {...oneStop}>
        {places.map(([id, name, note]) => (
          <a key={id} href={`#${id}`}>
            {name}
            <span className="n-11">{note}</span>
          </a>
        ))}
      </nav>
      <main id="main" className={page.read}>
        <p className={page.crumbs}>
          <Link href={lastExplore}>Explore</Link> <span>/</span>{' '}
          <span className="n clip">
            <bdi>{experiment.run_id ?? experiment.id}</bdi>
          </span>
        </p>
        <div className={page.head}>
          <div>
            <h1>
              <bdi>{title}</bdi>
            </h1>
            <Facts experiment={experiment} />
          </div>
          <div className={page.end}>
            {!isGone && <Pin side={{ ids: [experiment.id] }} name={title} look="line" />}
            {!isGone && (
              <a
                className={join(controls.button, controls.line)}
                href={paths.report(experiment.id)}
                title="Download a report: one HTML file that opens without this server"
                download
              >
                <Icon name="download" />
                Share
              </a>
            )}
            {!isGone && (
              <Needs role="admin">
                <Button
                  {...(remove.isPending && { isDisabled: true })}
                  onPress={() => remove.mutate(author, { onSuccess: () => setGone(true) })}
                >
                  Delete
                </Button>
              </Needs>
            )}
          </div>
        </div>
        {isGone && (
          <div className={notes.gone}>
            <Note kind="warn" role="status">
              <b>This experiment was deleted.</b> You can restore it until the store is pruned.{' '}
              <Needs role="admin">
                <Act
                  autoFocus
                  {...(restore.isPending && { isDisabled: true })}
                  onPress={() => restore.mutate(author, { onSuccess: () => setGone(false) })}
                >
                  Undo
                </Act>
              </Needs>
            </Note>
          </div>
        )}
        {(remove.error ?? restore.error) && (
          <div className={notes.gone}>
            <Note kind="bad" role="alert">
              <b>Could not {remove.error ? 'delete' : 'restore'} the experiment.</b>{' '}
              {causeOf((remove.error ?? restore.error) as Error)}
            </Note>
          </div>
        )}
        <div id="verdict" className={css.place}>
          <Ruling experiment={experiment} checks={checks} />
        </div>
        {isFailure && log}
        {isNoted && <Notes experiment={experiment} shown={shown} />}
        <Figures experiment={experiment} catalogue={catalogue} />
        {isMeasured ? (
          <div className={page.two}>
            {parameters}
            <Metrics {...metrics} experiment={experiment} />
          </div>
        ) : (
          parameters
        )}
        {isMeasured && <Breakdown experiment={experiment} />}
        {hasTimeline && <Timeline experiment={experiment} missing={stored ? null : lost} />}
        {requests.has && (
          <Requests
            experiment={experiment}
            missing={requests.missing}
            onLog={source?.kind === 'file' ? (line) => setCalled({ id: experiment.id, line }) : null}
          />
        )}
        <Checks checks={checks} />
        {!isFailure && log}
        {artifacts.data && hasTraces(artifacts.data) && <Traces id={experiment.id} files={artifacts.data} />}
        <Commands experiment={experiment} />
        <AllFields entries={entries} />
        {!isNoted && <Notes experiment={experiment} shown={shown} />}
        {hasArtifacts && <Artifacts id={experiment.id} />}
        <Document experiment={experiment} />
      </main>
    </div>
  )
}

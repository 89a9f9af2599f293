// The list of sweeps: those with an uploaded plan, and those with results only.
import { Link } from 'wouter'

import { causeOf } from '../api/client'
import { useSweeps } from '../api/sweeps'
import { count } from '../format/number'
import { time } from '../format/time'
import { Act, join, Note, Progress } from '../ui/controls'
import page from '../ui/page.module.css'
import { Simulated } from '../ui/verdict'
import { paths } from '../url/paths'
import { usePlace } from '../url/use-place'
import { type Listed, listOf } from './listed'
import { KindState } from './reading'
import css from './sweeps.module.css'

const briefModel = (model: string) => model.slice(model.lastIndexOf('/') + 1)
const briefGpu = (gpu: string) => gpu.replace(/^NVIDIA /, '')
const words = (all: string[], brief: (one: string) => string) =>
  all.length > 2 ? `${all.slice(0, 2).map(brief).join(', ')} and ${all.length - 2} more` : all.map(brief).join(', ')

function SweepRow({ sweep }: { sweep: Listed }) {
  return (
    <tr>
      <th scope="row" className="clip">
        <Link href={paths.sweep(sweep.id)} title={sweep.id}>
          <bdi>{sweep.name ?? sweep.id}</bdi>
        </Link>{' '}
        {sweep.simulated && <Simulated />}
      </th>
      <td className="n">{sweep.began === null ? '–' : time(sweep.began)}</td>
      <td className={page.num}>{sweep.runs === null ? '–' : count(sweep.runs)}</td>
      <td>
        <span className={css.kinds}>
          {(['done', 'running', 'failed', 'missing', 'skipped'] as const)
            .filter((kind) => sweep.counts[kind] > 0)
            .map((kind) => (
              <span key={kind}>
                <KindState kind={kind === 'missing' && sweep.word === 'running' ? 'queued' : kind} />{' '}
                <span className="n">{count(sweep.counts[kind])}</span>
              </span>
            ))}
        </span>
      </td>
      <td className="mid">{sweep.word || '–'}</td>
      <td className="clip" title={sweep.models.join(', ')}>
        {words(sweep.models, briefModel) || '–'}
      </td>
      <td className="clip" title={sweep.gpus.join(', ')}>
        {words(sweep.gpus, briefGpu) || '–'}
      </td>
    </tr>
  )
}

function Table({ sweeps }: { sweeps: Listed[] }) {
  return (
    <div
      className={page.scroll}
      tabIndex={0}
      role="region"
      aria-label="Sweeps table"
      aria-description="Scrolls sideways"
    >
      <table className={join(page.rows, css.list)}>
        <thead>
          <tr>
            <th scope="col">Sweep</th>
            <th scope="col">Start (UTC)</th>
            <th scope="col" className={page.num} title="Number of planned runs, without skipped combinations">
              Planned
            </th>
            <th scope="col">Runs</th>
            <th scope="col">Sweep state</th>
            <th scope="col">Model</th>
            <th scope="col">Hardware</th>
          </tr>
        </thead>
        <tbody>
          {sweeps.map((sweep) => (
            <SweepRow key={sweep.id} sweep={sweep} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function SweepList() {
  const heads = useSweeps()
  const { error } = heads
  const isThere = heads.data !== undefined
  const sweeps = listOf(heads.data ?? [])
  usePlace({ content: 'sweeps', isReady: isThere })
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <Progress on={!isThere && !error} />
      <h1>Sweeps</h1>
      <p className={page.facts}>A sweep runs every combination of the values in one experiment file.</p>
      {error && (
        <div className={page.block}>
          <Note kind="bad" role="alert">
            <b>Could not load the sweeps.</b> {causeOf(error)} <Act onPress={() => void heads.refetch()}>Retry</Act>
          </Note>
        </div>
      )}
      {isThere && sweeps.length === 0 && (
        <div className={page.block}>
          <div className={css.none}>
            <p>No sweeps yet. To run a sweep and watch it here:</p>
            <code>profllm sweep run -o DIR --upload {window.location.origin} FILE</code>
            <p>To add a finished sweep:</p>
            <code>profllm upload DIR --to {window.location.origin}</code>
            <p>
              Results of vLLM's own benchmarks are on{' '}
              <Link className="inline" href={paths.upload()}>
                Upload
              </Link>{' '}
              and Explore, each as an experiment.
            </p>
          </div>
        </div>
      )}
      {sweeps.length > 0 && (
        <section className={page.block} aria-label="All sweeps">
          <Table sweeps={sweeps} />
        </section>
      )}
    </main>
  )
}

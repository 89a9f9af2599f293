// The runs that report to this dashboard.
import { Link } from 'wouter'

import { causeOf } from '../api/client'
import { useLiveList, useLiveRuns } from '../api/live'
import type { LiveListed } from '../api/types'
import { count } from '../format/number'
import { time } from '../format/time'
import { Act, join, Note, Progress } from '../ui/controls'
import page from '../ui/page.module.css'
import { useMedia } from '../ui/use-media'
import { paths } from '../url/paths'
import { usePlace } from '../url/use-place'
import css from './live.module.css'
import { nameOf, shown } from './model'
import { addressOf, EVERY_MS, groupsOf, Lost, RunMeter, RunState, RunVerdict, useNow } from './parts'

export function LiveList() {
  const runs = useLiveRuns(EVERY_MS)
  const lost = useLiveList()
  const now = useNow()
  const isNarrow = useMedia('(max-width: 640px)')
  const { data, error } = runs
  usePlace({ content: 'live', isReady: data !== undefined })
  const groups = groupsOf(data ?? [])
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <Progress on={!data && !error} />
      <h1>Live</h1>
      <p className={page.facts}>Runs that report to this dashboard, and those that ended in the last hour.</p>
      {error && !data && (
        <div className={page.block}>
          <Note kind="bad" role="alert">
            <b>Could not load the live runs.</b> {causeOf(error)} <Act onPress={() => void runs.refetch()}>Retry</Act>
          </Note>
        </div>
      )}
      {lost && data && <Lost error={lost} />}
      {data?.length === 0 && (
        <div className={page.block}>
          <div className={css.none}>
            <p>No run reports to this dashboard. To watch one here:</p>
            <code>profllm run --config FILE --upload {window.location.origin}</code>
          </div>
        </div>
      )}
      {groups.map(({ title, runs: listed }) => (
        <section key={title} className={page.block} aria-label={title}>
          <div className={page.blockHead}>
            <h2>{title}</h2>
            <p>{count(listed.length)}</p>
          </div>
          {isNarrow ? (
            <ul className={css.cards}>
              {listed.map((run) => (
                <li key={run.run_id}>
                  <Card run={run} ageS={ageOf(run, now, runs.dataUpdatedAt)} />
                </li>
              ))}
            </ul>
          ) : (
            <Table title={title} runs={listed} now={now} receivedAt={runs.dataUpdatedAt} />
          )}
        </section>
      ))}
    </main>
  )
}

const ageOf = ({ age_s }: LiveListed, now: number, receivedAt: number) => age_s + Math.max(0, now - receivedAt) / 1000

function Card({ run, ageS, isCurrent = false }: { run: LiveListed; ageS: number; isCurrent?: boolean }) {
  return (
    <Link href={addressOf(run)} className={css.card} aria-current={isCurrent ? 'page' : undefined}>
      <b className="clip">
        <bdi>{nameOf(run)}</bdi>
      </b>
      <span>
        <RunVerdict run={run} />
      </span>
      <span>
        <RunState run={run} ageS={ageS} />
      </span>
      {run.state !== 'ended' && <RunMeter run={run} />}
    </Link>
  )
}

interface TableProps {
  title: string
  runs: LiveListed[]
  now: number
  receivedAt: number
}

function Table({ title, runs, now, receivedAt }: TableProps) {
  return (
    <div
      className={page.scroll}
      tabIndex={0}
      role="region"
      aria-label={`${title}, table`}
      aria-description="Scrolls sideways"
    >
      <table className={join(page.rows, css.list)}>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Progress</th>
            <th scope="col">Verdict</th>
            <th scope="col" className={page.num}>
              Output (tok/s)
            </th>
            <th scope="col">Model</th>
            <th scope="col">Start (UTC)</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.run_id}>
              <th scope="row" className="clip">
                <Link href={addressOf(run)} title={run.run_id}>
                  <bdi>{nameOf(run)}</bdi>
                </Link>
              </th>
              <td className="mid">
                <RunState run={run} ageS={ageOf(run, now, receivedAt)} />
              </td>
              <td>
                <RunMeter run={run} />
              </td>
              <td>
                <RunVerdict run={run} />
              </td>
              <td className={page.num}>{shown(run.output_tokens_per_s, 'tok/s').number}</td>
              <td className="clip" title={run.model ?? undefined}>
                <bdi>{run.model?.slice(run.model.lastIndexOf('/') + 1) ?? '–'}</bdi>
              </td>
              <td className="n">{time(run.started_utc)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

// The same list next to a run.
export function LiveSide({ shown: current }: { shown: string }) {
  const runs = useLiveRuns(EVERY_MS)
  const now = useNow()
  return (
    <aside className={css.side} aria-label="Live runs">
      {groupsOf(runs.data ?? []).map(({ title, runs: listed }) => (
        <section key={title} aria-label={title}>
          <h2>
            {title} <span className="n-11">{count(listed.length)}</span>
          </h2>
          <ul>
            {listed.map((run) => (
              <li key={run.run_id}>
                <Card run={run} ageS={ageOf(run, now, runs.dataUpdatedAt)} isCurrent={run.run_id === current} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {runs.data && (
        <p>
          <Link href={paths.live()}>All live runs</Link>
        </p>
      )}
    </aside>
  )
}

// The state of the server for administrators: database, queues, memory, tokens and the last errors.
import type { ReactNode } from 'react'

import { causeOf } from '../api/client'
import { useStatus } from '../api/status'
import type { ServerStatus } from '../api/types'
import { bytes, count } from '../format/number'
import { roughSpan, time } from '../format/time'
import { Act, join, Note, Progress } from '../ui/controls'
import page from '../ui/page.module.css'
import { useRefusal } from '../ui/user'
import css from './status.module.css'

type Fact = [name: string, value: ReactNode, note?: string]

const GB = 1e9
const space = (size: number) => (size >= GB ? `${(size / GB).toFixed(1)} GB` : bytes(size))

const REASONS: Record<ServerStatus['reasons'][number], string> = {
  stopping: 'The server is stopping.',
  database: 'The database does not respond or refuses queries.',
  lag: 'The results in memory are more than 10 s older than those in the database.',
  disk: 'A directory of the server has less than 64 MiB of free space.',
}

const QUEUES: Record<ServerStatus['queues'][number]['name'], string> = {
  long: 'Tables and charts',
  reads: 'Brief queries',
  writes: 'Changes',
  analyses: 'Analyses',
}

function Facts({ title, facts }: { title: string; facts: Fact[] }) {
  return (
    <section className={page.block} aria-label={title}>
      <div className={page.blockHead}>
        <h2>{title}</h2>
      </div>
      <table className={join(page.rows, css.facts)}>
        <tbody>
          {facts.map(([name, value, note]) => (
            <tr key={name}>
              <th scope="row" title={note}>
                {name}
              </th>
              <td className={page.val}>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Wide({ title, name, children }: { title: string; name: string; children: ReactNode }) {
  return (
    <section className={page.block} aria-label={title}>
      <div className={page.blockHead}>
        <h2>{title}</h2>
      </div>
      <div
        className={join(page.scroll, 'fades')}
        tabIndex={0}
        role="region"
        aria-label={name}
        aria-description="Scrolls sideways"
      >
        <table className={page.rows}>{children}</table>
      </div>
    </section>
  )
}

const database = ({ database: one }: ServerStatus): Fact[] => [
  ['Kind', one.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
  ['State', one.state === 'lost' ? <span className={css.bad}>lost</span> : 'available'],
  ...(one.message === null ? [] : ([['Message', one.message]] satisfies Fact[])),
  ['Last query', one.checked_seconds === null ? 'none yet' : `${roughSpan(one.checked_seconds)} ago`],
  ['Query time', `${(one.query_seconds * 1000).toFixed(1)} ms`],
  [
    'Database lag',
    one.behind_count === 0 ? 'none' : `${count(one.behind_count)} changes, ${roughSpan(one.behind_seconds)}`,
  ],
]

const data = ({ results, uploads, disks, live }: ServerStatus): Fact[] => [
  ['Results', count(results.live_count)],
  ['Deleted results', results.deleted_count === null ? '–' : count(results.deleted_count)],
  ['Data version', count(results.data_version)],
  [
    'Unfinished uploads',
    uploads.unfinished_count === 0
      ? '0'
      : `${count(uploads.unfinished_count)}, the oldest ${roughSpan(uploads.oldest_seconds)} old`,
  ],
  ['Live runs', count(live.run_count)],
  ...disks.map(
    (disk): Fact => [`Free space, ${disk.directory}`, `${space(disk.free_bytes)} of ${space(disk.size_bytes)}`],
  ),
]

const requests = ({ requests: one, live }: ServerStatus): Fact[] => [
  ['Requests', count(one.total_count), 'Since the server started'],
  ['In progress', count(one.in_flight_count)],
  ['Client errors', count(one.client_error_count), 'Statuses from 400 to 499'],
  ['Server errors', count(one.server_error_count), 'Statuses from 500, without 503'],
  ['Refused for now', count(one.unavailable_count), 'Status 503'],
  ['Clients that left', count(one.disconnected_count)],
  ['Connections', count(one.connection_count)],
  ['Streams', count(live.stream_count)],
]

const process = ({ process: one, results, queues, requests: asked }: ServerStatus): Fact[] => [
  ['Process', String(one.pid)],
  ['Start (UTC)', time(one.started_at)],
  ['Memory', space(one.resident_bytes)],
  ['Memory, results', space(results.memory_bytes)],
  ['Memory, cached responses', space(queues.reduce((sum, { cache }) => sum + (cache?.bytes ?? 0), 0))],
  ['Memory, uploads', space(asked.body_bytes)],
  ['CPU time', roughSpan(one.cpu_seconds)],
  ['Open files', `${count(one.file_count)}${one.file_limit === null ? '' : ` of ${count(one.file_limit)}`}`],
]

function Queues({ queues }: { queues: ServerStatus['queues'] }) {
  return (
    <Wide title="Queues" name="Queues table">
      <thead>
        <tr>
          <th scope="col">Queue</th>
          <th scope="col" className={page.num}>
            Waiting
          </th>
          <th scope="col" className={page.num}>
            Running
          </th>
          <th scope="col" className={page.num}>
            Oldest
          </th>
          <th scope="col" className={page.num} title="Requests refused because the queue was full">
            Refused
          </th>
          <th scope="col" className={page.num} title="Share of the requests that the cache answered">
            Cache hits
          </th>
        </tr>
      </thead>
      <tbody>
        {queues.map(({ name, cache, ...one }) => {
          const asked = cache ? cache.hit_count + cache.miss_count : 0
          return (
            <tr key={name}>
              <th scope="row">{QUEUES[name]}</th>
              <td className={page.num}>{count(one.waiting_count)}</td>
              <td className={page.num}>{count(one.running_count)}</td>
              <td className={page.num}>{one.waiting_count === 0 ? '–' : roughSpan(one.oldest_seconds)}</td>
              <td className={page.num}>{count(one.refused_count)}</td>
              <td className={page.num}>
                {cache && asked > 0 ? `${Math.round((100 * cache.hit_count) / asked)} %` : '–'}
              </td>
            </tr>
          )
        })}
      </tbody>
    </Wide>
  )
}

function Tokens({ tokens }: { tokens: ServerStatus['tokens'] }) {
  return (
    <Wide title="Tokens" name="Tokens table">
      <thead>
        <tr>
          <th scope="col">User</th>
          <th scope="col">Role</th>
          <th scope="col">Expires (UTC)</th>
          <th scope="col" className={page.num}>
            Sessions
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.name}>
            <th scope="row">
              <bdi>{token.name}</bdi>
            </th>
            <td>{token.role}</td>
            <td className={token.expired ? css.bad : undefined}>
              {token.expires_at === null ? 'never' : time(token.expires_at)}
              {token.expired && ', expired'}
            </td>
            <td className={page.num}>{count(token.session_count)}</td>
          </tr>
        ))}
      </tbody>
    </Wide>
  )
}

function Log({ log, log_counts: counts }: ServerStatus) {
  return (
    <section className={page.block} aria-label="Log">
      <div className={page.blockHead}>
        <h2>Log</h2>
        <p>
          {count(counts.error_count)} errors and {count(counts.warning_count)} warnings since the start
        </p>
      </div>
      {log.length === 0 ? (
        <p className={page.lead}>No warning or error since the start.</p>
      ) : (
        <div
          className={page.scroll}
          tabIndex={0}
          role="region"
          aria-label="Log table"
          aria-description="Scrolls sideways"
        >
          <table className={join(page.rows, css.log)}>
            <thead>
              <tr>
                <th scope="col">Time (UTC)</th>
                <th scope="col">Level</th>
                <th scope="col">Message</th>
              </tr>
            </thead>
            <tbody>
              {log.map((line, place) => (
                <tr key={place}>
                  <td className="n">{time(line.at, true)}</td>
                  <td className={line.level === 'error' ? css.bad : undefined}>{line.level}</td>
                  <td className={page.val}>{line.message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Content({ status }: { status: ServerStatus }) {
  return (
    <>
      <p className={page.facts}>
        <span>
          ProfLLM <span className="n">{status.version}</span>
        </span>
        <span>{status.ready ? 'Ready for requests' : <span className={css.bad}>Not ready for requests</span>}</span>
      </p>
      {status.reasons.map((reason) => (
        <div key={reason} className={page.notice}>
          <Note kind="bad">{REASONS[reason]}</Note>
        </div>
      ))}
      <div className={css.columns}>
        <Facts title="Database" facts={database(status)} />
        <Facts title="Data" facts={data(status)} />
        <Facts title="Requests" facts={requests(status)} />
        <Facts title="Process" facts={process(status)} />
      </div>
      <Queues queues={status.queues} />
      {status.guarded && <Tokens tokens={status.tokens} />}
      <Log {...status} />
    </>
  )
}

export function Status() {
  const refusal = useRefusal('admin')
  const { data: status, error, refetch } = useStatus(refusal === undefined)
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <Progress on={refusal === undefined && !status && !error} />
      <h1>Status</h1>
      {refusal !== undefined && <p className={page.lead}>{refusal}: ask an administrator of this dashboard.</p>}
      {error && (
        <div className={page.block}>
          <Note kind="bad" role="alert">
            <b>Could not load the status.</b> {causeOf(error)} <Act onPress={() => void refetch()}>Retry</Act>
          </Note>
        </div>
      )}
      {status && <Content status={status} />}
    </main>
  )
}

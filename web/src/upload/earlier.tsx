// All uploads, the newest first.
import { Link } from 'wouter'

import { causeOf } from '../api/client'
import type { Upload } from '../api/types'
import type { useJobs } from '../api/uploads'
import { count } from '../format/number'
import { time } from '../format/time'
import { Act, join, Note } from '../ui/controls'
import page from '../ui/page.module.css'
import { State } from '../ui/verdict'
import { paths } from '../url/paths'
import css from './upload.module.css'

const TOLD = ['stored', 'duplicate', 'conflict', 'rejected', 'cancelled'] as const
// the state of the upload itself; the results have their own column
const STATES: Record<Upload['state'], string> = {
  open: 'waiting for files',
  queued: 'queued',
  running: 'processing',
  done: 'finished',
  cancelled: 'cancelled',
}
const filesOf = ({ state, received, expected }: Upload) =>
  received.files === null
    ? '–'
    : state === 'open' && expected?.files != null && expected.files > received.files
      ? `${count(received.files)} of ${count(expected.files)}`
      : count(received.files)

export function Earlier({ jobs }: { jobs: ReturnType<typeof useJobs> }) {
  const all = jobs.data?.pages.flatMap((one) => one.jobs) ?? []
  const total = jobs.data?.pages.at(-1)?.total ?? 0
  if (jobs.error && all.length === 0)
    return (
      <div className={page.block}>
        <Note kind="bad" role="alert">
          <b>Could not load the uploads.</b> {causeOf(jobs.error)} <Act onPress={() => void jobs.refetch()}>Retry</Act>
        </Note>
      </div>
    )
  if (all.length === 0) return null
  return (
    <section className={page.block} aria-label="All uploads">
      <div className={page.blockHead}>
        <h2>All uploads</h2>
        <p>
          {count(total)} {total === 1 ? 'upload' : 'uploads'}
        </p>
      </div>
      <div
        className={page.scroll}
        tabIndex={0}
        role="region"
        aria-label="Uploads table"
        aria-description="Scrolls sideways"
      >
        <table className={join(page.rows, css.earlier)}>
          <thead>
            <tr>
              <th scope="col">Upload</th>
              <th scope="col">Start (UTC)</th>
              <th scope="col" className={page.num}>
                Files
              </th>
              <th scope="col">Results</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {all.map((job) => (
              <EarlierRow key={job.job_id} job={job} />
            ))}
          </tbody>
        </table>
      </div>
      {jobs.hasNextPage && (
        <Act isDisabled={jobs.isFetchingNextPage} onPress={() => void jobs.fetchNextPage()}>
          Show more
        </Act>
      )}
    </section>
  )
}

const EarlierRow = ({ job }: { job: Upload }) => (
  <tr>
    <th scope="row" className="clip">
      <Link href={paths.job(job.job_id)}>
        Upload {job.job_id}
        {job.name && (
          <>
            {' '}
            · <bdi>{job.name}</bdi>
          </>
        )}
      </Link>
    </th>
    <td className="n">{time(job.created_at)}</td>
    <td className={page.num} data-unit={job.received.files === 1 && job.state !== 'open' ? 'file' : 'files'}>
      {filesOf(job)}
    </td>
    <td>
      <span className={css.outcome}>
        {TOLD.filter((state) => job.counts[state] > 0).map((state) => (
          <span key={state}>
            <State state={state} /> <span className="n">{count(job.counts[state])}</span>
          </span>
        ))}
      </span>
    </td>
    <td className="mid">{STATES[job.state]}</td>
  </tr>
)

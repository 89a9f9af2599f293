// Uploads of everybody, the newest first.
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
const STATES: Record<Upload['state'], string> = { open: 'waits for files', queued: 'waits', running: 'is worked on', done: 'done', cancelled: 'cancelled' }

export function Earlier({ jobs }: { jobs: ReturnType<typeof useJobs> }) {
  const all = jobs.data?.pages.flatMap((one) => one.jobs) ?? []
  const total = jobs.data?.pages.at(-1)?.total ?? 0
  if (jobs.error && all.length === 0) return <div className={page.block}><Note kind="bad" role="alert"><b>Could not load the earlier uploads.</b> {causeOf(jobs.error)} <Act onPress={() => void jobs.refetch()}>Retry</Act></Note></div>
  if (all.length === 0) return null
  return (
    <section className={page.block} aria-label="Earlier uploads">
      <div className={page.blockHead}><h2>Earlier uploads</h2><p>{count(total)}</p></div>
      <div className={page.scroll} tabIndex={0} role="region" aria-label="Table of uploads, scrolls sideways">
        <table className={join(page.rows, css.earlier)}>
          <thead><tr><th scope="col">Upload</th><th scope="col">Began, UTC</th><th scope="col" className={page.num}>Files</th><th scope="col">Results</th><th scope="col">State</th></tr></thead>
          <tbody>{all.map((job) => <EarlierRow key={job.job_id} job={job} />)}</tbody>
        </table>
      </div>
      {jobs.hasNextPage && <Act isDisabled={jobs.isFetchingNextPage} onPress={() => void jobs.fetchNextPage()}>Show more</Act>}
    </section>
  )
}

const EarlierRow = ({ job }: { job: Upload }) => (
  <tr>
    <th scope="row" className="clip"><Link href={paths.job(job.job_id)}><bdi>{job.name || `Upload ${job.job_id}`}</bdi></Link></th>
    <td className="n">{time(job.created)}</td>
    <td className={page.num}>{job.received.files === null ? '–' : count(job.received.files)}</td>
    <td><span className={css.outcome}>{TOLD.filter((state) => job.counts[state] > 0).map((state) => <span key={state}><State state={state} /> <span className="n">{count(job.counts[state])}</span></span>)}</span></td>
    <td className="mid">{STATES[job.state]}</td>
  </tr>
)

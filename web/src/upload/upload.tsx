// The Upload page: where files are chosen, and one upload with its files. Each upload has its own address.
import { useEffect } from 'react'
import { Link, useLocation } from 'wouter'

import { ApiError, causeOf } from '../api/client'
import { useJob, useJobs } from '../api/uploads'
import { usePreferences } from '../keys/store'
import { count } from '../format/number'
import { clock } from '../format/time'
import { Act, Acts, Badge, ButtonLink, join, Note } from '../ui/controls'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import { usePlace } from '../url/use-place'
import { DropZone, usePickers } from './drop-zone'
import { Earlier } from './earlier'
import { JobView } from './job'
import type { Sender } from './sender'
import { useUploads } from './store'
import css from './upload.module.css'

export function Upload({ job }: { job: string | null }) {
  const senders = useUploads((uploads) => uploads.senders)
  useUploads((uploads) => uploads.version)
  const [, navigate] = useLocation()
  const pickers = usePickers()
  const jobs = useJobs()
  const shown = senders.findLast((sender) => sender.job === job)
  const others = senders.filter((sender) => sender !== shown && sender.job !== null && sender.isBusy)
  // a new upload is shown as soon as it has an address, and so is one that had to continue in another job
  const next = senders.find((sender) => sender !== shown && sender.job !== null && sender.before === job)
  useEffect(() => {
    if (!next) return
    next.before = undefined
    navigate(paths.job(next.job as string), { replace: true })
  })
  const { refetch } = jobs
  // biome-ignore lint/correctness/useExhaustiveDependencies: another upload means another list
  useEffect(() => {
    void refetch()
  }, [job, refetch])
  usePlace({ content: `upload ${job ?? ''}`, isReady: true })
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <div className={join(page.head, css.head)}>
        <div>
          <h1>Upload</h1>
          {job === null && (
            <p className={page.facts}>
              Upload results of profllm run or vllm bench (--save-result), with their artifacts. A rejected file does
              not stop the others.
            </p>
          )}
        </div>
        {job !== null && (
          <div className={page.end}>
            <ButtonLink href={paths.upload()}>
              All uploads {jobs.data && <Badge n={jobs.data.pages[0]?.total ?? 0} of="in total" />}
            </ButtonLink>
          </div>
        )}
      </div>
      <DropZone {...pickers} isSmall={job !== null} />
      {pickers.inputs}
      {job === null ? (
        shown && <JobView sender={shown} onChoose={pickers.pickFolder} />
      ) : (
        <Served id={job} sender={shown} onChoose={pickers.pickFolder} />
      )}
      {others.length > 0 && <Others senders={others} />}
      {job === null && <Earlier jobs={jobs} />}
    </main>
  )
}

function Served({ id, sender, onChoose }: { id: string; sender: Sender | undefined; onChoose: () => void }) {
  const job = useJob(id)
  const unfinished = usePreferences((kept) => kept.unfinished[id] ?? 0)
  const again = <Act onPress={() => void job.refetch()}>Retry</Act>
  const isAway = job.error !== null && !sender?.trouble
  if (job.data || sender) {
    return (
      <>
        {isAway && job.data && (
          <div className={page.block}>
            <Note kind="warn" role="alert">
              <b>Last updated at {clock(job.dataUpdatedAt)} UTC.</b> {job.error && causeOf(job.error)} {again}
            </Note>
          </div>
        )}
        <JobView job={job.data} sender={sender} unfinished={sender ? 0 : unfinished} onChoose={onChoose} />
      </>
    )
  }
  if (!job.error) return null
  return (
    <div className={page.block}>
      <Note kind="bad" role="alert">
        <b>Could not load this upload.</b> {causeOf(job.error)}{' '}
        <Acts>
          {!(job.error instanceof ApiError && job.error.status === 404) && again}
          <Link href={paths.upload()}>All uploads</Link>
        </Acts>
      </Note>
    </div>
  )
}

const Others = ({ senders }: { senders: Sender[] }) => (
  <div className={join(page.block, css.among)}>
    <Note>
      Other {senders.length === 1 ? 'upload' : 'uploads'} in progress:{' '}
      {senders.map((sender, i) => (
        <span key={sender.job}>
          {i > 0 && ', '}
          <Link href={paths.job(sender.job as string)}>{sender.name}</Link> ({count(sender.done.files)} of{' '}
          {count(sender.total.files)} files)
        </span>
      ))}
      .
    </Note>
  </div>
)

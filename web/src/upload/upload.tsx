// Files in, and what became of each; a job has its own address.
import { useRef } from 'react'
import { Link } from 'wouter'

import { useJob } from '../api/queries'
import { usePreferences } from '../keys/store'
import { Act, Button, join, Meter, Note } from '../ui/controls'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import { usePlace } from '../url/use-place'
import { useSend } from './drop-anywhere'
import { JobView } from './job'
import { BODY_MAX, isOnItsWay, isUnsent, type Sending, useUploads } from './store'
import { Unsent } from './unsent'
import { bytes } from '../format/number'
import { clock } from '../format/time'
import css from './upload.module.css'

export function Upload({ job }: { job: string | null }) {
  const { sendings, refused, cancel } = useUploads()
  const isSending = sendings.some(isOnItsWay)
  const others = sendings.filter((one) => one.job !== undefined && one.job !== job)
  usePlace({ content: `upload ${job ?? ''}`, isReady: true })
  const earlier = usePreferences((kept) => kept.uploads).filter((id) => id !== job && !others.some((one) => one.job === id))
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <div className={page.head}>
        <div>
          <h1>Upload</h1>
          <p className={page.facts}>Results of ProfLLM and of vllm bench serve. One bad file never holds up the others.</p>
        </div>
      </div>
      <DropZone />
      {isSending && <SendingView sendings={sendings.filter((one) => !isUnsent(one))} onCancel={cancel} />}
      <Unsent sendings={sendings.filter(isUnsent)} />
      {refused.length > 0 && (
        <div className={page.block}>
          <Note kind="warn" role="alert"><b>{refused.length === 1 ? 'A file was' : `${refused.length} files were`} left out.</b> {refused.slice(0, 3).map((one) => `${one.name}: ${one.why}`).join('; ')}{refused.length > 3 ? ` and ${refused.length - 3} more` : ''}.</Note>
        </div>
      )}
      {job !== null && <Job id={job} />}
      {others.length > 0 && <Jobs title="Further uploads" ids={others.map((one) => one.job as string)} />}
      {earlier.length > 0 && <Jobs title="Earlier uploads from this browser" ids={earlier} />}
    </main>
  )
}

function Job({ id }: { id: string }) {
  const job = useJob(id)
  const again = <Act onPress={() => void job.refetch()}>Try again</Act>
  if (job.data) {
    return (
      <>
        {job.error && <div className={page.block}><Note kind="warn" role="alert"><b>This is how it stood at {clock(job.dataUpdatedAt)}.</b> {job.error.message}. {again}</Note></div>}
        <JobView job={job.data} />
      </>
    )
  }
  if (!job.error) return null
  return <div className={page.block}><Note kind="bad" role="alert"><b>This upload cannot be shown.</b> {job.error.message}. {again}</Note></div>
}

const Jobs = ({ title, ids }: { title: string; ids: string[] }) => (
  <section className={page.block}>
    <div className={page.blockHead}><h2>{title}</h2></div>
    <ul className={css.list}>{ids.map((id) => <li key={id}><Link href={paths.job(id)}>Upload {id}</Link></li>)}</ul>
  </section>
)

function SendingView({ sendings, onCancel }: { sendings: Sending[]; onCancel: () => void }) {
  const all = sendings.reduce((sum, one) => sum + one.bytes, 0)
  const sent = sendings.reduce((sum, one) => sum + one.bytes * one.share, 0)
  const share = all ? sent / all : 0
  return (
    <section className={page.block}>
      <div className={page.blockHead}>
        <h2>Sending</h2>
        <p role="status">{bytes(Math.round(sent))} of {bytes(all)}</p>
        <span className={page.end}><Button look="line" onPress={onCancel}>Cancel</Button></span>
      </div>
      <Meter label="sent" done={Math.round(share * 100)} total={100} parts={[{ share, colour: 'accent' }]} />
    </section>
  )
}

function DropZone() {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const send = useSend()
  const take = (input: HTMLInputElement) => {
    const list = [...(input.files ?? [])]
    input.value = '' // the same file again is a change, too
    void send(list)
  }
  return (
    <div className={css.drop}>
      <svg width="28" height="28" viewBox="0 0 28 28" fill="none" stroke="var(--text-2)" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
        <path d="M14 17V4M9 9l5-5 5 5M4 17v5.5c0 .8.7 1.5 1.5 1.5h17c.8 0 1.5-.7 1.5-1.5V17" />
      </svg>
      <div>
        <b>Drop files or a folder anywhere on this page</b>
        <p>Up to {BODY_MAX / 1024 / 1024} MiB a file, 2,000 files at a time. Also <code>profllm upload FILE… --to {window.location.origin}</code></p>
      </div>
      <div className={css.acts}>
        <input ref={folder} type="file" multiple hidden aria-label="A folder of results" {...{ webkitdirectory: '' }} onChange={(event) => take(event.currentTarget)} />
        <input ref={files} type="file" multiple hidden aria-label="Result files" data-testid="files" onChange={(event) => take(event.currentTarget)} />
        <Button look="line" onPress={() => folder.current?.click()}>Choose a folder</Button>
        <Button look="fill" onPress={() => files.current?.click()}>Choose files</Button>
      </div>
    </div>
  )
}

// One upload: its progress, its problems, the counts per state, and each file.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'

import { causeOf, isSilence } from '../api/client'
import type { AbsentFiles, Upload } from '../api/types'
import { itemsKey, useAbsent, useJobActions } from '../api/uploads'
import { bytes, count } from '../format/number'
import { clock } from '../format/time'
import { Act, Acts as Hints, Button, Meter, Note } from '../ui/controls'
import { Needs } from '../ui/needs'
import page from '../ui/page.module.css'
import { save } from '../ui/save'
import { useRefusal } from '../ui/user'
import { State } from '../ui/verdict'
import { paths } from '../url/paths'
import { leftWords, Pace } from './pace'
import { Queue } from './queue'
import { type Sum, sumOf } from './rows'
import { isUnsent, type Sender } from './sender'
import css from './upload.module.css'

const TALLY = ['stored', 'duplicate', 'conflict', 'rejected', 'cancelled'] as const
const COLOURS = {
  stored: 'trusted',
  duplicate: 'line-3',
  conflict: 'degraded',
  rejected: 'limited',
  cancelled: 'text-3',
} as const
const NOTE_EVERY_MS = 500

interface Props {
  job?: Upload | undefined
  sender?: Sender | undefined
  unfinished?: number // artifacts that were not uploaded before the page was reloaded
  onChoose: () => void
}

export function JobView({ job, sender, unfinished = 0, onChoose }: Props) {
  const entries = [...(sender?.entries.values() ?? [])]
  const sum = sumOf(
    job,
    sender && {
      job: sender.job,
      entries,
      taken: sender.taken,
      isResumed: sender.isResumed,
      isBusy: sender.isBusy,
      isClosed: sender.isClosed,
    },
  )
  const { isOver } = sum
  useFollowers(job, sender, isOver)
  const absent = useAbsent(job?.job_id, isOver)
  return (
    <>
      <section className={page.block} aria-label="This upload">
        <div className={page.blockHead}>
          <h2>Upload{job && ` ${job.job_id}`}</h2>
          <p className="clip">
            <bdi>{job?.name || sender?.name}</bdi>
          </p>
          <span className={page.end}>
            <Acts job={job} sender={sender} isOver={isOver} isSent={isSent(sum, sender)} />
          </span>
        </div>
        <Progress job={job} sender={sender} sum={sum} />
        <Tally job={job} sender={sender} sum={sum} />
        <Trouble sender={sender} />
        {sum.missing > 0 && <Missing job={job as Upload} missing={sum.missing} onChoose={onChoose} />}
        {absent && absent.files > 0 && sum.missing === 0 && <Absent absent={absent} onChoose={onChoose} />}
        {unfinished > 0 && !absent?.files && sum.missing === 0 && (
          <div className={css.why}>
            <Note kind="warn">
              <b>
                {count(unfinished)} {unfinished === 1 ? 'artifact was' : 'artifacts were'} not uploaded
              </b>{' '}
              when this page was closed. To resume, choose the folder again; uploaded files are not sent twice.{' '}
              <Needs role="write" isListed>
                <Act onPress={onChoose}>Choose folder</Act>
              </Needs>
            </Note>
          </div>
        )}
      </section>
      <Queue job={job} sender={sender} entries={entries} />
      <p className="sr" role="status">
        {wordsOf(job, sender, sum)}
      </p>
    </>
  )
}

const isOfResults = ({ queryKey: [kind] }: { queryKey: readonly unknown[] }) =>
  !['job', 'items', 'diff', 'fields'].includes(String(kind))

// Refreshes other views after this upload, and sends artifacts once their result is stored.
function useFollowers(job: Upload | undefined, sender: Sender | undefined, isOver: boolean) {
  const client = useQueryClient()
  const id = job?.job_id
  const counts = JSON.stringify(job?.counts ?? null)
  const stored = job?.counts.stored ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: new counts mean new items
  useEffect(() => {
    if (id !== undefined) void client.invalidateQueries({ queryKey: itemsKey(id) })
  }, [client, id, counts])
  // with the first stored result, because a link to the results leaves this page before the upload has finished
  useEffect(() => {
    if (stored > 0) void client.invalidateQueries({ predicate: isOfResults, refetchType: 'none' })
  }, [stored, client])
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ predicate: isOfResults })
  }, [isOver, client])
  // all files have arrived, but the client left before it closed the upload
  const { close } = useJobActions(id ?? '')
  const refusal = useRefusal('write')
  const isWhole =
    refusal === undefined &&
    job?.state === 'open' &&
    !sender &&
    job.expected?.files != null &&
    (job.received.files ?? 0) >= job.expected.files
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is closed once; mutate is new in each render
  useEffect(() => {
    if (isWhole) close.mutate()
  }, [isWhole])
  const settled = isOver ? job?.counts.stored : undefined
  const before = useRef(settled)
  useEffect(() => {
    const isNews = settled !== undefined && before.current !== undefined && settled !== before.current
    before.current = settled
    if (isNews && sender && [...sender.entries.values()].some(({ state }) => state === 'held'))
      void sender.again(({ state }) => state === 'held')
  }, [settled, sender])
}

// All files and artifacts are done: nothing remains to cancel or to wait for, though the upload is not closed yet.
const isSent = (sum: Sum, sender: Sender | undefined) =>
  sum.files > 0 &&
  sum.done === sum.files &&
  !(sender && sender.artifacts.sent + sender.artifacts.there < sender.artifacts.total)

function Acts({
  job,
  sender,
  isOver,
  isSent: isAllSent,
}: {
  job: Upload | undefined
  sender: Sender | undefined
  isOver: boolean
  isSent: boolean
}) {
  const actions = useJobActions(job?.job_id ?? '')
  const unsent = [...(sender?.entries.values() ?? [])].filter(
    (entry) => isUnsent(entry) && entry.state !== 'held',
  ).length
  // some of them may no longer be stored, so the button has no count
  const notStored = [
    (job?.counts.rejected ?? 0) > 0 && 'rejected',
    (job?.counts.cancelled ?? 0) > 0 && 'canceled',
  ].filter(Boolean)
  const cancel = () => (sender?.isBusy ? void sender.cancel().catch(() => {}) : actions.cancel.mutate())
  return (
    <>
      {unsent > 0 && !sender?.isBusy && (
        <Button onPress={() => void sender?.leave()}>
          Skip {count(unsent)} unsent {unsent === 1 ? 'file' : 'files'}
        </Button>
      )}
      {unsent > 0 && !sender?.isBusy && (
        <Button look="line" onPress={() => void sender?.again()}>
          Retry {count(unsent)} unsent {unsent === 1 ? 'file' : 'files'}
        </Button>
      )}
      {isOver && job && notStored.length > 0 && (
        <Needs role="write" isListed>
          <Button
            look="line"
            {...(actions.retry.isPending && { isDisabled: true })}
            onPress={() => actions.retry.mutate(undefined)}
          >
            Retry {notStored.join(' and ')} files
          </Button>
        </Needs>
      )}
      {actions.report.error && (
        <span role="alert" className={css.bad}>
          Could not load the report. {causeOf(actions.report.error)}
        </span>
      )}
      {isOver && job && (
        <Button
          isDisabled={actions.report.isPending}
          onPress={() =>
            actions.report.mutate(undefined, { onSuccess: (report) => save(`upload-${job.job_id}.json`, report) })
          }
        >
          Download report
        </Button>
      )}
      {!isOver && !isAllSent && (
        <Needs role="write" isListed>
          <Button look="line" onPress={cancel}>
            Cancel remaining
          </Button>
        </Needs>
      )}
    </>
  )
}

// Measures the rates of stored files and of sent bytes. The slower one gives the time remaining.
function usePaces(sum: Sum, sender: Sender | undefined) {
  const paces = useRef({ files: new Pace(), bytes: new Pace(), at: 0 }).current
  const sent = sender?.progress
  useEffect(() => {
    const now = Date.now()
    if (now - paces.at < NOTE_EVERY_MS) return
    paces.at = now
    paces.files.note(now, sum.done)
    if (sent) paces.bytes.note(now, sent.moved)
  })
  const waits = [
    sum.files > sum.done ? paces.files.left(sum.files - sum.done) : 0,
    sent && sent.total > sent.bytes ? paces.bytes.left(sent.total - sent.bytes) : 0,
  ]
  return { left: waits.includes(null) ? null : Math.max(...(waits as number[])), rate: paces.bytes.rate() }
}

function Progress({ job, sender, sum }: { job: Upload | undefined; sender: Sender | undefined; sum: Sum }) {
  const { left, rate } = usePaces(sum, sender)
  const sent = sender?.progress
  const words = [
    sum.files === 0
      ? 'no results'
      : `${count(sum.done)} of ${count(sum.files)} ${sum.files === 1 ? 'file' : 'files'} processed`,
  ]
  const conflicts = job?.counts.conflict ?? 0
  if (conflicts > 0)
    words.push(`${count(conflicts)} not stored because of ${conflicts === 1 ? 'a conflict' : 'conflicts'}`)
  if (sum.unsent > 0) words.push(`${count(sum.unsent)} not sent`)
  if (job) words.unshift(`started ${clock(Date.parse(job.created_at))} UTC`)
  if (sender?.isBusy && sender.phase !== 'finishing' && sent && sent.bytes < sent.total)
    words.push(
      `${bytes(Math.round(sent.bytes))} of ${bytes(sent.total)} sent${rate ? `, ${bytes(Math.round(rate))}/s` : ''}`,
    )
  if (sender && sender.artifacts.total > 0)
    words.push(`${count(sender.artifacts.sent + sender.artifacts.there)} of ${count(sender.artifacts.total)} artifacts`)
  if (!sum.isOver && !sender?.trouble) {
    if (isSent(sum, sender)) words.push('closing the upload')
    else if (left !== null) words.push(leftWords(left))
  }
  return (
    <>
      <Meter
        label={`${sum.done} of ${sum.files} files processed`}
        done={sum.done}
        total={sum.files}
        parts={TALLY.map((state) => ({
          share: sum.files && job ? job.counts[state] / sum.files : 0,
          color: COLOURS[state],
        }))}
      />
      <p className={css.pace}>
        {words.map((word) => (
          <span key={word.replace(/[\d.,]+/g, '')}>{word}</span>
        ))}
      </p>
    </>
  )
}

// The link to the results of an upload: its own and earlier ones.
const storedWords = (stored: number, results: number) =>
  results > 1
    ? `the ${count(results)} stored experiments`
    : stored > 0
      ? 'the stored experiment'
      : 'the experiment that was already stored'

function Tally({ job, sender, sum }: { job: Upload | undefined; sender: Sender | undefined; sum: Sum }) {
  const told = job ? TALLY.filter((state) => job.counts[state] > 0) : []
  const reading = job ? job.counts.parsed + job.counts.valid : 0
  const results = job ? job.counts.stored + job.counts.duplicate : 0
  const sending = [...(sender?.entries.values() ?? [])].filter(
    ({ artifact, state }) => artifact === null && state === 'sending',
  ).length
  const waiting = sum.files - sum.done - sum.missing - sum.unsent - reading - sending
  if (told.length === 0 && reading === 0 && sending === 0 && waiting <= 0 && !sender?.done.before) return null
  return (
    <p className={css.tally}>
      {told.map((state) => (
        <span key={state}>
          <State state={state} part={COLOURS[state]} />
          <b className="n">{count(job?.counts[state] ?? 0)}</b>
        </span>
      ))}
      {sending > 0 && (
        <span>
          <State state="reading" word="sending" />
          <b className="n">{count(sending)}</b>
        </span>
      )}
      {reading > 0 && (
        <span>
          <State state="reading" word="checking" />
          <b className="n">{count(reading)}</b>
        </span>
      )}
      {waiting > 0 && (
        <span>
          <State state="queued" />
          <b className="n">{count(waiting)}</b>
        </span>
      )}
      {sender && sender.done.before > 0 && <span className="dim">{count(sender.done.before)} already uploaded</span>}
      {job && results > 0 && (
        <Link href={paths.uploadResults(job.job_id)}>Explore {storedWords(job.counts.stored, results)}</Link>
      )}
    </p>
  )
}

function Trouble({ sender }: { sender: Sender | undefined }) {
  const trouble = sender?.trouble
  if (!sender || !trouble) return null
  const { error, again } = trouble
  return (
    <div className={css.why}>
      <Note kind="warn">
        <b>{isSilence(error) ? 'The server is unreachable.' : 'The server does not accept files now.'}</b>{' '}
        {!isSilence(error) && causeOf(error)} The upload resumes automatically. Next attempt: {clock(again)} UTC.{' '}
        <Act onPress={() => sender.tryNow()}>Retry now</Act>
      </Note>
    </div>
  )
}

function Missing({ job, missing, onChoose }: { job: Upload; missing: number; onChoose: () => void }) {
  const { close } = useJobActions(job.job_id)
  return (
    <div className={css.why}>
      <Note kind="warn">
        <b>
          {count(missing)} of {count(job.expected?.files ?? 0)} files have not arrived.
        </b>{' '}
        Another client may still be sending them. To resume an upload of yours, choose the folder again; only missing
        files are sent.
        <Hints>
          <Needs role="write" isListed>
            <Act onPress={onChoose}>Choose folder</Act>
            <Act onPress={() => close.mutate()}>Finish without them</Act>
          </Needs>
        </Hints>
      </Note>
    </div>
  )
}

function Absent({
  absent: { files, bytes: size, incomplete: lacking, has_more },
  onChoose,
}: {
  absent: AbsentFiles
  onChoose: () => void
}) {
  const those = `${has_more ? 'at least ' : ''}${count(lacking)} ${lacking === 1 && !has_more ? 'result' : 'results'}`
  return (
    <div className={css.why}>
      <Note kind="warn">
        <b>
          {count(files)} {files === 1 ? 'artifact is' : 'artifacts are'} missing
        </b>{' '}
        ({bytes(size)}) from {those}. To upload {files === 1 ? 'it' : 'them'}, choose the folder that contains{' '}
        {files === 1 ? 'it' : 'them'}; stored files are not sent again.{' '}
        <Needs role="write" isListed>
          <Act onPress={onChoose}>Choose folder</Act>
        </Needs>
      </Note>
    </div>
  )
}

// The announced status: one message per quarter, one on an interruption and one at the end.
function wordsOf(job: Upload | undefined, sender: Sender | undefined, sum: Sum) {
  if (sender?.trouble) return 'The server is unreachable. The upload resumes automatically.'
  if (sum.isOver) {
    if (sum.missing > 0) return `${count(sum.missing)} files have not arrived`
    const parts = TALLY.filter((state) => (job?.counts[state] ?? 0) > 0).map(
      (state) => `${count(job?.counts[state] ?? 0)} ${state}`,
    )
    if (sum.unsent > 0) parts.push(`${count(sum.unsent)} not sent`)
    return `Upload finished: ${parts.join(', ') || 'no results'}`
  }
  const quarter = sum.files > 0 ? Math.floor((sum.done / sum.files) * 4) : 0
  return quarter === 0
    ? `Uploading ${count(sum.files)} files`
    : `${quarter * 25} % of ${count(sum.files)} files processed`
}

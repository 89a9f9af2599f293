// A file that the server has: its state, the reason, and the actions for it.
import { Link } from 'wouter'

import type { Upload, UploadItem } from '../api/types'
import { useJobActions } from '../api/uploads'
import { bytes, count } from '../format/number'
import { formWord } from '../format/value'
import { Act, join } from '../ui/controls'
import { Needs } from '../ui/needs'
import { State } from '../ui/verdict'
import { paths } from '../url/paths'
import { Decide } from './decide'
import { fileName } from './file-name'
import { Faults } from './faults'
import { faultCount } from './kinds'
import css from './upload.module.css'

const OPEN_MAX = 20 // rows that open automatically
const NEAR_SHOWN = 3
const LOOKS: Partial<Record<UploadItem['state'], [look: string, word: string]>> = {
  parsed: ['reading', 'checking'],
  valid: ['reading', 'storing'],
}

interface Props {
  job: Upload
  item: UploadItem
  isOpen: boolean | undefined // undefined: not chosen
  onOpen: (open: boolean) => void
  index: number
  measure: (element: Element | null) => void
}

export function ItemRow({ job, item, isOpen: wasOpened, onOpen, index, measure }: Props) {
  const { state } = item
  const asks = state === 'conflict' || state === 'duplicate'
  // an error that repeats the message of the row is not listed
  const hasFaults = hasTable(item)
  const opensItself =
    (state === 'conflict' && item.choice === null && job.counts.conflict <= OPEN_MAX) ||
    (state === 'rejected' && job.counts.rejected <= OPEN_MAX)
  const hasMore = hasFaults || asks || item.secrets.length > 0
  const isOpen = hasMore && (wasOpened ?? opensItself)
  const [look, word] = LOOKS[state] ?? [state, state]
  return (
    <div ref={measure} data-index={index} role="presentation">
      <div role="row" aria-rowindex={index + 2} className={join(css.row, isOpen && css.open)}>
        <span role="cell">
          <State state={look} word={word} />
        </span>
        <span role="rowheader" className={css.file} title={item.name ?? ''}>
          <bdi>{fileName(item.name ?? `item ${item.index + 1}`)}</bdi>
        </span>
        <span role="cell" className={css.size}>
          {bytes(item.bytes)}
        </span>
        <span role="cell" className={css.form}>
          {formWords(item)}
        </span>
        <span role="cell" className={css.result}>
          <Words item={item} />
        </span>
        <span role="cell" className={css.act}>
          <Acts job={job} item={item} more={hasMore ? { isOpen, onOpen } : null} />
        </span>
      </div>
      {isOpen && (
        <div role="row" className={css.detail}>
          <div role="cell" aria-colspan={6}>
            {hasFaults && <Faults faults={item.faults} />}
            {item.secrets.length > 0 && (
              <p className={css.remark}>
                Secrets at{' '}
                {item.secrets.map((pointer, i) => (
                  <span key={pointer}>
                    {i > 0 && ', '}
                    <code>
                      <bdi>{pointer}</bdi>
                    </code>
                  </span>
                ))}{' '}
                are stored as <code>***</code>.
              </p>
            )}
            {asks && <Decide job={job} item={item} />}
          </div>
        </div>
      )}
    </div>
  )
}

// Errors with more than the message of the row.
const hasTable = ({ faults, message }: UploadItem) =>
  faults.some((fault) => fault.pointer || fault.expected != null || fault.message !== message)

// A file with schema errors was read as a ProfLLM result.
function formWords(item: UploadItem) {
  if (item.form) return formWord(item.form)
  if (item.state === 'queued' || item.state === 'cancelled') return ''
  return item.faults.some((fault) => fault.pointer) ? formWord('native') : 'not a result'
}

function Words({ item }: { item: UploadItem }) {
  const { state, message, choice } = item
  const run = (
    <span className="n">
      <bdi>{item.run_id ?? item.id}</bdi>
    </span>
  )
  if (state === 'queued' || state === 'parsed' || state === 'valid') return <span className="dim">waiting</span>
  if (state === 'cancelled') return <span className="dim">not stored</span>
  if (state === 'duplicate')
    return (
      <>
        same content as {run}
        {item.deleted && ', which was deleted'}
      </>
    )
  if (state === 'conflict')
    return (
      <>
        {item.deleted ? <>{run} was deleted</> : <>{run} is already stored with different content</>}
        {choice === 'skip' ? '; this file was skipped' : '; choose what to store'}
      </>
    )
  if (state === 'rejected')
    return (
      <>
        {hasTable(item)
          ? `not stored: ${count(faultCount(item.faults))} ${item.faults.length === 1 ? 'error' : 'errors'}`
          : (message ?? 'not stored')}
      </>
    )
  const others = item.possible_duplicates.length - NEAR_SHOWN
  const near = item.possible_duplicates.slice(0, NEAR_SHOWN).map((id, i) => (
    <span key={id}>
      {i > 0 && ', '}
      <Link href={paths.experiment(id)}>{i === 0 ? 'an earlier result' : 'another'}</Link>
    </span>
  ))
  return (
    <>
      {item.run_id ? run : 'new experiment'}
      {choice === 'keep' && ', a repeat'}
      {choice === 'replace' && ', replaced the stored result'}
      {message && <>: {message}</>}
      {near.length > 0 && (
        <>
          ; may be the same run as {near}
          {others > 0 && ` and ${count(others)} more`}
        </>
      )}
    </>
  )
}

function Acts({
  job,
  item,
  more,
}: {
  job: Upload
  item: UploadItem
  more: { isOpen: boolean; onOpen: (open: boolean) => void } | null
}) {
  const { retry } = useJobActions(job.job_id)
  const name = item.name ?? `item ${item.index + 1}`
  const canRetry = item.retryable && (item.state === 'rejected' || item.state === 'cancelled')
  const word =
    item.state === 'conflict'
      ? 'choices'
      : item.state === 'duplicate'
        ? 'details'
        : item.state === 'rejected'
          ? 'errors'
          : 'notes'
  return (
    <span className={css.acts}>
      {canRetry && (
        <Needs role="write" isListed>
          <Act aria-label={`Retry ${name}`} onPress={() => retry.mutate([item.index])}>
            Retry
          </Act>
        </Needs>
      )}
      {more && (
        <Act
          aria-expanded={more.isOpen}
          aria-label={`${more.isOpen ? 'Hide' : 'Show'} ${word} of ${name}`}
          onPress={() => more.onOpen(!more.isOpen)}
        >
          {more.isOpen ? 'Hide' : 'Show'} {word}
        </Act>
      )}
      {item.id !== null && !item.deleted && (
        <Link href={paths.experiment(item.id)}>{item.state === 'stored' ? 'Open' : 'Open result'}</Link>
      )}
    </span>
  )
}

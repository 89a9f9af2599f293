// A job: how many of which state, and each file, those that need somebody first.
import { Fragment, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'wouter'

import type { Fault, Job, JobItem } from '../api/types'
import { bytes, count } from '../format/number'
import { clock } from '../format/time'
import { formWord } from '../format/value'
import { Act, join, Meter, Segment } from '../ui/controls'
import page from '../ui/page.module.css'
import { State } from '../ui/verdict'
import { paths } from '../url/paths'
import { useUploads } from './store'
import css from './upload.module.css'

const STATES = ['stored', 'duplicate', 'conflict', 'rejected', 'queued'] as const
const COLOURS = { stored: 'trusted', duplicate: 'line-3', conflict: 'degraded', rejected: 'limited', queued: 'pressed' } as const
const URGENCY = { rejected: 0, conflict: 1, queued: 2, stored: 3, duplicate: 4 } as const
const ITEMS_SHOWN = 200

export function JobView({ job }: { job: Job }) {
  const [only, setOnly] = useState('all')
  const [limit, setLimit] = useState(ITEMS_SHOWN)
  const sizes = useUploads((uploads) => uploads.sizes[job.job_id])
  const client = useQueryClient()
  const isDone = job.state === 'done'
  // what Explore shows is older than this upload
  useEffect(() => { if (isDone) void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'job' && queryKey[0] !== 'fields' }) }, [isDone, client])
  const total = job.items.length
  const done = total - job.counts.queued
  const items = job.items.filter((item) => only === 'all' || item.state === only).toSorted((a, b) => URGENCY[a.state] - URGENCY[b.state] || a.index - b.index)
  return (
    <>
      <section className={page.block} aria-label="This upload">
        <div className={page.blockHead}>
          <h2>This upload</h2>
          <p className="n">{job.job_id}</p>
          <p>started {clock(Date.parse(job.created))}, {isDone ? `all ${count(total)} done` : `${count(done)} of ${count(total)} files done`}</p>
        </div>
        <Meter label={`${done} of ${total} files done`} done={done} total={total} parts={STATES.map((state) => ({ share: total ? job.counts[state] / total : 0, colour: COLOURS[state] }))} />
        <p className={css.tally} role="status">
          {STATES.filter((state) => state !== 'queued' || job.counts.queued > 0).map((state) => (
            <span key={state}><State state={state} /><b className="n">{count(job.counts[state])}</b></span>
          ))}
          {job.counts.stored > 0 && <Link href={paths.explore()}>Show {job.counts.stored === 1 ? 'it' : 'them'} in Explore</Link>}
        </p>
      </section>
      <section className={page.block} aria-label="Files">
        <div className={page.blockHead}>
          <h2>Files</h2>
          <p>what needs you comes first</p>
          <span className={page.end}>
            <Segment label="Which files" value={only} onChange={setOnly}
              options={[['all', `All ${count(total)}`], ...(['conflict', 'rejected'] as const).filter((state) => job.counts[state] > 0).map((state): [string, string] => [state, `${state === 'conflict' ? 'Conflict' : 'Rejected'} ${count(job.counts[state])}`])]} />
          </span>
        </div>
        <div className={page.scroll} tabIndex={0} role="region" aria-label="Files of this upload, scrolls sideways">
          <table className={join(page.rows, css.queue)}>
            <thead>
              <tr><th scope="col" className={css.cState}>State</th><th scope="col" className={css.cFile}>File</th><th scope="col" className={join(page.num, css.cSize)}>Size</th><th scope="col" className={join(css.form, css.cForm)}>Recognised as</th><th scope="col">Result</th><th scope="col" className={css.cAct}><span className="sr">What to do</span></th></tr>
            </thead>
            <tbody>{items.slice(0, limit).map((item) => <ItemView key={item.index} item={item} size={item.name === null ? undefined : sizes?.[item.name]} />)}</tbody>
          </table>
        </div>
        {items.length > limit && <Act onPress={() => setLimit(limit + ITEMS_SHOWN)}>Show {count(Math.min(ITEMS_SHOWN, items.length - limit))} more</Act>}
      </section>
    </>
  )
}

// What a schema found faults in was held to be ours.
function formWords(item: JobItem) {
  if (item.form) return formWord(item.form)
  if (item.state === 'queued') return ''
  return item.faults.some((fault) => fault.pointer) ? formWord('own') : 'not a result'
}

function words(item: JobItem) {
  if (item.state === 'queued') return <span className="dim">waiting</span>
  const run = <span className="n"><bdi>{item.run_id ?? item.id}</bdi></span>
  if (item.state === 'duplicate') return <>same content as {run}, not stored twice</>
  if (item.state === 'conflict') return <>{run} is stored with other content; this file was not stored</>
  if (item.state === 'rejected') return <>{item.faults.length > 1 ? `${item.faults.length} faults, nothing stored` : (item.message ?? 'nothing stored')}</>
  return <>{item.run_id ? run : '1 experiment'}{item.message ? <>: {item.message}</> : ''}</>
}

function ItemView({ item, size }: { item: JobItem; size: number | undefined }) {
  const [isOpen, setOpen] = useState(item.state === 'rejected')
  // one that says no more than the line does is not said twice
  const hasMore = item.faults.some((fault) => fault.pointer || fault.expected != null || fault.message !== item.message)
  return (
    <Fragment>
      <tr className={hasMore && isOpen ? css.open : undefined}>
        <td><State state={item.state} /></td>
        <th scope="row"><span className="clip" style={{ display: 'block' }} title={item.name ?? ''}><bdi>{item.name ?? `item ${item.index + 1}`}</bdi></span></th>
        <td className={join(page.num, 'dim')}>{size === undefined ? '' : bytes(size)}</td>
        <td className={join('mid', css.form)}>{formWords(item)}</td>
        <td className={css.result}>{words(item)}</td>
        <td className={css.act}>
          {item.id !== null ? <Link href={paths.experiment(item.id)}>{item.state === 'stored' ? 'Open' : 'Open stored'}</Link>
            : hasMore ? <Act aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>{isOpen ? 'Hide faults' : 'Show faults'}</Act> : null}
        </td>
      </tr>
      {hasMore && isOpen && (
        <tr className={css.detail}>
          <td />
          <td colSpan={5}><Faults faults={item.faults} /></td>
        </tr>
      )}
    </Fragment>
  )
}

function Faults({ faults }: { faults: Fault[] }) {
  const hasLines = faults.some((fault) => fault.line != null)
  return (
    <table className={join(page.rows, css.faults)}>
      <thead><tr><th scope="col">Where</th><th scope="col">Found</th><th scope="col">Expected</th>{hasLines && <th scope="col" className={page.num}>Line</th>}</tr></thead>
      <tbody>
        {faults.map((fault, i) => (
          <tr key={i}>
            <td className="n"><bdi>{(fault.pointer ?? '') + (fault.key ? `/${fault.key}` : '') || 'the whole file'}</bdi></td>
            {fault.found == null && fault.expected == null ? (
              <td colSpan={2}><bdi>{fault.message}</bdi></td>
            ) : (
              <>
                <td className="n">{fault.found != null ? <bdi>{fault.found}</bdi> : <span className="dim">nothing</span>}</td>
                <td><bdi>{fault.expected ?? fault.message}</bdi>{fault.nearest ? <>, perhaps <code><bdi>{fault.nearest}</bdi></code></> : null}</td>
              </>
            )}
            {hasLines && <td className={page.num}>{fault.line == null ? '–' : count(fault.line)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

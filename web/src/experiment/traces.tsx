// The profiler traces of a result: files, and a summary of one of them. Nothing leaves the host but by the click that
// says so.
import { useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'

import { causeOf } from '../api/client'
import { at } from '../api/contract'
import { useTraces, useTraceSums } from '../api/queries'
import type { Artifacts, TraceSums } from '../api/types'
import { bytes, count, formOfUnit, showNumber } from '../format/number'
import { Act, Acts, Bone, Button, join, Note } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import page from '../ui/page.module.css'
import { useSeen } from '../ui/use-seen'
import { visible } from '../ui/visible'
import { Waiting } from '../ui/waiting'
import { paths } from '../url/paths'
import { readTrace, writeTrace } from '../url/trace'
import css from './experiment.module.css'
import { PERFETTO, sendTrace } from './perfetto'

type Files = Pick<Artifacts, 'artifacts' | 'missing'>
const tracesOf = ({ artifacts, missing }: Files) => ({
  stored: artifacts.filter(({ kind }) => kind === 'trace'),
  absent: missing.filter(({ kind }) => kind === 'trace'),
})

export function hasTraces(files: Files | undefined) {
  const { stored, absent } = tracesOf(files ?? { artifacts: [], missing: [] })
  return stored.length + absent.length > 0
}

// vLLM writes a table of sums as text next to each trace, and Nsight Systems a format of its own.
const isChrome = (name: string) => /\.json(\.gz)?$/.test(name)

const addressOf = (id: number, name: string) =>
  at('/api/data/experiments/{id}/artifacts/{kind}/{name}', { id, kind: 'trace', name })
const HOST = PERFETTO.replace('https://', '')

export function Traces({ id, files }: { id: number; files: Files }) {
  const section = useRef<HTMLElement>(null)
  const isSeen = useSeen(section)
  const search = useSearch()
  const [place, navigate] = useLocation()
  const { stored, absent } = tracesOf(files)
  const ranks = useTraces(id, stored.length > 0).data
  const rankOf = (name: string) => ranks?.find((trace) => trace.name === name)?.rank ?? null
  const wanted = readTrace(search)
  const traces = stored.map(({ name }) => name).filter(isChrome)
  const chosen = traces.find((name) => name === wanted) ?? traces[0] ?? null
  const [asked, setAsked] = useState<string | null>(null)
  const choose = (name: string) =>
    navigate(`${place}?${writeTrace(name, window.location.search)}${window.location.hash}`, {
      replace: true,
      state: history.state as unknown,
    })
  return (
    <section className={page.block} id="traces" aria-label="Traces" ref={section}>
      <div className={page.blockHead}>
        <h2>Traces</h2>
        <p>{stored.length === 0 ? 'None were uploaded' : 'files of the profiler'}</p>
        {stored.length > 1 && (
          <span className={page.end}>
            <a className={join(controls.button, controls.line)} href={`${paths.traces(id)}?all=true`} download>
              <Icon name="download" />
              Download all {count(stored.length)}
            </a>
          </span>
        )}
      </div>
      <div
        className={page.scroll}
        tabIndex={0}
        role="region"
        aria-label="Traces table"
        aria-description="Scrolls sideways"
      >
        <table className={page.rows}>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col" className={page.num}>
                Rank
              </th>
              <th scope="col" className={page.num}>
                Size
              </th>
              <th scope="col">SHA-256</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {stored.map(({ name, bytes: size, sha256 }) => (
              <tr key={name}>
                <th scope="row">
                  <a href={addressOf(id, name)} download={name}>
                    <bdi>{visible(name)}</bdi>
                  </a>
                </th>
                <td className={page.num}>{rankOf(name) ?? '–'}</td>
                <td className={page.num}>{bytes(size)}</td>
                <td className="n" title={sha256}>
                  {sha256.slice(0, 12)}
                </td>
                <td>
                  {isChrome(name) ? (
                    <>
                      <Button isDisabled={name === chosen} onPress={() => choose(name)}>
                        {name === chosen ? 'Summary below' : 'Summary'}
                        <span className="sr"> of {name}</span>
                      </Button>
                      <Button onPress={() => setAsked(name)}>
                        Open in Perfetto…<span className="sr"> {name}</span>
                      </Button>
                    </>
                  ) : (
                    '–'
                  )}
                </td>
              </tr>
            ))}
            {absent.map(({ name, bytes: size, sha256 }) => (
              <tr key={name} className={page.quiet}>
                <th scope="row">
                  <bdi>{visible(name)}</bdi>
                </th>
                <td className={page.num}>–</td>
                <td className={page.num}>{bytes(size)}</td>
                <td className="n" title={sha256}>
                  {sha256.slice(0, 12)}
                </td>
                <td>not uploaded</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {asked !== null && (
        <Hand
          key={asked}
          id={id}
          name={asked}
          size={stored.find(({ name }) => name === asked)?.bytes ?? 0}
          onClose={() => setAsked(null)}
        />
      )}
      {chosen !== null && <Summary id={id} name={chosen} isWanted={isSeen} />}
    </section>
  )
}

// Says what leaves the host before it does.
function Hand({ id, name, size, onClose }: { id: number; name: string; size: number; onClose: () => void }) {
  const [state, setState] = useState<'asked' | 'sending' | 'sent' | Error>('asked')
  const send = async () => {
    const opened = window.open(PERFETTO)
    if (!opened) return setState(new Error('the browser blocked its window'))
    setState('sending')
    try {
      await sendTrace(opened, name, async () => {
        const answer = await fetch(addressOf(id, name))
        if (!answer.ok) throw new Error(`the file could not be loaded: status ${answer.status}`)
        return answer.arrayBuffer()
      })
      setState('sent')
    } catch (error) {
      setState(error as Error)
    }
  }
  return (
    <div className={css.hand}>
      {state === 'asked' ? (
        <Note kind="warn">
          <b>
            <bdi>{visible(name)}</bdi> ({bytes(size)}) leaves this host.
          </b>{' '}
          Your browser opens {HOST} and hands the file to it.{' '}
          <Acts>
            <Act autoFocus onPress={() => void send()}>
              Send to {HOST}
            </Act>
            <Act onPress={onClose}>Cancel</Act>
          </Acts>
        </Note>
      ) : state === 'sending' || state === 'sent' ? (
        <Note role="status">
          {state === 'sent' ? `Sent to ${HOST}.` : `Waiting for ${HOST}…`} <Act onPress={onClose}>Close</Act>
        </Note>
      ) : (
        <Note kind="bad" role="alert">
          <b>Could not open {HOST}.</b> {causeOf(state)} <Act onPress={() => void send()}>Retry</Act>{' '}
          <Act onPress={onClose}>Close</Act>
        </Note>
      )}
    </div>
  )
}

function Summary({ id, name, isWanted }: { id: number; name: string; isWanted: boolean }) {
  const sums = useTraceSums(id, isWanted ? name : null)
  const { data } = sums
  return (
    <div className={css.sums}>
      <h3>
        Summary of <bdi>{visible(name)}</bdi>
      </h3>
      {sums.error && (
        <Note kind="warn" role="alert">
          <b>Could not summarize the trace.</b> {causeOf(sums.error)}{' '}
          <Act onPress={() => void sums.refetch()}>Retry</Act>
        </Note>
      )}
      <Waiting queries={[sums]} />
      {!data && !sums.error && <Bone width={520} />}
      {data && <Sums data={data} />}
    </div>
  )
}

const NS_PER_MS = 1e6
// One form per column.
const inMs = (all: number[]) => {
  const form = formOfUnit(
    'ms',
    all.map((ns) => ns / NS_PER_MS),
  )
  return (ns: number) => showNumber(ns / NS_PER_MS, form)
}
function percent(share: number | null) {
  if (share === null) return '–'
  const value = 100 * share
  return `${value === 0 || value >= 1 ? value.toFixed(1) : value.toPrecision(2)} %`
}

function Sums({ data }: { data: TraceSums }) {
  const begin = inMs(data.longest.map(({ begin_ns }) => begin_ns))
  const duration = inMs(data.longest.map(({ duration_ns }) => duration_ns))
  const sum = inMs(data.kernels.top.map(({ total_ns }) => total_ns))
  return (
    <>
      <p className={page.facts}>
        <span>
          <span className="n">{count(data.complete_events)}</span> complete events
        </span>
        <span>
          span <span className="n">{inMs([data.span_ns])(data.span_ns)} ms</span>
        </span>
        <span>
          GPU busy <span className="n">{percent(data.gpu_busy_share)}</span>
          {data.gpus.length === 0 && (data.kernels.count === 0 ? ' (no kernels)' : ' (too many separate kernels)')}
        </span>
        {data.gpus.length > 1 &&
          data.gpus.map(({ device, busy_share }, i) => (
            <span key={device ?? `?${i}`}>
              GPU {device ?? 'without a number'} <span className="n">{percent(busy_share)}</span>
            </span>
          ))}
      </p>
      {!data.whole && <Note kind="warn">The file has no end. The summary covers the events before it was cut.</Note>}
      <div className={css.pair}>
        <Table
          title="Longest operations"
          heads={['Operation', 'Category', 'Begin (ms)', 'Duration (ms)']}
          rows={data.longest.map(({ name, category, begin_ns, duration_ns }) => [
            name,
            category,
            begin(begin_ns),
            duration(duration_ns),
          ])}
        />
        <Table
          title="Top kernels"
          heads={['Kernel', 'Count', 'Sum (ms)', 'Share']}
          rows={data.kernels.top.map(({ name, count: times, total_ns, share }) => [
            name,
            count(times),
            sum(total_ns),
            percent(share),
          ])}
        />
      </div>
    </>
  )
}

const FIRST = 10

function Table({ title, heads, rows }: { title: string; heads: string[]; rows: string[][] }) {
  const [isAll, setAll] = useState(false)
  const isWord = (i: number) => i === 0 || heads[i] === 'Category'
  if (rows.length === 0) return <p className="dim">{title}: none in this trace.</p>
  return (
    <div>
      <div className={page.scroll} tabIndex={0} role="region" aria-label={title} aria-description="Scrolls sideways">
        <table className={page.rows}>
          <caption className={css.caption}>{title}</caption>
          <thead>
            <tr>
              {heads.map((head, i) => (
                <th key={head} scope="col" className={isWord(i) ? undefined : page.num}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(isAll ? rows : rows.slice(0, FIRST)).map(([name = '', ...cells], row) => (
              <tr key={row}>
                <th scope="row" className={page.text}>
                  <code className={css.twoLines} title={visible(name)}>
                    {visible(name)}
                  </code>
                </th>
                {cells.map((cell, i) => (
                  <td key={i} className={isWord(i + 1) ? 'mid' : page.num}>
                    {visible(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > FIRST && (
        <Act onPress={() => setAll(!isAll)}>{isAll ? `Show ${FIRST}` : `Show all ${count(rows.length)}`}</Act>
      )}
    </div>
  )
}

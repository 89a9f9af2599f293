// The log of the server: the line with the cause, a search, and a link to each line.
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useLocationProperty } from 'wouter/use-browser-location'

import { causeOf } from '../api/client'
import { at } from '../api/contract'
import { type LogRequest, useLog, useLogSearch } from '../api/queries'
import type { Experiment, LogLines } from '../api/types'
import { bytes, count } from '../format/number'
import { Act, Bone, Button, Field, IconButton, join, Note } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Copy } from '../ui/copy'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { useSeen } from '../ui/use-seen'
import { visible } from '../ui/visible'
import { Waiting } from '../ui/waiting'
import { type LogState, readLog, writeLog } from '../url/log'
import css from './log.module.css'
import { levelOf, type logSource, nextMatch, parts } from './log-lines'

const PAGE = 200
const TYPING_MS = 300

// A line that another section leads to; a new object leads there again.
export interface Called {
  id: number // of the experiment
  line: number
}

export function Log({
  experiment,
  source,
  called,
}: {
  experiment: Experiment
  source: NonNullable<ReturnType<typeof logSource>>
  called: Called | null
}) {
  const section = useRef<HTMLElement>(null)
  const isSeen = useSeen(section)
  const hash = useLocationProperty(() => window.location.hash)
  return (
    <section className={page.block} id="log" aria-label="Server log" ref={section}>
      {source.kind === 'missing' ? (
        <>
          <div className={page.blockHead}>
            <h2>Server log</h2>
          </div>
          <p className={css.quiet}>
            <bdi>{source.name}</bdi> was not uploaded. Upload it with the result to see the log of the server.
          </p>
        </>
      ) : (
        <Lines
          experiment={experiment}
          isWanted={isSeen || called !== null || hash.startsWith('#log')}
          called={called}
        />
      )}
    </section>
  )
}

function Lines({ experiment, isWanted, called }: { experiment: Experiment; isWanted: boolean; called: Called | null }) {
  const hash = useLocationProperty(() => window.location.hash)
  const [place, navigate] = useLocation()
  const state = readLog(hash)
  const set = (change: Partial<LogState>) =>
    navigate(`${place}${window.location.search}${writeLog({ ...state, ...change })}`, {
      replace: true,
      state: history.state as unknown,
    })
  const [view, setView] = useState<LogRequest>(
    state.line === null ? { tail: PAGE } : { around: state.line, limit: PAGE },
  )
  const [isAtEnd, setAtEnd] = useState(true)
  const turn = (to: LogRequest, toEnd = false) => {
    setView(to)
    setAtEnd(toEnd)
  }
  const log = useLog(experiment.id, isWanted ? view : null)
  const { data } = log
  const [searchFrom, setSearchFrom] = useState(0)
  const search = useLogSearch(
    experiment.id,
    isWanted && state.find !== '' ? { find: state.find, offset: searchFrom } : null,
  )
  const found = search.data?.matches ?? null
  const isOn = (line: number) => !!data?.rows.some((row) => row.line === line)
  // the cause comes first, unless the address has a line
  const [isStarted, setStarted] = useState(state.line !== null)
  const cause = data?.cause_line ?? null
  useEffect(() => {
    if (isStarted || !data) return
    setStarted(true)
    if (data.cause_line !== null && !data.rows.some(({ line }) => line === data.cause_line))
      setView({ around: data.cause_line, limit: PAGE })
  }, [isStarted, data])
  const goTo = (line: number) => {
    if (!isOn(line)) setView({ around: line, limit: PAGE })
    set({ line })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: each call leads there once
  useEffect(() => {
    if (!called) return
    setStarted(true)
    goTo(called.line)
  }, [called])
  // a line that came with the address later, such as by Back
  const { line } = state
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the line leads there
  useEffect(() => {
    if (line !== null && data && !isOn(line) && line <= data.lines) setView({ around: line, limit: PAGE })
  }, [line])
  // the first match after the shown lines, as soon as a search has ended
  // biome-ignore lint/correctness/useExhaustiveDependencies: each result of a search leads there once
  useEffect(() => {
    if (!found || found.lines.length === 0 || (line !== null && found.lines.includes(line))) return
    const to = nextMatch(found.lines, (line ?? data?.rows[0]?.line ?? 1) - 1, 1)
    if (to !== null) goTo(to)
  }, [found])
  const first = data?.rows[0]?.line ?? 1
  const last = data?.rows.at(-1)?.line ?? 0
  const file = data?.source === 'artifact' ? data.name : null
  return (
    <>
      <div className={page.blockHead}>
        <h2>Server log</h2>
        <p>
          {data &&
            join(
              data.source === 'log_tail' && 'Only the end is in the result:',
              `${count(data.lines)} ${data.lines === 1 ? 'line' : 'lines'}, ${bytes(data.bytes)}.`,
            )}
        </p>
        <span className={page.end} {...oneStop}>
          {line !== null && (
            <Copy text={() => window.location.href} of={`to line ${count(line)}`}>
              Copy link
            </Copy>
          )}
          {file !== null && (
            <a
              className={join(controls.button, controls.line)}
              href={at('/api/data/experiments/{id}/artifacts/{kind}/{name}', {
                id: experiment.id,
                kind: 'server_log',
                name: file,
              })}
              download={file}
            >
              <Icon name="download" />
              Download
            </a>
          )}
        </span>
      </div>
      {data?.source === 'log_tail' && data.name !== null && (
        <p className={css.quiet}>
          <bdi>{data.name}</bdi> was not uploaded. Upload it with the result to see the whole log.
        </p>
      )}
      <Waiting queries={[log, search]} />
      {log.error && (
        <Note kind="warn" role="alert">
          <b>Could not load the log.</b> {causeOf(log.error)} <Act onPress={() => void log.refetch()}>Retry</Act>
        </Note>
      )}
      {!data && !log.error && <Bone width={520} />}
      {data?.lines === 0 && <p className={css.quiet}>The log is empty.</p>}
      {data && data.lines > 0 && (
        <>
          <div className={css.tools} {...oneStop}>
            <Search
              find={state.find}
              onFind={(find) => {
                setSearchFrom(0)
                set({ find })
              }}
              onStep={(step) => {
                const to = found && nextMatch(found.lines, line, step)
                if (to != null) goTo(to)
              }}
              canStep={!!found && found.lines.length > 0}
            />
            <span role="status" className={css.count}>
              {state.find === '' ? '' : search.error ? '' : found ? countText(found, line) : 'Searching…'}
            </span>
            {search.error && (
              <span role="alert">
                Could not search the log. {causeOf(search.error)} <Act onPress={() => void search.refetch()}>Retry</Act>
              </span>
            )}
            {found?.next_offset != null && (
              <Act onPress={() => setSearchFrom(found.next_offset as number)}>
                Search on from line {count(found.next_offset + 1)}
              </Act>
            )}
            <span className={css.pages}>
              {cause !== null && <Button onPress={() => goTo(cause)}>Go to the cause</Button>}
              <Button isDisabled={first <= 1} onPress={() => turn({ offset: 0, limit: PAGE })}>
                Start
              </Button>
              <Button
                isDisabled={first <= 1}
                onPress={() => turn({ offset: Math.max(0, first - 1 - PAGE), limit: Math.min(PAGE, first - 1) }, true)}
              >
                Earlier
              </Button>
              <Button isDisabled={last >= data.lines} onPress={() => turn({ offset: last, limit: PAGE })}>
                Later
              </Button>
              <Button isDisabled={last >= data.lines} onPress={() => turn({ tail: PAGE }, true)}>
                End
              </Button>
            </span>
          </div>
          <Rows
            data={data}
            isAtEnd={isAtEnd}
            chosen={line}
            called={called}
            find={state.find}
            onChoose={(to) => set({ line: to })}
            isBusy={log.isPlaceholderData}
          />
          {data.truncated && <p className={css.quiet}>The log is longer than 4 GiB. The rest is not shown.</p>}
        </>
      )}
    </>
  )
}

function countText({ lines, next_offset }: NonNullable<LogLines['matches']>, line: number | null) {
  if (lines.length === 0) return next_offset === null ? 'No line contains this text' : 'Not found so far'
  const index = line === null ? -1 : lines.indexOf(line)
  const all = `${count(lines.length)}${next_offset === null ? '' : ' so far'}`
  return index < 0 ? `${all} ${lines.length === 1 ? 'line' : 'lines'}` : `${count(index + 1)} of ${all}`
}

function Search({
  find,
  onFind,
  onStep,
  canStep,
}: {
  find: string
  onFind: (text: string) => void
  onStep: (step: 1 | -1) => void
  canStep: boolean
}) {
  const [draft, setDraft] = useState(find)
  const apply = useRef(onFind)
  apply.current = onFind
  useEffect(() => setDraft(find), [find])
  useEffect(() => {
    if (draft === find) return
    const timer = setTimeout(() => apply.current(draft), TYPING_MS)
    return () => clearTimeout(timer)
  }, [draft, find])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (draft !== find) apply.current(draft)
    else onStep(1)
  }
  return (
    <form className={css.search} role="search" aria-label="Server log" onSubmit={submit}>
      <Field
        label="Search the log"
        icon="search"
        type="search"
        maxLength={120}
        placeholder="Search the log"
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !event.shiftKey) return
          event.preventDefault()
          onStep(-1)
        }}
      />
      <IconButton icon="up" name="Previous match" isDisabled={!canStep} onPress={() => onStep(-1)} />
      <IconButton icon="lower" name="Next match" isDisabled={!canStep} onPress={() => onStep(1)} />
    </form>
  )
}

function Rows({
  data,
  isAtEnd,
  chosen,
  called,
  find,
  onChoose,
  isBusy,
}: {
  data: LogLines
  isAtEnd: boolean // without a line to show, the end of the lines comes into view
  chosen: number | null
  called: Called | null // gets the focus
  find: string
  onChoose: (line: number) => void
  isBusy: boolean
}) {
  const box = useRef<HTMLDivElement>(null)
  const isFirst = useRef(true)
  const last = useRef<Called | null>(null)
  const target = chosen ?? data.cause_line
  // Scrolls the box, and the page only if the address led to a line.
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines or another line to go to
  useEffect(() => {
    const scroller = box.current
    if (!scroller || isBusy) return
    const row = target === null ? null : scroller.querySelector<HTMLElement>(`[data-line="${target}"]`)
    if (row) scroller.scrollTop = row.offsetTop - (scroller.clientHeight - row.offsetHeight) / 2
    else scroller.scrollTop = isAtEnd ? scroller.scrollHeight : 0
    const isCalled = called !== null && called !== last.current && called.line === chosen && row
    if (isCalled) {
      last.current = called
      row.querySelector('a')?.focus({ preventScroll: true })
    }
    if (isCalled || (isFirst.current && chosen !== null)) scroller.scrollIntoView({ block: 'center' })
    isFirst.current = false
  }, [target, data, isBusy, called])
  return (
    <div ref={box} className={css.box} role="region" aria-label="Lines of the log" data-busy={isBusy || undefined}>
      <ol className={css.lines} {...oneStop}>
        {data.rows.map((row) => (
          <li
            key={row.line}
            value={row.line}
            id={`log-L${row.line}`}
            data-line={row.line}
            data-level={levelOf(row.text)}
            data-cause={row.line === data.cause_line || undefined}
            data-chosen={row.line === chosen || undefined}
          >
            <a
              href={writeLog({ line: row.line, find })}
              aria-label={`Line ${count(row.line)}`}
              aria-current={row.line === chosen || undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return
                event.preventDefault()
                onChoose(row.line)
              }}
            >
              {count(row.line)}
            </a>
            <code>
              {row.line === data.cause_line && <b className={css.cause}>Cause</b>}
              <bdi>
                {row.from > 0 && '…'}
                {parts(visible(row.text), visible(find)).map((part, i) =>
                  i % 2 === 1 ? <mark key={i}>{part}</mark> : part,
                )}
              </bdi>
              <Rest row={row} />
            </code>
          </li>
        ))}
      </ol>
    </div>
  )
}

const encoder = new TextEncoder()

// How much of a long line is not here.
function Rest({ row }: { row: LogLines['rows'][number] }) {
  // a replaced byte is longer than it was
  const rest = row.bytes - row.from - encoder.encode(row.text.replaceAll('\ufffd', '?')).length
  return rest > 0 ? <span className={css.rest}>… {bytes(rest)} more in the file</span> : null
}

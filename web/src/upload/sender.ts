// One upload in this page: files that wait, that are being sent, and that failed. Files that have arrived are forgotten
// here, because the server reports them. Uses no server and no React: its effects are parameters.
//
// - Results go into one job, several per request. Then the job is closed, and the artifacts of its results follow.
// - After a broken connection or a reload, the server is asked for the SHA-256 of every file that may have arrived, so
//   that nothing is sent twice. A part that is sent again keeps its key, so that a late copy is stored once.
// - If the server is unreachable or cannot accept files now, the request is retried, at growing intervals, until the
//   user cancels. If the server refuses a file, that file has the error.
import { ApiError } from '../api/client'
import { lastName, sortOf, stemOf } from './kinds'
import { Sha256 } from './sha256'

export const FILE_MAX = 64 * 1024 * 1024 // x-bytes-max of the contract
export const PART_BYTES = 4 * 1024 * 1024
export const PART_FILES = 500
const LANES = 2
const TRIES = 4 // for requests that break although the server responds
const PAUSES_MS = [500, 1000, 2000, 4000, 8000]

export type Choice = 'skip' | 'replace' | 'keep'

export interface Chosen {
  file: File
  name: string
  isOfFolder: boolean
}

// held: waits for its result. refused: cannot be sent. passed: skipped, because it is not a result.
export type EntryState = 'waiting' | 'reading' | 'sending' | 'failed' | 'cancelled' | 'held' | 'refused' | 'passed'

export interface Entry {
  key: number
  name: string
  file: File
  artifact: { kind: string; stem: string } | null // null: a result
  state: EntryState
  share: number // sent share
  why: string | null
  sha256: string | null
  isDoubtful: boolean // the server may have it already
  part: number // the part that it was last sent in; 0: none
  isAlone: boolean
  tries: number
  way: AbortController | null // of an artifact that is being sent
}

export interface Run {
  id: number
  run_id: string | null
  state: string
}

export interface Io {
  open(about: { name: string; files: number; bytes: number; on_conflict: Choice }, signal: AbortSignal): Promise<string>
  stateOf(job: string, signal: AbortSignal): Promise<string>
  known(job: string, sha256: string[], signal: AbortSignal): Promise<{ sha256: string; job_id: string }[]>
  // key: of this very part
  send(job: string, key: string, files: Entry[], onShare: (share: number) => void, signal: AbortSignal): Promise<void>
  close(job: string, signal: AbortSignal): Promise<void>
  cancel(job: string): Promise<void>
  runs(job: string, signal: AbortSignal): Promise<Map<string, Run>> // by file name, once all are known
  artifacts(id: number, signal: AbortSignal): Promise<{ kind: string; name: string; sha256: string }[]>
  put(run_id: string, entry: Entry, onShare: (share: number) => void, signal: AbortSignal): Promise<void>
  hash(file: File, signal: AbortSignal): Promise<string>
  sleep(ms: number, signal: AbortSignal): Promise<void>
  now(): number
}

export interface Trouble {
  error: ApiError
  again: number // when it is tried again
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'
const isPassing = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.status === undefined || error.status >= 500 || error.status === 429 || error.status === 408)
const isOfFiles = (status: number | undefined) => status === 400 || status === 413 || status === 415 || status === 422
// as opposed to a temporary refusal
const isBroken = (error: ApiError) => error.status === undefined || error.status === 500
const wordsOf = (error: unknown) =>
  error instanceof ApiError
    ? `${error.request}${error.status ? ` returned status ${error.status}` : ''}: ${error.message}`
    : String(error)

export const TOO_LARGE = `larger than ${FILE_MAX / 2 ** 20} MiB, the limit for one file`
const UNREADABLE = 'could not read the file; it was changed or removed after you chose it'
const HELD: Record<string, string> = {
  conflict: 'waits for your choice: its result is in conflict',
  rejected: 'its result was rejected',
  cancelled: 'its result was canceled',
}

let nextKey = 1
let nextPart = 1
const page = crypto.getRandomValues(new Uint32Array(4)).join('-') // distinguishes pages that send to the same job

// The key of a part with exactly these files: a part with fewer files has another key.
const keyOf = (part: Entry[]) =>
  new Sha256().update(new TextEncoder().encode([page, ...part.map(({ key }) => key)].join(' '))).hex()

function entryOf({ file, name, isOfFolder }: Chosen, isDoubtful: boolean): Entry {
  const sort = sortOf(name, isOfFolder)
  const entry: Entry = {
    key: nextKey++,
    name,
    file,
    artifact: null,
    state: 'waiting',
    share: 0,
    why: null,
    sha256: null,
    isDoubtful,
    part: 0,
    isAlone: file.size > PART_BYTES,
    tries: 0,
    way: null,
  }
  if (sort.is === 'other') return { ...entry, state: 'passed', why: sort.why }
  if (sort.is === 'artifact') return { ...entry, artifact: sort }
  return file.size > FILE_MAX ? { ...entry, state: 'refused', why: TOO_LARGE } : entry
}

export class Sender {
  readonly entries = new Map<number, Entry>()
  // of results; `before`: those that had arrived before
  readonly total = { files: 0, bytes: 0 }
  readonly done = { files: 0, bytes: 0, before: 0, bytesBefore: 0 }
  readonly artifacts = { total: 0, sent: 0, there: 0, bytes: 0, done: 0, bytesBefore: 0 }
  phase: 'sending' | 'finishing' | 'artifacts' | 'ended' = 'sending'
  trouble: Trouble | null = null
  isBusy = false
  isClosed = false
  taken = 0 // files of this page that the current job is known to have
  before: string | null | undefined // set after a job was created: the job that was shown before
  readonly name: string
  readonly isResumed: boolean // a part of it has arrived already
  private queue: Entry[] = []
  private at = 0
  private failures = 0
  private hasReopened = false
  private mustOpen: boolean
  private way = new AbortController()
  private hurry = new AbortController()

  constructor(
    private readonly io: Io,
    chosen: Chosen[],
    private readonly about: { name: string; onKnown: Choice },
    public job: string | null, // the job to resume, later the current one; null: a job is created
    private readonly onChange: () => void,
  ) {
    this.name = about.name
    this.isResumed = job !== null
    this.mustOpen = job === null
    for (const one of chosen) {
      const entry = entryOf(one, job !== null)
      this.entries.set(entry.key, entry)
      if (entry.artifact) {
        this.artifacts.total += 1
        this.artifacts.bytes += entry.file.size
      } else if (entry.state === 'waiting') {
        this.total.files += 1
        this.total.bytes += entry.file.size
        this.queue.push(entry)
      }
    }
  }

  async run() {
    if (this.isBusy) return
    this.isBusy = true
    this.way = new AbortController()
    this.onChange()
    try {
      await this.steps(this.way.signal)
    } catch (error) {
      if (!isAbort(error))
        for (const entry of this.entries.values()) if (isUnderway(entry)) settle(entry, 'failed', wordsOf(error))
    } finally {
      this.isBusy = false
      this.phase = 'ended'
      this.trouble = null
      this.onChange()
    }
  }

  // Cancels everything that has not arrived. Stored results remain.
  async cancel() {
    const { job, isClosed } = this
    for (const entry of this.entries.values()) if (isUnderway(entry)) settle(entry, 'cancelled', null)
    this.queue = []
    this.way.abort()
    // files that are retried later go into another job
    this.mustOpen = !isClosed
    this.onChange()
    if (job !== null) await this.io.cancel(job)
  }

  // Retries unsent files.
  again(isMeant: (entry: Entry) => boolean = () => true) {
    for (const entry of this.entries.values()) {
      if (!isUnsent(entry) || !isMeant(entry)) continue
      Object.assign(entry, { state: 'waiting', why: null, tries: 0, share: 0, isDoubtful: true })
      if (!entry.artifact) this.queue.push(entry)
    }
    if (this.queue.length > this.at && this.isClosed) this.mustOpen = true
    return this.run()
  }

  // Removes a file, or all unsent files, from the upload.
  leave(key?: number) {
    for (const entry of key === undefined ? [...this.entries.values()] : [this.entries.get(key)]) {
      if (!entry || (key === undefined && isUnderway(entry))) continue
      entry.way?.abort()
      this.forget(entry)
    }
    this.onChange()
    if (!this.isBusy && this.isOpen) return this.run()
    return Promise.resolve()
  }

  tryNow() {
    this.hurry.abort()
    this.hurry = new AbortController()
  }

  // The progress of results and artifacts. `moved`: bytes that this page has sent.
  get progress() {
    let bytes = this.done.bytes + this.artifacts.done
    for (const entry of this.entries.values()) if (entry.state === 'sending') bytes += entry.share * entry.file.size
    return {
      bytes,
      moved: bytes - this.done.bytesBefore - this.artifacts.bytesBefore,
      total: this.total.bytes + this.artifacts.bytes,
    }
  }

  private forget(entry: Entry) {
    this.entries.delete(entry.key)
    if (entry.artifact) {
      this.artifacts.total -= 1
      this.artifacts.bytes -= entry.file.size
    } else if (entry.state !== 'refused' && entry.state !== 'passed') {
      this.total.files -= 1
      this.total.bytes -= entry.file.size
    }
    entry.state = 'cancelled'
  }

  private async steps(signal: AbortSignal) {
    this.phase = 'sending'
    while (this.hasResults()) {
      if (this.mustOpen) await this.open(signal)
      await Promise.all(Array.from({ length: LANES }, () => this.lane(signal)))
    }
    this.phase = 'finishing'
    this.onChange()
    const isWhole = ![...this.entries.values()].some((entry) => !entry.artifact && isUnsent(entry))
    if (this.isOpen && isWhole) await this.close(this.job as string, signal)
    await this.sendArtifacts(signal)
    // more files were added meanwhile
    if (this.hasWaiting()) await this.steps(signal)
  }

  private get isOpen() {
    return this.job !== null && !this.mustOpen && !this.isClosed
  }

  private async open(signal: AbortSignal) {
    const job = await this.insist(
      () => this.io.open({ name: this.about.name, ...this.total, on_conflict: this.about.onKnown }, signal),
      signal,
    )
    this.before = this.job
    this.job = job
    this.taken = 0
    this.mustOpen = false
    this.isClosed = false
    this.onChange()
  }

  private hasWaiting() {
    return [...this.entries.values()].some(({ state }) => state === 'waiting')
  }

  private async close(job: string, signal: AbortSignal) {
    try {
      await this.insist(() => this.io.close(job, signal), signal)
    } catch (error) {
      // it is closed already
      if (!(error instanceof ApiError && error.status === 409)) throw error
    }
    this.isClosed = true
  }

  // Repeats a request until it succeeds, however long the server is unreachable.
  private async insist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      try {
        const answer = await work()
        this.recovered()
        return answer
      } catch (error) {
        if (!isPassing(error) || signal.aborted) throw error
        await this.rest(error, signal)
      }
    }
  }

  private recovered() {
    this.failures = 0
    if (this.trouble === null) return
    this.trouble = null
    this.onChange()
  }

  private async rest(error: ApiError, signal: AbortSignal) {
    const pause = (PAUSES_MS[Math.min(this.failures++, PAUSES_MS.length - 1)] as number) * (0.8 + 0.4 * Math.random())
    this.trouble = { error, again: this.io.now() + pause }
    this.onChange()
    const { signal: hurry } = this.hurry
    await this.io.sleep(pause, AbortSignal.any([signal, hurry])).catch((stopped: unknown) => {
      if (!hurry.aborted || signal.aborted) throw stopped
    })
  }

  private hasResults() {
    while (this.at < this.queue.length && this.queue[this.at]?.state !== 'waiting') this.at += 1
    return this.at < this.queue.length
  }

  private async lane(signal: AbortSignal) {
    while (!this.mustOpen && this.hasResults()) {
      signal.throwIfAborted()
      await this.deliver(this.take(), this.job as string, signal)
    }
  }

  // The next files, as many as fit into a request. Files of a part that broke are sent separately.
  private take() {
    const part: Entry[] = []
    let room = PART_BYTES
    while (part.length < PART_FILES && this.hasResults()) {
      const entry = this.queue[this.at] as Entry
      if (part.length > 0 && (entry.isAlone || entry.file.size > room || entry.part !== part[0]?.part)) break
      this.at += 1
      entry.state = entry.isDoubtful || entry.isAlone ? 'reading' : 'sending'
      part.push(entry)
      room -= entry.file.size
      if (entry.isAlone) break
    }
    if (this.at === this.queue.length) {
      this.queue = []
      this.at = 0
    }
    return part
  }

  private async deliver(part: Entry[], job: string, signal: AbortSignal) {
    const wasAsked = part.some((entry) => entry.isDoubtful)
    const missing = await this.missing(part, job, signal)
    if (missing.length === 0) return
    const number = nextPart++
    for (const entry of missing) Object.assign(entry, { state: 'sending', part: number })
    this.onChange()
    try {
      await this.io.send(
        job,
        keyOf(missing),
        missing,
        (share) => {
          for (const entry of missing) entry.share = share
          this.onChange()
        },
        signal,
      )
      this.recovered()
      for (const entry of missing) this.arrived(entry)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (isPassing(error)) await this.broke(missing, error, wasAsked, signal)
      else await this.refused(missing, error, job, signal)
    }
    this.onChange()
  }

  private arrived(entry: Entry) {
    if (!this.entries.delete(entry.key)) return
    this.taken += 1
    this.done.files += 1
    this.done.bytes += entry.file.size
  }

  // Returns the files of a part that have not arrived yet.
  private async missing(part: Entry[], job: string, signal: AbortSignal) {
    for (const entry of part)
      if ((entry.isDoubtful || entry.isAlone) && !(await this.read(entry, signal))) settle(entry, 'failed', UNREADABLE)
    const doubtful = part.filter((entry) => entry.isDoubtful && entry.state !== 'failed')
    if (doubtful.length > 0) {
      const known = await this.insist(
        () =>
          this.io.known(
            job,
            doubtful.map(({ sha256 }) => sha256 as string),
            signal,
          ),
        signal,
      )
      const came = new Set(known.filter(({ job_id }) => job_id === job).map(({ sha256 }) => sha256))
      for (const entry of doubtful) {
        if (!came.has(entry.sha256 as string)) continue
        this.arrived(entry)
        this.done.before += 1
        this.done.bytesBefore += entry.file.size
      }
      this.onChange()
    }
    return part.filter((entry) => this.entries.has(entry.key) && isUnderway(entry))
  }

  // Returns false if the file has changed since it was chosen.
  private async read(entry: Entry, signal: AbortSignal) {
    try {
      entry.sha256 = await this.io.hash(entry.file, signal)
      return true
    } catch (error) {
      if (isAbort(error)) throw error
      return false
    }
  }

  private async broke(part: Entry[], error: ApiError, wasAsked: boolean, signal: AbortSignal) {
    for (const entry of part) {
      entry.share = 0
      entry.isDoubtful = true // also if a proxy responded
      if (isBroken(error) && wasAsked) entry.tries += 1
      if (entry.tries < TRIES) entry.state = 'waiting'
      else if (part.length === 1) settle(entry, 'failed', wordsOf(error))
      else Object.assign(entry, { state: 'waiting', isAlone: true, tries: 0 })
    }
    this.back(part)
    await this.rest(error, signal)
  }

  private back(part: Entry[]) {
    this.queue = [...part.filter((entry) => entry.state === 'waiting'), ...this.queue.slice(this.at)]
    this.at = 0
  }

  private async refused(part: Entry[], error: ApiError, job: string, signal: AbortSignal) {
    for (const entry of part) entry.share = 0
    if (error.status === 404 || error.status === 409) return this.lost(part, error, job, signal)
    if (!isOfFiles(error.status)) throw error // the server accepts nothing
    if (part.length === 1) return settle(part[0] as Entry, 'failed', wordsOf(error))
    for (const entry of part) Object.assign(entry, { state: 'waiting', isAlone: true })
    this.back(part)
  }

  // The job accepts no more files: it was closed or canceled, or the server has another database.
  private async lost(part: Entry[], error: ApiError, job: string, signal: AbortSignal) {
    for (const entry of part) entry.state = 'waiting'
    this.back(part)
    if (this.job !== job || this.mustOpen) return
    const state = await this.insist(() => this.io.stateOf(job, signal), signal)
    if (state === 'cancelled') return this.cancel()
    if (this.hasReopened) throw error
    this.hasReopened = true
    this.mustOpen = true
  }

  private async sendArtifacts(signal: AbortSignal) {
    const waiting = Map.groupBy(
      [...this.entries.values()].filter((entry) => entry.artifact && entry.state === 'waiting'),
      (entry) => entry.artifact?.stem ?? '',
    )
    if (waiting.size === 0) return
    const { job } = this
    const runs = job === null ? new Map<string, Run>() : await this.insist(() => this.io.runs(job, signal), signal)
    const byStem = new Map([...runs].map(([name, run]) => [stemOf(name), run]))
    this.phase = 'artifacts'
    const groups = [...waiting]
    const lane = async () => {
      for (let group = groups.shift(); group; group = groups.shift())
        await this.sendBeside(byStem.get(group[0]), group[1], signal)
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }

  private async sendBeside(run: Run | undefined, entries: Entry[], signal: AbortSignal) {
    const isThere = run && run.run_id !== null && (run.state === 'stored' || run.state === 'duplicate')
    if (!isThere) {
      for (const entry of entries)
        settle(
          entry,
          'held',
          run ? (HELD[run.state] ?? 'its result is not stored') : 'its result is missing from the upload',
        )
      return this.onChange()
    }
    const there = await this.insist(() => this.io.artifacts(run.id, signal), signal)
    const has = (entry: Entry) =>
      there.some(
        ({ kind, name, sha256 }) =>
          kind === entry.artifact?.kind && name === lastName(entry.name) && sha256 === entry.sha256,
      )
    for (const entry of entries) {
      if (entry.state !== 'waiting') continue
      entry.state = 'reading'
      this.onChange()
      if (!(await this.read(entry, signal))) settle(entry, 'failed', UNREADABLE)
      else if (has(entry)) this.placed(entry, 'there')
      else await this.put(run.run_id as string, entry, signal)
      this.onChange()
    }
  }

  private placed(entry: Entry, as: 'sent' | 'there') {
    if (!this.entries.delete(entry.key)) return
    this.artifacts[as] += 1
    this.artifacts.done += entry.file.size
    if (as === 'there') this.artifacts.bytesBefore += entry.file.size
  }

  private async put(run_id: string, entry: Entry, signal: AbortSignal) {
    entry.way = new AbortController()
    entry.state = 'sending'
    const either = AbortSignal.any([signal, entry.way.signal])
    const onShare = (share: number) => {
      entry.share = share
      this.onChange()
    }
    try {
      await this.insist(async () => {
        // an unreadable file looks like a broken connection
        if (entry.tries++ > 0) await entry.file.slice(0, 1).arrayBuffer()
        await this.io.put(run_id, entry, onShare, either)
      }, either)
      this.placed(entry, 'sent')
    } catch (error) {
      if (signal.aborted) throw error
      if (isAbort(error)) settle(entry, 'cancelled', null)
      else settle(entry, 'failed', error instanceof ApiError ? wordsOf(error) : UNREADABLE)
    } finally {
      entry.way = null
    }
  }
}

export const isUnsent = ({ state }: Entry) => state === 'failed' || state === 'cancelled' || state === 'held'
export const isUnderway = ({ state }: Entry) => state === 'waiting' || state === 'reading' || state === 'sending'

function settle(entry: Entry, state: EntryState, why: string | null) {
  Object.assign(entry, { state, why, share: 0 })
}

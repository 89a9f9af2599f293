import { readFileSync } from 'node:fs'

import { beforeEach, expect, it } from 'vitest'

import { ApiError } from '../api/client'
import { type Entry, FILE_MAX, type Io, isUnsent, PART_BYTES, PART_FILES, type Run, Sender, TOO_LARGE } from './sender'

// A simulated server: it remembers the files that it accepted, and any request can be made to fail.
class Server implements Io {
  jobs = new Map<string, { name: string; files: string[]; state: string }>()
  parts: string[][] = []
  puts: string[] = []
  there = new Map<number, { kind: string; name: string; sha256: string }[]>()
  outcome: Record<string, string> = {}
  isDown = false
  hashed = 0
  asked = 0
  slept: number[] = []
  keys = new Set<string>()
  onSend: (names: string[], job: string, key: string) => void | Promise<void> = () => {}
  afterSend: (names: string[]) => void = () => {}
  onPut: (name: string) => void | Promise<void> = () => {}
  onSleep: () => void = () => {}
  unreadable = new Set<string>()

  private answer() {
    if (this.isDown) throw new ApiError({ detail: 'no answer' }, 'POST /x')
  }

  async open({ name }: { name: string }) {
    this.answer()
    const job = `job-${this.jobs.size + 1}`
    this.jobs.set(job, { name, files: [], state: 'open' })
    return job
  }

  async stateOf(job: string) {
    this.answer()
    return this.jobs.get(job)?.state ?? 'gone'
  }

  async known(job: string, sha256: string[]) {
    this.answer()
    this.asked += 1
    const has = (id: string, hash: string) =>
      this.jobs.get(id)?.files.some((name) => `hash of ${name}` === hash) ?? false
    return sha256.flatMap((hash) =>
      [job, ...[...this.jobs.keys()].reverse()]
        .filter((id) => has(id, hash))
        .slice(0, 1)
        .map((job_id) => ({ sha256: hash, job_id })),
    )
  }

  async send(job: string, key: string, entries: Entry[], _: unknown, signal: AbortSignal) {
    const names = entries.map(({ name }) => name)
    this.answer()
    await this.onSend(names, job, key)
    signal.throwIfAborted()
    this.take(job, key, names)
  }

  take(job: string, key: string, names: string[]) {
    if (this.keys.has(`${job} ${key}`)) return
    const its = this.jobs.get(job)
    if (!its) throw new ApiError({ status: 404, detail: 'no such job' }, 'POST /x')
    if (its.state !== 'open') throw new ApiError({ status: 409, detail: 'closed' }, 'POST /x')
    this.keys.add(`${job} ${key}`)
    its.files.push(...names)
    this.parts.push(names)
    this.afterSend(names)
  }

  async close(job: string) {
    this.answer()
    const its = this.jobs.get(job)
    if (its) its.state = 'done'
  }

  async cancel(job: string) {
    const its = this.jobs.get(job)
    if (its) its.state = 'cancelled'
  }

  async runs(job: string) {
    this.answer()
    const files = this.jobs.get(job)?.files ?? []
    return new Map<string, Run>(
      files.map((name, i) => [name, { id: i + 1, run_id: `run of ${name}`, state: this.outcome[name] ?? 'stored' }]),
    )
  }

  async artifacts(id: number) {
    this.answer()
    return this.there.get(id) ?? []
  }

  async put(run_id: string, entry: Entry) {
    this.answer()
    await this.onPut(entry.name)
    this.puts.push(`${run_id}: ${entry.artifact?.kind} ${entry.name}`)
  }

  async hash(file: File) {
    this.hashed += 1
    if (this.unreadable.has(file.name)) throw new DOMException('changed', 'NotReadableError')
    return `hash of ${file.name}`
  }

  async sleep(ms: number, signal: AbortSignal) {
    signal.throwIfAborted()
    this.slept.push(ms)
    this.onSleep()
    await Promise.resolve()
  }

  now() {
    return 0
  }
}

let server: Server
beforeEach(() => {
  server = new Server()
})

const sized = (name: string, size: number) => Object.defineProperty(new File(['{}'], name), 'size', { value: size })
const chosen = (...files: (string | File)[]) =>
  files
    .map((one) => (typeof one === 'string' ? new File(['{}'], one) : one))
    .map((file) => ({ file, name: file.name, isOfFolder: true }))
const many = (count: number) => chosen(...Array.from({ length: count }, (_, i) => `${i}.json`))
const make = (files: ReturnType<typeof chosen>, job: string | null = null) =>
  new Sender(server, files, { name: 'nightly', onKnown: 'skip' }, job, () => {})
const states = (sender: Sender) => [...sender.entries.values()].map(({ name, state }) => `${name} ${state}`)
const received = (job: string) => server.jobs.get(job)?.files.toSorted()
const refuse = (status?: number) => {
  throw new ApiError(status === undefined ? { detail: 'broke' } : { status, detail: `no: ${status}` }, 'POST /x')
}

it('small files go several a request, a large one alone; nothing is hashed that need not be', async () => {
  const sender = make([
    ...many(PART_FILES + 3),
    ...chosen(
      sized('big.json', PART_BYTES + 1),
      sized('half.json', PART_BYTES / 2),
      sized('half2.json', PART_BYTES / 2 + 1),
    ),
  ])
  await sender.run()
  expect(server.parts.map((part) => part.length).toSorted((a, b) => a - b)).toEqual(
    [1, 1, 1, 3, PART_FILES].toSorted((a, b) => a - b),
  )
  expect(server.jobs.size).toBe(1)
  expect(server.jobs.get('job-1')?.state).toBe('done')
  expect(sender.done).toMatchObject({ files: PART_FILES + 6, before: 0 })
  expect(sender.entries.size).toBe(0)
  expect(server.hashed).toBe(1)
})

it('a connection that breaks after the server took all of it sends nothing twice', async () => {
  let breaks = 2
  server.afterSend = () => {
    if (breaks-- > 0) refuse()
  }
  const sender = make(many(1200))
  await sender.run()
  expect(received('job-1')).toEqual(
    many(1200)
      .map(({ name }) => name)
      .toSorted(),
  )
  expect(sender.done).toMatchObject({ files: 1200, before: 1000 })
  expect(sender.trouble).toBe(null)
})

it('a part that arrives late, while it is sent again, is stored once', async () => {
  const late: (() => void)[] = []
  server.onSend = (names, job, key) => {
    if (late.length < 3) {
      late.push(() => server.take(job, key, names))
      refuse()
    }
    for (const lands of late.splice(
      0,
      3,
      () => {},
      () => {},
      () => {},
    ))
      lands()
  }
  const sender = make(many(1200))
  await sender.run()
  expect(received('job-1')).toEqual(
    many(1200)
      .map(({ name }) => name)
      .toSorted(),
  )
  expect(server.parts.map((part) => part.length).toSorted((a, b) => a - b)).toEqual([200, 500, 500])
})

it('fewer files than were sent before are another part', async () => {
  const keys: string[] = []
  server.onSend = (_names, _job, key) => {
    keys.push(key)
    if (keys.length === 1) {
      server.unreadable.add('1.json')
      refuse()
    }
  }
  const sender = make(many(3))
  await sender.run()
  expect(received('job-1')).toEqual(['0.json', '2.json'])
  server.unreadable.clear()
  await sender.again()
  expect(received('job-1')).toEqual(['0.json', '1.json', '2.json'])
  expect(new Set(keys).size).toBe(3)
})

it('a server that is away is waited for, ever longer, and what it has not got goes out again', async () => {
  server.onSend = () => {
    if (server.slept.length === 0) server.isDown = true
    if (server.isDown) refuse()
  }
  server.onSleep = () => {
    if (server.slept.length === 6) server.isDown = false
  }
  const sender = make(many(3))
  await sender.run()
  expect(received('job-1')).toHaveLength(3)
  for (const [i, ms] of server.slept.slice(0, 5).entries()) expect(ms / (500 * 2 ** i)).toBeCloseTo(1, 0)
})

it('a full server says so, and the upload resumes', async () => {
  let full = 3
  const heard: (number | undefined)[] = []
  server.onSend = () => {
    if (full-- > 0) refuse(507)
  }
  const sender = make(many(2))
  server.onSleep = () => heard.push(sender.trouble?.error.status)
  await sender.run()
  expect(heard).toEqual([507, 507, 507])
  expect(received('job-1')).toHaveLength(2)
})

it('one file that is refused, or breaks the connection each time, does not hold up the others', async () => {
  server.onSend = (names) => {
    if (names.includes('3.json')) refuse(422)
    if (names.includes('5.json')) refuse()
  }
  const sender = make(many(10))
  await sender.run()
  expect(states(sender)).toEqual(['3.json failed', '5.json failed'])
  expect(sender.entries.values().next().value?.why).toBe('POST /x returned status 422: no: 422')
  expect(received('job-1')).toHaveLength(8)
  // the upload stays open for them, until the user decides
  expect(server.jobs.get('job-1')?.state).toBe('open')
  server.onSend = () => {}
  await sender.again(({ name }) => name === '5.json')
  expect(received('job-1')).toHaveLength(9)
  await sender.leave()
  expect(sender.entries.size).toBe(0)
  expect(server.jobs.get('job-1')?.state).toBe('done')
})

it('a user who may not upload gets one error', async () => {
  let requests = 0
  server.onSend = () => {
    requests += 1
    refuse(403)
  }
  const sender = make(many(20))
  await sender.run()
  expect(requests).toBe(1)
  expect(
    [...sender.entries.values()].every(
      ({ state, why }) => state === 'failed' && why === 'POST /x returned status 403: no: 403',
    ),
  ).toBe(true)
})

it('resumes an upload: only missing files are sent', async () => {
  server.jobs.set('job-1', { name: 'old', files: ['0.json', '1.json', '2.json'], state: 'open' })
  server.jobs.set('job-2', { name: 'newer, with some of the same', files: ['1.json', '3.json'], state: 'done' })
  const sender = make(many(5), 'job-1')
  await sender.run()
  expect(server.parts.flat().toSorted()).toEqual(['3.json', '4.json'])
  expect(sender.done).toMatchObject({ files: 5, before: 3 })
  expect(server.jobs.get('job-1')?.state).toBe('done')
})

it('what no longer fits into a closed upload goes into another; into a cancelled one nothing goes', async () => {
  server.jobs.set('job-1', { name: 'old', files: ['0.json'], state: 'done' })
  const sender = make(many(3), 'job-1')
  await sender.run()
  expect(sender.job).toBe('job-2')
  expect(received('job-2')).toEqual(['1.json', '2.json'])

  server.jobs.set('job-3', { name: 'gone', files: [], state: 'cancelled' })
  const other = make(many(2), 'job-3')
  await other.run()
  expect(states(other)).toEqual(['0.json cancelled', '1.json cancelled'])
})

it('all that is on its way can be cancelled, and goes out again as another upload', async () => {
  const sender = make(many(3))
  server.onSend = async () => {
    await sender.cancel()
  }
  await sender.run()
  expect(states(sender)).toEqual(['0.json cancelled', '1.json cancelled', '2.json cancelled'])
  expect(server.jobs.get('job-1')?.state).toBe('cancelled')
  server.onSend = () => {}
  await sender.again()
  expect(received('job-2')).toHaveLength(3)
  expect(sender.entries.size).toBe(0)
})

it('what waits can be taken out', async () => {
  const sender = make([...many(PART_FILES), ...many(PART_FILES), ...chosen('late.json')])
  const last = [...sender.entries.keys()].at(-1) as number
  server.onSend = () => {
    if (server.parts.length === 0 && sender.entries.has(last)) void sender.leave(last)
  }
  await sender.run()
  expect(server.parts.flat()).not.toContain('late.json')
  expect(sender.total.files).toBe(2 * PART_FILES)
})

it('artifacts follow their result, and stored ones are not sent', async () => {
  server.outcome = { 'b.json': 'rejected', 'd.json': 'conflict' }
  server.there.set(1, [
    { kind: 'series', name: 'a.series.jsonl.zst', sha256: 'hash of a.series.jsonl.zst' },
    { kind: 'requests', name: 'a.requests.jsonl.zst', sha256: 'another' },
  ])
  const sender = make(
    chosen(
      'a.json',
      'b.json',
      'd.json',
      'a.requests.jsonl.zst',
      'a.series.jsonl.zst',
      'b.server.log',
      'c.server.log',
      'd.timeline.html',
      'notes.txt',
    ),
  )
  await sender.run()
  expect(server.puts).toEqual(['run of a.json: requests a.requests.jsonl.zst'])
  expect(sender.artifacts).toMatchObject({ total: 5, sent: 1, there: 1 })
  expect(states(sender)).toEqual(['b.server.log held', 'c.server.log held', 'd.timeline.html held', 'notes.txt passed'])

  // a choice was made
  server.outcome = { 'b.json': 'rejected', 'd.json': 'stored' }
  await sender.again(({ state }) => state === 'held')
  expect(server.puts).toHaveLength(2)
  expect(states(sender)).toEqual(['b.server.log held', 'c.server.log held', 'notes.txt passed'])
})

it('an artifact survives a broken connection, and can be canceled alone', async () => {
  let breaks = 2
  const sender = make(chosen('a.json', 'a.requests.jsonl.zst', 'a.series.jsonl.zst'))
  server.onPut = async (name) => {
    if (breaks-- > 0) refuse()
    if (!name.endsWith('.series.jsonl.zst')) return
    const entry = [...sender.entries.values()].find((one) => one.name === name) as Entry
    entry.way?.abort()
    entry.way?.signal.throwIfAborted()
  }
  await sender.run()
  expect(server.puts).toEqual(['run of a.json: requests a.requests.jsonl.zst'])
  expect(states(sender)).toEqual(['a.series.jsonl.zst cancelled'])
})

it('what was changed since it was chosen says so', async () => {
  server.jobs.set('job-1', { name: 'old', files: [], state: 'open' })
  server.unreadable.add('1.json')
  const sender = make(many(3), 'job-1')
  await sender.run()
  expect(states(sender)).toEqual(['1.json failed'])
  expect(received('job-1')).toEqual(['0.json', '2.json'])
})

it('the limit is that of the API; a larger file is reported and not sent', async () => {
  const contract = readFileSync(new URL('../../../api/openapi.yaml', import.meta.url), 'utf8')
  const limits = ['json', 'batch', 'raw'].map(
    (route) => /x-bytes-max: (\d+)/.exec(contract.slice(contract.indexOf(`  /api/upload/${route}:`)))?.[1],
  )
  expect(new Set(limits)).toEqual(new Set([String(FILE_MAX)]))
  const sender = make(chosen(sized('beyond.json', FILE_MAX + 1), sized('edge.json', FILE_MAX)))
  await sender.run()
  expect([...sender.entries.values()]).toMatchObject([{ name: 'beyond.json', state: 'refused', why: TOO_LARGE }])
  expect(received('job-1')).toEqual(['edge.json'])
})

// Whatever breaks at whatever time: each file is stored once, and nothing is left over.
it('under any order of failures each file comes once', async () => {
  let seed = 7
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  for (let round = 0; round < 50; round++) {
    server = new Server()
    let breaks = 12
    const mayBreak = () => {
      if (breaks > 0 && random() < 0.5) {
        breaks -= 1
        refuse(random() < 0.3 ? 503 : undefined)
      }
    }
    server.onSend = mayBreak
    server.afterSend = mayBreak
    server.onSleep = () => {
      server.isDown = random() < 0.2
    }
    const sender = make([
      ...many(700),
      ...chosen(...Array.from({ length: 6 }, (_, i) => sized(`big-${i}.json`, PART_BYTES + 1))),
    ])
    await sender.run()
    while ([...sender.entries.values()].some(isUnsent)) await sender.again()
    const files = [...server.jobs.values()].flatMap((job) => job.files)
    expect(files).toHaveLength(706)
    expect(new Set(files).size).toBe(706)
    expect(sender.done.files).toBe(706)
  }
}, 30_000)

import { readFileSync } from 'node:fs'

import { beforeEach, expect, it, vi } from 'vitest'

import { ApiError } from '../api/client'
import { BODY_MAX, type Sending, tooLarge, useUploads } from './store'

interface Request {
  path: string
  names: string[]
  take: (job: string) => void
  fail: () => void
  signal: AbortSignal
}
const requests: Request[] = []

vi.mock('../keys/store', () => ({ rememberUpload: () => {} }))
vi.mock('../api/client', async (original) => ({
  ...(await original<typeof import('../api/client')>()),
  send: (path: string, body: FormData | File, _progress: unknown, signal: AbortSignal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')))
      requests.push({ path, names: (body instanceof FormData ? body.getAll('files') : [body]).map((file) => (file as File).name), signal, take: (job) => resolve({ job_id: job }), fail: () => reject(new ApiError({ detail: 'full' }, `POST ${path}`)) })
    }),
}))

const uploads = () => useUploads.getState()
const states = () => uploads().sendings.map(({ state }) => state)
const add = (name: string) => uploads().add([new File(['{}'], name)])
const request = (i: number) => requests[i] as Request

beforeEach(() => {
  requests.length = 0
  useUploads.setState({ sendings: [], refused: [], sizes: {} })
})

it('a second drop while the first is sent keeps what becomes of the first', async () => {
  const first = add('a.json')
  const second = add('b.json')
  expect(states()).toEqual(['sending', 'sending'])
  request(1).take('job-2')
  expect(await second).toBe('job-2')
  request(0).fail()
  expect(await first).toBe(null)
  expect(states()).toEqual(['failed', 'sent'])
  expect(uploads().sendings[0]?.error?.message).toBe('full')

  // what failed waits for a word, what was sent is done
  const third = add('c.json')
  expect(states()).toEqual(['failed', 'sending'])
  const again = uploads().retry(uploads().sendings[0]?.key as number)
  request(3).take('job-1')
  expect(await again).toBe('job-1')
  request(2).fail()
  await third
  uploads().dismiss(uploads().sendings[1]?.key as number)
  expect(states()).toEqual(['sent'])
})

it('all that is on its way can be cancelled', async () => {
  const both = [add('a.json'), add('b.json')]
  uploads().cancel()
  expect(await Promise.all(both)).toEqual([null, null])
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true])
  expect(states()).toEqual(['cancelled', 'cancelled'])
  const next = add('c.json')
  expect(request(2).signal.aborted).toBe(false)
  request(2).take('job-3')
  expect(await next).toBe('job-3')
})

it('what was cancelled stays, and goes out again whole or file by file', async () => {
  const both = uploads().add([new File(['{}'], 'a.json'), new File(['{}'], 'b.json')])
  uploads().cancel()
  await both
  const next = add('c.json')
  expect(states()).toEqual(['cancelled', 'sending'])
  request(1).take('job-c')
  await next
  const { key, files } = uploads().sendings[0] as Sending
  const again = uploads().retry(key, files[1])
  expect(request(2).names).toEqual(['b.json'])
  expect(uploads().sendings.find((one) => one.key === key)?.files.map(({ name }) => name)).toEqual(['a.json'])
  request(2).take('job-b')
  expect(await again).toBe('job-b')
  const whole = uploads().retry(key)
  request(3).fail()
  await whole
  expect(uploads().sendings.find((one) => one.key === key)?.state).toBe('failed')
  uploads().dismiss(key, files[0])
  expect(states()).toEqual(['sent', 'sent'])
})

const sized = (name: string, size: number) => Object.defineProperty(new File(['{}'], name), 'size', { value: size })

it('the limit is the contract’s, and all of it is the file’s', async () => {
  const contract = readFileSync(new URL('../../../api/openapi.yaml', import.meta.url), 'utf8')
  const limits = [...contract.slice(contract.indexOf('/api/upload/')).matchAll(/x-bytes-max: (\d+)/g)].map(([, bytes]) => Number(bytes))
  expect(new Set(limits)).toEqual(new Set([BODY_MAX]))
  const sent = uploads().add([sized('at the edge.json', BODY_MAX), sized('beyond.json', BODY_MAX + 1), sized('small.json', 5)])
  expect(uploads().refused).toEqual([{ name: 'beyond.json', size: BODY_MAX + 1, why: tooLarge(BODY_MAX + 1) }])
  expect(requests.map(({ path, names }) => [path, names])).toEqual([['/api/upload/raw?name=at%20the%20edge.json', ['at the edge.json']]])
  request(0).take('job-1')
  await vi.waitFor(() => expect(requests).toHaveLength(2))
  expect(request(1)).toMatchObject({ path: '/api/upload/batch', names: ['small.json'] })
  request(1).take('job-2')
  expect(await sent).toBe('job-1')
})

it('what is too large is told beside what is sent', async () => {
  const big = new File(['{}'], 'big.json')
  Object.defineProperty(big, 'size', { value: 65 * 1024 * 1024 })
  const first = uploads().add([big, new File(['{}'], 'a.json')])
  const second = add('b.json')
  expect(uploads().refused.map(({ name }) => name)).toEqual(['big.json'])
  request(0).take('job-1')
  request(1).take('job-2')
  await Promise.all([first, second])
  void add('c.json')
  expect(uploads().refused).toEqual([])
})

import { beforeEach, expect, it, vi } from 'vitest'

import { ApiError } from '../api/client'
import { useUploads } from './store'

interface Request {
  take: (job: string) => void
  fail: () => void
  signal: AbortSignal
}
const requests: Request[] = []

vi.mock('../keys/store', () => ({ rememberUpload: () => {} }))
vi.mock('../api/client', async (original) => ({
  ...(await original<typeof import('../api/client')>()),
  send: (path: string, _form: FormData, _progress: unknown, signal: AbortSignal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')))
      requests.push({ signal, take: (job) => resolve({ job_id: job }), fail: () => reject(new ApiError({ detail: 'full' }, `POST ${path}`)) })
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

import { afterEach, expect, it, vi } from 'vitest'

import { busySeconds, get, isSilence, isTimeout } from './client'
import { at } from './contract'
import { patient } from './queries'

afterEach(() => vi.unstubAllGlobals())

const failing = async (
  fetch: (path: string, init: RequestInit) => Promise<Response>,
  signal?: AbortSignal,
): Promise<unknown> => {
  vi.stubGlobal('fetch', fetch)
  return get(at('/api/fields'), signal, 20).catch((error: unknown) => error)
}
const hanging = (_: string, { signal }: RequestInit) =>
  new Promise<Response>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
  })

it('a request that hangs ends with a timeout, and a superseded one does not fail', async () => {
  const late = await failing(hanging)
  expect([isTimeout(late), isSilence(late), (late as Error).message]).toEqual([true, true, 'no response within 0.02 s'])
  const superseded = new AbortController()
  const ended = failing(hanging, superseded.signal)
  superseded.abort()
  expect(((await ended) as Error).name).toBe('AbortError')
})

it('tells a server that is away from one that refuses', async () => {
  const away = await failing(() => Promise.reject(new TypeError('Failed to fetch')))
  expect([isSilence(away), isTimeout(away)]).toEqual([true, false])
  const refused = await failing(() =>
    Promise.resolve(new Response(JSON.stringify({ status: 422, detail: 'no' }), { status: 422 })),
  )
  expect(isSilence(refused)).toBe(false)
})

it('asks for the newest data version that it knows, until other data replaces the database', async () => {
  const asked: (string | null)[] = []
  const answers = [
    new Response('{}', { headers: { 'X-Data-Version': '7' } }),
    new Response('{}', { headers: { 'X-Data-Version': '5' } }),
    new Response(JSON.stringify({ status: 412, detail: 'replaced' }), { status: 412 }),
    new Response('{}', { headers: { 'X-Data-Version': '3' } }),
    new Response('{}'),
  ]
  vi.stubGlobal('fetch', (_: string, { headers }: RequestInit) => {
    asked.push(new Headers(headers).get('X-Data-Version'))
    return Promise.resolve(answers.shift())
  })
  for (let i = 0; i < 4; i++) await get(at('/api/fields'))
  expect(asked).toEqual([null, '7', '7', null, '3'])
})

it('asks a busy server again after the pause that it names, and no other one', async () => {
  const refused = (status: number, headers: Record<string, string>) =>
    failing(() => Promise.resolve(new Response(JSON.stringify({ status, detail: 'busy' }), { status, headers })))
  const busy = (await refused(503, { 'Retry-After': '2' })) as Error
  expect(busySeconds(busy)).toBe(2)
  expect([patient.retry(0, busy), patient.retry(19, busy), patient.retry(20, busy)]).toEqual([true, true, false])
  expect([0, 1, 4, 19].map((failures) => patient.retryDelay(failures, busy))).toEqual([2000, 3000, 8000, 8000])
  const slow = (await refused(503, { 'Retry-After': '60' })) as Error
  expect(patient.retryDelay(3, slow)).toBe(60_000)
  for (const [status, headers] of [
    [503, {}],
    [503, { 'Retry-After': 'Sun, 29 Nov 2026 12:00:00 GMT' }],
    [500, { 'Retry-After': '2' }],
    [422, {}],
  ] as [number, Record<string, string>][]) {
    const error = (await refused(status, headers)) as Error
    expect([busySeconds(error), patient.retry(0, error)]).toEqual([null, false])
  }
})

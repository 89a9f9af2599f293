import { afterEach, expect, it, vi } from 'vitest'

import { get, isSilence, isTimeout } from './client'
import { at } from './contract'

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

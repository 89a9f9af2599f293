import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { EventParser, follow, QUIET_MS } from './stream'

it.each(['\n', '\r\n', '\r'])('reads events with line ends %j in parts of any size', (end) => {
  const text = [
    ': heartbeat',
    '',
    'event: history',
    'data: {"t_s":[]}',
    '',
    'data:a',
    'data: b',
    'id: 7',
    '',
    'event: empty',
    '',
    'event: snapshot',
    'data: é',
    '',
    'data: not complete',
    '',
  ].join(end)
  for (const size of [1, 2, 3, 7, 1000]) {
    const parser = new EventParser()
    const found = []
    for (let i = 0; i < text.length; i += size) found.push(...parser.push(text.slice(i, i + size)))
    expect(found).toEqual([
      { name: 'history', data: '{"t_s":[]}' },
      { name: 'message', data: 'a\nb' },
      { name: 'snapshot', data: 'é' },
    ])
  }
})

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

interface Connection {
  send: (text: string) => void
  end: () => void
}

// A server that answers each connection as `answer` says, and records when.
function serve(answer: (at: number) => Response | 'stream' | 'away') {
  const log: string[] = []
  const open: Connection[] = []
  const start = Date.now()
  let asked = 0
  vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
    const kind = answer(asked++)
    log.push(`ask ${Date.now() - start}`)
    if (kind === 'away') return Promise.reject(new TypeError('Failed to fetch'))
    if (kind !== 'stream') return Promise.resolve(kind)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        open.push({
          send: (text) => controller.enqueue(new TextEncoder().encode(text)),
          end: () => controller.close(),
        })
        signal?.addEventListener('abort', () => controller.error(signal.reason))
      },
    })
    return Promise.resolve(new Response(body))
  })
  const stop = new AbortController()
  void follow(
    '/api/live/x?y',
    {
      onOpen: () => log.push('open'),
      onEvent: ({ name, data }) => log.push(`${name} ${data}`),
      onLost: ({ message, status, request }) => log.push(`lost ${request} ${status ?? ''} ${message}`),
    },
    stop.signal,
  )
  return { log, open, stop }
}

it('connects again after the server has closed the stream, with growing pauses while it is away', async () => {
  const { log, open, stop } = serve((at) => (at === 0 || at === 4 ? 'stream' : 'away'))
  await vi.advanceTimersByTimeAsync(10)
  open[0]?.send('event: snapshot\ndata: 1\n\n')
  await vi.advanceTimersByTimeAsync(10)
  open[0]?.end()
  await vi.advanceTimersByTimeAsync(8000)
  expect(log).toEqual([
    'ask 0',
    'open',
    'snapshot 1',
    'lost GET /api/live/x  the server closed the connection',
    'ask 520',
    'lost GET /api/live/x  the server does not respond',
    'ask 1520',
    'lost GET /api/live/x  the server does not respond',
    'ask 3520',
    'lost GET /api/live/x  the server does not respond',
    'ask 7520',
    'open',
  ])
  stop.abort()
})

it('reports the problem of a refused connection', async () => {
  const { log, stop } = serve(
    () => new Response(JSON.stringify({ status: 404, detail: 'no run with this ID' }), { status: 404 }),
  )
  await vi.advanceTimersByTimeAsync(400)
  expect(log).toEqual(['ask 0', 'lost GET /api/live/x 404 no run with this ID'])
  stop.abort()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(log).toHaveLength(2)
})

it('gives up a connection that has fallen quiet; a comment keeps it alive', async () => {
  const { log, open, stop } = serve(() => 'stream')
  await vi.advanceTimersByTimeAsync(QUIET_MS - 1000)
  open[0]?.send(': heartbeat\n\n')
  await vi.advanceTimersByTimeAsync(QUIET_MS - 1000)
  expect(log).toEqual(['ask 0', 'open'])
  await vi.advanceTimersByTimeAsync(2000)
  expect(log.slice(2)).toEqual([
    'lost GET /api/live/x  nothing was received for 25 s',
    `ask ${2 * QUIET_MS - 500}`,
    'open',
  ])
  stop.abort()
})

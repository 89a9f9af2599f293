// Follows a stream of server-sent events. fetch() reports what EventSource hides: the status and the problem of a
// refused request, and the comments that show that a quiet connection is alive.
import { ApiError, problemOf } from './client'

export interface StreamEvent {
  name: string
  data: string
}

// Splits the text of a stream into events.
export class EventParser {
  private text = ''
  private name = ''
  private data: string[] = []

  // Returns the events that a part of the text completes.
  push(part: string): StreamEvent[] {
    // a CR at the end of a part may be half of a line end
    const text = this.text + part
    const end = text.endsWith('\r') ? text.length - 1 : text.length
    const lines = text.slice(0, end).split(/\r\n|\n|\r/)
    this.text = (lines.pop() ?? '') + text.slice(end)
    return lines.flatMap((line) => this.line(line))
  }

  private line(line: string): StreamEvent[] {
    if (line === '') {
      const event = { name: this.name || 'message', data: this.data.join('\n') }
      const isEmpty = this.data.length === 0
      this.name = ''
      this.data = []
      return isEmpty ? [] : [event]
    }
    const colon = line.indexOf(':')
    const [field, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
    if (field === 'event') this.name = value
    else if (field === 'data') this.data.push(value)
    return []
  }
}

export const QUIET_MS = 25_000 // longer than the 15 s between two comments of the server
const PAUSES_MS = [500, 1000, 2000, 4000] // between two attempts; the last one repeats

interface Follower {
  onOpen?: () => void
  onEvent: (event: StreamEvent) => void
  onLost: (error: ApiError) => void // after each failed attempt, and when a connection ends
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })

// Reads one connection until it ends, fails or falls quiet. Always throws.
async function readOnce(path: string, { onOpen, onEvent }: Follower, signal: AbortSignal): Promise<never> {
  const request = `GET ${path.split('?')[0]}`
  const quiet = new AbortController()
  let watch = setTimeout(() => quiet.abort(), QUIET_MS)
  const moved = () => {
    clearTimeout(watch)
    watch = setTimeout(() => quiet.abort(), QUIET_MS)
  }
  try {
    const answer = await fetch(path, {
      headers: { Accept: 'text/event-stream' },
      cache: 'no-store',
      signal: AbortSignal.any([signal, quiet.signal]),
    })
    if (!answer.ok) throw new ApiError(await problemOf(answer), request)
    onOpen?.()
    const parser = new EventParser()
    const decoder = new TextDecoder()
    const reader = answer.body?.getReader()
    for (;;) {
      moved()
      const part = await reader?.read()
      if (!part || part.done) throw new ApiError({ detail: 'the server closed the connection' }, request)
      for (const event of parser.push(decoder.decode(part.value, { stream: true }))) onEvent(event)
    }
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error
    throw new ApiError(
      {
        detail: quiet.signal.aborted ? `nothing was received for ${QUIET_MS / 1000} s` : 'the server does not respond',
      },
      request,
    )
  } finally {
    clearTimeout(watch)
  }
}

// Follows the stream until the signal aborts, and connects again after each end.
export async function follow(path: string, follower: Follower, signal: AbortSignal) {
  let failures = 0
  while (!signal.aborted) {
    try {
      await readOnce(
        path,
        {
          ...follower,
          onOpen: () => {
            failures = 0
            follower.onOpen?.()
          },
        },
        signal,
      )
    } catch (error) {
      if (signal.aborted) return
      follower.onLost(error as ApiError)
    }
    await wait(PAUSES_MS[Math.min(failures++, PAUSES_MS.length - 1)] ?? 0, signal)
  }
}

// All requests to the server. Every error is a problem document, even if the response did not contain one.
import { takeAhead } from './ahead'
import type { Answer, Body, Path, Route } from './contract'
import type { paths } from './schema'
import type { Problem } from './types'

export class ApiError extends Error {
  constructor(
    readonly problem: Partial<Problem> & { detail: string },
    readonly request: string,
    readonly retryAfterS?: number, // of a server that is busy
  ) {
    super(problem.detail)
  }

  // undefined: no response, or none in time.
  get status() {
    return this.problem.status
  }
}

// Whether the server did not respond, as opposed to an error response.
export const isSilence = (error: unknown) => error instanceof ApiError && error.status === undefined

export const isTimeout = (error: unknown) => isSilence(error) && (error as ApiError).problem.title === TIMEOUT

// The seconds after which a busy server may be asked again; null: any other error.
export const busySeconds = (error: unknown) =>
  error instanceof ApiError && error.status === 503 ? (error.retryAfterS ?? null) : null

// The cause of a failure as a sentence for the user.
export function causeOf({ message }: Error) {
  const text = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

const TIMEOUT = 'Timeout'
const TIMEOUT_MS = 30_000

export async function problemOf(answer: Response) {
  try {
    const body: unknown = await answer.json()
    if (body && typeof body === 'object' && 'detail' in body) return body as Problem
  } catch {
    // not JSON: the response is from a proxy
  }
  return { status: answer.status, title: answer.statusText, detail: answer.statusText || `status ${answer.status}` }
}

async function errorOf(answer: Response, request: string) {
  const seconds = Number(answer.headers.get('Retry-After') ?? NaN)
  return new ApiError(await problemOf(answer), request, ...(seconds > 0 ? [seconds] : []))
}

type Headers = Record<string, string>

// The newest data version of any response. Behind a load balancer, another process may answer the next request.
let dataVersion = 0

type Init = Omit<RequestInit, 'headers'> & { headers: Headers }

// Sends a request that must see what earlier responses showed.
async function fetchAfter(method: string, path: string, init: Init) {
  const ahead = method === 'GET' ? takeAhead(path) : undefined
  const headers = dataVersion > 0 ? { ...init.headers, 'X-Data-Version': String(dataVersion) } : init.headers
  let answer = await (ahead ?? fetch(path, { ...init, headers }))
  // Other data replaced the database, so the version means nothing. For other methods, 412 is about their If-Match.
  if (answer.status === 412 && dataVersion > 0 && (method === 'GET' || method === 'POST')) {
    dataVersion = 0
    answer = await fetch(path, init)
  }
  dataVersion = Math.max(dataVersion, Number(answer.headers.get('X-Data-Version')) || 0)
  return answer
}

async function call<T>(
  method: string,
  path: string,
  options: {
    body?: unknown
    signal?: AbortSignal | undefined
    timeoutMs?: number
    headers?: Headers
  } = {},
): Promise<T> {
  const request = `${method} ${path.split('?')[0]}`
  const { signal, timeoutMs = TIMEOUT_MS } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const init: Init = {
    method,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    headers: { Accept: 'application/json', ...options.headers },
  }
  if (options.body !== undefined) {
    init.body = JSON.stringify(options.body)
    init.headers = { ...init.headers, 'Content-Type': 'application/json' }
  }
  try {
    const answer = await fetchAfter(method, path, init)
    if (!answer.ok) throw await errorOf(answer, request)
    return (answer.status === 204 ? undefined : await answer.json()) as T
  } catch (error) {
    if (error instanceof ApiError || (error instanceof DOMException && error.name === 'AbortError')) throw error
    throw new ApiError(
      timeout.aborted
        ? { title: TIMEOUT, detail: `no response within ${timeoutMs / 1000} s` }
        : { detail: 'the server does not respond' },
      request,
    )
  }
}

export const get = <R extends Route<'get'>>(path: Path<R>, signal?: AbortSignal, timeoutMs?: number) =>
  call<Answer<R, 'get'>>('GET', path, { signal, ...(timeoutMs !== undefined && { timeoutMs }) })
export const post = <R extends Route<'post'>>(path: Path<R>, body: Body<R, 'post'>, signal?: AbortSignal) =>
  call<Answer<R, 'post'>>('POST', path, { body, signal })
export const put = <R extends Route<'put'>>(path: Path<R>, body: Body<R, 'put'>, headers: Headers = {}) =>
  call<Answer<R, 'put'>>('PUT', path, { body, headers })
export const patch = <R extends Route<'patch'>>(path: Path<R>, body: Body<R, 'patch'>, headers: Headers = {}) =>
  call<Answer<R, 'patch'>>('PATCH', path, { body, headers })
export const remove = <R extends Route<'delete'>>(path: Path<R>, headers: Headers = {}) =>
  call<Answer<R, 'delete'>>('DELETE', path, { headers })

export interface Download {
  name: string
  blob: Blob
}

// Downloads a file that the server streams. Reports the number of received bytes.
export async function download(
  path: string,
  body: unknown,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Download> {
  const request = `POST ${path}`
  const lost = (error: unknown) =>
    error instanceof DOMException && error.name === 'AbortError'
      ? error
      : new ApiError({ detail: 'the connection to the server was lost' }, request)
  const answer = await fetch(path, {
    method: 'POST',
    signal,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw lost(error)
  })
  if (!answer.ok) throw await errorOf(answer, request)
  const parts: BlobPart[] = []
  let bytes = 0
  const reader = answer.body?.getReader()
  for (;;) {
    const part = await reader?.read().catch((error: unknown) => {
      throw lost(error)
    })
    if (!part || part.done) break
    parts.push(part.value)
    bytes += part.value.length
    onProgress(bytes)
  }
  const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1]
  return {
    name: name ?? path.replace(/.*\//, 'profllm.'),
    blob: new Blob(parts, { type: answer.headers.get('Content-Type') ?? '' }),
  }
}

const SILENCE_MS = 60_000

interface Sent {
  headers?: Record<string, string>
  onShare: (share: number) => void
  signal: AbortSignal
}

// Uses XMLHttpRequest, because fetch() does not report upload progress. Aborts a connection that has stopped moving.
export function send<R extends keyof paths, M extends 'POST' | 'PUT'>(
  method: M,
  path: Path<R>,
  body: FormData | File,
  { headers = {}, onShare, signal }: Sent,
): Promise<Answer<R, Lowercase<M>>> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const name = `${method} ${path.split('?')[0]}`
    const silent = () => reject(new ApiError({ detail: 'the server does not respond' }, name))
    let watch = 0
    const moved = () => {
      clearTimeout(watch)
      watch = window.setTimeout(() => {
        silent()
        request.abort()
      }, SILENCE_MS)
    }
    const stop = () => request.abort()
    request.open(method, path)
    request.responseType = 'json'
    for (const [key, value] of Object.entries(headers)) request.setRequestHeader(key, value)
    request.upload.onprogress = (event) => {
      moved()
      onShare(event.total ? event.loaded / event.total : 0)
    }
    request.onload = () => {
      if (request.status < 300) return resolve(request.response)
      const problem = request.response as Problem | null
      reject(
        new ApiError(
          problem?.detail
            ? problem
            : { status: request.status, detail: request.statusText || `status ${request.status}` },
          name,
        ),
      )
    }
    request.onerror = silent
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'))
    request.onloadend = () => {
      clearTimeout(watch)
      signal.removeEventListener('abort', stop)
    }
    signal.throwIfAborted()
    signal.addEventListener('abort', stop)
    moved()
    request.send(body)
  })
}

// Responses that were requested before the code that shows them was loaded. Each is used once, and only soon after:
// later the data may have changed.
const VALID_MS = 30_000

// Shared with the first script of the page, which is not a module.
declare global {
  var requestedAhead: Map<string, Promise<Response>> | undefined
}
const responses = globalThis.requestedAhead ?? new Map<string, Promise<Response>>()
globalThis.requestedAhead = responses

export function requestAhead(path: string): Promise<Response> {
  const response = fetch(path, { headers: { Accept: 'application/json' } })
  response.catch(() => {}) // its user handles the failure
  return response
}

// Keeps a response for the first request of `path`.
export function keepAhead(path: string, response: Promise<Response>) {
  responses.set(path, response)
  setTimeout(() => {
    if (responses.get(path) === response) responses.delete(path)
  }, VALID_MS)
}

// undefined: it was not requested.
export function takeAhead(path: string) {
  const response = responses.get(path)
  responses.delete(path)
  return response
}

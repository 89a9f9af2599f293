import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'

import { keepFew } from './kept'

const load = async (n: number) => n
const options = (n: number) => ({ queryKey: ['apply', n], queryFn: () => load(n), staleTime: Infinity })

async function observed(client: QueryClient, n: number) {
  const observer = new QueryObserver(client, options(n))
  const data = await new Promise((resolve) => {
    const stop = observer.subscribe((result) => {
      if (result.data === undefined) return
      stop()
      resolve(result.data)
    })
  })
  return data
}

it('keeps the latest responses that nothing shows, and every new query gets its own', async () => {
  const client = new QueryClient()
  keepFew(client.getQueryCache())
  await client.fetchQuery({ queryKey: ['fields'], queryFn: () => load(0) })
  for (let n = 1; n <= 100; n++) expect(await observed(client, n)).toBe(n)
  const kept = client
    .getQueryCache()
    .findAll({ queryKey: ['apply'] })
    .map(({ queryKey }) => queryKey[1])
  expect(kept.length).toBeLessThanOrEqual(41)
  expect(kept).toContain(100)
  expect(kept).toContain(61)
  expect(kept).not.toContain(50)
  expect(client.getQueryData(['fields'])).toBe(0)
})

it('leaves alone what is shown, and the frames of a film', async () => {
  const client = new QueryClient()
  keepFew(client.getQueryCache())
  const shown = new QueryObserver(client, options(0))
  const stop = shown.subscribe(() => {})
  for (let n = 1; n <= 100; n++) await client.fetchQuery({ ...options(n), gcTime: n <= 50 ? 10_000 : Infinity })
  expect(client.getQueryData(['apply', 0])).toBe(0)
  expect(client.getQueryCache().findAll({ queryKey: ['apply'] }).length).toBeGreaterThanOrEqual(1 + 50 + 40)
  expect(client.getQueryCache().findAll({ queryKey: ['apply'] }).length).toBeLessThan(1 + 50 + 43)
  stop()
})

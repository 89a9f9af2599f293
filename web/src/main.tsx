import './base.css'

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { ApiError, isSilence } from './api/client'
import { keepFew } from './api/kept'
import { HEALTH } from './api/queries'
import { SESSION } from './api/session'
import { App } from './app'
import { startChart } from './explore/explore'
import { keepFocus } from './ui/keep-focus'
import { markEntries } from './url/entry'

markEntries()
keepFocus()
if (window.location.pathname === '/') startChart()

// After a silence the health query is asked, which finds out whether the server is away (ui/away.tsx) and asks again
// for what failed.
// 401: the session has ended, so the page for signing in replaces this one.
const probe = (error: Error) => {
  if (error instanceof ApiError && error.status === 401) void client.refetchQueries({ queryKey: SESSION })
  if (isSilence(error) && client.getQueryState(HEALTH)?.status !== 'error')
    void client.refetchQueries({ queryKey: HEALTH })
}
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== HEALTH[0] && queryKey[0] !== SESSION[0]) probe(error)
    },
  }),
  mutationCache: new MutationCache({ onError: probe }),
  defaultOptions: {
    // a server on this machine is reachable without a network
    queries: { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

keepFew(client.getQueryCache())

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)

import './base.css'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { ApiError } from './api/client'
import { App } from './app'
import { startChart } from './explore/explore'
import { keepFocus } from './ui/keep-focus'
import { markEntries } from './url/entry'

markEntries()
keepFocus()
if (window.location.pathname === '/') startChart()

// What the server refused it refuses again; only silence is tried once more.
const client = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.status === undefined,
      refetchOnWindowFocus: false,
    },
  },
})

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)

// Every address of the page.
import { type ExploreState, writeExplore } from './explore'

export const paths = {
  explore: (state?: ExploreState) => {
    const query = state ? writeExplore(state) : ''
    return query ? `/?${query}` : '/'
  },
  view: (id: string) => `/?view=${encodeURIComponent(id)}`,
  experiment: (id: number | string) => `/experiments/${encodeURIComponent(id)}`,
  upload: () => '/upload',
  job: (id: string) => `/upload/${encodeURIComponent(id)}`,
  traces: (id: number | string) => `/api/export/traces/${encodeURIComponent(id)}`,
  raw: (id: number | string) => `/api/data/experiments/${encodeURIComponent(id)}/raw`,
}

// The states of the status page, for states.ts.
import { main, settle } from './settle'
import type { State } from './states'

export const STATUS_STATES: State[] = [
  {
    page: 'Other',
    name: 'status',
    open: async (page, { full }) => {
      await page.goto(`${full.url}/status`)
      await settle(page, main(page).getByText('Ready for requests', { exact: true }))
    },
  },
  {
    page: 'Other',
    name: 'status, not ready',
    open: async (page, { full }) => {
      await page.route('**/api/status', async (route) => {
        const answer = await (await route.fetch()).json()
        const at = '2026-11-30T08:12:31.402Z'
        await route.fulfill({
          json: {
            ...answer,
            ready: false,
            reasons: ['database', 'disk'],
            database: {
              ...answer.database,
              kind: 'postgresql',
              state: 'lost',
              message: 'could not connect to db.lab: refused',
            },
            guarded: true,
            tokens: [
              { name: 'alice', role: 'admin', expires_at: null, expired: false, session_count: 2 },
              { name: 'nightly', role: 'write', expires_at: at, expired: true, session_count: 0 },
            ],
            log_counts: { error_count: 1, warning_count: 1 },
            log: [
              { at, level: 'error', message: "--token-file: 'tokens': found mode 0640, expected 0600" },
              { at, level: 'warning', message: '/api/filters/presets: could not connect to db.lab: refused' },
            ],
          },
        })
      })
      await page.goto(`${full.url}/status`)
      await settle(page, main(page).getByText('Not ready for requests', { exact: true }))
    },
  },
]

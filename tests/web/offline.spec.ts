// Results of offline benchmarks: one of ours that measured starts, and vLLM's own file of a latency. Neither has a
// TTFT.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

import { expect, test, useDashboard } from './fixtures'
import { program, write } from './results'

const dashboard = useDashboard((store) => {
  const folder = join(store.folder, 'offline')
  write(folder, 'latency.json', {
    model_id: 'org/model',
    avg_latency: 1.5,
    latencies: [1, 2],
    percentiles: { 10: 1.1, 25: 1.25, 50: 1.5, 75: 1.75, 90: 1.9, 99: 1.99 },
  })
  execFileSync(
    program('profllm'),
    [
      'bench',
      'startup',
      '--model',
      'sim/test',
      '--sim',
      '--quiet',
      '--num-iters-cold',
      '1',
      '--num-iters-warm',
      '0',
      '--output',
      join(folder, 'startup.json'),
    ],
    { stdio: 'pipe' },
  )
  store.import(join(folder, 'latency.json'), join(folder, 'startup.json'))
})

test('an experiment shows the subject of its benchmark', async ({ page }) => {
  for (const [id, names] of [
    [1, ['Mean batch latency', 'P50 batch latency', 'P90 batch latency', 'P99 batch latency']],
    [2, ['Mean cold startup']],
  ] as const) {
    await page.goto(`${dashboard().url}/experiments/${id}`)
    const list = page.locator('dl[aria-label^="Key metrics"]')
    await expect(list.locator('dt')).toHaveText([...names])
    await expect(list.locator('dd').first()).toContainText(/\d/)
    for (const name of names)
      await expect(page.getByRole('region', { name: 'Metrics', exact: true })).toContainText(name)
  }
})

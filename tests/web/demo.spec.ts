// The page that `profllm demo` opens, and the dashboard's first page, with the results of a real demo.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { counted, expect, soundness, test } from './fixtures'
import { program } from './results'

const DEMO_MS = 120_000
const RUNS = 12

test('the demo ends in a frontier', async ({ page, folder }, info) => {
  test.setTimeout(DEMO_MS)
  const demo = spawn(program('profllm'), ['demo', '--port', '0', '--no-browser'], {
    env: { ...process.env, TMPDIR: mkdtempSync(join(folder, 'demo-')) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(demo, 'exit')
  try {
    let said = ''
    const address = await new Promise<string>((resolve, reject) => {
      demo.stdout.on('data', (part: Buffer) => {
        said += part.toString()
        const found = /^http:\S+/m.exec(said)
        if (found) resolve(found[0])
      })
      demo.stderr.on('data', (part: Buffer) => {
        said += part.toString()
      })
      demo.on('exit', () => reject(new Error(`the demo ended: ${said}`)))
    })

    await page.goto(address)
    const main = page.getByRole('main')
    await expect(main).toContainText(`${RUNS} of ${RUNS} experiments`)
    await expect(main).toContainText(`${RUNS} configurations`)
    // 12 are usual; a very busy machine may put one or two beyond their line
    const [, on] = /(\d+) on a frontier/.exec(await main.innerText()) ?? []
    expect(Number(on)).toBeGreaterThanOrEqual(10)
    await expect(page.locator('[data-frontier]')).toHaveCount(2)
    await expect(page.locator('[data-membership]')).toHaveCount(RUNS)
    // no result passes for a measured one
    await expect(page.getByRole('note', { name: 'About these results' })).toContainText(`${RUNS} simulated`)
    expect(await soundness(page)).toEqual([])
    await page.screenshot({ path: info.outputPath('demo.png') })

    await page.goto(new URL('/', address).href)
    await expect(counted(page)).toContainText(`${RUNS} of ${RUNS} experiments`)
    await expect(page.getByRole('row').filter({ hasText: 'simulated' })).toHaveCount(RUNS)
    await page.screenshot({ path: info.outputPath('first.png') })

    // a phone shows the chart first
    await page.goto(address)
    await page.setViewportSize({ width: 390, height: 844 })
    const top = async (name: string) => (await main.getByRole('region', { name, exact: true }).boundingBox())?.y ?? NaN
    await expect.poll(async () => (await top('Chart')) < (await top('Configuration'))).toBe(true)
    await expect(page.locator('[data-frontier]').first()).toBeInViewport()
    await page.screenshot({ path: info.outputPath('phone.png') })
  } finally {
    demo.kill('SIGINT')
    expect(await ended).toEqual([0, null])
  }
})

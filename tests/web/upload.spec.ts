import { readFileSync } from 'node:fs'

import { counted, expect, test, useDashboard } from './fixtures'
import { read, vllmResult, write } from './results'

const empty = useDashboard()
const dashboard = useDashboard((store, own) => store.import(own))

// As if somebody let go of files over the page.
async function drop(page: import('@playwright/test').Page, paths: string[]) {
  const files = paths.map((path) => ({ name: path.split('/').at(-1) as string, text: readFileSync(path, 'utf8') }))
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer()
    for (const { name, text } of list) transfer.items.add(new File([text], name, { type: 'application/json' }))
    return transfer
  }, files)
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data })
  await expect(page.getByText('Drop to upload')).toBeVisible()
  await page.dispatchEvent('body', 'drop', { dataTransfer: data })
}

test('our result, vLLM’s file and a broken one are dropped; each says what became of it', async ({ page, folder, own, browser }) => {
  const broken = read(own)
  broken.results.p99_ttft_ms = 'n/a'
  const paths = [own, await vllmResult(folder), write(folder, 'broken.json', broken), write(folder, 'notes.txt', 'Remember the milk.')]
  await page.goto(empty().url)
  await expect(page.getByRole('heading', { name: 'No experiments yet' })).toBeVisible()

  await drop(page, paths)
  await expect(page).toHaveURL(/\/upload\/[\w-]+$/)
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })
  await expect(row('ours.json')).toContainText('stored')
  await expect(row('ours.json')).toContainText('ProfLLM result')
  await expect(row('vllm.json')).toContainText('stored')
  await expect(row('vllm.json')).toContainText('vLLM bench serve')
  await expect(row('broken.json')).toContainText('rejected')
  await expect(row('notes.txt')).toContainText('rejected')
  const fault = page.getByRole('row', { name: /^\/results\/p99_ttft_ms/ })
  await expect(fault).toContainText('"n/a"')
  await expect(fault).toContainText(/number/)

  // the job has an address of its own
  const other = await browser.newPage()
  await other.goto(page.url())
  await expect(other.getByRole('row', { name: /broken\.json/ })).toContainText('rejected')
  await other.close()

  await page.getByRole('link', { name: 'Show them in Explore' }).click()
  await expect(counted(page)).toHaveText(/2 of 2 experiments/)
  const ours = page.getByRole('row', { name: /^ours/ })
  await expect(ours).toContainText('simulated')
  await expect(page.getByRole('row', { name: /not measured/ })).toHaveCount(1)
})

test('the same again is a duplicate, other content under its run id a conflict', async ({ page, folder, own }) => {
  const changed = read(own)
  changed.results.p99_ttft_ms += 1
  await page.goto(`${dashboard().url}/upload`)
  await page.getByTestId('files').setInputFiles([own, write(folder, 'changed.json', changed)])
  await expect(page.getByRole('row', { name: /ours\.json/ })).toContainText('same content')
  const conflict = page.getByRole('row', { name: /changed\.json/ })
  await expect(conflict).toContainText('conflict')
  await expect(conflict).toContainText('stored with other content')
  await conflict.getByRole('link', { name: 'Open stored' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('ours')
})

test('an experiment shows its verdict, figures, parameters by source, and the file', async ({ page, own }) => {
  const document = read(own)
  await page.goto(dashboard().url)
  await page.getByRole('link', { name: 'ours' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('ours')
  await expect(page.getByText('simulated', { exact: true }).first()).toBeVisible()
  const words: Record<string, string> = { trusted: 'Trusted', degraded: 'Degraded', client_limited: 'Client limited' }
  await expect(page.getByRole('region', { name: 'Verdict' })).toContainText(words[document.quality.verdict] as string)

  const parameters = page.getByRole('region', { name: 'Parameters' })
  await expect(parameters.getByRole('row', { name: /^max_model_len/ })).toContainText('2048')
  await expect(parameters.getByRole('row', { name: /^max_model_len/ })).toContainText('set')
  await parameters.getByRole('searchbox').fill('quantization')
  await expect(parameters.getByRole('row', { name: /^quantization unset/ })).toContainText('default')

  await expect(page.getByRole('region', { name: 'Metrics', exact: true }).getByRole('row', { name: /median/ }).first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Quality checks', exact: true }).getByRole('row', { name: /client_error/ })).toBeVisible()

  const tree = page.getByRole('region', { name: 'Document as a tree' })
  await tree.getByRole('button', { name: 'config' }).click()
  await tree.getByRole('button', { name: 'server', exact: true }).click()
  await expect(tree.getByText('"sim/test"').first()).toBeVisible()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()])
  expect(JSON.parse(readFileSync(await download.path(), 'utf8')).run_id).toBe(document.run_id)
})

test('what is not there says so', async ({ page, complaints }) => {
  complaints.allow.push(/404/)
  await page.goto(`${dashboard().url}/experiments/exp_19700101_000000_000000`)
  await expect(page.getByText('Nothing is stored under this number or run id.')).toBeVisible()
  await page.goto(`${dashboard().url}/nowhere`)
  await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible()
})

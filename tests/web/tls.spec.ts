// A dashboard with --tls-cert: the web UI over https, and a session that is never sent without it.
import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'

import { counted, expect, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { program } from './results'

let text = ''
const dashboard = useDashboard((store, own) => {
  store.import(own)
  const [cert, key, tokens] = ['cert.pem', 'cert.key', 'tokens'].map((name) => join(store.folder, name)) as [
    string,
    string,
    string,
  ]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', [...made, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'pipe' })
  chmodSync(key, 0o600)
  text = execFileSync(
    program('profllm-dashboard'),
    ['token', 'add', 'alice', '--role', 'write', '--token-file', tokens],
    { stdio: 'pipe' },
  )
    .toString()
    .trim()
  store.options = ['--tls-cert', cert, '--tls-key', key, '--token-file', tokens]
})

test.use({ ignoreHTTPSErrors: true })

test('signing in over https', async ({ page, context, complaints }) => {
  complaints.allow.push(/status of 401/)
  expect(dashboard().url).toMatch(/^https:/)
  await page.goto(dashboard().url)
  await page.getByLabel('Token').fill(text)
  await page.keyboard.press('Enter')
  await expect(counted(page)).toHaveText(/1 (of 1 )?experiment/)
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  const [cookie] = await context.cookies()
  expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict' })
  await page.reload()
  await expect(page.getByRole('button', { name: 'Sign out alice (role write)' })).toBeVisible()
})

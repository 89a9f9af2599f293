// A dashboard whose users a proxy signs in: its name in the bar, what its role may not do, and the page without a user.
import { counted, expect, IS_LONG, soundness, test, useDashboard } from './fixtures'

const dashboard = useDashboard((store, own) => {
  store.import(own)
  store.options = ['--trusted-proxy', '127.0.0.1', '--auth-header', 'X-User', '--role-of', '*=read']
})

test.describe('with a user', () => {
  test.use({ extraHTTPHeaders: { 'X-User': 'alice@example.org' } })
  test('the proxy signs the user in and out', async ({ page }) => {
    await page.goto(dashboard().url)
    await expect(counted(page)).toHaveText(/1 (of 1 )?experiment/)
    await expect(page.getByText('alice@example.org')).toBeVisible()
    await expect(page.getByRole('button', { name: /^Sign out/ })).toHaveCount(0)
    if (IS_LONG) expect(await soundness(page)).toEqual([])
    await page.goto(`${dashboard().url}/experiments/1`)
    await expect(page.getByRole('button', { name: 'Delete' })).toHaveAccessibleDescription('Needs the role admin')
  })
})

test('without a user, the page names the proxy', async ({ page, complaints }) => {
  complaints.allow.push(/status of 401/)
  await page.goto(dashboard().url)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByText('A proxy signs users in to this dashboard')).toBeVisible()
  await expect(page.getByLabel('Token')).toHaveCount(0)
  expect(await soundness(page)).toEqual([])
})

// Changes of a result: tags, notes, deletion.
import { counted, expect, soundness, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const dashboard = useDashboard((store, own) => {
  const base = read(own)
  store.import(...['one', 'two'].map((name) => write(store.folder, `${name}.json`, variant(base, { name }))))
})

test('tags and notes are edited, can be searched, and show their author', async ({ page }) => {
  await page.goto(dashboard().url)
  await page.getByRole('link', { name: 'one', exact: true }).click()
  const said = page.getByRole('region', { name: 'Tags and notes', exact: true })
  await expect(said).toContainText('No tags or notes yet.')
  await said.getByRole('button', { name: 'Edit' }).click()
  for (const label of ['Tag', 'Value', 'Notes', 'Your name, optional'])
    await expect(said.getByText(label, { exact: true })).toBeVisible()
  await said.getByLabel('Tag 1', { exact: true }).fill('driver')
  await said.getByLabel('Value of tag 1').fill('r570')
  await said.getByLabel('Tag 2', { exact: true }).fill('bad')
  await said.getByLabel('Notes').fill('The fan of GPU 3 was off.')
  await said.getByLabel('Your name').fill('ann')
  expect(await soundness(page)).toEqual([])
  await said.getByRole('button', { name: 'Save' }).click()
  await expect(said.getByRole('listitem').filter({ hasText: 'driver' })).toContainText('r570')
  await expect(said).toContainText('The fan of GPU 3 was off.')
  await page.reload()
  await expect(said.getByRole('listitem')).toHaveCount(2)

  await said.getByRole('button', { name: 'Edit' }).click()
  await said.getByRole('button', { name: 'Remove tag bad' }).click()
  await said.getByRole('button', { name: 'Save' }).click()
  await expect(said.getByRole('listitem')).toHaveCount(1)
  await said.getByRole('button', { name: 'Show changes' }).click()
  await expect(said.getByRole('row', { name: /ann tag driver – r570$/ })).toBeVisible()
  await expect(said.getByRole('row', { name: /ann tag bad/ })).toHaveCount(2)

  await page.goto(`${dashboard().url}/?tags.driver=r570`)
  await expect(counted(page)).toHaveText('1 of 2 experiments')
})

test('a result is deleted, restored immediately, and restored later', async ({ page, complaints }) => {
  complaints.allow.push(/410/)
  await page.goto(dashboard().url)
  await page.getByRole('link', { name: 'two', exact: true }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'This experiment was deleted.' })).toBeVisible()
  // the focus moves to Undo when its button disappears: Enter restores the result
  await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
  const address = page.url()
  await page.goto(dashboard().url)
  await expect(counted(page)).toHaveText('1 of 1 experiments')
  await page.goto(address)
  await expect(page.getByText('This experiment was deleted.')).toBeVisible()
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('two')
  await page.goto(dashboard().url)
  await expect(counted(page)).toHaveText('2 of 2 experiments')
})

import { expect, it, vi } from 'vitest'

it('an address that is not text is left to the page', async () => {
  vi.stubGlobal('window', { location: { pathname: '/experiments/%', search: '' }, innerWidth: 1000 })
  vi.stubGlobal('document', { querySelector: () => null })
  await expect(import('./ahead')).resolves.toBeDefined()
  vi.unstubAllGlobals()
})

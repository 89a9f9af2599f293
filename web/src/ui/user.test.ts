import { expect, test } from 'vitest'

import { isAllowed, type Role } from './user'

test('each role includes the weaker ones, and without tokens everything is allowed', () => {
  const allowed = (role: Role) => (['read', 'write', 'admin'] as const).map((to) => isAllowed({ name: 'a', role }, to))
  expect(allowed('read')).toEqual([true, false, false])
  expect(allowed('write')).toEqual([true, true, false])
  expect(allowed('admin')).toEqual([true, true, true])
  expect(isAllowed(null, 'admin')).toBe(true)
})

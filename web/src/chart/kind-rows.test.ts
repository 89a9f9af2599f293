import { expect, it } from 'vitest'

import { CHART_KINDS } from '../url/chart'
import { isList, KINDS } from './kind-rows'
import { drawnKind } from './model'
import { DRAWINGS } from './option'

it.each(CHART_KINDS)('%s: its row is complete', (kind) => {
  const { words, icon, roles, choices, log, fits = {}, form } = KINDS[kind]
  expect(words).toMatch(/^[A-Z]/)
  expect(icon.lines).toMatch(/^M[\d .MVHLZvhlzaAcC-]+$/)
  expect(choices.length === 0).toBe(isList(kind))
  for (const choice of choices) expect(Object.keys(choice).sort()).toEqual([...roles].sort())
  for (const role of Object.keys(fits)) expect(roles).toContain(role)
  for (const axis of ['x', 'y'] as const) if (log[axis]) expect(roles).toContain(axis)
  expect(DRAWINGS[kind]).toBeDefined()
  // a kind draws an answer of its own form
  const answer = {
    points: { marks: {} },
    groups: { groups: {} },
    bins: { bins: {} },
    grid: { grid: {} },
    parallel: { lines: {} },
  }[form]
  expect(drawnKind(kind, answer as never)).toBe(kind)
})

it('an answer of another form is drawn by a kind that fits it', () => {
  expect(drawnKind('scatter', { groups: {} } as never)).toBe('bar')
  expect(drawnKind('line', { marks: {} } as never)).toBe('line')
  expect(drawnKind('heat', { marks: {} } as never)).toBe('scatter')
})

import { QueryClient } from '@tanstack/react-query'
import { beforeEach, expect, test, vi } from 'vitest'

import type { Choices } from '../filter/model'
import { film, type RowsAnswer, useFilm } from './film'

const upTo = (end: number) => ({ range: [null, end] as [null, number] })
const endOf = (choices: Choices) => choices['f.x']?.range?.[1] as number

let asked: number[]
let answers: Map<number, () => void>

beforeEach(() => {
  asked = []
  answers = new Map()
  film.open({
    client: new QueryClient(),
    choices: () => ({}),
    rows: (choices) => ({
      queryKey: ['rows', endOf(choices)],
      queryFn: () => {
        asked.push(endOf(choices))
        return new Promise((resolve) =>
          answers.set(endOf(choices), () => resolve({ count: endOf(choices) } as RowsAnswer)),
        )
      },
      staleTime: Infinity,
    }),
  })
  film.stop()
})

const shown = () => useFilm.getState().frame?.rows.count
const answer = async (end: number) => {
  await vi.waitFor(() => expect(asked).toContain(end))
  answers.get(end)?.()
  await new Promise((resolve) => setTimeout(resolve))
}

test('one position is asked for at a time, and of those that pass by meanwhile only the last', async () => {
  film.seek('f.x', upTo(9), [])
  film.seek('f.x', upTo(8), [])
  film.seek('f.x', upTo(7), [])
  expect(asked).toEqual([9])
  await answer(9)
  expect(shown()).toBe(9)
  await answer(7)
  expect(shown()).toBe(7)
  expect(asked).toEqual([9, 7])
})

test('positions ahead are asked for while nothing is wanted, and shown at once', async () => {
  film.seek('f.x', upTo(9), [upTo(8), upTo(7)])
  await answer(9)
  await answer(8)
  expect(shown()).toBe(9)
  film.seek('f.x', upTo(8), [upTo(7)])
  expect(shown()).toBe(8)
  film.stop()
  await answer(7)
  expect(shown()).toBeUndefined()
})

test('the last frame stays after the release until the page shows its own', async () => {
  film.seek('f.x', upTo(9), [])
  await answer(9)
  film.release()
  expect(shown()).toBe(9)
  film.settle()
  expect(shown()).toBeUndefined()
})

test('what a drag may need first is asked for before it begins, and shown when it does', async () => {
  film.prepare('f.x', [upTo(8), upTo(7)])
  await answer(8)
  expect(shown()).toBeUndefined()
  await answer(7)
  film.seek('f.x', upTo(8), [])
  expect(shown()).toBe(8)
  expect(asked).toEqual([8, 7])
})

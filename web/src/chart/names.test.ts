// Names below an axis: whole where they have room, and none over another.
import { expect, it } from 'vitest'

import { namesOf, withoutPrefix } from './names'

const MODELS = [
  'Qwen2.5-1.5B-Instruct',
  'Qwen2.5-72B-Instruct',
  'Qwen3-14B',
  'Qwen3-235B-A22B',
  'DeepSeek-V2-Lite-Chat',
  'gemma-3-27b-it',
  'Llama-3.1-70B-Instruct',
  'Mixtral-8x7B-Instruct-v0.1',
]

it('few names are horizontal, each with its count below it if there is room', () => {
  expect(namesOf(['1', '2'], [195, 1234], 700)).toMatchObject({
    words: ['1\nn 195', '2\nn 1,234'],
    rotate: 0,
    step: 1,
    bottom: 35,
  })
  expect(namesOf(['1', '2', '4', '8'], [1234, 1, 1, 1], 80)).toMatchObject({ words: ['1', '2', '4', '8'], rotate: 0 })
  expect(namesOf(['1', '2'], null, 700)).toMatchObject({ words: ['1', '2'], bottom: 22 })
})

it('eight models each have their name, slanted, and the first is not cut at the left', () => {
  const names = namesOf(
    MODELS,
    MODELS.map((_, i) => i),
    760,
  )
  expect([names.step, names.rotate > 0, names.words[2], names.words[7]]).toEqual([
    1,
    true,
    'Qwen3-14B  n 2',
    'Mixtral-8x7B-Instruct…  n 7',
  ])
  const long = (names.words[0]?.length ?? 0) * 5.7
  expect(names.left + 760 / 16).toBeGreaterThan(long * Math.cos((names.rotate * Math.PI) / 180))
  expect(names.bottom).toBeGreaterThan(long * Math.sin((names.rotate * Math.PI) / 180))
})

it('of two hundred so many are named as have room, without what all have in common', () => {
  const { words, step, bottom } = namesOf(
    Array.from({ length: 200 }, (_, i) => `model-${i}`),
    Array<number>(200).fill(1),
    760,
  )
  expect([words[0], words[199], step]).toEqual(['…0', '…199', 5])
  expect(bottom).toBeLessThan(60)
})

it('a prefix ends where a part of the name does', () => {
  expect(withoutPrefix(['vllm-0.30.1', 'vllm-0.30.2', 'vllm-0.31.0'])).toEqual(['…30.1', '…30.2', '…31.0'])
  expect(withoutPrefix(['Qwen3-8B', 'Qwen2-8B', 'Qwen3-14B'])).toEqual(['Qwen3-8B', 'Qwen2-8B', 'Qwen3-14B'])
  expect(withoutPrefix(['model-1', 'model-2'])).toEqual(['model-1', 'model-2'])
  expect(withoutPrefix(['same', 'same', 'same'])).toEqual(['same', 'same', 'same'])
})

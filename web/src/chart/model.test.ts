import { expect, it } from 'vitest'

import type { Field, PointsResponse } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { readExplore } from '../url/explore'
import { filmRequestOf, requestOf } from './model'

const IDS = [
  'results.median_ttft_ms',
  'results.output_throughput',
  'derived.output_throughput_per_gpu',
  'derived.output_throughput_per_user',
  'server.model',
]
const fields = IDS.map(
  (id): Field => ({
    id,
    label: id,
    help: '',
    group: '',
    unit: '',
    type: id === 'server.model' ? 'text' : 'number',
    direction: 'neither',
    role: 'output',
    aggregation: 'none',
    column: true,
    words: false,
  }),
)
const catalogue = new Catalogue(fields)
const axis = (field: string, log: boolean) => ({ field, log, kind: 'number', min: 1, max: 9 })

it('a film keeps the axes, the color and the scales of the drawing before it', () => {
  const { chart } = readExplore('')
  const request = requestOf(chart, undefined, catalogue, undefined, [])
  expect(request.choices?.length).toBeGreaterThan(0)
  expect(request).toMatchObject({ x_log: 'auto', y_log: 'auto', color_choices: ['server.model'], labels: ['run.name'] })
  const answer = {
    x: axis('results.median_ttft_ms', true),
    y: axis('results.output_throughput', false),
    color: { field: 'server.model' },
  } as unknown as PointsResponse
  const { significant_digits: digits } = request
  expect(filmRequestOf(request, chart, answer, catalogue)).toEqual({
    form: 'points',
    x: 'results.median_ttft_ms',
    y: 'results.output_throughput',
    color: 'server.model',
    x_log: true,
    y_log: false,
    significant_digits: digits,
  })
  // what the user chose stays, and what the server has not chosen yet it chooses
  const bare = { x: null, y: null, color: null } as unknown as PointsResponse
  expect(filmRequestOf(request, chart, bare, catalogue)).toEqual({ ...request, labels: undefined })
})

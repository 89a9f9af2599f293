// An order in words, and the initial direction of a field: the better one first.
import type { Field, Sort } from '../api/types'
import { type Catalogue, shortName } from '../fields/catalogue'

type Dir = Sort['dir']

export const firstDir = (field: Field): Dir => (field.direction === 'higher' || field.type === 'time' ? 'desc' : 'asc')

export function dirWords(field: Field, dir: Dir) {
  if (field.type === 'time') return dir === 'desc' ? 'newest first' : 'oldest first'
  if (field.direction === 'neither') return dir === 'asc' ? 'ascending' : 'descending'
  return dir === firstDir(field) ? 'best first' : 'worst first'
}

export function sortWords(catalogue: Catalogue, sort: Sort[]) {
  if (sort.length === 0) return 'Newest stored first'
  return sort
    .map(({ field: id, dir }) => `${shortName(catalogue.get(id))}, ${dirWords(catalogue.get(id), dir)}`)
    .join(', then ')
}

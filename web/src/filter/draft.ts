// A filter tree during editing: each node has an id and may be incomplete. Incomplete nodes are not sent. An edit
// returns a new tree and does not change the old one.
import type { Filter, Predicate, Operator } from '../api/types'
import { opOf } from './ops'
import { isPredicate, split } from './split'

export interface Test {
  id: string
  isNot: boolean
  field: string // '': not chosen yet
  op: string
  value: Predicate['value'] | undefined // undefined: not given yet
}

export interface Group {
  id: string
  isNot: boolean
  op: 'and' | 'or'
  children: Node[]
}

export type Node = Test | Group
export const isGroup = (node: Node): node is Group => 'children' in node

let made = 0
const name = () => `n${++made}`
export const newTest = (): Test => ({ id: name(), isNot: false, field: '', op: 'eq', value: undefined })
export const newGroup = (op: Group['op'], children: Node[] = []): Group => ({ id: name(), isNot: false, op, children })

function nodeOf(filter: Filter): Node {
  if ('not' in filter) {
    const node = nodeOf(filter.not)
    return { ...node, isNot: !node.isNot }
  }
  if (isPredicate(filter)) return { id: name(), isNot: false, field: filter.field, op: filter.op, value: filter.value }
  return 'and' in filter ? newGroup('and', filter.and.map(nodeOf)) : newGroup('or', filter.or.map(nodeOf))
}

// The root is a group. A group that contains only an "or" is that "or".
export function draftOf(tree: Filter | undefined): Group {
  if (!tree) return newGroup('and')
  const node = nodeOf(tree)
  const root = isGroup(node) && !node.isNot ? node : newGroup('and', [node])
  const [only, ...others] = root.children
  return only && others.length === 0 && isGroup(only) && only.op === 'or' && !only.isNot ? only : root
}

export function isWhole({ field, op, value }: Test) {
  const { asks } = opOf(op)
  if (field === '') return false
  if (asks === 'none') return true
  if (asks === 'list') return Array.isArray(value) && value.length > 0
  if (asks === 'pair') return Array.isArray(value) && value.length === 2
  return value !== undefined && (asks === 'one' || value !== '')
}

// Returns the filter to send, and the node of each of its parts.
export function compile(root: Group): { filter: Filter | undefined; nodes: Map<Filter, string> } {
  const nodes = new Map<Filter, string>()
  const made = (node: Node): Filter | undefined => {
    let filter: Filter | undefined
    if (isGroup(node)) {
      const children = node.children.map(made).filter((child) => child !== undefined)
      if (children.length) filter = node.op === 'and' ? { and: children } : { or: children }
    } else if (isWhole(node)) {
      const { field, value } = node
      const op = node.op as Operator // the server reports an unknown one
      filter = opOf(op).asks === 'none' || value === undefined ? { field, op } : { field, op, value }
    }
    if (!filter) return undefined
    nodes.set(filter, node.id)
    if (!node.isNot) return filter
    const not = { not: filter }
    nodes.set(not, node.id)
    return not
  }
  return { filter: made(root), nodes }
}

// The node that a fault's pointer names ("/filter/and/1/or/0/value"), or the nearest one above it.
export function nodeAt(root: Group, pointer: string): string | null {
  const { filter, nodes } = compile(root)
  const steps = pointer.split('/')
  if (steps[1] !== 'filter') return null
  const { origins } = split(filter)
  let at: unknown = { and: origins }
  let found: string | null = null
  for (const step of steps.slice(2)) {
    at = at && typeof at === 'object' ? (at as Record<string, unknown>)[step] : undefined
    found = nodes.get(at as Filter) ?? found
  }
  return found
}

type Edit = (node: Node, index: number, parent: Group) => Node[]

// One node replaced by others.
function edited(group: Group, id: string, edit: Edit): Group {
  return {
    ...group,
    children: group.children.flatMap((node, i) =>
      node.id === id ? edit(node, i, group) : isGroup(node) ? [edited(node, id, edit)] : [node],
    ),
  }
}

export function parentOf(root: Group, id: string): Group | null {
  for (const child of root.children) {
    if (child.id === id) return root
    const found = isGroup(child) ? parentOf(child, id) : null
    if (found) return found
  }
  return null
}

export const changed = (root: Group, id: string, part: Partial<Test> | Partial<Group>): Group =>
  root.id === id ? ({ ...root, ...part } as Group) : edited(root, id, (node) => [{ ...node, ...part } as Node])
export const removed = (root: Group, id: string) => edited(root, id, () => [])
export const added = (root: Group, group: string, node: Node): Group =>
  root.id === group
    ? { ...root, children: [...root.children, node] }
    : edited(root, group, (parent) => [{ ...(parent as Group), children: [...(parent as Group).children, node] }])
// into a group of the other kind, because one of the same kind changes nothing
export const wrapped = (root: Group, id: string) =>
  edited(root, id, (node, _, parent) => [newGroup(parent.op === 'and' ? 'or' : 'and', [node])])
export const unwrapped = (root: Group, id: string) =>
  edited(root, id, (node) => (isGroup(node) ? node.children : [node]))

// Moves a node by one line: over a condition, into an adjacent group, or out of its group.
export function moved(root: Group, id: string, by: -1 | 1): Group {
  const parent = parentOf(root, id)
  const at = parent?.children.findIndex((child) => child.id === id) ?? -1
  const node = parent?.children[at]
  if (!parent || !node) return root
  const beside = parent.children[at + by]
  if (!beside) {
    if (parent.id === root.id) return root
    return edited(removed(root, id), parent.id, (group) => (by < 0 ? [node, group] : [group, node]))
  }
  if (!isGroup(beside)) return edited(removed(root, id), beside.id, (other) => (by < 0 ? [node, other] : [other, node]))
  const children = (group: Group) => (by < 0 ? [...group.children, node] : [node, ...group.children])
  return edited(removed(root, id), beside.id, (group) => [{ ...(group as Group), children: children(group as Group) }])
}

export const canMove = (root: Group, id: string, by: -1 | 1) => moved(root, id, by) !== root

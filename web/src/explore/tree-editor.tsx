// Edits any tree of conditions; the chips and the panel show parts of it. Incomplete conditions are not sent. A
// condition that the server refuses shows the error.
import { useEffect, useMemo, useRef, useState } from 'react'
import { ToggleButton } from 'react-aria-components'

import { ApiError } from '../api/client'
import type { Fault, Filter } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import {
  added,
  canMove,
  changed,
  compile,
  draftOf,
  type Group,
  isGroup,
  isWhole,
  moved,
  newGroup,
  newTest,
  type Node,
  nodeAt,
  parentOf,
  removed,
  type Test,
  unwrapped,
  wrapped,
} from '../filter/draft'
import { treeOf } from '../filter/model'
import { firstOp, opOf, opsOf } from '../filter/ops'
import { split } from '../filter/split'
import { Act, Button, IconButton, join, Segment, Select } from '../ui/controls'
import { Icon } from '../ui/icons'
import { Suggest } from '../ui/suggest'
import type { Change } from '../url/use-explore'
import css from './tree-editor.module.css'
import { TreeValue } from './tree-value'

const FIELDS_MAX = 50

interface Props {
  catalogue: Catalogue
  tree: Filter | undefined
  error: Error | null
  round: number
  change: Change
  onClose: () => void
}

interface Drawn {
  catalogue: Catalogue
  root: Group
  round: number
  fresh: string | null // a new condition: asks for its field immediately
  faults: Map<string, Fault[]>
  edit: (next: Group, focus?: string[]) => void // focus: what has it then
}

const sameTree = (a: Filter | undefined, b: Filter | undefined) => JSON.stringify(a) === JSON.stringify(b)
const asked = (root: Group) => split(compile(root).filter)

// The draft and its filter. A tree from outside (a removed chip, Back) replaces the draft.
function useDraftTree(tree: Filter | undefined, change: Change) {
  const [draft, setDraft] = useState(() => draftOf(tree))
  const { choices, where } = asked(draft)
  const [seen, setSeen] = useState(tree)
  if (!sameTree(seen, tree)) {
    setSeen(tree)
    if (!sameTree(tree, treeOf(choices, where))) setDraft(draftOf(tree))
  }
  const edit = (next: Group) => {
    setDraft(next)
    const { choices: chosen, where: rest } = asked(next)
    if (!sameTree(treeOf(chosen, rest), treeOf(choices, where)))
      change({ choices: chosen, where: rest }, { typing: 'tree' })
  }
  return { draft, edit }
}

function faultsOf(error: Error | null, root: Group) {
  const found = new Map<string, Fault[]>()
  if (!(error instanceof ApiError)) return found
  const { problem } = error
  const faults: Fault[] = problem.faults?.length ? problem.faults : [{ ...problem, message: problem.detail } as Fault]
  for (const fault of faults) {
    const id = fault.pointer ? nodeAt(root, fault.pointer) : null
    if (id !== null) found.set(id, [...(found.get(id) ?? []), fault])
  }
  return found
}

// After an edit the pressed button may have moved or disappeared: focuses the first of these elements that exists.
function useFocusAfter(box: React.RefObject<HTMLElement | null>) {
  const wanted = useRef<string[]>([])
  useEffect(() => {
    const [target] = wanted.current.flatMap((selector) => [
      ...(box.current?.querySelectorAll<HTMLElement>(`${selector}:not([disabled])`) ?? []),
    ])
    wanted.current = []
    target?.focus()
  })
  return (selectors: string[]) => {
    wanted.current = selectors
  }
}

const lineOf = (id: string) => `[data-node="${id}"] > div`
const moveButtons = (id: string, by: -1 | 1) => [`${lineOf(id)} [data-move="${by}"]`, `${lineOf(id)} [data-move]`]

const unfinished = (node: Node): number =>
  isGroup(node) ? node.children.reduce((sum, child) => sum + unfinished(child), 0) : isWhole(node) ? 0 : 1

export function TreeEditor({ catalogue, tree, error, round, change, onClose }: Props) {
  const { draft, edit } = useDraftTree(tree, change)
  const [fresh, setFresh] = useState<string | null>(null)
  const box = useRef<HTMLElement>(null)
  const focusAfter = useFocusAfter(box)
  const faults = useMemo(() => faultsOf(error, draft), [error, draft])
  const waiting = unfinished(draft)
  const drawn: Drawn = {
    catalogue,
    root: draft,
    round,
    faults,
    fresh,
    edit: (next, focus = []) => {
      focusAfter(focus)
      setFresh(null)
      edit(next)
    },
  }
  const add = (group: Group, node: Node) => {
    edit(added(draft, group.id, node))
    setFresh(isGroup(node) ? (node.children[0]?.id ?? null) : node.id)
  }
  return (
    <section
      ref={box}
      className={css.editor}
      aria-label="Filter as a tree"
      onKeyDown={(event) => {
        // a list that is open closes first
        const hasList = (event.target as HTMLElement).getAttribute('aria-expanded') === 'true'
        if (event.key === 'Escape' && !event.defaultPrevented && !hasList) onClose()
      }}
    >
      <ul className={css.nodes}>
        <GroupView {...drawn} group={draft} onAdd={add} />
      </ul>
      <div className={css.foot}>
        <span className="small mid" role="status">
          {waiting > 0
            ? `${waiting === 1 ? 'One condition is' : `${waiting} conditions are`} incomplete and not applied.`
            : ''}
        </span>
        <Button onPress={() => drawn.edit(newGroup('and'))} isDisabled={draft.children.length === 0}>
          Clear all
        </Button>
        <Button look="line" onPress={onClose}>
          Done
        </Button>
      </div>
    </section>
  )
}

function GroupView({ group, onAdd, ...drawn }: Drawn & { group: Group; onAdd: (group: Group, node: Node) => void }) {
  const { root, edit } = drawn
  const isRoot = group.id === root.id
  return (
    <li className={css.group} data-node={group.id}>
      <div className={css.line} role="group" aria-label={isRoot ? 'Whole filter' : 'Group'}>
        <Not {...drawn} node={group} />
        <Segment
          label="Required conditions"
          value={group.op}
          onChange={(op) => edit(changed(root, group.id, { op: op === 'or' ? 'or' : 'and' }))}
          options={[
            ['and', 'all of'],
            ['or', 'any of'],
          ]}
        />
        <span className={css.acts}>
          <Act onPress={() => onAdd(group, newTest())}>Add a condition</Act>
          <Act onPress={() => onAdd(group, newGroup(group.op === 'and' ? 'or' : 'and', [newTest()]))}>Add a group</Act>
        </span>
        {!isRoot && <Tools {...drawn} node={group} name="group" />}
      </div>
      <Faults {...drawn} id={group.id} />
      <ul className={css.nodes}>
        {group.children.map((node) =>
          isGroup(node) ? (
            <GroupView key={node.id} {...drawn} group={node} onAdd={onAdd} />
          ) : (
            <TestView key={node.id} {...drawn} test={node} />
          ),
        )}
        {group.children.length === 0 && (
          <li className={css.nothing}>
            {isRoot ? 'No conditions: all experiments match.' : 'This group is empty and not applied.'}
          </li>
        )}
      </ul>
    </li>
  )
}

function Not({ node, root, edit }: Drawn & { node: Node }) {
  return (
    <ToggleButton
      className={css.not ?? ''}
      isSelected={node.isNot}
      onChange={(isNot) => edit(changed(root, node.id, { isNot }))}
    >
      {node.isNot ? 'not' : '+ not'}
    </ToggleButton>
  )
}

function TestView({ test, ...drawn }: Drawn & { test: Test }) {
  const { catalogue, root, round, fresh, edit } = drawn
  const [words, setWords] = useState<string | null>(null)
  const field = catalogue.get(test.field)
  const name = test.field === '' ? '' : longName(field)
  const found = useMemo(
    () =>
      (words === null
        ? []
        : words.trim()
          ? catalogue.search(words)
          : catalogue.sections.flatMap((section) => section.fields)
      ).slice(0, FIELDS_MAX),
    [catalogue, words],
  )
  const set = (part: Partial<Test>) => edit(changed(root, test.id, part))
  const take = (id: string) => {
    const next = catalogue.get(id)
    const op = opsOf(next).some((one) => one.op === test.op) && test.field !== '' ? test.op : firstOp(next)
    if (id !== test.field)
      edit(changed(root, test.id, { field: id, op, value: undefined }), [`${lineOf(test.id)} select`])
  }
  const ops = opsOf(field)
  const known = ops.some((one) => one.op === test.op) ? ops : [...ops, opOf(test.op)]
  return (
    <li className={join(css.test, drawn.faults.has(test.id) && css.bad)} data-node={test.id}>
      <div
        className={css.line}
        role="group"
        aria-label={name === '' ? 'New condition' : `Condition on ${name}`}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
          if (!event.altKey || by === 0) return
          event.preventDefault()
          edit(moved(root, test.id, by), moveButtons(test.id, by))
        }}
      >
        <Not {...drawn} node={test} />
        <Suggest
          label="Field"
          text={name}
          placeholder="Field name, alias or unit"
          autoFocus={fresh === test.id}
          items={found.map((one) => ({ id: one.id, name: longName(one), note: one.id }))}
          onType={setWords}
          onPick={take}
          onTyped={(typed) => {
            // the id of a field that is not listed is allowed
            const text = typed.trim()
            if (text.includes('.') && !text.includes(' ')) take(text)
          }}
        />
        {test.field !== '' && (
          <>
            <Select
              label={`${name}, operator`}
              value={test.op}
              options={known.map(({ op, words: said }) => [op, said])}
              onChange={(op) =>
                set(opOf(op).asks === opOf(test.op).asks ? { op } : { op, value: converted(test.value, op) })
              }
            />
            <TreeValue key={test.op} field={field} test={test} round={round} onChange={(value) => set({ value })} />
          </>
        )}
        <Tools {...drawn} node={test} name={name === '' ? 'condition' : `condition on ${name}`} />
      </div>
      <Faults {...drawn} id={test.id} />
    </li>
  )
}

// Converts between one value and a list of one. Other values are dropped.
function converted(value: Test['value'], op: string): Test['value'] {
  const { asks } = opOf(op)
  if (asks === 'list') return value === undefined ? undefined : Array.isArray(value) ? value : [value]
  if (asks === 'one' || asks === 'text') return Array.isArray(value) ? value[0] : value
  return undefined
}

function Tools({ node, name, root, edit }: Drawn & { node: Node; name: string }) {
  const move = (by: -1 | 1) => edit(moved(root, node.id, by), moveButtons(node.id, by))
  const atParent = [`${lineOf(parentOf(root, node.id)?.id ?? '')} button`]
  return (
    <span className={css.tools}>
      {isGroup(node) ? (
        <IconButton
          icon="ungroup"
          name={`Ungroup the ${name}`}
          isDisabled={node.isNot}
          onPress={() => edit(unwrapped(root, node.id), atParent)}
        />
      ) : (
        <IconButton
          icon="group"
          name={`Group the ${name}`}
          onPress={() => edit(wrapped(root, node.id), [`${lineOf(node.id)} button`])}
        />
      )}
      <IconButton
        icon="up"
        name={`Move the ${name} up`}
        data-move="-1"
        isDisabled={!canMove(root, node.id, -1)}
        onPress={() => move(-1)}
      />
      <IconButton
        icon="lower"
        name={`Move the ${name} down`}
        data-move="1"
        isDisabled={!canMove(root, node.id, 1)}
        onPress={() => move(1)}
      />
      <IconButton icon="close" name={`Remove the ${name}`} onPress={() => edit(removed(root, node.id), atParent)} />
    </span>
  )
}

function Faults({ id, faults, root, edit, catalogue }: Drawn & { id: string }) {
  return (
    faults.get(id)?.map((fault, i) => {
      const nearest = fault.nearest
      const canUse = nearest && fault.pointer?.endsWith('/field') && catalogue.byId.has(nearest)
      return (
        <p key={i} className={css.fault} role="alert">
          <Icon name="warn" small />
          <span>
            {fault.expected ? (
              <>
                {fault.found ? (
                  <>
                    found <code>{fault.found}</code>,{' '}
                  </>
                ) : null}
                expected {fault.expected}
              </>
            ) : (
              fault.message
            )}{' '}
            {canUse && <Act onPress={() => edit(changed(root, id, { field: nearest }))}>Use {nearest}</Act>}
          </span>
        </p>
      )
    }) ?? null
  )
}

// One search for experiments by name or run ID, for fields, and for values of the most used fields.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  Autocomplete,
  Collection,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  SearchField,
} from 'react-aria-components'
import { useLocation } from 'wouter'

import { causeOf, get } from '../api/client'
import { apply, optionsPath, useFields } from '../api/queries'
import type { Scalar } from '../api/types'
import { Catalogue, longName, shortName } from '../fields/catalogue'
import { withChoice } from '../filter/model'
import { count } from '../format/number'
import { nameOf } from '../format/value'
import { IconButton, join } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Dialog } from '../ui/dialog'
import { Icon } from '../ui/icons'
import { useDraft } from '../ui/use-draft'
import { Simulated, Verdict } from '../ui/verdict'
import { DEFAULT_SORT } from '../url/explore'
import { paths } from '../url/paths'
import { readAddress } from '../url/use-explore'
import { usePreferences } from '../keys/store'
import css from './find.module.css'
import { runFilter } from './run-filter'

const RUNS = 6
const FIELDS = 6
const VALUES = 8
const VALUE_FIELDS = [
  'server.model',
  'benchmark.model',
  'system.hardware_info.gpu_name',
  'server.quantization',
  'environment.engine.version',
  'run.suite',
  'quality.verdict',
]

interface Item {
  id: string
  name: string
  note: string
  marks?: ReactNode
  open: string
}

// The last state of Explore, with one more condition.
function withMore(client: QueryClient, field: string, value?: Scalar) {
  const state = readAddress(client, usePreferences.getState().lastExplore.split('?')[1] ?? '')
  const choices = withChoice(state.choices, field, value === undefined ? { present: true } : { values: [value] })
  return paths.explore({ ...state, page: 0, choices })
}

function useFound(words: string) {
  const client = useQueryClient()
  const fields = useFields()
  const runs = useQuery({
    queryKey: ['find', 'runs', words],
    queryFn: ({ signal }) =>
      apply(
        {
          filter: runFilter(words),
          sort: DEFAULT_SORT,
          columns: ['run.name', 'run.timestamp', 'server.model'],
          limit: RUNS,
        } as Parameters<typeof apply>[0],
        signal,
      ),
    enabled: words !== '',
  })
  const values = useQuery({
    queryKey: ['find', 'values', words],
    queryFn: ({ signal }) => get(optionsPath(undefined, VALUE_FIELDS, words, VALUES), signal),
    enabled: words !== '',
  })
  const error = fields.error ?? runs.error ?? values.error
  const isWaiting = words !== '' && !error && (!fields.data || !runs.data || !values.data)
  if (!words || !fields.data) return { groups: [], isWaiting, error: words ? error : null }
  const catalogue = new Catalogue(fields.data)
  const groups: { title: string; items: Item[] }[] = [
    {
      title: 'Experiments',
      items: [
        ...(runs.data?.rows ?? []).map((row) => ({
          id: `run ${row.id}`,
          name: nameOf(row),
          note: row.run_id ?? '',
          marks: (
            <>
              {row.simulated && <Simulated />}
              {row.verdict !== null && row.verdict !== 'trusted' && <Verdict verdict={row.verdict} />}
            </>
          ),
          open: paths.experiment(row.id),
        })),
        ...((runs.data?.count ?? 0) > RUNS
          ? [
              {
                id: 'runs',
                name: `Show all ${count(runs.data?.count ?? 0)} in Explore`,
                note: '',
                open: paths.group(runFilter(words)),
              },
            ]
          : []),
      ],
    },
    {
      title: 'Values',
      items: Object.entries(values.data?.options ?? {})
        .flatMap(([id, facet]) =>
          facet.values.map(({ value, count: n }) => ({
            id: `value ${id} ${String(value)}`,
            name: String(value),
            note: `${shortName(catalogue.get(id))} · ${count(n)} ${n === 1 ? 'experiment' : 'experiments'}`,
            open: withMore(client, id, value as Scalar),
          })),
        )
        .slice(0, VALUES),
    },
    {
      title: 'Fields',
      items: catalogue
        .search(words)
        .slice(0, FIELDS)
        .map((field) => ({
          id: `field ${field.id}`,
          name: longName(field),
          note: field.id,
          open: withMore(client, field.id),
        })),
    },
  ]
  return { groups: groups.filter((group) => group.items.length > 0), isWaiting, error }
}

export function Find({ onClose }: { onClose: () => void }) {
  const [words, setWords] = useState('')
  const [draft, write] = useDraft(words, setWords)
  const [, navigate] = useLocation()
  const asked = words.trim()
  const { groups, isWaiting, error } = useFound(asked)
  const isNone = asked !== '' && draft.trim() === asked && !isWaiting && !error
  const open = (key: unknown) => {
    const item = groups.flatMap((group) => group.items).find((one) => one.id === key)
    if (!item) return
    onClose()
    navigate(item.open)
  }
  return (
    <Dialog label="Find an experiment, a field or a value" onClose={onClose}>
      <div className={css.find}>
        <span className={css.close}>
          <IconButton icon="close" name="Close" onPress={onClose} />
        </span>
        <Autocomplete inputValue={draft} onInputChange={write}>
          <SearchField aria-label="Find an experiment, a field or a value" autoFocus className={css.input ?? ''}>
            <span className={join(controls.field)}>
              <Icon name="search" />
              <Input placeholder="Find an experiment, a field or a value" />
            </span>
          </SearchField>
          <ListBox
            aria-label="Search results"
            items={groups}
            className={css.list ?? ''}
            selectionMode="none"
            onAction={open}
            renderEmptyState={() =>
              draft.trim() === '' || isNone ? (
                <p className={css.empty}>
                  {isNone
                    ? 'No experiment, field or value matches.'
                    : 'Type a name or run ID, a model, a GPU or a field.'}
                </p>
              ) : null
            }
          >
            {(group) => (
              <ListBoxSection id={group.title}>
                <Header>{group.title}</Header>
                <Collection items={group.items}>
                  {(item) => (
                    <ListBoxItem id={item.id} textValue={`${item.name} ${item.note}`} className={css.item ?? ''}>
                      <span className="clip">
                        <bdi>{item.name}</bdi>
                      </span>
                      {item.marks}
                      <span className="clip n-11">
                        <bdi>{item.note}</bdi>
                      </span>
                    </ListBoxItem>
                  )}
                </Collection>
              </ListBoxSection>
            )}
          </ListBox>
        </Autocomplete>
        <div role="status">
          {error ? (
            <p className={css.empty}>Could not complete the search. {causeOf(error)}</p>
          ) : (
            draft.trim() !== '' && !isNone && groups.length === 0 && <p className={css.empty}>Searching…</p>
          )}
        </div>
      </div>
    </Dialog>
  )
}

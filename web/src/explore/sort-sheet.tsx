// The order of cards, which have no column heads: any column, in both directions.
import { useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'

import type { Sort } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { Button, Field as TextField, IconButton, Segment } from '../ui/controls'
import { Icon } from '../ui/icons'
import { Sheet } from '../ui/sheet'
import { DEFAULT_SORT, writeSort } from '../url/explore'
import css from './column-picker.module.css'
import { dirWords, firstDir, sortWords } from './sort-words'

const LISTED_MAX = 120
const TIME = 'run.timestamp'

interface Props {
  catalogue: Catalogue
  sort: Sort[]
  columns: string[]
  onSort: (sort: Sort[]) => void
  onClose: () => void
}

export function SortSheet({ catalogue, sort, columns, onSort, onClose }: Props) {
  const [words, setWords] = useState('')
  const [key, ...others] = sort
  const found = words.trim()
    ? catalogue.search(words, catalogue.columns).map((field) => field.id)
    : [...new Set([...sort.map(({ field }) => field), ...columns, TIME])]
  const items = found
    .slice(0, LISTED_MAX)
    .map((id) => ({ id, name: longName(catalogue.get(id)), unit: catalogue.get(id).unit }))
  const field = key && catalogue.get(key.field)
  return (
    <Sheet label="Sort" onClose={onClose}>
      <div className={css.sheetHead}>
        <h2>Sort by</h2>
        <IconButton icon="close" name="Close" onPress={onClose} />
      </div>
      {key && field && (
        <div className={css.sheetRow}>
          <Segment
            label={`Order of ${longName(field)}`}
            value={key.dir}
            onChange={(dir) => onSort([{ field: key.field, dir: dir === 'asc' ? 'asc' : 'desc' }, ...others])}
            options={[firstDir(field), firstDir(field) === 'asc' ? ('desc' as const) : ('asc' as const)].map(
              (dir): [string, string] => [dir, dirWords(field, dir)],
            )}
          />
          {others.length > 0 && <span className="small mid">then {sortWords(catalogue, others)}</span>}
        </div>
      )}
      <div className={css.sheetRow}>
        <TextField
          label="Search all columns"
          icon="search"
          type="search"
          placeholder={`Search ${catalogue.columns.length} columns`}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      <ListBox
        aria-label="Sort by"
        items={items}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={key ? [key.field] : []}
        className={css.options ?? ''}
        renderEmptyState={() => <p className={css.empty}>No column matches “{words}”.</p>}
        onSelectionChange={(keys) => {
          const [id] = [...keys]
          if (id !== undefined && id !== key?.field)
            onSort([{ field: String(id), dir: firstDir(catalogue.get(String(id))) }])
        }}
      >
        {(item) => (
          <ListBoxItem id={item.id} textValue={item.name} className={css.option ?? ''}>
            {({ isSelected }) => (
              <>
                <span className={css.tick}>{isSelected && <Icon name="check" />}</span>
                <span className="clip">{item.name}</span>
                <span className={css.group}>{item.unit}</span>
              </>
            )}
          </ListBoxItem>
        )}
      </ListBox>
      <div className={css.foot}>
        <span>
          <Button isDisabled={writeSort(sort) === writeSort(DEFAULT_SORT)} onPress={() => onSort(DEFAULT_SORT)}>
            Reset
          </Button>
        </span>
        <Button look="fill" onPress={onClose}>
          Done
        </Button>
      </div>
    </Sheet>
  )
}

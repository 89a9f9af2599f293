// A field for an axis or a code: a button that names it and opens a search over all fields.
import { useMemo, useRef, useState } from 'react'
import { Autocomplete, Dialog, Input, ListBox, ListBoxItem, Popover, SearchField } from 'react-aria-components'

import type { Field } from '../api/types'
import { type Catalogue, longName, shortName } from '../fields/catalogue'
import { Button, join } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import css from './chart.module.css'

const FOUND_MAX = 60
const NONE = ' none' // no field is called so: ids have no blank

interface Props {
  role: string // "y"
  name: string // of what opens
  value: string // '': none
  catalogue: Catalogue
  varying: ReadonlySet<string> | undefined
  canBeNone?: string // what none is called
  fits?: (field: Field) => boolean
  onPick: (id: string) => void
}

export function Pick({ role, name, value, catalogue, varying, canBeNone, fits, onPick }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <span className={css.pick}>
      <Button ref={button} aria-haspopup="dialog" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
        {role.length === 1 && <span className="sr">Axis </span>}
        <span className="dim">{role.length === 1 ? role : `${role}:`}</span>{' '}
        <span className="clip">{value ? shortName(catalogue.get(value)) : (canBeNone ?? '…')}</span>
        <Icon name="down" small />
      </Button>
      {isOpen && (
        <Popover
          isOpen
          triggerRef={button}
          placement="bottom start"
          onOpenChange={setOpen}
          className={controls.pop ?? ''}
        >
          <Dialog aria-label={name} className={css.fields ?? ''}>
            <Fields
              catalogue={catalogue}
              varying={varying}
              value={value}
              {...(canBeNone !== undefined && { canBeNone })}
              {...(fits && { fits })}
              onPick={(id) => {
                setOpen(false)
                onPick(id)
              }}
            />
          </Dialog>
        </Popover>
      )}
    </span>
  )
}

// Fields that vary come first, because an axis with one value shows no difference.
function Fields({ catalogue, varying, value, canBeNone, fits, onPick }: Omit<Props, 'role' | 'name'>) {
  const [words, setWords] = useState('')
  const items = useMemo(() => {
    const found = catalogue
      .search(words, words.trim() ? catalogue.fields : catalogue.columns)
      .filter((field) => !fits || fits(field))
    const front = found.filter(({ id }) => varying?.has(id))
    const list = [...front, ...found.filter(({ id }) => !varying?.has(id))].slice(0, FOUND_MAX).map((field) => ({
      id: field.id,
      name: longName(field),
      note: `${field.unit}${varying && !varying.has(field.id) ? ' does not vary' : ''}`.trim(),
    }))
    return canBeNone !== undefined && !words.trim() ? [{ id: NONE, name: canBeNone, note: '' }, ...list] : list
  }, [catalogue, words, varying, canBeNone, fits])
  return (
    <Autocomplete inputValue={words} onInputChange={setWords}>
      <div>
        <SearchField aria-label="Search fields by name, alias or unit" autoFocus>
          <span className={join(controls.field)}>
            <Icon name="search" />
            <Input
              role="combobox"
              aria-haspopup="listbox"
              aria-expanded
              placeholder="Search fields"
              autoComplete="off"
              spellCheck={false}
            />
          </span>
        </SearchField>
      </div>
      <ListBox
        aria-label="Fields"
        className={join(css.list, 'fades-down')}
        items={items}
        selectionMode="single"
        selectedKeys={[value || NONE]}
        disallowEmptySelection
        onSelectionChange={(keys) => {
          const [id] = [...(keys as Set<string>)]
          if (id !== undefined) onPick(id === NONE ? '' : id)
        }}
        renderEmptyState={() => <span className={css.option}>No field matches “{words}”.</span>}
      >
        {(item) => (
          <ListBoxItem id={item.id} textValue={item.name} className={css.option ?? ''}>
            <span className="clip" title={item.id}>
              {item.name}
            </span>
            <small>{item.note}</small>
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  )
}

// Chooses the columns and their order: by dragging, with buttons, or with the keyboard.
import { type RefObject, useMemo, useState } from 'react'
import {
  Button as AriaButton,
  Checkbox,
  Dialog,
  DropIndicator,
  GridList,
  GridListItem,
  Popover,
  useDragAndDrop,
} from 'react-aria-components'

import { type Catalogue, longName, sectionOf } from '../fields/catalogue'
import { Act, Button, Check, Field as TextField, IconButton, join } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import { Sheet } from '../ui/sheet'
import css from './column-picker.module.css'
import { canShift, type Columns, dropped, hidden, pinTurned, shifted, shown as withShown } from './columns-model'

const columnsWords = (n: number) => `${n} ${n === 1 ? 'column' : 'columns'}`
const FOUND_MAX = 120
const SHOWN_MAX = 60

interface Props {
  catalogue: Catalogue
  columns: Columns
  anchor: RefObject<HTMLButtonElement | null> | null // null: a sheet from the bottom
  isCustom: boolean
  onlyDiffering: boolean
  onChange: (columns: Columns | null) => void
  onDiffering: (only: boolean) => void
  onClose: () => void
}

export function ColumnPicker({
  catalogue,
  columns,
  anchor,
  isCustom,
  onlyDiffering,
  onChange,
  onDiffering,
  onClose,
}: Props) {
  const [words, setWords] = useState('')
  const isSearch = words.trim() !== ''
  const { ids: chosen, pinned } = columns
  const sections = useMemo(() => {
    const found = isSearch ? catalogue.search(words) : catalogue.columns
    return catalogue.sorted(isSearch ? found.slice(0, FOUND_MAX) : found)
  }, [catalogue, words, isSearch])
  const found = useMemo(
    () => (isSearch ? new Set(catalogue.search(words).map((field) => field.id)) : null),
    [catalogue, words, isSearch],
  )
  const listed = (ids: string[]) => ids.filter((id) => !found || found.has(id))
  const content = (
    <>
      <div className={css.head}>
        <TextField
          autoFocus={anchor !== null}
          label="Search columns by name, alias or unit"
          icon="search"
          type="search"
          placeholder="Search columns by name, alias or unit"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <IconButton icon="close" name="Close" onPress={onClose} />
      </div>
      <div className={join(css.list, 'fades-down')}>
        {pinned > 0 && (
          <>
            <h2 className={css.title}>
              <span>Pinned</span>
              <span className="n-11">{columnsWords(pinned)}</span>
            </h2>
            <ShownList
              label="Pinned columns, in order"
              catalogue={catalogue}
              ids={listed(chosen.slice(0, pinned))}
              columns={columns}
              onChange={onChange}
            />
          </>
        )}
        <h2 className={css.title}>
          <span>Shown</span>
          <span className="n-11" role="status">
            {columnsWords(chosen.length - pinned)}
          </span>
        </h2>
        <ShownList
          label="Shown columns, in order"
          catalogue={catalogue}
          ids={listed(chosen.slice(pinned))}
          columns={columns}
          onChange={onChange}
        />
        {sections.map((section) => (
          <Others
            key={`${section.title}${isSearch}`}
            title={section.title}
            isOpen={isSearch}
            fields={section.fields.map((field) => field.id)}
            catalogue={catalogue}
            chosen={chosen}
            onShow={(id) => onChange(withShown(columns, id))}
          />
        ))}
        {sections.length === 0 && <p className={css.empty}>No column matches “{words}”.</p>}
      </div>
      <div className={css.foot}>
        <Check isSelected={onlyDiffering} onChange={onDiffering}>
          Only columns that differ
        </Check>
        <Button isDisabled={!isCustom} onPress={() => onChange(null)}>
          Reset
        </Button>
        <Button look="fill" onPress={onClose}>
          Done
        </Button>
      </div>
    </>
  )
  if (anchor === null)
    return (
      <Sheet label="Columns" onClose={onClose}>
        <div className={css.sheetPicker}>{content}</div>
      </Sheet>
    )
  return (
    <Popover
      isOpen
      isNonModal
      triggerRef={anchor}
      placement="bottom end"
      onOpenChange={(open) => !open && onClose()}
      className={controls.pop ?? ''}
    >
      <Dialog aria-label="Columns" className={css.picker ?? ''}>
        {content}
      </Dialog>
    </Popover>
  )
}

interface ListProps {
  label: string
  catalogue: Catalogue
  ids: string[]
  columns: Columns
  onChange: (columns: Columns) => void
}

function ShownList({ label, catalogue, ids, columns, onChange }: ListProps) {
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) =>
      onChange(dropped(columns, keys, String(target.key), target.dropPosition === 'after')),
    renderDropIndicator: (target) => <DropIndicator target={target} className={css.drop ?? ''} />,
  })
  const [limit, setLimit] = useState(SHOWN_MAX)
  const items = ids.slice(0, limit).map((id) => ({
    id,
    name: longName(catalogue.get(id)),
    section: sectionOf(catalogue.get(id)),
    isPinned: columns.ids.indexOf(id) < columns.pinned,
  }))
  const list = (
    <GridList
      aria-label={label}
      items={items}
      dependencies={[columns]}
      dragAndDropHooks={dragAndDropHooks}
      renderEmptyState={() => <span className={css.empty}>none</span>}
    >
      {(item) => (
        <GridListItem id={item.id} textValue={item.name} className={css.row ?? ''}>
          <AriaButton slot="drag" aria-label={`Drag ${item.name}`}>
            <Icon name="grip" />
          </AriaButton>
          <AriaButton aria-label={`Hide ${item.name}`} onPress={() => onChange(hidden(columns, item.id))}>
            <span className={controls.box} data-on="" />
          </AriaButton>
          <span className="clip" title={item.id}>
            {item.name}
          </span>
          <span className={css.group}>{item.section.toLowerCase()}</span>
          <AriaButton
            aria-label={`${item.isPinned ? 'Unpin' : 'Pin'} ${item.name}`}
            className={item.isPinned ? (css.isPinned ?? '') : ''}
            onPress={() => onChange(pinTurned(columns, item.id))}
          >
            <Icon name="pin" small />
          </AriaButton>
          <AriaButton
            aria-label={`Move ${item.name} up`}
            isDisabled={!canShift(columns, item.id, -1)}
            onPress={() => onChange(shifted(columns, item.id, -1))}
          >
            <Icon name="up" small />
          </AriaButton>
          <AriaButton
            aria-label={`Move ${item.name} down`}
            isDisabled={!canShift(columns, item.id, 1)}
            onPress={() => onChange(shifted(columns, item.id, 1))}
          >
            <Icon name="lower" small />
          </AriaButton>
        </GridListItem>
      )}
    </GridList>
  )
  return (
    <>
      {list}
      {ids.length > limit && (
        <div className={css.more}>
          <Act onPress={() => setLimit(limit + SHOWN_MAX)}>
            Show {Math.min(SHOWN_MAX, ids.length - limit)} more of {ids.length}
          </Act>
        </div>
      )}
    </>
  )
}

function Others({
  title,
  isOpen,
  fields,
  catalogue,
  chosen,
  onShow,
}: {
  title: string
  isOpen: boolean
  fields: string[]
  catalogue: Catalogue
  chosen: string[]
  onShow: (id: string) => void
}) {
  const [open, setOpen] = useState(isOpen)
  const others = fields.filter((id) => !chosen.includes(id))
  if (others.length === 0) return null
  return (
    <details className={css.section} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{title}</span>
        <span className="n-11">
          {fields.length - others.length} of {fields.length} shown
        </span>
      </summary>
      {open &&
        others.map((id) => {
          const field = catalogue.get(id)
          return (
            <Checkbox
              key={id}
              className={css.add ?? ''}
              isSelected={false}
              onChange={() => onShow(id)}
              aria-label={`Show ${longName(field)}`}
            >
              <span className={controls.box} data-box="" />
              <span className="clip" title={`${id}\n${field.help}`}>
                {longName(field)}
              </span>
              <span className={css.group}>{field.unit}</span>
            </Checkbox>
          )
        })}
    </details>
  )
}

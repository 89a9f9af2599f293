// Which columns, in which order: by dragging, by arrows, by the keyboard.
import { type RefObject, useMemo, useState } from 'react'
import { Button as AriaButton, Checkbox, Dialog, DropIndicator, GridList, GridListItem, Popover, useDragAndDrop } from 'react-aria-components'

import { type Catalogue, longName, sectionOf } from '../fields/catalogue'
import { Act, Button, Check, Field as TextField, IconButton } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import { Sheet } from '../ui/sheet'
import css from './column-picker.module.css'

const FOUND_MAX = 120
const SHOWN_MAX = 60

interface Props {
  catalogue: Catalogue
  chosen: string[]
  anchor: RefObject<HTMLButtonElement | null> | null // null: on a phone, from the bottom
  isCustom: boolean
  onlyDiffering: boolean
  onChange: (ids: string[] | null) => void
  onDiffering: (only: boolean) => void
  onClose: () => void
}

function moved(ids: string[], keys: Set<unknown>, target: string, isAfter: boolean) {
  const taken = ids.filter((id) => keys.has(id))
  const left = ids.filter((id) => !keys.has(id))
  const at = left.indexOf(target) + (isAfter ? 1 : 0)
  return [...left.slice(0, at), ...taken, ...left.slice(at)]
}

export function ColumnPicker({ catalogue, chosen, anchor, isCustom, onlyDiffering, onChange, onDiffering, onClose }: Props) {
  const [words, setWords] = useState('')
  const isSearch = words.trim() !== ''
  const sections = useMemo(() => {
    const found = isSearch ? catalogue.search(words) : catalogue.columns
    return catalogue.sorted(isSearch ? found.slice(0, FOUND_MAX) : found)
  }, [catalogue, words, isSearch])
  const shown = useMemo(() => {
    const ids = isSearch ? new Set(catalogue.search(words).map((field) => field.id)) : null
    return chosen.filter((id) => !ids || ids.has(id))
  }, [catalogue, chosen, words, isSearch])
  const content = (
    <>
      <div className={css.head}>
        <TextField autoFocus={anchor !== null} label="Search columns by name, alias or unit" icon="search" type="search" placeholder="Search columns by name, alias or unit" value={words} onChange={(event) => setWords(event.target.value)} />
        <IconButton icon="close" name="Close" onPress={onClose} />
      </div>
      <div className={css.list}>
        <h3 className={css.title}><span>Shown, in order</span><span className="n-11" role="status">{chosen.length}</span></h3>
        <ShownList catalogue={catalogue} ids={shown} all={chosen} onChange={onChange} />
        {sections.map((section) => (
          <Others key={`${section.title}${isSearch}`} title={section.title} isOpen={isSearch} fields={section.fields.map((field) => field.id)} catalogue={catalogue} chosen={chosen} onChange={onChange} />
        ))}
        {sections.length === 0 && <p className={css.empty}>No column is called “{words}”.</p>}
      </div>
      <div className={css.foot}>
        <Check isSelected={onlyDiffering} onChange={onDiffering}>Only columns that differ</Check>
        <Button isDisabled={!isCustom} onPress={() => onChange(null)}>Reset</Button>
        <Button look="fill" onPress={onClose}>Done</Button>
      </div>
    </>
  )
  if (anchor === null) return <Sheet label="Columns" onClose={onClose}><div className={css.sheetPicker}>{content}</div></Sheet>
  return (
    <Popover isOpen isNonModal triggerRef={anchor} placement="bottom end" onOpenChange={(open) => !open && onClose()} className={controls.pop ?? ''}>
      <Dialog aria-label="Columns" className={css.picker ?? ''}>{content}</Dialog>
    </Popover>
  )
}

function ShownList({ catalogue, ids, all, onChange }: { catalogue: Catalogue; ids: string[]; all: string[]; onChange: (ids: string[]) => void }) {
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => onChange(moved(all, keys, String(target.key), target.dropPosition === 'after')),
    renderDropIndicator: (target) => <DropIndicator target={target} className={css.drop ?? ''} />,
  })
  const shift = (id: string, by: number) => {
    const at = all.indexOf(id)
    const next = all.toSpliced(at, 1)
    onChange(next.toSpliced(at + by, 0, id))
  }
  const [limit, setLimit] = useState(SHOWN_MAX)
  const items = ids.slice(0, limit).map((id) => ({ id, name: longName(catalogue.get(id)), section: sectionOf(catalogue.get(id)), at: all.indexOf(id) }))
  const list = (
    <GridList aria-label="Shown columns, in order" items={items} dependencies={[all]} dragAndDropHooks={dragAndDropHooks} renderEmptyState={() => <span className={css.empty}>none</span>}>
      {(item) => (
        <GridListItem id={item.id} textValue={item.name} className={css.row ?? ''}>
          <AriaButton slot="drag" aria-label={`Drag ${item.name}`}><Icon name="grip" /></AriaButton>
          <AriaButton aria-label={`Hide ${item.name}`} onPress={() => onChange(all.filter((id) => id !== item.id))}><span className={controls.box} data-on="" /></AriaButton>
          <span className="clip" title={item.id}>{item.name}</span>
          <span className={css.group}>{item.section.toLowerCase()}</span>
          <AriaButton aria-label={`Move ${item.name} up`} isDisabled={item.at === 0} onPress={() => shift(item.id, -1)}><Icon name="up" small /></AriaButton>
          <AriaButton aria-label={`Move ${item.name} down`} isDisabled={item.at === all.length - 1} onPress={() => shift(item.id, 1)}><Icon name="lower" small /></AriaButton>
        </GridListItem>
      )}
    </GridList>
  )
  return (
    <>
      {list}
      {ids.length > limit && <div className={css.more}><Act onPress={() => setLimit(limit + SHOWN_MAX)}>Show {Math.min(SHOWN_MAX, ids.length - limit)} more of {ids.length}</Act></div>}
    </>
  )
}

function Others({ title, isOpen, fields, catalogue, chosen, onChange }: { title: string; isOpen: boolean; fields: string[]; catalogue: Catalogue; chosen: string[]; onChange: (ids: string[]) => void }) {
  const [open, setOpen] = useState(isOpen)
  const others = fields.filter((id) => !chosen.includes(id))
  if (others.length === 0) return null
  return (
    <details className={css.section} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary><span>{title}</span><span className="n-11">{fields.length - others.length} of {fields.length} shown</span></summary>
      {open && others.map((id) => {
        const field = catalogue.get(id)
        return (
          <Checkbox key={id} className={css.add ?? ''} isSelected={false} onChange={() => onChange([...chosen, id])} aria-label={`Show ${longName(field)}`}>
            <span className={controls.box} data-box="" />
            <span className="clip" title={`${id}\n${field.help}`}>{longName(field)}</span>
            <span className={css.group}>{field.unit}</span>
          </Checkbox>
        )
      })}
    </details>
  )
}

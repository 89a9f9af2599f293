// A text input with suggestions below it: the user picks one, or the typed text is used as it is.
import { useState } from 'react'
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components'

import { join } from './controls'
import controls from './controls.module.css'
import css from './suggest.module.css'

interface Suggestion {
  id: string
  name: string
  note: string
}

interface Props {
  label: string
  text: string // while the user does not type
  items: Suggestion[]
  placeholder?: string
  isFigure?: boolean
  isInvalid?: boolean
  autoFocus?: boolean
  onType: (text: string) => void
  onPick: (id: string) => void
  onTyped?: (text: string) => void // Enter, or the focus leaves; without it only picked suggestions count
}

export function Suggest({
  label,
  text,
  items,
  placeholder,
  isFigure = false,
  isInvalid = false,
  autoFocus = false,
  onType,
  onPick,
  onTyped,
}: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  const type = (next: string | null) => {
    setTyped(next)
    onType(next ?? '')
  }
  const take = () => {
    if (typed !== null && onTyped) onTyped(typed)
    type(null)
  }
  return (
    // before React Aria handles it, because Enter may pick a suggestion
    <div
      className={css.suggest}
      onKeyDownCapture={(event) => {
        if (event.key === 'Enter' && !(event.target as HTMLElement).getAttribute('aria-activedescendant')) take()
      }}
    >
      <ComboBox
        aria-label={label}
        items={items}
        inputValue={typed ?? text}
        selectedKey={null}
        allowsCustomValue
        menuTrigger="focus"
        isInvalid={isInvalid}
        autoFocus={autoFocus}
        defaultFilter={() => true}
        onInputChange={type}
        onFocusChange={(on) => (on ? onType('') : take())}
        onSelectionChange={(key) => {
          if (key === null) return
          type(null)
          onPick(String(key))
        }}
      >
        <span className={join(controls.field, isFigure && controls.number)} data-invalid={isInvalid || undefined}>
          <Input placeholder={placeholder ?? ''} autoComplete="off" spellCheck={false} />
        </span>
        <Popover className={join(controls.pop, css.pop)} placement="bottom start">
          <ListBox<Suggestion> className={join(css.list, 'fades-down')}>
            {(item) => (
              <ListBoxItem id={item.id} textValue={item.name} className={css.item ?? ''}>
                <span className="clip">
                  <bdi>{item.name}</bdi>
                </span>
                <span className="clip n-11">
                  <bdi>{item.note}</bdi>
                </span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
    </div>
  )
}

// Saves what a screen shows as a file of a chosen kind.
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

import { Button } from './controls'
import controls from './controls.module.css'
import css from './export-menu.module.css'
import { Icon } from './icons'
import { save } from './save'

// By the ending of the file.
export type ExportKinds<T> = Record<string, readonly [words: string, textOf: (shown: T) => string, type: string]>

interface Props<T> {
  label: string
  file: string // its name, before the time of the answer
  kinds: ExportKinds<T>
  shown: () => T // when the kind is chosen
}

export function ExportMenu<T extends { answer: { at: number } }>({ label, file, kinds, shown }: Props<T>) {
  const write = (ending: string) => {
    const now = shown()
    const [, textOf, type] = kinds[ending] as ExportKinds<T>[string]
    const when = new Date(now.answer.at).toISOString().slice(0, 19).replaceAll(':', '')
    save(`${file}-${when}.${ending}`, textOf(now), type)
  }
  return (
    <MenuTrigger>
      <Button look="line">
        <Icon name="upload" />
        Export
      </Button>
      <Popover placement="bottom end" className={controls.pop ?? ''}>
        <Menu aria-label={label} className={css.menu ?? ''} onAction={(key) => write(String(key))}>
          {Object.entries(kinds).map(([ending, [words]]) => (
            <MenuItem key={ending} id={ending} className={css.option ?? ''}>
              {words}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

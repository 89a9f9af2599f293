import { Button as AriaButton } from 'react-aria-components'
import { Link, useLocation } from 'wouter'

import css from './bar.module.css'
import { applyTheme, type Theme, usePreferences } from './keys/store'
import { IconButton } from './ui/controls'
import { sidesOf, useTray } from './tray/store'
import { Icon, Mark } from './ui/icons'
import { oneStop } from './ui/one-stop'
import { paths } from './url/paths'

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }

export function Bar({ onFind, onHelp }: { onFind: () => void; onHelp: () => void }) {
  const [location] = useLocation()
  const { theme, lastExplore } = usePreferences()
  const pinned = useTray((tray) => tray.pinned)
  const isExplore = location === paths.explore() || location.startsWith(paths.experiment(''))
  const isUpload = location.startsWith(paths.upload())
  const isCompare = location === '/compare'
  const isSweeps = location.startsWith(paths.sweeps())
  return (
    <header className={css.bar}>
      <a className="skip" href="#main">Skip to the content</a>
      <Link className={css.brand} href={paths.explore()}>
        <Mark />
        ProfLLM
      </Link>
      <nav className={css.nav} aria-label="Screens" {...oneStop}>
        <Link href={location === '/' ? paths.explore() : lastExplore} aria-current={isExplore ? 'page' : undefined}>Explore</Link>
        <Link href={isCompare ? `${location}${window.location.search}` : paths.compare({ sides: sidesOf(pinned) })} aria-current={isCompare ? 'page' : undefined}>Compare {pinned.length > 0 && <span className="n-11">{pinned.length}</span>}</Link>
        <Link href={paths.sweeps()} aria-current={isSweeps ? 'page' : undefined}>Sweeps</Link>
        <Link href={paths.upload()} aria-current={isUpload ? 'page' : undefined}>Upload</Link>
      </nav>
      <div className={css.end} role="toolbar" aria-label="Search and settings" {...oneStop}>
        <AriaButton className={css.find ?? ''} onPress={onFind}>
          <Icon name="search" />
          <span>Find experiments or values</span>
          <kbd aria-hidden="true">/</kbd>
        </AriaButton>
        <IconButton icon="theme" name={`Theme: ${theme}`} onPress={() => applyTheme(NEXT[theme])} />
        <IconButton icon="help" name="Help and keys" onPress={onHelp} />
      </div>
    </header>
  )
}

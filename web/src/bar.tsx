import { Button as AriaButton } from 'react-aria-components'
import { Link, useLocation } from 'wouter'

import css from './bar.module.css'
import { applyTheme, type Theme, usePreferences } from './keys/store'
import { Badge, IconButton } from './ui/controls'
import { isUnder, screens, type Tab } from './screens'
import { useTray } from './tray/store'
import { Icon, Mark } from './ui/icons'
import { oneStop } from './ui/one-stop'
import { paths } from './url/paths'

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }

function TabLink({ tab }: { tab: Tab }) {
  const [location] = useLocation()
  // href and count read these stores
  usePreferences()
  useTray()
  const count = tab.count?.() ?? 0
  return (
    <Link href={tab.href(location)} aria-current={isUnder(location, tab.under) ? 'page' : undefined}>
      {tab.name} {count > 0 && <Badge n={count} of="pinned" />}
    </Link>
  )
}

export function Bar({ onFind, onHelp }: { onFind: () => void; onHelp: () => void }) {
  const theme = usePreferences((preferences) => preferences.theme)
  return (
    <header className={css.bar}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Link className={css.brand} href={paths.explore()}>
        <Mark />
        ProfLLM
      </Link>
      <nav className={css.nav} aria-label="Pages" {...oneStop}>
        {screens.map(({ tab }) => tab && <TabLink key={tab.name} tab={tab} />)}
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

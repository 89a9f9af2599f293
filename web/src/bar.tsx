import { useEffect, useRef } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { Link, useLocation, useSearch } from 'wouter'

import css from './bar.module.css'
import { applyTheme, type Theme, usePreferences } from './keys/store'
import { Badge, IconButton, join } from './ui/controls'
import { isUnder, screens, type Tab } from './screens'
import { SignedIn } from './sign-in'
import { useTray } from './tray/store'
import { Icon, Mark } from './ui/icons'
import { oneStop } from './ui/one-stop'
import { paths } from './url/paths'

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }

const useNone = () => 0

function TabLink({ tab }: { tab: Tab }) {
  const [location] = useLocation()
  // href reads these stores, and the address
  usePreferences()
  useTray()
  useSearch()
  const useCount = tab.useCount ?? useNone
  const count = useCount()
  return (
    <Link href={tab.href(location)} aria-current={isUnder(location, tab.under) ? 'page' : undefined}>
      {tab.name} {count > 0 && <Badge n={count} of={tab.counted ?? ''} />}
    </Link>
  )
}

export function Bar({ onFind, onHelp }: { onFind: () => void; onHelp: () => void }) {
  const theme = usePreferences((preferences) => preferences.theme)
  const [location] = useLocation()
  const nav = useRef<HTMLElement>(null)
  // On a phone the pages scroll sideways: the current one comes into view, also after a count makes another one wider.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another location has another current page
  useEffect(() => {
    const list = nav.current
    const show = () => {
      const current = list?.querySelector<HTMLElement>('[aria-current]')
      if (!list || !current) return
      const [left, right] = [current.offsetLeft, current.offsetLeft + current.offsetWidth]
      if (left < list.scrollLeft || right > list.scrollLeft + list.clientWidth)
        list.scrollLeft = left - (list.clientWidth - current.offsetWidth) / 2
    }
    const watch = new ResizeObserver(show)
    for (const link of list?.children ?? []) watch.observe(link)
    return () => watch.disconnect()
  }, [location])
  return (
    <header className={css.bar}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Link className={css.brand} href={paths.explore()}>
        <Mark />
        ProfLLM
      </Link>
      <nav className={join(css.nav, 'fades')} aria-label="Pages" ref={nav} {...oneStop}>
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
        <SignedIn />
      </div>
    </header>
  )
}

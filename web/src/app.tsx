import { Suspense, useEffect, useState } from 'react'
import { matchRoute, Route, Switch, useLocation, useRouter } from 'wouter'

import { Bar } from './bar'
import { usePreferences } from './keys/store'
import { nextRegion } from './keys/regions'
import { useKeys } from './keys/use-keys'
import { Missing } from './missing'
import { screens } from './screens'
import { SignIn, useIsSignedOut } from './sign-in'
import { sidesOf, useTray } from './tray/store'
import { Boundary } from './ui/boundary'
import { Away } from './ui/away'
import { Progress } from './ui/controls'
import { lazyPart } from './ui/lazy-part'
import { DropAnywhere } from './upload/drop-anywhere'
import { paths } from './url/paths'

const loadFind = () => import('./find/find')
const Find = lazyPart(() => loadFind().then((module) => module.Find))
const Help = lazyPart(() => import('./keys/help').then((module) => module.Help))

// A screen reader reads the new name when another screen opens.
function Title() {
  const [location] = useLocation()
  const { parser } = useRouter()
  useEffect(() => {
    const title = screens.find((screen) => matchRoute(parser, screen.path, location)[0])?.title
    if (title) document.title = `${title} · ProfLLM`
    if (location === '/') usePreferences.getState().set({ lastExplore: `/${window.location.search}` })
  }, [location, parser])
  return null
}

export function App() {
  const [location, navigate] = useLocation()
  const [open, setOpen] = useState<'find' | 'help' | null>(null)
  // a user who presses "/" types immediately, so the search is loaded in advance; a failure is reported when it opens
  useEffect(() => {
    loadFind().catch(() => {})
  }, [])
  useKeys({
    F6: (event) => nextRegion(event.shiftKey),
    '/': () => setOpen('find'),
    '?': () => setOpen('help'),
    v: () => navigate(paths.compare({ sides: sidesOf(useTray.getState().pinned) })),
  })
  if (useIsSignedOut()) return <SignIn />
  return (
    <>
      <Title />
      <Bar onFind={() => setOpen('find')} onHelp={() => setOpen('help')} />
      <Away />
      <Boundary place={location}>
        <Suspense fallback={<Progress on />}>
          <Switch>
            {screens.map(({ path, render }) => (
              <Route key={path} path={path}>
                {render}
              </Route>
            ))}
            <Route>
              <Missing />
            </Route>
          </Switch>
        </Suspense>
        <Suspense fallback={null}>
          {open === 'find' && <Find onClose={() => setOpen(null)} />}
          {open === 'help' && <Help onClose={() => setOpen(null)} />}
        </Suspense>
      </Boundary>
      <DropAnywhere />
    </>
  )
}

import { Suspense, useEffect, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'

import { Bar } from './bar'
import { Explore } from './explore/explore'
import { usePreferences } from './keys/store'
import { nextRegion } from './keys/regions'
import { useKeys } from './keys/use-keys'
import { Missing } from './missing'
import { sidesOf, useTray } from './tray/store'
import { Boundary } from './ui/boundary'
import { Away } from './ui/away'
import { Progress } from './ui/controls'
import { lazyPart } from './ui/lazy-part'
import { DropAnywhere } from './upload/drop-anywhere'
import { paths } from './url/paths'

// The first screen does not wait for what it does not show.
const Experiment = lazyPart(() => import('./experiment/experiment').then((module) => module.Experiment))
const Compare = lazyPart(() => import('./compare/compare').then((module) => module.Compare))
const SweepList = lazyPart(() => import('./sweeps/list').then((module) => module.SweepList))
const Sweep = lazyPart(() => import('./sweeps/sweep').then((module) => module.Sweep))
const Upload = lazyPart(() => import('./upload/upload').then((module) => module.Upload))
const loadFind = () => import('./find/find')
const Find = lazyPart(() => loadFind().then((module) => module.Find))
const Help = lazyPart(() => import('./keys/help').then((module) => module.Help))

// Where one screen follows another a reader hears its name.
function Title() {
  const [location] = useLocation()
  useEffect(() => {
    const name = location === '/' ? 'Explore' : /^\/(compare|upload|sweeps$)/.exec(location)?.[1]
    if (name) document.title = `${name.charAt(0).toUpperCase()}${name.slice(1)} · ProfLLM`
    if (location === '/') usePreferences.getState().set({ lastExplore: `/${window.location.search}` })
  }, [location])
  return null
}

export function App() {
  const [location, navigate] = useLocation()
  const [open, setOpen] = useState<'find' | 'help' | null>(null)
  // somebody who presses "/" types on at once; whether it came is told when it is asked for
  useEffect(() => { loadFind().catch(() => {}) }, [])
  useKeys({ F6: (event) => nextRegion(event.shiftKey), '/': () => setOpen('find'), '?': () => setOpen('help'), v: () => navigate(paths.compare({ sides: sidesOf(useTray.getState().pinned) })) })
  return (
    <>
      <Title />
      <Bar onFind={() => setOpen('find')} onHelp={() => setOpen('help')} />
      <Away />
      <Boundary place={location}>
        <Suspense fallback={<Progress on />}>
          <Switch>
            <Route path="/"><Explore /></Route>
            <Route path="/experiments/:id">{({ id }) => <Experiment key={id} id={id} />}</Route>
            <Route path="/compare"><Compare /></Route>
            <Route path="/sweeps"><SweepList /></Route>
            <Route path="/sweeps/:id">{({ id }) => <Sweep key={id} id={id} />}</Route>
            <Route path="/upload/:job?">{({ job }) => <Upload job={job ?? null} />}</Route>
            <Route><Missing /></Route>
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

// The screens: one row per address. `tab` adds a link to the bar.
import type { ReactNode } from 'react'

import { useLiveRuns } from './api/live'
import { Explore } from './explore/explore'
import { usePreferences } from './keys/store'
import { sidesOf, useTray } from './tray/store'
import { lazyPart } from './ui/lazy-part'
import { readExplore, readView } from './url/explore'
import { paths } from './url/paths'

// The first screen does not wait for the code of the others.
const Experiment = lazyPart(() => import('./experiment/experiment').then((module) => module.Experiment))
const Compare = lazyPart(() => import('./compare/compare').then((module) => module.Compare))
const Trends = lazyPart(() => import('./trends/trends').then((module) => module.Trends))
const Pareto = lazyPart(() => import('./pareto/pareto').then((module) => module.Pareto))
const Impact = lazyPart(() => import('./impact/impact').then((module) => module.Impact))
const Scaling = lazyPart(() => import('./scaling/scaling').then((module) => module.Scaling))
const SweepList = lazyPart(() => import('./sweeps/list').then((module) => module.SweepList))
const Sweep = lazyPart(() => import('./sweeps/sweep').then((module) => module.Sweep))
const LiveList = lazyPart(() => import('./live/live').then((module) => module.LiveList))
const LiveRun = lazyPart(() => import('./live/run').then((module) => module.LiveRun))
const Status = lazyPart(() => import('./status/status').then((module) => module.Status))
const Upload = lazyPart(() => import('./upload/upload').then((module) => module.Upload))

export interface Tab {
  name: string
  under: string[] // the tab is the current one at these addresses, and below them
  href: (location: string) => string
  useCount?: () => number // 0: none is shown
  counted?: string // what it counts
}

const LIVE_EVERY_MS = 10_000

// From Explore, Trends, Pareto and Impact take the filter along.
function trendsOfExplore(search: string) {
  const view = readView(search)
  const { choices, where } = readExplore(search)
  return view === null ? paths.trends({ choices, where }) : paths.trendsView(view)
}
function paretoOfExplore(search: string) {
  const view = readView(search)
  const { choices, where } = readExplore(search)
  return view === null ? paths.pareto({ choices, where }) : paths.paretoView(view)
}

function impactOfExplore(search: string) {
  const view = readView(search)
  const { choices, where } = readExplore(search)
  return view === null ? paths.impact({ choices, where }) : paths.impactView(view)
}

function scalingOfExplore(search: string) {
  const view = readView(search)
  const { choices, where } = readExplore(search)
  return view === null ? paths.scaling({ choices, where }) : paths.scalingView(view)
}

export interface Screen {
  path: string
  title?: string // undefined: the screen sets its own
  render: (params: { id?: string; job?: string }) => ReactNode
  tab?: Tab
}

export const screens: Screen[] = [
  {
    path: '/',
    title: 'Explore',
    render: () => <Explore />,
    tab: {
      name: 'Explore',
      under: ['/', '/experiments'],
      href: (location) => (location === '/' ? paths.explore() : usePreferences.getState().lastExplore),
    },
  },
  { path: '/experiments/:id', render: ({ id = '' }) => <Experiment key={id} id={id} /> },
  {
    path: '/compare',
    title: 'Compare',
    render: () => <Compare />,
    tab: {
      name: 'Compare',
      under: ['/compare'],
      href: (location) =>
        location === '/compare'
          ? `/compare${window.location.search}`
          : paths.compare({ sides: sidesOf(useTray.getState().pinned) }),
      useCount: () => useTray(({ pinned }) => pinned.length),
      counted: 'pinned',
    },
  },
  {
    path: '/trends',
    title: 'Trends',
    render: () => <Trends />,
    tab: {
      name: 'Trends',
      under: ['/trends'],
      href: (location) =>
        location === '/trends'
          ? `/trends${window.location.search}`
          : location === '/'
            ? trendsOfExplore(window.location.search)
            : paths.trends(),
    },
  },
  {
    path: '/pareto',
    title: 'Pareto',
    render: () => <Pareto />,
    tab: {
      name: 'Pareto',
      under: ['/pareto'],
      href: (location) =>
        location === '/pareto'
          ? `/pareto${window.location.search}`
          : location === '/'
            ? paretoOfExplore(window.location.search)
            : paths.pareto(),
    },
  },
  {
    path: '/impact',
    title: 'Impact',
    render: () => <Impact />,
    tab: {
      name: 'Impact',
      under: ['/impact'],
      href: (location) =>
        location === '/impact'
          ? `/impact${window.location.search}`
          : location === '/'
            ? impactOfExplore(window.location.search)
            : paths.impact(),
    },
  },
  {
    path: '/scaling',
    title: 'Scaling',
    render: () => <Scaling />,
    tab: {
      name: 'Scaling',
      under: ['/scaling'],
      href: (location) =>
        location === '/scaling'
          ? `/scaling${window.location.search}`
          : location === '/'
            ? scalingOfExplore(window.location.search)
            : paths.scaling(),
    },
  },
  {
    path: '/live',
    title: 'Live',
    render: () => <LiveList />,
    tab: {
      name: 'Live',
      under: ['/live'],
      href: () => paths.live(),
      useCount: () => useLiveRuns(LIVE_EVERY_MS).data?.filter(({ state }) => state === 'reporting').length ?? 0,
      counted: 'running',
    },
  },
  { path: '/live/:id', render: ({ id = '' }) => <LiveRun key={id} id={id} /> },
  {
    path: '/sweeps',
    title: 'Sweeps',
    render: () => <SweepList />,
    tab: { name: 'Sweeps', under: ['/sweeps'], href: () => paths.sweeps() },
  },
  { path: '/sweeps/:id', render: ({ id = '' }) => <Sweep key={id} id={id} /> },
  {
    path: '/upload/:job?',
    title: 'Upload',
    render: ({ job }) => <Upload job={job ?? null} />,
    tab: { name: 'Upload', under: ['/upload'], href: () => paths.upload() },
  },
  { path: '/status', title: 'Status', render: () => <Status /> },
]

export const isUnder = (location: string, places: string[]) =>
  places.some((place) => location === place || (place !== '/' && location.startsWith(`${place}/`)))

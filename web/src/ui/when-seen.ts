// Values of elements that are off the screen. Elements on the screen, or near it, are rendered at once; the others wait
// until the browser is idle, so that they do not delay what the user sees.
import { type RefObject, startTransition, useEffect, useLayoutEffect, useReducer, useRef } from 'react'

const MARGIN_PX = 200
const LATEST_MS = 500

type Update = () => void

// One observer for all elements. The browser reports the first state of each in the next frame; until then it counts as
// seen.
const seen = new WeakMap<Element, (isSeen: boolean) => void>()
let observer: IntersectionObserver | undefined

function watch(element: Element, report: (isSeen: boolean) => void) {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) seen.get(target)?.(isIntersecting)
    },
    { rootMargin: `${MARGIN_PX}px` },
  )
  seen.set(element, report)
  observer.observe(element)
  return () => observer?.unobserve(element)
}

// All updates that wait are one render, which lets frames through.
const waiting = new Set<Update>()
let isPlanned = false

const whenIdle = (run: () => void) => {
  if ('requestIdleCallback' in window) window.requestIdleCallback(run, { timeout: LATEST_MS })
  else setTimeout(run, LATEST_MS / 5)
}

function wait(update: Update) {
  waiting.add(update)
  if (isPlanned) return
  isPlanned = true
  whenIdle(() => {
    isPlanned = false
    const updates = [...waiting]
    waiting.clear()
    startTransition(() => {
      for (const one of updates) one()
    })
  })
}

// Returns the value, or the one before it while the element is off the screen and the browser is busy.
export function useWhenSeen<T>(element: RefObject<Element | null>, value: T): T {
  const [, render] = useReducer((renders: number) => renders + 1, 0)
  const state = useRef({ isSeen: true, isDue: false, value }).current
  const isStale = value !== state.value
  const shown = isStale && !state.isSeen && !state.isDue && state.value !== undefined ? state.value : value
  useLayoutEffect(() => {
    state.value = shown
    state.isDue = false
  })
  useEffect(() => {
    if (shown === value) return
    const update = () => {
      state.isDue = true
      render()
    }
    wait(update)
    return () => {
      waiting.delete(update)
    }
  }, [shown, value, state])
  useEffect(() => {
    const { current } = element
    if (!current) return
    return watch(current, (isSeen) => {
      state.isSeen = isSeen
      if (isSeen) render()
    })
  }, [element, state])
  return shown
}

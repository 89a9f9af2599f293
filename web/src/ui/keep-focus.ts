// Keeps the focus in the page. If the element that has it is removed, hidden or disabled, the browser gives the focus
// to <body>, and the next Tab begins at the top. This module gives it to a neighbor instead.
import { tabbablesIn, takesText } from './tabbable'

interface Place {
  element: HTMLElement
  // ancestors, the nearest first, and which child of each leads to the element
  path: { parent: Element; index: number }[]
}

let last: Place | null = null

function placeOf(element: HTMLElement): Place {
  const path: Place['path'] = []
  for (let child: Element = element; child !== document.body && child.parentElement; child = child.parentElement)
    path.push({ parent: child.parentElement, index: [...child.parentElement.children].indexOf(child) })
  return { element, path }
}

// React hides a page, before it removes it, while the next one loads.
const isUsable = (element: HTMLElement) =>
  element.isConnected && !element.matches(':disabled') && element.checkVisibility()

// The nearest control after the place, or else before it. Text fields do not count, because they would open a phone's
// keyboard.
function neighbor({ parent, index }: { parent: Element; index: number }) {
  const children = [...parent.children]
  const controls = (child: Element) => tabbablesIn(child).filter((one) => !takesText(one))
  for (const child of children.slice(index)) {
    const [first] = controls(child)
    if (first) return first
  }
  for (const child of children.slice(0, index).reverse()) {
    const control = controls(child).at(-1)
    if (control) return control
  }
  return null
}

function give(element: HTMLElement) {
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) element.tabIndex = -1
  element.focus({ preventScroll: true })
  return document.activeElement === element
}

// An element with data-focus-home takes the focus of its removed descendants, such as the rows of a table.
function restore({ path }: Place) {
  for (const place of path) {
    if (!place.parent.isConnected) continue
    const home = place.parent.closest<HTMLElement>('[data-focus-home]')
    const main = document.getElementById('main')
    const isPage = place.parent === document.body || place.parent.id === 'root'
    const to = home ?? (isPage ? main : neighbor(place))
    if (to && give(to)) return
  }
}

// Dialogs give the focus back by themselves, in the frame after their removal. That frame may have been planned later
// than this one, so a lost focus waits for one frame more.
function check(hasWaited: boolean) {
  if (!last || isUsable(last.element)) return
  if (document.activeElement !== document.body && document.activeElement !== null) {
    // a disabled element keeps the focus until the next frame
    if (document.activeElement === last.element) requestAnimationFrame(() => check(true))
    return
  }
  if (hasWaited)
    restore(last) // if no element can take the focus yet, the next change of the page retries
  else requestAnimationFrame(() => check(true))
}

export function keepFocus() {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target !== document.body) last = placeOf(target)
  })
  // someone presses outside of all controls: no focus is wanted
  document.addEventListener('focusout', ({ target }) => {
    setTimeout(() => {
      if (last?.element === target && isUsable(last.element) && document.activeElement === document.body) last = null
    })
  })
  // Once per frame: the visibility of an element makes the browser compute the styles of a changed page.
  let isPlanned = false
  new MutationObserver(() => {
    if (!last || isPlanned) return
    isPlanned = true
    requestAnimationFrame(() => {
      isPlanned = false
      check(false)
    })
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}

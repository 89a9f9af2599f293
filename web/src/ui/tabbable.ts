// The elements that Tab reaches, in the order of the document.
const CANDIDATES =
  'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]'
const TYPED = /^(text|search|number|email|url|password|tel|date|time|datetime-local|month|week|)$/

const isTabbable = (element: HTMLElement) =>
  element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]')

// Includes the root itself.
export function tabbablesIn(root: Document | Element) {
  const all = [...root.querySelectorAll<HTMLElement>(CANDIDATES)]
  if (root instanceof HTMLElement && root.matches(CANDIDATES)) all.unshift(root)
  return all.filter(isTabbable)
}

// A field that takes text: it opens the keyboard of a phone when it gets the focus, and arrows move its caret.
export const takesText = (element: Element) =>
  element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && TYPED.test(element.type))

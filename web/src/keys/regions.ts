// F6 goes from one part of the page to the next: the bar, the filters, the content, and each part of the content with a
// name.
import { tabbablesIn } from '../ui/tabbable'

const REGIONS = '#root > header, aside[aria-label], nav[aria-label]:not(header nav), #main, #main section[aria-label]'

export function nextRegion(isBack: boolean) {
  const regions = [...document.querySelectorAll<HTMLElement>(REGIONS)].flatMap(
    (region): [HTMLElement, HTMLElement][] => {
      const [first] = tabbablesIn(region)
      return first ? [[region, first]] : []
    },
  )
  // a region whose first control is that of the region within it is not a step of its own
  const steps = regions.filter(([, first], at) => regions[at + 1]?.[1] !== first)
  const now = steps.findLastIndex(([region]) => region.contains(document.activeElement))
  const to = isBack ? (now <= 0 ? steps.length - 1 : now - 1) : (now + 1) % steps.length
  steps[to]?.[1].focus()
}

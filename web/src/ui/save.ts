// What the page made, as a file of the browser's.
export function save(name: string, content: Blob | string, type = '') {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content)
  link.download = name
  link.click()
  // not at once: the browser has only begun to read it
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

// Saves a text as a file.
export function save(name: string, content: Blob | string, type = '') {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content)
  link.download = name
  link.click()
  // later, as the browser still reads it
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

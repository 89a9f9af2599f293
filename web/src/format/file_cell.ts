// Texts of results in files that other programs open. The server's CSV has the same rule:
// src/query/export/export_cell.c.

// A spreadsheet takes these first characters for a formula, the wide ones of Chinese and Japanese text too, or for the
// mark itself.
const MARKED = /^[=+\-@'\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** A cell of CSV that no spreadsheet runs: a text that it would take for a formula begins with an apostrophe. */
export const safeCell = <T>(value: T) => (typeof value === 'string' && MARKED.test(value) ? `'${value}` : value)

/** A text that Markdown and HTML show as it is. */
export const escapedMarkdown = (text: string) =>
  text.replace(/[\\`*_{}[\]<>|~#&]/g, '\\$&').replace(/\s*[\r\n]+\s*/g, ' ')

/** A field's ID as code in Markdown, which has no escape for a backtick. */
export const codeMarkdown = (id: string) => `\`${id.replaceAll('`', "'").replace(/[\r\n]+/g, ' ')}\``

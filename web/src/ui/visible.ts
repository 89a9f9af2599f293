const PICTURES = 0x2400 // of control characters: ␀ to ␟
const DELETE = 0x7f
const DELETE_PICTURE = '␡'
const OTHER_CONTROL = '�'

// Control characters become visible: a terminal would obey them, a browser hides them.
export const visible = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a log may contain
  text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (found) => {
    const code = found.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(PICTURES + code) : code === DELETE ? DELETE_PICTURE : OTHER_CONTROL
  })

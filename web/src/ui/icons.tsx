// Icons of 16 × 16. Each icon has a name next to it or on its button.
const PATHS = {
  search: (
    <>
      <circle cx="7" cy="7" r="4" />
      <path d="M10 10l3.5 3.5" />
    </>
  ),
  theme: (
    <>
      <circle cx="8" cy="8" r="5.2" />
      <path d="M8 2.8v10.4" />
      <path d="M8 2.8a5.2 5.2 0 0 1 0 10.4z" fill="currentColor" stroke="none" />
    </>
  ),
  help: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.4 6.6a1.7 1.7 0 1 1 2.3 1.6c-.5.2-.7.5-.7 1" />
      <path d="M8 11.2v.01" />
    </>
  ),
  leave: <path d="M9.5 3H4.2c-.4 0-.7.3-.7.7v8.6c0 .4.3.7.7.7h5.3M7 8h6.5M11.2 5.5L13.7 8l-2.5 2.5" />,
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  check: <path d="M3.5 8.5l3 3 6-7" />,
  close: <path d="M4.5 4.5l7 7M11.5 4.5l-7 7" />,
  left: <path d="M10 4l-4 4 4 4" />,
  right: <path d="M6 4l4 4-4 4" />,
  down: <path d="M5 6.5l3 3 3-3" />,
  filter: <path d="M2.5 4.5h11M4.5 8h7M6.5 11.5h3" />,
  columns: (
    <>
      <rect x="2.5" y="3.5" width="11" height="9" rx="1" />
      <path d="M6.2 3.5v9M9.8 3.5v9" />
    </>
  ),
  sort: <path d="M5 3.5v9M5 12.5l-2-2M5 12.5l2-2M9 4.5h5M9 8h3.5M9 11.5h2" />,
  grip: <path d="M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01" strokeWidth="1.9" />,
  up: <path d="M8 12.5v-9M4.8 6.5L8 3.3l3.2 3.2" />,
  lower: <path d="M8 3.5v9M4.8 9.5L8 12.7l3.2-3.2" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1" />
      <path d="M3.5 10.5h-.3a.7.7 0 0 1-.7-.7V3.2c0-.4.3-.7.7-.7h6.6c.4 0 .7.3.7.7v.3" />
    </>
  ),
  download: <path d="M8 2.5v7M5.5 7L8 9.5 10.5 7M3 9.5v3.2c0 .4.3.8.8.8h8.4c.5 0 .8-.4.8-.8V9.5" />,
  upload: <path d="M8 9.5v-7M5.5 5L8 2.5 10.5 5M3 9.5v3.2c0 .4.3.8.8.8h8.4c.5 0 .8-.4.8-.8V9.5" />,
  error: (
    <>
      <path d="M5.6 2.2h4.8l3.4 3.4v4.8l-3.4 3.4H5.6l-3.4-3.4V5.6z" />
      <path d="M8 5v3.4M8 10.8v.01" />
    </>
  ),
  warn: (
    <>
      <path d="M8 2.8l5.8 10.2H2.2z" />
      <path d="M8 6.8v2.8M8 11.3v.01" />
    </>
  ),
  link: (
    <path d="M6.5 9.5l3-3M7 4.8l1.2-1.2a2.7 2.7 0 0 1 3.9 3.9L10.9 8.7M9 11.2l-1.2 1.2a2.7 2.7 0 0 1-3.9-3.9L5.1 7.3" />
  ),
  tree: <path d="M3 3.5v9M3 5h4M3 11h4M9 5h4.5M9 11h4.5" />,
  group: <path d="M5 2.5H3v11h2M11 2.5h2v11h-2M6 6h4M6 10h4" />,
  ungroup: <path d="M5 2.5H3v3M11 2.5h2v3M3 10.5v3h2M13 10.5v3h-2M6 8h4" />,
  pin: <path d="M6 2.5h4M6.7 2.5v4L4.5 9h7L9.3 6.5v-4M8 9v4.5" />,
  table: (
    <>
      <rect x="2.5" y="3.5" width="11" height="9" rx="1" />
      <path d="M2.5 6.5h11M2.5 9.5h11M6.5 6.5v6" />
    </>
  ),
  picture: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1" />
      <path d="M3 11.5l3-3 2 2 2.5-3 3 3.5" />
    </>
  ),
  more: <path d="M4 8v.01M8 8v.01M12 8v.01" strokeWidth="2" />,
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  return (
    <svg className={small ? 'i i-12' : 'i'} viewBox="0 0 16 16" aria-hidden="true">
      {PATHS[name]}
    </svg>
  )
}

// The direction of a sort key: lines that grow or shrink. Arrows say which side of a metric is better.
export const SortMark = ({ dir }: { dir: 'asc' | 'desc' }) => (
  <svg
    width="9"
    height="9"
    viewBox="0 0 9 9"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.3"
    style={{ display: 'inline-block' }}
    data-dir={dir}
    aria-hidden="true"
  >
    <path d={dir === 'asc' ? 'M0 1.5h3M0 4.5h6M0 7.5h9' : 'M0 1.5h9M0 4.5h6M0 7.5h3'} />
  </svg>
)

export function Mark() {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      aria-hidden="true"
    >
      <path d="M3 13V6M1.5 6h3M1.5 13h3M8 10.5V2.5M6.5 2.5h3M6.5 10.5h3M13 12V5M11.5 5h3M11.5 12h3" />
      <path d="M3 9.5v.01M8 6v.01M13 8v.01" strokeWidth="3.4" strokeLinecap="round" />
    </svg>
  )
}

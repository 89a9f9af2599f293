// The controls of all pages: behavior from React Aria, style from here. They use no address and no server.
import type { InputHTMLAttributes, ReactNode, Ref } from 'react'
import {
  Button as AriaButton,
  type ButtonProps,
  Checkbox,
  type CheckboxProps,
  Radio,
  RadioGroup,
} from 'react-aria-components'
import { Link } from 'wouter'

import { count } from '../format/number'
import css from './controls.module.css'
import { Icon, type IconName } from './icons'

type Look = 'quiet' | 'line' | 'fill' | 'icon' | 'low'
const LOOKS: Record<Look, string | undefined> = {
  quiet: '',
  line: css.line,
  fill: css.fill,
  icon: css.icon,
  low: css.low,
}
export const join = (...names: (string | undefined | false)[]) => names.filter(Boolean).join(' ')

export function Button({
  look = 'quiet',
  ...props
}: Omit<ButtonProps, 'className'> & { look?: Look; ref?: Ref<HTMLButtonElement> }) {
  return <AriaButton {...props} data-look={look} className={join(css.button, LOOKS[look])} />
}

export function IconButton({
  icon,
  name,
  ...props
}: Omit<ButtonProps, 'className' | 'children'> & { icon: IconName; name: string; ref?: Ref<HTMLButtonElement> }) {
  return (
    <AriaButton {...props} aria-label={name} className={join(css.button, css.icon)}>
      <Icon name={icon} />
    </AriaButton>
  )
}

// A count next to the name of what it counts; `of` says for screen readers what is counted.
export const Badge = ({ n, of }: { n: number; of: string }) => (
  <span className={css.badge}>
    {count(n)}
    <span className="sr"> {of}</span>
  </span>
)

interface ActProps extends Omit<ButtonProps, 'className'> {
  ref?: Ref<HTMLButtonElement>
  prints?: boolean // its text is a name that paper shows, too
}

// A button that looks like a link. Paper omits it, as it omits other buttons, unless `prints` is set.
export function Act({ prints = false, ...props }: ActProps) {
  return <AriaButton {...props} className={join(css.link, prints ? css.prints : undefined)} />
}

export function ButtonLink({ href, look = 'quiet', children }: { href: string; look?: Look; children: ReactNode }) {
  return (
    <Link href={href} data-look={look} className={join(css.button, LOOKS[look])}>
      {children}
    </Link>
  )
}

export function Check({ children, ...props }: Omit<CheckboxProps, 'className' | 'children'> & { children: ReactNode }) {
  return (
    <Checkbox {...props} className={css.check ?? ''}>
      <span className={css.box} />
      {children}
    </Checkbox>
  )
}

export function Segment({
  label,
  value,
  onChange,
  options,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  options: [value: string, content: ReactNode][]
}) {
  return (
    <RadioGroup
      aria-label={label}
      value={value}
      onChange={onChange}
      orientation="horizontal"
      className={css.segment ?? ''}
    >
      {options.map(([key, content]) => (
        <Radio key={key} value={key}>
          {content}
        </Radio>
      ))}
    </RadioGroup>
  )
}

// A native select, for short lists: it works with the keyboard, touch and screen readers.
export function Select({
  label,
  value,
  onChange,
  options,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  options: [value: string, words: string][]
}) {
  return (
    <span className={css.select}>
      <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
      <Icon name="down" small />
    </span>
  )
}

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  label: string
  icon?: IconName
  shortcut?: string | false
  invalid?: boolean
  number?: boolean
  ref?: Ref<HTMLInputElement>
}

export function Field({ label, icon, shortcut, invalid, number, ...input }: FieldProps) {
  return (
    <label className={join(css.field, number && css.number)} data-invalid={invalid || undefined}>
      {icon && <Icon name={icon} />}
      <span className="sr">{label}</span>
      <input
        {...input}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={invalid || undefined}
        inputMode={number ? 'decimal' : undefined}
      />
      {shortcut && <kbd aria-hidden="true">{shortcut}</kbd>}
    </label>
  )
}

export const Progress = ({ on }: { on: boolean }) => <div className={css.progress} data-on={on || undefined} />
export const Bone = ({ width }: { width: number }) => <i className={css.bone} style={{ width }} />

export function Note({ kind, children, role }: { kind?: 'bad' | 'warn'; children: ReactNode; role?: string }) {
  return (
    <div className={join(css.note, kind && css[kind])} role={role}>
      {kind && <Icon name={kind === 'bad' ? 'error' : 'warn'} />}
      <span>{children}</span>
    </div>
  )
}

export const Acts = ({ children }: { children: ReactNode }) => <span className={css.acts}>{children}</span>

export function Meter({
  label,
  done,
  total,
  parts,
}: {
  label: string
  done: number
  total: number
  parts: { share: number; color: string }[]
}) {
  return (
    <div
      className={css.meter}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuenow={done}
      aria-valuemax={Math.max(total, 1)}
    >
      {parts
        .filter((part) => part.share > 0)
        .map((part) => (
          <i
            key={part.color}
            data-part={part.color}
            style={{ width: `${part.share * 100}%`, background: `var(--${part.color})` }}
          />
        ))}
    </div>
  )
}

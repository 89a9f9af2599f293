// Buttons that need a role: disabled, with the reason next to them, for users without it.
import { type ReactNode, useId } from 'react'
import { ButtonContext } from 'react-aria-components'

import { usePreferences } from '../keys/store'
import { Field } from './controls'
import { type Role, useRefusal, useUser } from './user'

// A button inside must not set isDisabled to false. isListed: the reason is visible elsewhere, and here for screen
// readers.
export function Needs({ role, isListed, children }: { role: Role; isListed?: boolean; children: ReactNode }) {
  const refusal = useRefusal(role)
  const id = useId()
  if (refusal === undefined) return children
  return (
    <ButtonContext.Provider value={{ isDisabled: true, 'aria-describedby': id }}>
      {children}
      <span id={id} className={isListed ? 'sr' : 'small dim'}>
        {refusal}
      </span>
    </ButtonContext.Provider>
  )
}

// The author of a change: the user who is signed in, or else the name that the user enters.
export function Author({ className, hint }: { className?: string | undefined; hint?: string }) {
  const user = useUser((state) => state.user)
  const { author, set } = usePreferences()
  if (user)
    return (
      <span className="small dim">
        as <bdi>{user.name}</bdi>
      </span>
    )
  const field = (
    <Field
      label="Your name"
      {...(hint === undefined && { placeholder: 'Your name' })}
      maxLength={200}
      value={author}
      onChange={(event) => set({ author: event.target.value })}
    />
  )
  if (className === undefined) return field
  return (
    <div className={className}>
      {hint && <span aria-hidden="true">{hint}</span>}
      {field}
    </div>
  )
}

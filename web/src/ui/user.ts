// The user who is signed in, and what the user's role does not allow. app.tsx sets it from /api/session.
import { create } from 'zustand'

export type Role = 'read' | 'write' | 'admin'

export interface User {
  name: string
  role: Role
  isOfProxy?: boolean // a proxy has signed the user in, and signs the user out
}

const ROLES: Role[] = ['read', 'write', 'admin']

// null: no tokens are required, so everything is allowed
export const useUser = create<{ user: User | null }>()(() => ({ user: null }))

export const isAllowed = (user: User | null, role: Role) =>
  user === null || ROLES.indexOf(user.role) >= ROLES.indexOf(role)

// The reason why something is disabled; undefined: it is allowed.
export function useRefusal(role: Role) {
  const user = useUser((state) => state.user)
  return isAllowed(user, role) ? undefined : `Needs the role ${role}`
}

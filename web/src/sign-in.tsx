// The page in place of every other one while a dashboard with tokens does not know the user, and the user in the bar.
import { type FormEvent, useEffect, useState } from 'react'

import { ApiError, causeOf } from './api/client'
import { useSession, useSignIn, useSignOut } from './api/session'
import { Button, Field, IconButton, Note } from './ui/controls'
import { Mark } from './ui/icons'
import page from './ui/page.module.css'
import { useUser } from './ui/user'
import css from './sign-in.module.css'

const failure = (error: Error) =>
  error instanceof ApiError && error.status === 429
    ? `Too many attempts. Try again in ${error.retryAfterS ?? 6} s.`
    : causeOf(error)

const Brand = () => (
  <p className={css.brand}>
    <Mark />
    ProfLLM
  </p>
)

export function SignIn() {
  const session = useSession()
  const signIn = useSignIn()
  const [token, setToken] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (token.trim() !== '' && !signIn.isPending) signIn.mutate(token.trim())
  }
  useEffect(() => {
    document.title = 'Sign in · ProfLLM'
  }, [])
  if (session.data?.tokens === false)
    return (
      <main id="main" className={css.card}>
        <Brand />
        <h1>Sign in</h1>
        <p className={page.lead}>
          A proxy signs users in to this dashboard, and did not name you. Open the dashboard at the address of the
          proxy.
        </p>
      </main>
    )
  return (
    <main id="main" className={css.card}>
      <Brand />
      <h1>Sign in</h1>
      <p className={page.lead}>
        This dashboard needs a token. An administrator creates it with <code>profllm-dashboard token add</code>.
      </p>
      <form className={css.form} onSubmit={submit}>
        <span className={css.label}>
          <span aria-hidden="true">Token</span>
          <Field
            label="Token"
            type="password"
            name="token"
            maxLength={200}
            value={token}
            autoFocus
            invalid={signIn.error !== null}
            onChange={(event) => setToken(event.target.value)}
          />
        </span>
        <Button look="fill" type="submit" isDisabled={signIn.isPending || token.trim() === ''}>
          Sign in
        </Button>
      </form>
      {signIn.error && (
        <Note kind="bad" role="alert">
          <b>Could not sign in.</b> {failure(signIn.error)}
        </Note>
      )}
    </main>
  )
}

// Whether a page can be shown. The reply is quick, so pages load meanwhile.
export function useIsSignedOut() {
  const session = useSession()
  const user = session.data?.user ?? null
  useEffect(() => {
    useUser.setState({ user: user && { name: user.name, role: user.role, isOfProxy: user.source === 'proxy' } })
  }, [user])
  return session.data?.required === true && user === null
}

export function SignedIn() {
  const user = useUser((state) => state.user)
  const signOut = useSignOut()
  if (!user) return null
  const name = `Sign out ${user.name} (role ${user.role})`
  return (
    <span className={css.user} title={`${user.name}, role ${user.role}`}>
      <bdi>{user.name}</bdi>
      {!user.isOfProxy && (
        <IconButton icon="leave" name={name} isDisabled={signOut.isPending} onPress={() => signOut.mutate()} />
      )}
    </span>
  )
}

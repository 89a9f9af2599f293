// The session: the user who is signed in. The server keeps it; its id is in a cookie that no script can read.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { get, post, remove } from './client'
import { at } from './contract'

export const SESSION = ['session'] as const

export const useSession = () =>
  useQuery({
    queryKey: SESSION,
    queryFn: ({ signal }) => get(at('/api/session'), signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export function useSignIn() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => post(at('/api/session'), { token }),
    // what another user saw, and what was refused, is asked again
    onSuccess: (session) => {
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] })
      client.setQueryData(SESSION, session)
    },
  })
}

export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => remove(at('/api/session')),
    onSuccess: () => client.setQueryData(SESSION, { required: true, tokens: true, user: null }),
  })
}

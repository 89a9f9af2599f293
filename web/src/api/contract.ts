// The types of requests and responses by route, from the contract (schema.d.ts). A path that at() builds knows its
// route, so a request cannot be read as the response of another route.
import type { paths } from './schema'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type Route<M extends Method> = {
  [R in keyof paths]: paths[R] extends Record<M, object> ? R : never
}[keyof paths]

declare const route: unique symbol
export type Path<R extends string> = string & { readonly [route]: R }

type Operation<R extends keyof paths, M extends Method> = NonNullable<paths[R][M]>
type Json<T> = T extends { content: { 'application/json': infer A } } ? A : undefined
type Success = 200 | 201 | 202 | 204

// The response of a route in JSON; undefined if it has no content.
export type Answer<R extends keyof paths, M extends Method> =
  Operation<R, M> extends { responses: infer All } ? Json<All[Extract<keyof All, Success>]> : never
// The JSON that a route takes.
export type Body<R extends keyof paths, M extends Method> =
  Operation<R, M> extends { requestBody: infer B }
    ? Json<B>
    : Operation<R, M> extends { requestBody?: infer B }
      ? [NonNullable<B>] extends [never]
        ? undefined
        : Json<NonNullable<B>> | undefined
      : undefined

type Names<R extends string> = R extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type Query = Record<string, string | number | boolean | undefined>
type Given<R extends string> = [Names<R>] extends [never]
  ? [parameters?: Record<string, never>, query?: Query]
  : [parameters: Record<Names<R>, string | number>, query?: Query]

// Returns the path of a route with its parameters; undefined ones are left out of the query.
export function at<R extends keyof paths>(name: R, ...[parameters, query]: Given<R>): Path<R> {
  const values = parameters as Record<string, string | number> | undefined
  const path = name.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values?.[key] ?? ''))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(key, String(value))
  const text = search.toString()
  return (text ? `${path}?${text}` : path) as Path<R>
}

/**
 * The types that openapi-fetch needs for an application's calls, derived from the operations that the service declares.
 */
import type { ResponseBodyOf, BodyOf, QueryOf } from '../../src/contract/operation.ts';

/** The operations of one API (`Api`: dashboard or mail), with the method and path of each route. */
export type CallsOf<Operations, Api extends string> = {
  [Name in keyof Operations]: Operations[Name] extends {
    doors: Record<Api, { route: `${infer Method} ${infer Path}` }>;
  }
    ? { method: Lowercase<Method>; path: Path; declared: Operations[Name] }
    : never;
}[keyof Operations];

/** The `paths` type of openapi-fetch. @typeParam Calls all calls of the application */
export type PathsOf<Calls extends { method: string; path: string; declared: unknown }> = {
  [Path in Calls['path']]: {
    [Each in Extract<Calls, { path: Path }> as Each['method']]: CallOf<Each['declared'], Path>;
  };
};

type CallOf<Declared, Path extends string> = {
  parameters: IdsOf<Path> & RequestQuery<Declared>;
  responses: ResponsesOf<Declared>;
} & RequestBody<Declared>;

type IdsOf<Path extends string> = [NamesIn<Path>] extends [never]
  ? { path?: never }
  : { path: Record<NamesIn<Path>, string> };

/** The names of the path parameters, which are in braces. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

type RequestQuery<Declared> = Declared extends { query: object }
  ? OptionalIfEmpty<'query', Loose<WithDefaults<QueryOf<Declared>>>>
  : { query?: never };

type RequestBody<Declared> = Declared extends { body: object }
  ? OptionalIfEmpty<'requestBody', { content: { 'application/json': Loose<BodyOf<Declared>> } }>
  : { requestBody?: never };

type ResponsesOf<Declared> = Declared extends {
  success: { status: infer Status extends number; body: object };
}
  ? Record<Status, { content: { 'application/json': ResponseBodyOf<Declared> } }>
  : Declared extends { success: { status: infer Status extends number; media: infer Media extends string } }
    ? Record<Status, { content: Record<Media, string> }>
    : Declared extends { success: { status: infer Status extends number } }
      ? Record<Status, { content?: never }>
      : never;

type OptionalIfEmpty<Name extends string, Value> = object extends Value
  ? { [Only in Name]?: Value }
  : { [Only in Name]: Value };

/** Makes `limit` optional, because every operation has a default for it. */
type WithDefaults<Query> = Omit<Query, 'limit'> &
  ('limit' extends keyof Query ? { limit?: number } : unknown);

/** Lets optional fields be undefined, because undefined fields are not sent. */
type Loose<Value> = {
  [Name in keyof Value]: object extends Pick<Value, Name> ? Value[Name] | undefined : Value[Name];
};

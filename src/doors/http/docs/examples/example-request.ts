/** The request in an example, built from the examples in the OpenAPI document. All languages show the same request. */
import type { ApiTag } from '../../../../contract/operation.ts';
import type { Parameter } from '../../api-document.ts';
import { RESOURCES } from '../../operation.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';

export interface ExampleRequest {
  method: string;
  /** The path, with `{id}` as it is and example values in place of other parameters. */
  path: string;
  /** The id in the path. Null if the path has none. */
  id: string | null;
  /** The values of the parameters in the path, in order. */
  names: readonly string[];
  /** The query string with its question mark. Empty if there are no query parameters. */
  query: string;
  /** The query parameters by name. */
  parameters: Readonly<Record<string, unknown>>;
  /** The headers except the API key and the content type. */
  headers: readonly (readonly [name: string, value: string])[];
  body: unknown;
}

export function requestOf(operation: FoundOperation, reader: DocumentReader): ExampleRequest {
  const all = reader.parameters(operation);
  const query = all.filter(({ in: place, required }) => place === 'query' && required === true);
  const headers = all.filter(({ in: place, required }) => place === 'header' && required === true);
  const inPath = all.filter(({ in: place }) => place === 'path');
  const search = query.map(
    (parameter) => `${parameter.name}=${encodeURIComponent(String(valueOf(parameter)))}`,
  );
  return {
    method: operation.method,
    path: inPath.reduce(
      (path, parameter) =>
        parameter.name === 'id'
          ? path
          : path.replace(`{${parameter.name}}`, () => encodeURIComponent(String(valueOf(parameter)))),
      operation.path,
    ),
    id:
      inPath.flatMap((parameter) => (parameter.name === 'id' ? [String(valueOf(parameter))] : []))[0] ?? null,
    names: inPath.map((parameter) => String(valueOf(parameter))),
    query: search.length === 0 ? '' : `?${search.join('&')}`,
    parameters: Object.fromEntries(query.map((parameter) => [parameter.name, valueOf(parameter)])),
    headers: headers.map((header) => [header.name, String(valueOf(header))]),
    body: reader.exampleOf(operation.requestBody?.content['application/json']),
  };
}

/** A variable such as `DOMAIN_ID` in the examples, into which readers put the id of their own resource. */
export interface IdVariable {
  name: string;
  /** The kind of resource, such as `domain`. */
  resource: string;
  tag: ApiTag;
}

const ID_VARIABLES: ReadonlyMap<string, IdVariable> = new Map<string, IdVariable>([
  ...Object.entries(RESOURCES).flatMap(([tag, { name, prefix }]): [string, IdVariable][] =>
    prefix === null
      ? []
      : [[prefix, { name: `${name.toUpperCase()}_ID`, resource: name, tag: tag as ApiTag }]],
  ),
  ['rm', { name: 'MESSAGE_ID', resource: 'message', tag: 'routes' }],
]);

/** The name of the variable for an id. Null for the ids of resources that no request names. */
export function variableOf(id: string): string | null {
  return ID_VARIABLES.get(id.slice(0, id.indexOf('_')))?.name ?? null;
}

/** The variables in a command for a shell. */
export function variablesIn(command: string): IdVariable[] {
  return [...ID_VARIABLES.values()].filter(({ name }) => command.includes(`$${name}`));
}

/** Replaces the ids in the JSON of a body with variables. */
export function withVariables(json: string, write: (variable: string) => string): string {
  return json.replaceAll(/"([a-z]+_[0-9A-Z]{26})"/g, (whole, id: string) => {
    const variable = variableOf(id);
    return variable === null ? whole : write(variable);
  });
}

export function valueOf({ name, example, schema }: Parameter): unknown {
  return example ?? schema.default ?? schema.enum?.[0] ?? name.toUpperCase();
}

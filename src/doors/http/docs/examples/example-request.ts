/** The request in an example, built from the examples in the OpenAPI document. All languages show the same request. */
import type { Parameter } from '../../api-document.ts';
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

/** The names of variables for ids, by prefix. Readers put the id of their own resource into the variable. */
const ID_VARIABLES: Readonly<Record<string, string>> = {
  em: 'EMAIL_ID',
  dom: 'DOMAIN_ID',
  mbx: 'MAILBOX_ID',
  als: 'ALIAS_ID',
  wh: 'WEBHOOK_ID',
  tpl: 'TEMPLATE_ID',
  per: 'PERSON_ID',
};

/** The variable for an id. Null for the ids of resources that no request names. */
export function variableOf(id: string): string | null {
  return ID_VARIABLES[id.slice(0, id.indexOf('_'))] ?? null;
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

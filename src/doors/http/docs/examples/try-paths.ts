/**
 * Maps API operations to dashboard operations with the same result, so that signed-in users can try the API operations on a documentation
 * page. Only read operations are mapped, because documentation pages must not change anything. The exception is sending: users can send a
 * test email to themselves.
 */
import type { ApiDocument, DocumentOperation, Response, Schema } from '../../api-document.ts';
import { INSPECT_OPERATIONS } from '../../../../insights/operations.ts';
import { routeOf } from '../../declared-operations.ts';
import { dashboardDocument } from '../../dashboard/openapi.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';

type Schemas = Readonly<Record<string, Schema>>;

/** The paths of all operations, cached by API document. The dashboard's own document takes 1.5 MB and is not cached. */
const tryPaths = new WeakMap<ApiDocument, ReadonlyMap<string, string | null>>();

/**
 * @returns the path below the dashboard's API, with `{project}` and possibly `{id}`; null if the dashboard has no such operation, or if the
 * dashboard's response lacks a field of the API's response
 */
export function tryPathOf(
  { operationId }: FoundOperation,
  { document, operations }: DocumentReader,
): string | null {
  let paths = tryPaths.get(document);
  if (paths === undefined) {
    const dashboard = dashboardDocument();
    paths = new Map(operations.map((each) => [each.operationId, samePath(each, document, dashboard)]));
    tryPaths.set(document, paths);
  }
  return paths.get(operationId) ?? null;
}

function samePath(
  operation: FoundOperation,
  document: ApiDocument,
  dashboard: ReturnType<typeof dashboardDocument>,
): string | null {
  const { operationId, method, path } = operation;
  if (operationId === 'sendEmail') return routeOf(INSPECT_OPERATIONS.sendTestEmail.doors.dashboard).path;
  if (method !== 'GET') return null;
  const same = `/projects/{project}${path.slice('/v1'.length)}`;
  const shown = dashboard.paths[`/dashboard/api${same}`]?.['get'];
  if (shown === undefined) return null;
  const has = fieldsOf(answerOf(shown), dashboard.components.schemas);
  const isWhole = [...fieldsOf(answerOf(operation), document.components.schemas)].every((field) =>
    has.has(field),
  );
  return isWhole ? same : null;
}

function answerOf({ responses }: DocumentOperation): Schema {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return (success as Response | undefined)?.content?.['application/json']?.schema ?? {};
}

/** The field names of a response and of the items in its lists, such as `data` and `data.id`. */
function fieldsOf(schema: Schema, schemas: Schemas, before = '', depth = 2): Set<string> {
  const { $ref, properties = {}, items, allOf = [], anyOf = [] } = schema;
  const parts = [
    ...allOf,
    ...anyOf,
    ...(items === undefined ? [] : [items]),
    ...($ref === undefined ? [] : [schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}]),
  ];
  const found = new Set(parts.flatMap((part) => [...fieldsOf(part, schemas, before, depth)]));
  for (const [name, value] of Object.entries(properties)) {
    found.add(before + name);
    if (depth > 1)
      for (const field of fieldsOf(value, schemas, `${before}${name}.`, depth - 1)) found.add(field);
  }
  return found;
}

/**
 * Which operation of the dashboard shows the same as one of the API: that is what whoever is signed in can try on the page. Only what reads, so a page
 * of the documentation changes nothing. In place of sending there is an email to oneself.
 */
import type { DocumentOperation, Response, Schema } from '../../api-document.ts';
import { INSPECT_OPERATIONS } from '../../../../insights/operations.ts';
import { routeOf } from '../../declared-operations.ts';
import { dashboardDocument } from '../../dashboard/openapi.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';

type Schemas = Readonly<Record<string, Schema>>;

let made: ReturnType<typeof dashboardDocument> | undefined;

/**
 * @returns below the API of the dashboard, with `{project}` and perhaps `{id}`; null where there is none, or where the answer of the dashboard lacks a
 * field that is documented: the pages have shapes of their own
 */
export function tryPathOf(operation: FoundOperation, { document }: DocumentReader): string | null {
  const { operationId, method, path } = operation;
  if (operationId === 'sendEmail') return routeOf(INSPECT_OPERATIONS.sendTestEmail.doors.dashboard).path;
  if (method !== 'GET') return null;
  const same = `/projects/{project}${path.slice('/v1'.length)}`;
  const dashboard = (made ??= dashboardDocument());
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

/** The names of the fields of an answer, and of what a list in it has: `data`, `data.id`. */
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

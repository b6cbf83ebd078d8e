/** The method names of operations in the SDK. The SDK generator and the examples in the documentation use these names. */
import type { ApiDocument } from './api-document.ts';

/**
 * Names each operation by its verb within its tag, such as `send` for `sendEmail`. An operation keeps its object if an earlier operation of
 * the tag has the same verb, or if it is about a part of the resource, such as `sendBatch`, and `getMessage` for `getRouteMessage`.
 * @returns method names by `operationId`
 */
export function clientMethods({ paths }: Pick<ApiDocument, 'paths'>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set<string>();
  for (const [path, methods] of Object.entries(paths))
    for (const { operationId, tags } of Object.values(methods)) {
      const [verb = operationId] = /^[a-z]+/.exec(operationId) ?? [];
      const [tag = ''] = tags;
      const inTag = `${tag} ${verb}`;
      const isOfPart = path.indexOf('{') !== path.lastIndexOf('{');
      const resource = `${tag.charAt(0).toUpperCase()}${tag.slice(1, -1)}`;
      names.set(operationId, isOfPart || used.has(inTag) ? operationId.replace(resource, '') : verb);
      if (!isOfPart) used.add(inTag);
    }
  return names;
}

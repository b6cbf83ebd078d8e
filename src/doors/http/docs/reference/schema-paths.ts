/**
 * Determines which page describes each object in the document. Objects that are part of an event are on the page about events. Any other
 * object is on the page of the first resource that uses the object.
 */
import { type DocumentReader, type FoundOperation, nameOf } from './document.ts';

export const EVENTS_PATH = 'api/events';

/** The schema of events in timelines and webhooks. */
const EVENT = { $ref: '#/components/schemas/EmailEvent' };

/** @returns the path below `/docs` by object name; objects that no operation uses are on the overview */
export function schemaPaths(
  { document }: DocumentReader,
  resources: readonly { path: string; operations: readonly FoundOperation[] }[],
): Map<string, string> {
  const paths = new Map<string, string>();
  const put = (value: unknown, path: string): void => {
    for (const name of namesIn(value)) {
      if (paths.has(name) || name === 'Problem') continue;
      paths.set(name, path);
      put(document.components.schemas[name], path);
    }
  };
  put([document.webhooks, EVENT], EVENTS_PATH);
  for (const { path, operations } of resources)
    for (const { requestBody, responses, parameters } of operations)
      put({ requestBody, responses, parameters }, path);
  for (const name of Object.keys(document.components.schemas)) if (!paths.has(name)) paths.set(name, 'api');
  return paths;
}

function namesIn(value: unknown): string[] {
  const references = JSON.stringify(value ?? null).matchAll(/"\$ref":"(#\/components\/schemas\/[^"]*)"/g);
  return Array.from(references, ([, reference = '']) => nameOf(reference));
}

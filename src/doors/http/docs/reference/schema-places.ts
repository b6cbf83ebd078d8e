/** The page that describes each object of the document: objects of events have their own page, others are with the first resource that uses them. */
import { type DocumentReader, type FoundOperation, nameOf } from './document.ts';

export const EVENTS_PATH = 'api/events';

/** The event as timelines and webhooks report it. */
const EVENT = { $ref: '#/components/schemas/EmailEvent' };

/** @returns paths below `/docs` by object name; unused objects are on the overview */
export function placesOfSchemas(
  { document }: DocumentReader,
  resources: readonly { path: string; operations: readonly FoundOperation[] }[],
): Map<string, string> {
  const places = new Map<string, string>();
  const put = (value: unknown, path: string): void => {
    for (const name of namesIn(value)) {
      if (places.has(name) || name === 'Problem') continue;
      places.set(name, path);
      put(document.components.schemas[name], path);
    }
  };
  put([document.webhooks, EVENT], EVENTS_PATH);
  for (const { path, operations } of resources)
    for (const { requestBody, responses, parameters } of operations)
      put({ requestBody, responses, parameters }, path);
  for (const name of Object.keys(document.components.schemas)) if (!places.has(name)) places.set(name, 'api');
  return places;
}

function namesIn(value: unknown): string[] {
  const references = JSON.stringify(value ?? null).matchAll(/"\$ref":"(#\/components\/schemas\/[^"]*)"/g);
  return Array.from(references, ([, reference = '']) => nameOf(reference));
}

import assert from 'node:assert/strict';
import { type Exposed, parseExposition } from './exposition.ts';
import type { Service } from './service.ts';

/** The token for /metrics. A service that requires no token accepts this token too. */
export const TOKEN = 'token-of-the-metrics';

/** The text of /metrics. */
export async function scrapeText({ baseUrl }: Pick<Service, 'baseUrl'>): Promise<string> {
  const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
}

export async function scrape(service: Pick<Service, 'baseUrl'>): Promise<Exposed> {
  return parseExposition(await scrapeText(service));
}

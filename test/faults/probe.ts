/** Health probes like those of a load balancer. */
import assert from 'node:assert/strict';
import type { Service } from '../support/service.ts';

/** The timeout of a probe. */
const PATIENCE_MS = 2_000;
export const NO_ANSWER = 'no answer';

/** @returns the status of the response; for 503, the detail of the problem document instead */
export async function probe({ baseUrl }: Pick<Service, 'baseUrl'>, path: string): Promise<string> {
  let response: Response;
  try {
    // Use a new connection for each probe, as load balancers do.
    response = await fetch(baseUrl + path, {
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: { connection: 'close' },
    });
  } catch {
    return NO_ANSWER;
  }
  if (response.status !== 503) return String(response.status);
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  const problem = (await response.json()) as { type: string; detail: string };
  assert.equal(problem.type, '/errors/unavailable');
  return problem.detail;
}

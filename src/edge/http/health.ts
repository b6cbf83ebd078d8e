/** Probes: is the process alive, and can it accept email (docs/operate/health.md)? */
import { AppError } from '../../model/app-error.ts';

export const HEALTH_PATHS = ['/healthz', '/readyz'] as const;

const RETRY_SECONDS = 5;

/**
 * @param whyNotReady as `Readiness` gives it
 * @throws AppError unavailable
 */
export async function answerHealth(
  path: (typeof HEALTH_PATHS)[number],
  whyNotReady: () => Promise<string | null>,
): Promise<{ status: string }> {
  if (path === '/healthz') return { status: 'ok' };
  const reason = await whyNotReady();
  if (reason === null) return { status: 'ready' };
  throw new AppError('unavailable', reason, { retryAfterSeconds: RETRY_SECONDS });
}

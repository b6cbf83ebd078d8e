import { eventually } from './eventually.ts';

/** For a machine ten times slower than the one at hand. */
const PATIENCE_MS = 60_000;

/**
 * For what a page, or another process, shows a moment after it was asked to: checks until that passes.
 * @throws what the last check threw, once patience is at an end
 */
export async function soon(check: () => Promise<void>, patienceMs = PATIENCE_MS): Promise<void> {
  const holds = () =>
    check().then(
      () => true,
      () => false,
    );
  if (!(await eventually(holds, patienceMs))) await check();
}

import { eventually } from './eventually.ts';

/** The default time limit, enough for a machine that is ten times slower. */
const PATIENCE_MS = 60_000;

/**
 * Repeats a check until it passes, for changes that a page or another process shows with a delay.
 * @throws the error of the last check after the time limit
 */
export async function soon(check: () => Promise<void>, patienceMs = PATIENCE_MS): Promise<void> {
  const passes = () =>
    check().then(
      () => true,
      () => false,
    );
  if (!(await eventually(passes, patienceMs))) await check();
}

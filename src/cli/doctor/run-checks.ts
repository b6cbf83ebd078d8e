import { within } from '../../model/within.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import { type Finding, problem } from './finding.ts';

export interface Check {
  readonly name: string;
  run(): Promise<Finding>;
}

export interface CheckResult extends Finding {
  readonly name: string;
}

/** What a check of several steps takes with most of its own time-outs used up. */
const CHECK_TIMEOUT_MS = 20_000;
/** Others write some of it: names in DNS, greetings. */
const MAX_SEEN = 2_000;

/** All of them at once; the results are in the order of the checks. One that fails or takes too long is a problem. */
export function runChecks(
  checks: readonly Check[],
  timeoutMs: number = CHECK_TIMEOUT_MS,
): Promise<CheckResult[]> {
  return Promise.all(
    checks.map(async ({ name, run }) => {
      const late = problem(`The check took longer than ${timeoutMs / 1_000} seconds.`, 'Run it again.');
      const finding = await within(timeoutMs, outcomeOf(run), late);
      return { name, ...finding, seen: printable(finding.seen, MAX_SEEN) };
    }),
  );
}

async function outcomeOf(run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    return problem(
      `The check could not be made: ${reasonOf(error)}`,
      'Put right what the message and the other checks name, and run it again.',
    );
  }
}

/** An error of several connection attempts has a code and no message. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: unknown };
  return message === undefined || message === '' ? String(code ?? error) : message;
}

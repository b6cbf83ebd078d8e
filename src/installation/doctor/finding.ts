export type FindingLevel = 'ok' | 'warning' | 'problem';

/** What a check says, in plain words. */
export interface Finding {
  readonly verdict: FindingLevel;
  readonly seen: string;
  /** What to do about it; null where all is well. */
  readonly advice: string | null;
}

export function ok(seen: string): Finding {
  return { verdict: 'ok', seen, advice: null };
}

/** Mail goes out, but not as well as it could. */
export function warning(seen: string, advice: string): Finding {
  return { verdict: 'warning', seen, advice };
}

/** Mail does not go out, does not arrive, or nobody hears of it. */
export function problem(seen: string, advice: string): Finding {
  return { verdict: 'problem', seen, advice };
}

/** An error of several connection attempts has a code and no message. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: unknown };
  return message === undefined || message === '' ? String(code ?? error) : message;
}

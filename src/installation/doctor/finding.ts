export type FindingLevel = 'ok' | 'warning' | 'problem';

/** The result of a check. */
export interface Finding {
  readonly verdict: FindingLevel;
  /** The observation, in plain words. */
  readonly seen: string;
  /** Advice on how to fix the finding. Null if the check is ok. */
  readonly advice: string | null;
}

export function ok(seen: string): Finding {
  return { verdict: 'ok', seen, advice: null };
}

/** A finding for a setup in which mail works, but not as well as it could. */
export function warning(seen: string, advice: string): Finding {
  return { verdict: 'warning', seen, advice };
}

/** A finding for a setup in which mail is not sent or not received, or failures go unnoticed. */
export function problem(seen: string, advice: string): Finding {
  return { verdict: 'problem', seen, advice };
}

/** The message of an error, or its code: an error that covers several connection attempts has no message. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: unknown };
  return message === undefined || message === '' ? String(code ?? error) : message;
}

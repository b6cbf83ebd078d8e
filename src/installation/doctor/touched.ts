/** Whether a default that changed matters to this installation. */
import type { Finding } from './finding.ts';

export interface Touched {
  /** Null: it cannot be told from here. */
  readonly isTouched: boolean | null;
  /** Why, as sentences. */
  readonly because: string;
}

export function touched(because: string): Touched {
  return { isTouched: true, because };
}

export function untouched(because: string): Touched {
  return { isTouched: false, because };
}

export function unknown(because: string): Touched {
  return { isTouched: null, because };
}

/** What a check of the doctor finds is what the change did: a warning is a case of it, and a problem means that it could not be seen. */
export function touchedAs({ verdict, seen }: Finding): Touched {
  if (verdict === 'problem') return unknown(seen);
  return verdict === 'warning' ? touched(seen) : untouched(seen);
}

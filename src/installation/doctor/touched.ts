/** Whether a changed default affects this installation. */
import type { Finding } from './finding.ts';

export interface Touched {
  /** Whether the change affects this installation. Null if unknown. */
  readonly isTouched: boolean | null;
  /** The reason, as sentences. */
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

/**
 * The result for a change whose effect a doctor check detects. A warning means that the installation is affected, and a problem means that
 * the check could not run.
 */
export function touchedAs({ verdict, seen }: Finding): Touched {
  if (verdict === 'problem') return unknown(seen);
  return verdict === 'warning' ? touched(seen) : untouched(seen);
}

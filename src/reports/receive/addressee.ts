import type { ReturnPathOf, ReturnPaths } from '../return-path.ts';

/** Whom mail from outside may be for. */
export type Addressee =
  /** A return path: what comes is about one recipient of one email. */
  | ({ kind: 'return-path' } & ReturnPathOf)
  /** The address that feedback loops write to: what comes must say itself which email it is about. */
  | { kind: 'complaints' };

/** Null for every address that did not come from here, and for return paths that are too old. */
export function addresseeOf(returnPaths: ReturnPaths, forwardPath: string): Addressee | null {
  const of = returnPaths.verify(forwardPath);
  if (of !== null) return { kind: 'return-path', ...of };
  return returnPaths.isComplaintAddress(forwardPath) ? { kind: 'complaints' } : null;
}

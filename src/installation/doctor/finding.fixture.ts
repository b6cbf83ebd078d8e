import assert from 'node:assert/strict';
import type { Finding, FindingLevel } from './finding.ts';

/** @param advice undefined if the finding must have no advice */
export function assertFinding(finding: Finding, verdict: FindingLevel, seen: RegExp, advice?: RegExp): void {
  assert.equal(finding.verdict, verdict, `${finding.seen} -> ${finding.advice}`);
  assert.match(finding.seen, seen);
  if (advice === undefined) assert.equal(finding.advice, null);
  else assert.match(finding.advice ?? '', advice);
}

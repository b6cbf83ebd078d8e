/** Rows of the suppression list, as they are read and shown. */
import { bodyOf } from '../../contract/body-of.ts';
import { Suppression } from '../../contract/suppressions.ts';
import { encodeId } from '../../model/ids.ts';
import type { SuppressionReason } from '../../model/suppression-reasons.ts';

export interface SuppressionRow {
  address: string;
  reason: SuppressionReason;
  detail: Record<string, unknown> | null;
  emailId: string | null;
  createdAt: Date;
  expiresAt: Date | null;
}

const suppressionBody = bodyOf(Suppression);

/** A row as the API shows it. */
export function shown(row: SuppressionRow): Suppression {
  return suppressionBody({ ...row, emailId: row.emailId === null ? null : encodeId('em', row.emailId) });
}

/** Rows of the suppression list, and their representation in the API. */
import { bodyOf } from '../../contract/body-of.ts';
import { Suppression } from '../../contract/suppressions.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import { encodeId } from '../../model/ids.ts';
import type { SuppressionReason } from '../../model/suppression-reasons.ts';

export const SUPPRESSION = columnsOf({
  address: 'text',
  reason: shaped<SuppressionReason>('text'),
  detail: shaped<Record<string, unknown> | null>('json?'),
  emailId: 'uuid?',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz?',
});
export type SuppressionRow = RowOf<typeof SUPPRESSION>;

const suppressionBody = bodyOf(Suppression);

/** The API representation of a row. */
export function shown(row: SuppressionRow): Suppression {
  return suppressionBody({ ...row, emailId: row.emailId === null ? null : encodeId('em', row.emailId) });
}

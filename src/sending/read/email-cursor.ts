/** The cursor of the list of emails (docs/contract.md, Cursor): base64url of the time and the id of the last email of a page. */
import { validationError } from '../../model/app-error.ts';
import { timeOf } from '../../model/ids.ts';

const CURSOR =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/;

export function encodeCursor(emailId: string): string {
  return Buffer.from(`${timeOf(emailId).toISOString()} ${emailId}`).toString('base64url');
}

/** @throws AppError validation-failed for anything that `encodeCursor` did not write */
export function decodeCursor(cursor: string): string {
  const emailId = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[2];
  if (emailId === undefined || encodeCursor(emailId) !== cursor) {
    throw validationError({
      cursor: 'is not a cursor of this list; pass next_cursor of the page before as it is',
    });
  }
  return emailId;
}

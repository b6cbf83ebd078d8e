import { fieldValue, type HeaderField } from '../../rfc/mime/index.ts';
import { findAddresses } from './addresses.ts';
import type { OriginalMessage } from './report.ts';

const MAX_RECIPIENTS = 100;

/** What a header tells of the message that came back; null where there is none. */
export function describeOriginal(fields: readonly HeaderField[]): OriginalMessage | null {
  if (fields.length === 0) return null;
  const returnPath = /^<?([^<>\s]{1,320})>?/.exec(fieldValue(fields, 'return-path') ?? '')?.[1];
  return {
    messageId: fieldValue(fields, 'message-id'),
    returnPath: returnPath ?? null,
    rcptTo: findAddresses(fieldValue(fields, 'to') ?? '', MAX_RECIPIENTS),
    fields,
  };
}

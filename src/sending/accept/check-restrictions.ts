/** Checks an email against the restrictions of its API key (docs/api-keys.md, Restrictions). */
import type { SendingRestrictions } from '../../accounts/restrictions/sending-restrictions.ts';
import { validationError } from '../../model/app-error.ts';
import type { SubmittedEnvelope } from './check-envelope.ts';

/** The maximum number of address patterns in an error message. */
const SHOWN = 5;

/** @throws AppError validation-failed, with each field that violates the restrictions */
export function checkRestrictions(
  restrictions: SendingRestrictions | null,
  { from, recipients, ccAt, bccAt }: SubmittedEnvelope,
): void {
  if (restrictions === null) return;
  const errors: Record<string, string> = {};
  if (!restrictions.allowsFrom(from.domain)) {
    const only = listed(restrictions.fromDomains);
    errors['from'] = `${from.domain} is not a domain that this API key can send from; allowed: ${only}`;
  }
  for (const [at, address] of recipients.entries()) {
    const fault = recipientFault(restrictions, address);
    if (fault !== null) errors[at < ccAt ? 'to' : at < bccAt ? 'cc' : 'bcc'] ??= fault;
  }
  if (Object.keys(errors).length > 0) throw validationError(errors);
}

/** The reason why the key may not send to the address, or null. @param address the address as `parseMailbox` returns it */
export function recipientFault(restrictions: SendingRestrictions | null, address: string): string | null {
  if (restrictions === null || restrictions.allowsRecipient(address)) return null;
  return `this API key cannot send to ${address}; allowed: ${listed(restrictions.recipients)}`;
}

function listed(patterns: readonly string[]): string {
  const shown = patterns.slice(0, SHOWN).join(', ');
  return patterns.length > SHOWN ? `${shown} and ${patterns.length - SHOWN} more` : shown;
}

/**
 * Checks that every sender identity in a message belongs to the mailbox that sends it, or to a mailbox for which it may send
 * (docs/mail-apps.md, Senders).
 */
import { mayWrite, mayWriteFrom, type OwnAddresses, writable } from '../../mailboxes/own-addresses.ts';
import {
  addressesOf,
  findSharedSender,
  type Senders,
  type SharedSender,
} from '../../mailboxes/sharing/shared-senders.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { decodeEncodedWords } from '../../rfc/mime/index.ts';
import { type StrictField, strictValue } from '../../rfc/message/strict-header.ts';
import { type RejectedMail, rejectedMail } from './submitted-mail.ts';

/** The author according to the From field. */
export interface Author {
  mailbox: MailboxAddress;
  field: StrictField;
  /** The mailbox for which the message is sent. Null: it is sent in the sender's own name. */
  sharedBy: SharedSender | null;
  /** Whether the message must get a Sender field with the sender's own address. */
  needsSender: boolean;
}

/** Fields that name a sender (RFC 5322, sections 3.6.2 and 3.6.6). */
const SENDERS = new Set(['from', 'sender', 'resent-from', 'resent-sender']);
const SHOWN_AS: Readonly<Record<string, string>> = {
  from: 'From',
  sender: 'Sender',
  'resent-from': 'Resent-From',
  'resent-sender': 'Resent-Sender',
};

/**
 * An obsolete syntax for names: `ada@acme.test (Ada)`. The length of a name in a comment is limited like that of other names, because every
 * name is searched for addresses.
 */
const WITH_COMMENT = /^(\S+)[ \t]+\(([^()<>@,;:"\\]{0,998})\)$/;
const ADDRESS_IN_NAME = /[^\s<>()[\],;:"\\@]*@[^\s<>()[\],;:"\\@]*\.[^\s<>()[\],;:"\\@]*/gu;
/** Control characters, line ends and bidirectional overrides, with which a name can look like another name. */
const NOT_SHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/** Returns the author in the single From field if the mailbox may use every sender address. Otherwise returns the rejection. */
export function checkIdentities(
  message: Buffer,
  fields: readonly StrictField[],
  allowed: Senders,
): Author | RejectedMail {
  const senders = fields.filter(({ name }) => SENDERS.has(name));
  for (const name of ['from', 'sender']) {
    const count = senders.filter((field) => field.name === name).length;
    if (count > 1)
      return rejectedMail(
        'senderNotAllowed',
        `The message has ${count} ${SHOWN_AS[name]} fields; only one is allowed.`,
      );
  }
  const from = senders.find(({ name }) => name === 'from');
  if (from === undefined) return rejectedMail('badMessage', 'The message has no From field. Add one.');
  const mailbox = readSender(message, from, allowed, addressesOf(allowed));
  if ('outcome' in mailbox) return mailbox;
  const sharedBy = findSharedSender(mailbox, allowed);
  const author = { mailbox, field: from };
  // Other fields have an address of another mailbox only if From has one too. The right to it is then read again when the message is written.
  const others: Senders = { own: allowed.own, shared: sharedBy === null ? [] : [sharedBy] };
  let sender: MailboxAddress | null = null;
  for (const field of senders) {
    if (field === from) continue;
    // Only From may have an address that is used on behalf of its owner.
    const other = readSender(message, field, others, addressesOf(others, ['as']));
    if ('outcome' in other) return other;
    if (field.name === 'sender') sender = other;
  }
  if (sharedBy?.sending !== 'on-behalf') return { ...author, sharedBy, needsSender: false };
  const { own } = allowed;
  const [first] = writable(own);
  if (first === undefined || (sender !== null && !mayWriteFrom(sender, own)))
    return rejectedMail(
      'senderNotAllowed',
      `From is ${mailbox.address}, for which this mailbox can send only on behalf of its owner: Sender must be ${first?.address ?? 'an own address, and the mailbox has none that can send'}.`,
    );
  return { ...author, sharedBy, needsSender: sender === null };
}

/**
 * @param allowed the senders whose addresses the field may have
 * @param may those of these addresses that this field may have
 */
function readSender(
  message: Buffer,
  field: StrictField,
  allowed: Senders,
  may: OwnAddresses,
): MailboxAddress | RejectedMail {
  const name = SHOWN_AS[field.name] as string;
  const value = strictValue(message, field);
  if (value === null) return rejectedMail('senderNotAllowed', `${name} is not UTF-8. Encode it as UTF-8.`);
  const [, address = value, comment = null] = WITH_COMMENT.exec(value) ?? [];
  const mailbox = parseMailbox(address);
  if ('error' in mailbox)
    return rejectedMail(
      'senderNotAllowed',
      `${name} must be one address, such as Name <${writable(may)[0]?.address ?? 'local@domain'}>: ${mailbox.error}.`,
    );
  if (!mayWriteFrom(mailbox, may))
    return rejectedMail(
      'senderNotAllowed',
      `${name} is ${mailbox.address}, and this mailbox ${mayWrite(may)}.`,
    );
  // Attack: a member who may send only on behalf of the owner, or whose right was just revoked, writes the owner's address as the name of
  // their own.
  const sharedBy = findSharedSender(mailbox, allowed);
  const named = addressesOf({ own: allowed.own, shared: sharedBy === null ? [] : [sharedBy] }, ['as']);
  const shown = decodeEncodedWords(mailbox.displayName ?? comment ?? '');
  if (NOT_SHOWN.test(shown))
    return rejectedMail(
      'senderNotAllowed',
      `The name in ${name} has an invisible character. Remove that character.`,
    );
  if (namesAnother(shown, mailbox, named))
    return rejectedMail(
      'senderNotAllowed',
      `The name in ${name} contains an address that is not the sender's. This mailbox ${mayWrite(may)}.`,
    );
  return { ...mailbox, displayName: mailbox.displayName ?? comment };
}

/** Stops this attack: many mail clients show only the name, and users mistake an address in the name for the sender's address. */
function namesAnother(shown: string, { address }: MailboxAddress, named: OwnAddresses): boolean {
  for (const [found] of shown.normalize('NFKC').matchAll(ADDRESS_IN_NAME)) {
    const mailbox = parseMailbox(found.replace(/^['.]+|['.]+$/g, ''));
    if ('error' in mailbox) return true;
    if (mailbox.address.toLowerCase() !== address.toLowerCase() && !mayWriteFrom(mailbox, named)) return true;
  }
  return false;
}

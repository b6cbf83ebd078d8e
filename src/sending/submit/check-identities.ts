/**
 * Checks that every sender identity in a message belongs to the mailbox that sends it, or to a mailbox for which it may send
 * (docs/mail-apps.md, Senders).
 */
import { organizationOf } from '../../domains/domain-name.ts';
import { mayWrite, mayWriteFrom, type OwnAddresses, writable } from '../../mailboxes/own-addresses.ts';
import {
  addressesOf,
  findSharedSender,
  type Senders,
  type SharedSender,
} from '../../mailboxes/sharing/shared-senders.ts';
import { parseDomain } from '../../rfc/address/domain.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { decodeEncodedWords } from '../../rfc/mime/index.ts';
import { type StrictField, strictValue } from '../../rfc/message/strict-header.ts';
import { type RejectedMail, rejectedMail } from './submitted-mail.ts';

/** The sender who is responsible for the message. */
export interface ResponsibleSender {
  mailbox: MailboxAddress;
  field: StrictField;
  /** The mailbox for which the message is sent. Null: it is sent in the sender's own name. */
  sharedBy: SharedSender | null;
  /** Whether the message must get a Sender field with the sender's own address. */
  needsSender: boolean;
  /**
   * Whether the mailbox redirects a message of another author: the sender is then in Resent-From, and From is left alone (RFC 5322, section
   * 3.6.6).
   */
  isRedirect: boolean;
  /** The rejection of a redirected message whose author has a deceptive name, unless a valid signature proves the author. */
  authorFault: RejectedMail | null;
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

/**
 * Returns the author in the single From field if the mailbox may use every sender address. If From is another author, the mailbox must be
 * the one that redirects the message. Otherwise returns the rejection.
 */
export function checkIdentities(
  message: Buffer,
  fields: readonly StrictField[],
  allowed: Senders,
): ResponsibleSender | RejectedMail {
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
  if ('outcome' in mailbox) {
    const isRedirect = senders.some(({ name }) => name === 'resent-from');
    return isRedirect ? readRedirectingSender(message, fields, allowed.own) : mailbox;
  }
  const sharedBy = findSharedSender(mailbox, allowed);
  const author = { mailbox, field: from, isRedirect: false, authorFault: null };
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

/** Reads the sender who redirects a message, in the name of its own mailbox. Resent fields of earlier senders are left alone. */
function readRedirectingSender(
  message: Buffer,
  fields: readonly StrictField[],
  own: OwnAddresses,
): ResponsibleSender | RejectedMail {
  const senders: Senders = { own, shared: [] };
  let sender: ResponsibleSender | null = null;
  for (const field of latestResent(fields)) {
    if (!SENDERS.has(field.name)) continue;
    const mailbox = readSender(message, field, senders, own);
    if ('outcome' in mailbox) return mailbox;
    if (field.name === 'resent-from')
      sender = {
        mailbox,
        field,
        sharedBy: null,
        needsSender: false,
        isRedirect: true,
        authorFault: authorFaultOf(message, fields, own),
      };
  }
  return sender ?? rejectedMail('senderNotAllowed', 'The latest Resent fields have no Resent-From. Add one.');
}

/**
 * Attack: the user writes the message, from a domain without a DMARC policy, with the name or the address of a colleague in From or in
 * Sender. Recipients see the name, and the return path belongs to the organization of the colleague.
 */
function authorFaultOf(
  message: Buffer,
  fields: readonly StrictField[],
  own: OwnAddresses,
): RejectedMail | null {
  for (const field of fields.filter(({ name }) => name === 'from' || name === 'sender')) {
    const name = SHOWN_AS[field.name] as string;
    const advice =
      'and the author has no valid DKIM signature. Forward the message instead of redirecting it.';
    const value = strictValue(message, field);
    // The whole field is searched, because its names may be in quotes or in comments. In quotes, a backslash is not shown.
    const shown = decodeEncodedWords(value ?? '').replaceAll('\\', '');
    if (value === null || NOT_SHOWN.test(shown.replaceAll('\t', ' ')))
      return rejectedMail('senderNotAllowed', `${name} has an invisible character, ${advice}`);
    if (namesColleague(shown, own))
      return rejectedMail('senderNotAllowed', `${name} contains an address of your organization, ${advice}`);
  }
  return null;
}

/**
 * The Resent fields of the latest sender. Each sender puts one block of them in front of the header, and a block has each field once (RFC
 * 5322, section 3.6.6). Servers put trace fields between the blocks.
 */
export function latestResent(fields: readonly StrictField[]): StrictField[] {
  const isResent = ({ name }: StrictField) => name.startsWith('resent-');
  const start = fields.findIndex(isResent);
  const block = new Map<string, StrictField>();
  for (const field of start === -1 ? [] : fields.slice(start)) {
    if (!isResent(field) || block.has(field.name)) break;
    block.set(field.name, field);
  }
  return [...block.values()];
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

/** Whether the text contains an address in a domain of the mailbox's organization, or one that only looks like an address. */
function namesColleague(shown: string, own: OwnAddresses): boolean {
  const organizations = new Set(own.map(({ domain }) => organizationOf(domain)));
  return addressesIn(shown).some((address) => {
    const domain = parseDomain(address.slice(address.lastIndexOf('@') + 1));
    return typeof domain === 'object' || organizations.has(organizationOf(domain));
  });
}

/** Stops this attack: many mail clients show only the name, and users mistake an address in the name for the sender's address. */
function namesAnother(shown: string, { address }: MailboxAddress, named: OwnAddresses): boolean {
  return addressesIn(shown).some((found) => {
    const mailbox = parseMailbox(found);
    if ('error' in mailbox) return true;
    return mailbox.address.toLowerCase() !== address.toLowerCase() && !mayWriteFrom(mailbox, named);
  });
}

function addressesIn(shown: string): string[] {
  return Array.from(shown.normalize('NFKC').matchAll(ADDRESS_IN_NAME), ([found]) =>
    found.replace(/^['.]+|['.]+$/g, ''),
  );
}

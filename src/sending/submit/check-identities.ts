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

/** The sender who is responsible for the message. */
export interface ResponsibleSender {
  mailbox: MailboxAddress;
  field: StrictField;
  /** The mailbox for which the message is sent. Null: it is sent in the sender's own name. */
  sharedBy: SharedSender | null;
  /** Whether the message must get a Sender field with the sender's own address. */
  needsSender: boolean;
  /**
   * The author, if the mailbox redirects a message of another author: the sender is then in Resent-From, and From is left alone (RFC 5322,
   * section 3.6.6).
   */
  redirected: RedirectedAuthor | null;
}

/** The author of a redirected message. Nothing proves this yet. */
export interface RedirectedAuthor {
  from: ShownSender;
  /** Null if there is no Sender. */
  sender: ShownSender | null;
  /** The domains of the mailbox that redirects the message. */
  ownDomains: readonly string[];
}

/** What a field with one address shows. */
export interface ShownSender {
  address: string;
  /** In A-labels. */
  domain: string;
  /** The domains of all texts in the field that look like an address, for example in the name. They may be invalid. */
  shownDomains: readonly string[];
  hasInvisibleCharacter: boolean;
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
  const author = { mailbox, field: from, redirected: null };
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
  let found: Pick<ResponsibleSender, 'mailbox' | 'field'> | null = null;
  for (const field of latestResent(fields)) {
    if (!SENDERS.has(field.name)) continue;
    const mailbox = readSender(message, field, senders, own);
    if ('outcome' in mailbox) return mailbox;
    if (field.name === 'resent-from') found = { mailbox, field };
  }
  if (found === null)
    return rejectedMail('senderNotAllowed', 'The latest Resent fields have no Resent-From. Add one.');
  const redirected = readRedirectedAuthor(message, fields, own);
  if ('outcome' in redirected) return redirected;
  return { ...found, sharedBy: null, needsSender: false, redirected };
}

/**
 * Reads the author of a redirected message, with the same strict parser as our own senders. Attack: the user writes a From such as
 * `ceo@acme(x).test`, in which the check of the signature finds another domain than mail clients show.
 */
function readRedirectedAuthor(
  message: Buffer,
  fields: readonly StrictField[],
  own: OwnAddresses,
): RedirectedAuthor | RejectedMail {
  let from: ShownSender | null = null;
  let sender: ShownSender | null = null;
  for (const field of fields) {
    if (field.name !== 'from' && field.name !== 'sender') continue;
    const read = readAddress(message, field, 'local@domain');
    if ('outcome' in read)
      return { ...read, text: `${read.text} Forward the message instead of redirecting it.` };
    const { address, domain } = read.mailbox;
    // The whole field is searched, because local parts in quotes look like addresses too. In quotes, a backslash is not shown.
    const text = decodeEncodedWords(read.value).replaceAll('\\', '').replaceAll('\t', ' ');
    const shown = {
      address,
      domain,
      shownDomains: addressesIn(text).map((found) => found.slice(found.lastIndexOf('@') + 1)),
      hasInvisibleCharacter: NOT_SHOWN.test(text),
    };
    if (field.name === 'from') from = shown;
    else sender = shown;
  }
  if (from === null) throw new TypeError('the header has no From field');
  return { from, sender, ownDomains: [...new Set(own.map((one) => one.domain))] };
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

/** Reads a field that must have exactly one address. @param example an address for the error message */
function readAddress(
  message: Buffer,
  field: StrictField,
  example: string,
): { mailbox: MailboxAddress; value: string } | RejectedMail {
  const name = SHOWN_AS[field.name] as string;
  const value = strictValue(message, field);
  if (value === null) return rejectedMail('senderNotAllowed', `${name} is not UTF-8. Encode it as UTF-8.`);
  const [, address = value, comment = null] = WITH_COMMENT.exec(value) ?? [];
  const mailbox = parseMailbox(address);
  if ('error' in mailbox)
    return rejectedMail(
      'senderNotAllowed',
      `${name} must be one address, such as Name <${example}>: ${mailbox.error}.`,
    );
  return { mailbox: { ...mailbox, displayName: mailbox.displayName ?? comment }, value };
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
  const read = readAddress(message, field, writable(may)[0]?.address ?? 'local@domain');
  if ('outcome' in read) return read;
  const { mailbox } = read;
  if (!mayWriteFrom(mailbox, may))
    return rejectedMail(
      'senderNotAllowed',
      `${name} is ${mailbox.address}, and this mailbox ${mayWrite(may)}.`,
    );
  // Attack: a member who may send only on behalf of the owner, or whose right was just revoked, writes the owner's address as the name of
  // their own.
  const sharedBy = findSharedSender(mailbox, allowed);
  const named = addressesOf({ own: allowed.own, shared: sharedBy === null ? [] : [sharedBy] }, ['as']);
  const shown = decodeEncodedWords(mailbox.displayName ?? '');
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
  return mailbox;
}

/** Stops this attack: many mail clients show only the name, and users mistake an address in the name for the sender's address. */
function namesAnother(shown: string, { address }: MailboxAddress, named: OwnAddresses): boolean {
  return addressesIn(shown).some((found) => {
    const mailbox = parseMailbox(found);
    if ('error' in mailbox) return true;
    return mailbox.address.toLowerCase() !== address.toLowerCase() && !mayWriteFrom(mailbox, named);
  });
}

/** Characters that are not shown, and spaces that are too narrow to be noticed. Attack: with them, an address is not found. */
const UNNOTICED = /[\p{Default_Ignorable_Code_Point}\u2000-\u200a\u202f\u205f]/gu;

function addressesIn(shown: string): string[] {
  const text = shown
    .replaceAll(UNNOTICED, '')
    .normalize('NFKC')
    // In a domain, an ideographic full stop means a dot, and looks like one.
    .replaceAll('\u3002', '.')
    .replaceAll(/ *@ */g, '@');
  return Array.from(text.matchAll(ADDRESS_IN_NAME), ([found]) => found.replace(/^['.]+|['.]+$/g, ''));
}

/** Reads the machine-readable part of a delivery status notification (RFC 3464; in UTF-8, RFC 6533). */

export type DsnAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

export interface DsnRecipient {
  /** The address without type and angle brackets. Null if the field is missing or names no address. */
  readonly finalRecipient: string | null;
  readonly originalRecipient: string | null;
  /** The value of the Action field. Null if the field is missing or invalid. */
  readonly action: DsnAction | null;
  /** The enhanced code of the Status field (RFC 3463). */
  readonly status: string | null;
  /** The text after the code in the Status field. The RFC allows no such text, but some programs write the reason there. */
  readonly statusComment: string | null;
  readonly diagnostic: string | null;
  readonly remoteMta: string | null;
}

export interface DeliveryStatus {
  readonly reportingMta: string | null;
  /** The first 1000 recipients, in the order of the report. */
  readonly recipients: readonly DsnRecipient[];
}

const MAX_RECIPIENTS = 1_000;
const MAX_LINES = 20_000;
const MAX_VALUE = 4_096;
const ACTIONS: readonly string[] = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'];
const FIELD = /^([A-Za-z][A-Za-z0-9-]{0,60})[ \t]{0,8}:(.*)$/;
const STATUS = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;

/** Fields that begin a new recipient, even if there is no empty line before the field. */
const OPENERS = new Set(['final-recipient', 'original-recipient']);

/** Fields that show that a group is about a recipient. */
const OF_RECIPIENT = [...OPENERS, 'action', 'status'];

/**
 * Reads the text of a `message/delivery-status` or `message/global-delivery-status` part. Never throws. Lines that are not fields are
 * skipped. A group without any field in `OF_RECIPIENT` describes the message.
 */
export function readDeliveryStatus(text: string): DeliveryStatus {
  const message = new Map<string, string>();
  const recipients: DsnRecipient[] = [];
  for (const group of readGroups(text)) {
    if (OF_RECIPIENT.some((name) => group.has(name))) {
      if (recipients.length < MAX_RECIPIENTS) recipients.push(readRecipient(group));
    } else {
      for (const [name, value] of group) if (!message.has(name)) message.set(name, value);
    }
  }
  const reporting = message.get('reporting-mta') ?? null;
  return {
    reportingMta: reporting === null ? null : typed(reporting).value,
    recipients,
  };
}

type Group = Map<string, string>;

/** The groups of fields between empty lines, unfolded. Of several fields with the same name in a group, the first is used. */
function readGroups(text: string): Group[] {
  const groups: Group[] = [];
  let group: Group = new Map();
  let name = '';
  const close = (): void => {
    if (group.size > 0) groups.push(group);
    group = new Map();
    name = '';
  };
  for (const line of text.split(/\r?\n/, MAX_LINES)) {
    const match = FIELD.exec(line);
    if (line.trim() === '') {
      close();
    } else if (match !== null) {
      const next = (match[1] as string).toLowerCase();
      if (OPENERS.has(next) && group.has(next)) close();
      name = next;
      if (group.has(name)) name = '';
      else group.set(name, (match[2] as string).trim().slice(0, MAX_VALUE));
    } else if (name !== '' && /^[ \t]/.test(line)) {
      const value = group.get(name) as string;
      if (value.length < MAX_VALUE) group.set(name, `${value} ${line.trim()}`.slice(0, MAX_VALUE));
    }
  }
  close();
  return groups;
}

function readRecipient(group: Group): DsnRecipient {
  const action = (/^[a-z]+/.exec((group.get('action') ?? '').toLowerCase()) ?? [''])[0];
  const status = STATUS.exec(group.get('status') ?? '');
  const comment = status?.input.slice(status.index + status[0].length).trim();
  return {
    finalRecipient: address(group.get('final-recipient')),
    originalRecipient: address(group.get('original-recipient')),
    action: ACTIONS.includes(action) ? (action as DsnAction) : null,
    status: status?.[1] ?? null,
    statusComment: comment || null,
    diagnostic: typed(group.get('diagnostic-code') ?? '').value || null,
    remoteMta: typed(group.get('remote-mta') ?? '').value || null,
  };
}

/** Splits `smtp; text` into type and value. If there is no valid type, the whole text is the value. */
function typed(text: string): { type: string | null; value: string } {
  const match = /^([A-Za-z][A-Za-z0-9_-]{0,30})[ \t]{0,8};/.exec(text);
  if (match === null) return { type: null, value: text };
  return { type: (match[1] as string).toLowerCase(), value: text.slice(match[0].length).trim() };
}

function address(text: string | undefined): string | null {
  if (text === undefined) return null;
  const { type, value } = typed(text);
  const bracketed = /<([^<>]{1,1000})>/.exec(value)?.[1] ?? value;
  const plain = type === 'utf-8' ? decodeUtf8Address(bracketed) : bracketed;
  return plain.trim() || null;
}

const EMBEDDED = /\\x\{([0-9A-Fa-f]{2,6})\}/g;

/** Decodes `\x{...}` to a character (RFC 6533, section 3). */
function decodeUtf8Address(text: string): string {
  return text.replace(EMBEDDED, (all, digits: string) => {
    const code = Number.parseInt(digits, 16);
    return code > 0x1f && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
      ? String.fromCodePoint(code)
      : all;
  });
}

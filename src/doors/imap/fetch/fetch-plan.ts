/** The plan of a FETCH command: the fields to read from the store, and how to write each item. */
import type { MaybePromise } from '../../../model/maybe-promise.ts';
import type { FetchItem, Section } from '../../../rfc/imap/command.ts';
import { formatDateTime } from '../../../rfc/imap/dates.ts';
import { formatAstring, formatString } from '../../../rfc/imap/format-text.ts';
import { envelopeFor, structureFor } from '../../../rfc/imap/structure-text.ts';
import { areUsual, selectUsual } from '../../../rfc/imap/usual-fields.ts';
import type { FlaggedMessage } from '../../../store/change-flags.ts';
import type { MessageField } from '../../../store/read-fields.ts';
import { formatObjectId } from '../object-ids.ts';
import type { FolderSession } from '../session.ts';
import type { OctetSource, MessageOctets } from './message-octets.ts';

export interface FetchedMessage extends FlaggedMessage {
  field(name: MessageField): string;
}

/** An item that needs the bytes of the message. */
export interface OctetItem {
  /** The name of the item in the response, such as `BODY[TEXT]<0>`. */
  name: string;
  /** Whether the response has only the number of octets (BINARY.SIZE). */
  isSize: boolean;
  read(octets: MessageOctets): MaybePromise<OctetSource | null>;
}

/** An item that can be built from the stored header fields of a message. */
interface StoredItem {
  name: string;
  /** @param fields stored header fields of the message (`usualFields`) @returns one character per octet */
  select(fields: string): string;
}

export interface FetchPlan {
  fields: ReadonlySet<MessageField>;
  hasFlags: boolean;
  hasModseq: boolean;
  texts: readonly ((message: FetchedMessage) => string)[];
  octets: readonly OctetItem[];
  /** The items that replace `octets` for messages with stored header fields. Null if the bytes of every message are needed. */
  storedItems: readonly StoredItem[] | null;
  setsSeen: boolean;
}

const WHOLE: Section = { part: [], text: null };
const HEADER: Section = { part: [], text: 'HEADER' };
const TEXT: Section = { part: [], text: 'TEXT' };

/** @param items without duplicates */
export function planFetch(session: FolderSession, items: readonly FetchItem[]): FetchPlan {
  const { isUtf8 } = session;
  const fields = new Set<MessageField>(['flags', 'keywords', 'modseq']);
  const texts: ((message: FetchedMessage) => string)[] = [];
  const octets: OctetItem[] = [];
  const stored: StoredItem[] = [];
  let setsSeen = false;
  const show = (field: MessageField, write: (value: string) => string): void => {
    fields.add(field);
    texts.push((message) => write(message.field(field)));
  };
  const showOctets = (name: string, section: Section, peek: boolean): void => {
    setsSeen ||= !peek;
    octets.push({ name, isSize: false, read: (message) => message.section(section, null) });
  };
  for (const item of items) {
    switch (item.item) {
      case 'FLAGS':
        texts.push((message) => `FLAGS ${session.flagsOf(message)}`);
        break;
      case 'UID':
        texts.push(({ uid }) => `UID ${uid}`);
        break;
      case 'MODSEQ':
        texts.push(({ modseq }) => `MODSEQ (${modseq})`);
        break;
      case 'RFC822.SIZE':
        show('octets', (value) => `RFC822.SIZE ${value}`);
        break;
      case 'INTERNALDATE':
        show('internalDate', (value) => `INTERNALDATE ${dateOf(value)}`);
        break;
      case 'SAVEDATE':
        show('saveDate', (value) => `SAVEDATE ${dateOf(value)}`);
        break;
      case 'EMAILID':
        show('objectId', (value) => `EMAILID (${formatObjectId('email', value)})`);
        break;
      case 'THREADID':
        show('threadId', (value) => `THREADID (${formatObjectId('thread', value)})`);
        break;
      case 'PREVIEW':
        show('preview', (value) => `PREVIEW ${formatString(value, isUtf8)}`);
        break;
      case 'ENVELOPE':
        show('envelope', (value) => `ENVELOPE ${envelopeFor(value, isUtf8)}`);
        break;
      case 'BODY':
      case 'BODYSTRUCTURE': {
        const shape = { hasExtension: item.item === 'BODYSTRUCTURE', isUtf8 };
        show('bodyStructure', (value) => `${item.item} ${structureFor(value, shape)}`);
        break;
      }
      case 'RFC822':
        showOctets(item.item, WHOLE, false);
        break;
      case 'RFC822.HEADER':
        showOctets(item.item, HEADER, true);
        break;
      case 'RFC822.TEXT':
        showOctets(item.item, TEXT, false);
        break;
      case 'BODY[]': {
        const { section, partial, peek } = item;
        setsSeen ||= !peek;
        const name = `BODY[${sectionName(section, isUtf8)}]${originOf(partial)}`;
        octets.push({ name, isSize: false, read: (message) => message.section(section, partial) });
        const names = usualNames(section);
        if (names !== null)
          stored.push({ name, select: (fields) => cut(selectUsual(fields, names), partial) });
        break;
      }
      case 'BINARY[]': {
        const { part, partial, peek } = item;
        setsSeen ||= !peek;
        const name = `BINARY[${part.join('.')}]${originOf(partial)}`;
        octets.push({ name, isSize: false, read: (message) => message.decoded(part, partial) });
        break;
      }
      case 'BINARY.SIZE[]': {
        const { part } = item;
        const name = `BINARY.SIZE[${part.join('.')}]`;
        octets.push({ name, isSize: true, read: (message) => message.decoded(part, null) });
        break;
      }
    }
  }
  if (octets.length > 0) fields.add('digest').add('octets');
  const canUseStored = octets.length > 0 && stored.length === octets.length;
  if (canUseStored) fields.add('usualFields');
  const has = (name: FetchItem['item']): boolean => items.some(({ item }) => item === name);
  return {
    fields,
    hasFlags: has('FLAGS'),
    hasModseq: has('MODSEQ'),
    texts,
    octets,
    storedItems: canUseStored ? stored : null,
    setsSeen,
  };
}

/** The requested header fields in lower case; null if the section needs more than the stored header fields. */
function usualNames({ part, text }: Section): ReadonlySet<string> | null {
  if (part.length > 0 || text === null || typeof text === 'string' || text.not) return null;
  return areUsual(text.fields) ? new Set(text.fields.map((name) => name.toLowerCase())) : null;
}

function cut(octets: string, partial: readonly [number, number] | null): string {
  return partial === null ? octets : octets.slice(partial[0], partial[0] + partial[1]);
}

/** @param seconds seconds since 1970 */
function dateOf(seconds: string): string {
  return formatDateTime(new Date(Number(seconds) * 1_000));
}

function sectionName({ part, text }: Section, isUtf8: boolean): string {
  const numbers = part.join('.');
  if (text === null) return numbers;
  const dot = numbers === '' ? '' : '.';
  if (typeof text === 'string') return `${numbers}${dot}${text}`;
  const fields = text.fields.map((field) => formatAstring(field, isUtf8)).join(' ');
  return `${numbers}${dot}HEADER.FIELDS${text.not ? '.NOT' : ''} (${fields})`;
}

function originOf(partial: readonly [number, number] | null): string {
  return partial === null ? '' : `<${partial[0]}>`;
}

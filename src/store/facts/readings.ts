/** The kinds of data that are read from messages, in this thread or in a worker thread. */
import { type SectionPart, partOf } from '../../rfc/imap/sections.ts';
import { headerEnd, readEntity } from '../../rfc/mime/index.ts';
import { type MessageText, textOfUnreadable, readMessageText } from './read-message-text.ts';
import { factsOfUnreadable, LIMITS, type MessageFacts, readMessageFacts } from './message-facts.ts';

export interface Reading<T> {
  /** Never throws. */
  read(raw: Buffer): T;
  /** The result for a message that could not be read. */
  ofUnreadable(raw: Buffer): T;
}

const facts: Reading<MessageFacts> = { read: readMessageFacts, ofUnreadable: factsOfUnreadable };

const parts: Reading<SectionPart> = {
  read: (raw) => partOf(readEntity(raw, LIMITS)),
  ofUnreadable: (raw) => ({
    start: 0,
    bodyStart: headerEnd(raw),
    end: raw.length,
    transferEncoding: 'binary',
    isMultipart: false,
    parts: [],
    message: null,
  }),
};

const text: Reading<MessageText> = { read: readMessageText, ofUnreadable: textOfUnreadable };

export const READINGS = { facts, parts, text };

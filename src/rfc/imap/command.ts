/**
 * The IMAP commands (RFC 9051, section 6; RFC 3501; the extensions that `docs/mail-apps.md` lists), completely parsed. In IMAP,
 * "mailbox" means a folder. This module and `doors/imap` use the word in that sense.
 */

/** A sequence number or UID. `*` is the largest number in use (RFC 9051, section 9, seq-number). */
export type SetNumber = number | '*';
/** `saved` is `$`, the saved search result (RFC 5182). Ranges are neither sorted nor merged, and `first` may be above `last`. */
export type SequenceSet = 'saved' | readonly (readonly [first: SetNumber, last: SetNumber])[];
/** UIDs or sequence numbers of messages that the client has from an earlier session (RFC 7162, section 7). */
export type KnownSet = readonly (readonly [first: number, last: number])[];

/** A section of a message (RFC 9051, section 6.4.5). `part` is [] for the message itself. */
export interface Section {
  part: readonly number[];
  /** The requested text of the part. Null for the whole part. */
  text: 'HEADER' | 'TEXT' | 'MIME' | { fields: readonly string[]; not: boolean } | null;
}

/** FETCH items that are a single keyword. */
export type FetchWord =
  | (
      | 'FLAGS'
      | 'ENVELOPE'
      | 'BODYSTRUCTURE'
      | 'BODY'
      | 'INTERNALDATE'
      | 'UID'
      | 'MODSEQ'
      | 'EMAILID'
      | 'THREADID'
    )
  | ('SAVEDATE' | 'RFC822.SIZE' | 'RFC822' | 'RFC822.HEADER' | 'RFC822.TEXT');

export type FetchItem =
  | { item: FetchWord }
  | { item: 'PREVIEW'; lazy: boolean }
  | {
      item: 'BODY[]';
      section: Section;
      peek: boolean;
      partial: readonly [offset: number, octets: number] | null;
    }
  | {
      item: 'BINARY[]';
      part: readonly number[];
      peek: boolean;
      partial: readonly [offset: number, octets: number] | null;
    }
  | { item: 'BINARY.SIZE[]'; part: readonly number[] };

/** SEARCH keys that are a single keyword. */
export type SearchWord =
  | (
      | 'ALL'
      | 'ANSWERED'
      | 'DELETED'
      | 'DRAFT'
      | 'FLAGGED'
      | 'NEW'
      | 'OLD'
      | 'RECENT'
      | 'SEEN'
      | 'SAVEDATESUPPORTED'
    )
  | ('UNANSWERED' | 'UNDELETED' | 'UNDRAFT' | 'UNFLAGGED' | 'UNSEEN');
export type SearchTextKey = 'BCC' | 'BODY' | 'CC' | 'FROM' | 'SUBJECT' | 'TEXT' | 'TO';
export type SearchDayKey =
  | ('BEFORE' | 'ON' | 'SINCE' | 'SENTBEFORE' | 'SENTON' | 'SENTSINCE')
  | ('SAVEDBEFORE' | 'SAVEDON' | 'SAVEDSINCE');
/** A day without a time zone, such as [2026, 11, 22]. */
export type Day = readonly [year: number, month: number, day: number];

export type SearchKey =
  | { key: SearchWord }
  | { key: SearchTextKey; value: string }
  | { key: 'HEADER'; field: string; value: string }
  | { key: 'KEYWORD' | 'UNKEYWORD'; keyword: string }
  | { key: SearchDayKey; day: Day }
  | { key: 'LARGER' | 'SMALLER'; octets: number }
  | { key: 'OLDER' | 'YOUNGER'; seconds: number }
  | { key: 'EMAILID' | 'THREADID'; id: string }
  | { key: 'MODSEQ'; modseq: number }
  | { key: 'SEQ' | 'UID'; set: SequenceSet }
  | { key: 'NOT'; of: SearchKey }
  | { key: 'OR'; either: SearchKey; or: SearchKey }
  | { key: 'AND'; all: readonly SearchKey[] };

/**
 * The options of RETURN. Null if the command has no RETURN, so that the response is an untagged SEARCH or SORT instead of ESEARCH. An empty
 * RETURN () is ['ALL']. Negative numbers in `partial` count from the end (RFC 9394).
 */
export type SearchReturn =
  | readonly (
      | 'MIN'
      | 'MAX'
      | 'ALL'
      | 'COUNT'
      | 'SAVE'
      | { partial: readonly [first: number, last: number] }
    )[]
  | null;

export type SortKey = {
  by: 'ARRIVAL' | 'CC' | 'DATE' | 'FROM' | 'SIZE' | 'SUBJECT' | 'TO' | 'DISPLAYFROM' | 'DISPLAYTO';
  reverse: boolean;
};

export type StatusItem =
  | 'MESSAGES'
  | 'UIDNEXT'
  | 'UIDVALIDITY'
  | 'UNSEEN'
  | 'DELETED'
  | 'SIZE'
  | 'RECENT'
  | 'HIGHESTMODSEQ'
  | 'MAILBOXID'
  | 'APPENDLIMIT'
  | 'DELETED-STORAGE';

export interface AppendMessage {
  flags: readonly string[];
  internalDate: Date | null;
  /** The unchanged bytes of the message, from a literal, a literal8 or `UTF8 (~{n}`. */
  bytes: Buffer;
}

/** A parsed command. Mailbox names are decoded from modified UTF-7, or from UTF-8 if the session has enabled UTF-8. */
export type Command =
  | {
      name:
        | 'CAPABILITY'
        | 'NOOP'
        | 'LOGOUT'
        | 'STARTTLS'
        | 'CLOSE'
        | 'UNSELECT'
        | 'CHECK'
        | 'IDLE'
        | 'NAMESPACE';
    }
  | {
      name: 'AUTHENTICATE';
      mechanism: string;
      /** The initial response in base64; `=` if the response is empty. Null if the client sent no initial response. */
      initialResponse: string | null;
    }
  | { name: 'LOGIN'; user: string; password: string }
  | { name: 'ID'; fields: ReadonlyMap<string, string | null> | null }
  | { name: 'ENABLE'; capabilities: readonly string[] }
  | { name: 'COMPRESS'; mechanism: string }
  | {
      name: 'SELECT' | 'EXAMINE';
      mailbox: string;
      condstore: boolean;
      qresync: {
        uidValidity: number;
        modseq: number;
        knownUids: KnownSet | null;
        /** A sample of sequence numbers and their UIDs, both in ascending order. */
        seqMatch: { numbers: KnownSet; uids: KnownSet } | null;
      } | null;
    }
  | { name: 'CREATE'; mailbox: string; use: readonly string[] }
  | { name: 'DELETE' | 'SUBSCRIBE' | 'UNSUBSCRIBE'; mailbox: string }
  | { name: 'RENAME'; from: string; to: string }
  | {
      name: 'LIST';
      /** Whether the command has the extended form (RFC 5258). */
      extended: boolean;
      select: readonly ('SUBSCRIBED' | 'REMOTE' | 'RECURSIVEMATCH' | 'SPECIAL-USE')[];
      reference: string;
      patterns: readonly string[];
      return: readonly ('SUBSCRIBED' | 'CHILDREN' | 'SPECIAL-USE' | { status: readonly StatusItem[] })[];
    }
  /** `pattern` is null if it cannot match any name. */
  | { name: 'LSUB'; reference: string; pattern: string | null }
  | { name: 'STATUS'; mailbox: string; items: readonly StatusItem[] }
  | { name: 'APPEND'; mailbox: string; messages: readonly AppendMessage[] }
  | { name: 'REPLACE'; uid: boolean; number: SetNumber; mailbox: string; message: AppendMessage }
  | { name: 'GETQUOTA'; root: string }
  | { name: 'GETQUOTAROOT'; mailbox: string }
  | { name: 'SETQUOTA'; root: string }
  | { name: 'GETACL' | 'MYRIGHTS'; mailbox: string }
  | { name: 'LISTRIGHTS' | 'DELETEACL'; mailbox: string; identifier: string }
  | { name: 'SETACL'; mailbox: string; identifier: string; rights: string }
  /** `uids` is null for EXPUNGE, and the set of UIDs for UID EXPUNGE. */
  | { name: 'EXPUNGE'; uids: SequenceSet | null }
  | { name: 'SEARCH'; uid: boolean; return: SearchReturn; charset: string | null; criteria: SearchKey }
  | {
      name: 'SORT';
      uid: boolean;
      return: SearchReturn;
      keys: readonly SortKey[];
      charset: string;
      criteria: SearchKey;
    }
  | { name: 'THREAD'; uid: boolean; algorithm: string; charset: string; criteria: SearchKey }
  | {
      name: 'FETCH';
      uid: boolean;
      set: SequenceSet;
      items: readonly FetchItem[];
      changedSince: number | null;
      vanished: boolean;
      partial: readonly [first: number, last: number] | null;
    }
  | {
      name: 'STORE';
      uid: boolean;
      set: SequenceSet;
      how: 'replace' | 'add' | 'remove';
      silent: boolean;
      flags: readonly string[];
      unchangedSince: number | null;
    }
  | { name: 'COPY' | 'MOVE'; uid: boolean; set: SequenceSet; mailbox: string };

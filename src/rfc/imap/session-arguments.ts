/** Parses commands about the session (RFC 9051, sections 6.1 to 6.3.1; RFC 2971, 4959, 4978, 5161). */
import type { Command } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';

const MAX_CAPABILITIES = 50;
/** Limits on ID: the number of pairs, and the octets of a name and of a value (RFC 2971, section 3.3). */
const ID = { pairs: 30, field: 30, value: 1_024 };
const BASE64 = /[A-Za-z0-9+/=]+/y;
const NIL = /NIL(?![^ )])/iy;

export function readAuthenticate(cursor: CommandCursor): Command {
  cursor.space('a mechanism, such as PLAIN');
  const mechanism = cursor.atom('a mechanism, such as PLAIN').toUpperCase();
  const initialResponse = cursor.more()
    ? (cursor.match(BASE64) ?? cursor.needs('a response in base64'))
    : null;
  return { name: 'AUTHENTICATE', mechanism, initialResponse };
}

export function readLogin(cursor: CommandCursor): Command {
  cursor.space('an address and a password');
  const user = cursor.text('an address');
  cursor.space('a password');
  return { name: 'LOGIN', user, password: cursor.text('a password') };
}

export function readId(cursor: CommandCursor): Command {
  const what = 'a list of names and values, or NIL';
  cursor.space(what);
  if (cursor.match(NIL) !== null) return { name: 'ID', fields: null };
  const fields = new Map<string, string | null>();
  cursor.list('pairs', ID.pairs, () => {
    const field = cursor.text('a name');
    cursor.space(`a value after each name`);
    const value = cursor.match(NIL) === null ? cursor.text('a value') : null;
    if (field.length > ID.field) cursor.fault(`ID has a name with more than ${ID.field} octets`);
    if ((value ?? '').length > ID.value) cursor.fault(`ID has a value with more than ${ID.value} octets`);
    fields.set(field.toLowerCase(), value);
  });
  return { name: 'ID', fields };
}

export function readEnable(cursor: CommandCursor): Command {
  const capabilities: string[] = [];
  const what = 'a capability, such as CONDSTORE';
  cursor.space(what);
  do {
    if (capabilities.length === MAX_CAPABILITIES)
      cursor.fault(`ENABLE has more than ${MAX_CAPABILITIES} capabilities`);
    capabilities.push(cursor.atom(what).toUpperCase());
  } while (cursor.more());
  return { name: 'ENABLE', capabilities };
}

export function readCompress(cursor: CommandCursor): Command {
  cursor.space('a mechanism, such as DEFLATE');
  return { name: 'COMPRESS', mechanism: cursor.atom('a mechanism, such as DEFLATE').toUpperCase() };
}

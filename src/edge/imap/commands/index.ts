/** Every command: who may give it when, and what is told before its answer. */
import type { Command } from '../../../rfc/imap/command.ts';
import type { Entry, Named } from './entry.ts';
import { login } from './login.ts';
import { capability, logout, noop } from './plain.ts';
import { select } from './select.ts';
import { startTls } from './starttls.ts';

// biome-ignore format: a table
export const COMMANDS = {
  CAPABILITY: { in: 'any', run: capability },
  NOOP: { in: 'any', run: noop, looks: true },
  LOGOUT: { in: 'any', run: logout, tells: 'nothing' },
  STARTTLS: { in: 'before', run: startTls },
  LOGIN: { in: 'before', run: login },
  SELECT: { in: 'signed-in', run: select, tells: 'nothing' },
  EXAMINE: { in: 'signed-in', run: select, tells: 'nothing' },
} satisfies { [Name in Command['name']]?: Entry<Named<Name>> };

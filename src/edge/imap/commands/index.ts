/** Every command: who may give it when, and what is told before its answer. */
import type { Command } from '../../../rfc/imap/command.ts';
import type { Entry, Named } from './entry.ts';
import { authenticate } from './authenticate.ts';
import { close, unselect } from './close.ts';
import { compress } from './compress.ts';
import { enable } from './enable.ts';
import { idle } from './idle.ts';
import { login } from './login.ts';
import { capability, check, id, logout, noop } from './plain.ts';
import { select } from './select.ts';
import { startTls } from './starttls.ts';

// biome-ignore format: a table
export const COMMANDS = {
  CAPABILITY: { in: 'any', run: capability },
  NOOP: { in: 'any', run: noop, looks: true },
  ID: { in: 'any', run: id },
  LOGOUT: { in: 'any', run: logout, tells: 'nothing' },
  STARTTLS: { in: 'before', run: startTls },
  LOGIN: { in: 'before', run: login },
  AUTHENTICATE: { in: 'before', run: authenticate },
  ENABLE: { in: 'signed-in', run: enable },
  COMPRESS: { in: 'signed-in', run: compress },
  SELECT: { in: 'signed-in', run: select, tells: 'nothing' },
  EXAMINE: { in: 'signed-in', run: select, tells: 'nothing' },
  IDLE: { in: 'signed-in', run: idle },
  CHECK: { in: 'selected', run: check, looks: true },
  CLOSE: { in: 'selected', run: close },
  UNSELECT: { in: 'selected', run: unselect },
} satisfies { [Name in Command['name']]?: Entry<Named<Name>> };

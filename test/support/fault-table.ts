/** Reads the table in docs/delivery.md that lists the outcomes of server faults. */
import { readFileSync } from 'node:fs';
import type { Stage } from './smtp-server.ts';

/** Stages by their names on the page. */
export const STAGES: Readonly<Record<string, Stage>> = {
  greeting: 'connect',
  EHLO: 'ehlo',
  STARTTLS: 'starttls',
  handshake: 'handshake',
  MAIL: 'mail',
  RCPT: 'rcpt',
  DATA: 'data',
  dot: 'dot',
  QUIT: 'quit',
};

/** Faults of the test server, by their names on the page. */
export const FAULTS: Readonly<Record<string, string>> = {
  '4xx': '450 4.3.0 later',
  '5xx': '554 5.7.1 no',
  close: 'close',
  reset: 'reset',
  stall: 'stall',
  garbage: 'garbage',
  drip: 'drip',
  endless: 'endless',
};

export interface FaultCell {
  /** The stage and the fault, by their names on the page. */
  stage: string;
  fault: string;
  /** The outcome of the email: one of the terms that the page explains. */
  word: string;
}

/** The cells of the table, in the order of the page. */
export function readFaultTable(): FaultCell[] {
  const page = readFileSync(new URL('../../docs/delivery.md', import.meta.url), 'utf8');
  const rows = page.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    return cells.length === 11 ? [cells.slice(1, -1)] : [];
  });
  const [[, ...faults] = [], , ...body] = rows;
  return body.flatMap(([stage = '', ...words]) =>
    words.flatMap((word, at) =>
      word === '-' ? [] : [{ stage, fault: faults[at]?.toLowerCase() ?? '', word }],
    ),
  );
}

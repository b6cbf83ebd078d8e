/**
 * The outcome of faults when a destination has several hosts, with one fault of each kind. The tests in smtp/ cover every cell of the fault
 * table.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { directTo, TWO_HOSTS } from '../../../../test/support/direct-to.ts';
import { FAULTS, type FaultCell, readFaultTable, STAGES } from '../../../../test/support/fault-table.ts';
import { IMPATIENT, outboundMessage, PATIENT } from '../../../../test/support/relay-to.ts';
import { type SmtpServerOptions, startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { testCertificate } from '../../../../test/support/tls/certificate.ts';
import type { Outcome } from '../provider.ts';

const DELIVERED = 'accepted over TLS by mx0.example.net';
const ELSEWHERE = 'accepted over TLS by mx1.example.net';

/** The outcome if all hosts have the fault (`all`), and if only the best host has it (`best`). */
const MEANINGS: Readonly<Record<string, { all: string; best: string }>> = {
  'next host': { all: 'transient host', best: ELSEWHERE },
  HELO: { all: 'accepted by mx0.example.net', best: 'accepted by mx0.example.net' },
  'in the clear': { all: 'accepted by mx0.example.net', best: 'accepted by mx0.example.net' },
  'sender waits': { all: 'transient sender', best: 'transient sender' },
  deferred: { all: 'transient message', best: 'transient message' },
  'again, then sender waits': { all: 'transient sender', best: ELSEWHERE },
  'again, then deferred': { all: 'transient message', best: ELSEWHERE },
  'in doubt': { all: 'transient message, in doubt', best: 'transient message, in doubt' },
  bounced: { all: 'permanent', best: 'permanent' },
  delivered: { all: DELIVERED, best: DELIVERED },
};

function describeOutcome(outcome: Outcome): string {
  assert.ok('reply' in outcome);
  const { reply } = outcome;
  if (outcome.outcome === 'accepted')
    return `accepted${reply.tls ? ' over TLS' : ''} by ${reply.remoteMta ?? 'nobody'}`;
  if (outcome.outcome !== 'transient') return outcome.outcome;
  const doubt = reply.text.startsWith('It is unknown whether') ? ', in doubt' : '';
  return `transient ${outcome.scope}${doubt}`;
}

async function outcomeOf({ stage, fault }: FaultCell, who: 'all' | 'best'): Promise<string> {
  const reply: SmtpServerOptions['reply'] = (at) => (at === STAGES[stage] ? FAULTS[fault] : undefined);
  const common = { tls: testCertificate };
  await using best = await startSmtpServer({ ...common, reply });
  await using other = await startSmtpServer({
    ...common,
    host: '127.0.0.2',
    port: best.port,
    ...(who === 'all' ? { reply } : {}),
  });
  const timings = fault === 'stall' ? IMPATIENT : PATIENT;
  const direct = await directTo(best.port, TWO_HOSTS, { timings });
  const outcome = describeOutcome(await direct.send(outboundMessage()));
  await direct[Symbol.asyncDispose]();
  const accepted = best.messages.length + other.messages.length;
  assert.equal(accepted, outcome.startsWith('accepted') ? 1 : 0);
  assert.deepEqual([...best.violations, ...other.violations], []);
  return outcome;
}

/**
 * The tests cover one cell of the table for each outcome, and all cells at MAIL, because a server that hangs up at MAIL has received no
 * part of the message.
 */
const table = readFaultTable();
const cells = new Set([
  ...new Map(table.map((cell) => [cell.word, cell])).values(),
  ...table.filter(({ stage }) => stage === 'MAIL'),
]);

describe('a host that misbehaves', { concurrency: 8 }, () => {
  for (const cell of cells) {
    const { stage, fault, word } = cell;
    const meaning = MEANINGS[word];
    test(`${fault} at ${stage} of every host: ${word}`, async () => {
      assert.equal(await outcomeOf(cell, 'all'), meaning?.all);
    });
    test(`${fault} at ${stage} of the best host: ${word}`, async () => {
      assert.equal(await outcomeOf(cell, 'best'), meaning?.best);
    });
  }
});

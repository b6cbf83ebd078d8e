/** Checks that rspamd scores mail. If configured, rspamd replaces the built-in spam filter. */
import { Rspamd } from '../../receiving/spam/rspamd.ts';
import { formatDate } from '../../rfc/message/format-date.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** The score at which rspamd adds a spam header by default. */
const SPAM = 6;

/** Sends an ordinary message to rspamd for scoring. */
export async function checkRspamd({ config, nowMs }: World, url: string): Promise<Finding> {
  const { hostname } = config;
  const message = [
    `From: Doctor <doctor@${hostname}>`,
    `To: doctor@${hostname}`,
    'Subject: How are you?',
    `Date: ${formatDate(new Date(nowMs()))}`,
    `Message-ID: <doctor.${nowMs()}@${hostname}>`,
    '',
    'This message checks that incoming mail is scored. It is not delivered.',
    '',
  ].join('\r\n');
  const arrival = {
    raw: Buffer.from(message),
    address: '127.0.0.1',
    helo: hostname,
    mailFrom: `doctor@${hostname}`,
  };
  await using rspamd = new Rspamd(url);
  const verdict = await rspamd.check(arrival, { iprev: { result: 'fail', name: null } });
  if (verdict === null) {
    return problem(
      'rspamd does not answer at POSTHORN_RSPAMD_URL. Until it does, the built-in spam filter scores mail.',
      'Start rspamd, and set POSTHORN_RSPAMD_URL to the address of its normal worker, such as http://localhost:11333.',
    );
  }
  if (verdict.score >= SPAM) {
    return warning(
      `rspamd gives an ordinary message a score of ${verdict.score}.`,
      'Check that rspamd can use DNS. Without DNS it classifies all mail as spam.',
    );
  }
  return ok(`rspamd answers, and gives an ordinary message a score of ${verdict.score}.`);
}

/** Whether rspamd scores in place of our own scorer. */
import { Rspamd } from '../../receiving/spam/rspamd.ts';
import { formatDate } from '../../rfc/message/format-date.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** What rspamd itself takes for spam enough to say so in the message. */
const SPAM = 6;

/** Asks it about an ordinary letter. */
export async function checkRspamd({ config, nowMs }: World, url: string): Promise<Finding> {
  const { hostname } = config;
  const letter = [
    `From: Doctor <doctor@${hostname}>`,
    `To: doctor@${hostname}`,
    'Subject: How are you?',
    `Date: ${formatDate(new Date(nowMs()))}`,
    `Message-ID: <doctor.${nowMs()}@${hostname}>`,
    '',
    'This letter asks whether the mail that comes in is looked at. Nobody gets it.',
    '',
  ].join('\r\n');
  const arrival = {
    raw: Buffer.from(letter),
    address: '127.0.0.1',
    helo: hostname,
    mailFrom: `doctor@${hostname}`,
  };
  await using rspamd = new Rspamd(url);
  const verdict = await rspamd.check(arrival, { iprev: { result: 'fail', name: null } });
  if (verdict === null) {
    return problem(
      'rspamd gives no answer at POSTHORN_RSPAMD_URL, so our own scorer judges.',
      'Start rspamd, and name the address of its normal worker, such as http://localhost:11333.',
    );
  }
  if (verdict.score >= SPAM) {
    return warning(
      `rspamd gives an ordinary letter a score of ${verdict.score}.`,
      'See whether its DNS works: without, it takes all mail for spam.',
    );
  }
  return ok(`rspamd answers, and gives an ordinary letter a score of ${verdict.score}.`);
}

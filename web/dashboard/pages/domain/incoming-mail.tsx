import type { DashboardDomain } from '../../../../src/contract/dashboard/domains.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';

/** Whether mail for the domain is received here, and why. */
export function IncomingMail({
  domain: { domain, mail, has_mailboxes: hasMailboxes },
}: {
  domain: DashboardDomain;
}) {
  const isComplete = mail.accepted && mail.delivered_here;
  // Without mailboxes no mail is expected here.
  const tone = isComplete ? 'good' : hasMailboxes ? 'warn' : 'quiet';
  return (
    <Card title="Incoming mail" aside={<Badge tone={tone}>{badgeOf(mail)}</Badge>}>
      <p className="text-pretty wrap-anywhere">{mail.reason}</p>
      <p className="mt-1 text-pretty text-muted">
        {sentenceOf(mail, domain)}{' '}
        <a href="/docs/domains#where-mail-is-delivered" className="text-accent underline underline-offset-2">
          Where mail is delivered
        </a>
      </p>
    </Card>
  );
}

function badgeOf({ accepted, delivered_here: isLocal }: DashboardDomain['mail']): string {
  if (!accepted) return 'Not received here';
  return isLocal ? 'Received here' : 'Delivered elsewhere';
}

function sentenceOf({ accepted, delivered_here: isLocal }: DashboardDomain['mail'], domain: string): string {
  if (!accepted) return `Mailboxes and aliases at ${domain} receive nothing.`;
  return isLocal
    ? `Mailboxes and aliases at ${domain} receive mail from outside and from this server.`
    : `Mail that arrives here for ${domain} is accepted. Mail that this server sends to it leaves, and is delivered where its MX is.`;
}

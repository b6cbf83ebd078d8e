import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Time } from '../../../ui/time.tsx';
import { local } from '../../../ui/times.ts';
import { useMay, useProject, useSession } from '../../shell/session.ts';
import { allSuppressions } from '../suppressions/queries.ts';
import { RemoveDialog } from '../suppressions/remove-dialog.tsx';
import { diagnosticOf } from '../suppressions/words.ts';
import { useOrder } from '../system/order-buttons.tsx';
import { SendAgainButton } from './email-actions.tsx';
import { useCommand } from './email-commands.tsx';
import { emailQuery } from './queries.ts';
import { destinationOf, type Recipient, type Trouble, type Troubled, troublesOf } from './troubles.ts';

/** The number of recipients that a card lists at first. */
const SHOWN_RECIPIENTS = 5;

/** Says for each recipient whom the email has not reached why, whether it is retried, and what to do. */
export function TroubleCards({ email }: { email: InspectedEmail }) {
  const troubles = troublesOf(email);
  if (troubles.length === 0) return null;
  return (
    <div className="mb-6 grid gap-4">
      {troubles.map((trouble) => (
        <TroubleCard key={trouble.key} email={email} trouble={trouble} />
      ))}
    </div>
  );
}

interface TroubleProps {
  email: InspectedEmail;
  trouble: Trouble;
}

function TroubleCard({ email, trouble }: TroubleProps) {
  const { what, badge, cause, retries, advice, recipients } = trouble;
  const [first, ...others] = recipients;
  const isOne = first !== undefined && others.length === 0;
  return (
    <Card title={what} aside={<Badge tone={badge.tone}>{badge.name}</Badge>}>
      <p className="max-w-3xl">{advice}</p>
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-2 sm:gap-x-5">
        {isOne && email.recipients.length > 1 && <Fact name="Recipient">{first.recipient.address}</Fact>}
        <Fact name="Cause">{cause}</Fact>
        {retries !== null && <Fact name="Retries">{retries}</Fact>}
        {isOne && <OwnFacts email={email} troubled={first} />}
        {!isOne && (
          <Fact name="Recipients">
            <Recipients email={email} recipients={recipients} />
          </Fact>
        )}
      </dl>
      <Remedies email={email} trouble={trouble} />
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="max-w-20 text-muted sm:max-w-none">{name}</dt>
      <dd className="max-w-3xl min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

/** The facts about the only recipient of a card. */
function OwnFacts({ email, troubled }: { email: InspectedEmail; troubled: Troubled }) {
  const { recipient, statement } = troubled;
  const { suppression } = recipient;
  const earlierReply = suppression === null || statement !== null ? null : diagnosticOf(suppression);
  const listed = listedWords(email, troubled);
  return (
    <>
      {hasNextAttempt(recipient) && (
        <Fact name="Next attempt">
          <NextAttempt recipient={recipient} />
        </Fact>
      )}
      {statement !== null && (
        <Fact name={statement.name}>
          <Quotation>{statement.text}</Quotation>
          {statement.server !== null && (
            <span className="text-sm text-muted">
              {/* The details are Posthorn's own words. */}
              {statement.name === 'Details' ? ' at ' : ' from '}
              {statement.server}
            </span>
          )}
        </Fact>
      )}
      {earlierReply !== null && (
        <Fact name="Earlier reply">
          <Quotation>{earlierReply}</Quotation>
        </Fact>
      )}
      {listed !== null && <Fact name="Suppressed">{listed}</Fact>}
    </>
  );
}

function Quotation({ children }: { children: string }) {
  return <q className="font-mono text-sm [quotes:none]">{children}</q>;
}

function hasNextAttempt({ is_done: isDone, next_attempt_at: nextAt }: Recipient): boolean {
  return !isDone && nextAt !== null;
}

function NextAttempt({ recipient }: { recipient: Recipient }) {
  const { next_attempt_at: nextAt, attempts } = recipient;
  if (nextAt === null) return null;
  return (
    <>
      {local.exact(nextAt)}{' '}
      <span className="text-muted">
        (<Time value={nextAt} />)
      </span>
      {`, attempt ${attempts + 1}`}
    </>
  );
}

/** How an address got on the suppression list: without a known email, or before and after the words for the email. */
const LISTING = {
  bounce: { without: 'after a bounce', before: 'because', after: ' bounced' },
  complaint: { without: 'as a spam complaint', before: 'after a complaint about', after: '' },
  unsubscribe: { without: 'as unsubscribed', before: 'because the recipient unsubscribed with', after: '' },
  manual: { without: 'manually', before: 'manually, for', after: '' },
} as const;

/** Since when the address is on the suppression list, and why; null if neither is nor was. */
function listedWords(email: InspectedEmail, { recipient, wasListed }: Troubled): ReactNode {
  const { suppression } = recipient;
  if (suppression === null) {
    if (wasListed === null) return null;
    return wasListed ? 'No longer. The address was removed from the list.' : 'No.';
  }
  const { email_id: cause, created_at: since, expires_at: until } = suppression;
  const { without, before, after } = LISTING[suppression.reason];
  return (
    <>
      Since {local.exact(since)}{' '}
      <span className="text-muted">
        (<Time value={since} />)
      </span>
      {cause === null ? (
        ` ${without}`
      ) : (
        <>
          {` ${before} `}
          {cause === email.id ? (
            'this email'
          ) : (
            <Link to="/emails/$id" params={{ id: cause }} className="font-medium text-accent hover:underline">
              another email
            </Link>
          )}
          {after}
        </>
      )}
      {until !== null && `, until ${local.exact(until)}`}. No mail is sent to the address.
    </>
  );
}

function Recipients({ recipients }: { email: InspectedEmail; recipients: readonly Troubled[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? recipients : recipients.slice(0, SHOWN_RECIPIENTS);
  return (
    <>
      <ul>
        {shown.map(({ recipient }) => (
          <li key={recipient.address}>
            {recipient.address}
            <span className="text-sm text-muted">
              {hasNextAttempt(recipient) && (
                <>
                  , next attempt <Time value={recipient.next_attempt_at} />
                </>
              )}
              {recipient.suppression !== null && (
                <>
                  , suppressed <Time value={recipient.suppression.created_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {recipients.length > SHOWN_RECIPIENTS && (
        <Button className="mt-2" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? `Show ${SHOWN_RECIPIENTS} recipients` : `Show all ${recipients.length} recipients`}
        </Button>
      )}
    </>
  );
}

/** The buttons of a card, for what the user may do. */
function Remedies({ email, trouble }: TroubleProps) {
  const { user } = useSession();
  const mayChange = useMay('developer');
  const { remedies, recipients } = trouble;
  const [first] = recipients;
  const buttons = [
    mayChange && remedies.includes('try') && recipients.some(({ recipient }) => recipient.can_try_now) && (
      <CommandButton key="try" id={email.id} command="try" name="Try now" />
    ),
    mayChange && remedies.includes('retry') && (
      <CommandButton key="retry" id={email.id} command="retry" name="Retry" />
    ),
    remedies.includes('domain') && <DomainLink key="domain" id={email.domain_id} />,
    user.is_operator && remedies.includes('destination') && first !== undefined && (
      <DestinationButton key="destination" email={email} recipient={first.recipient} />
    ),
    // The email would be sent to all recipients, also to those that it has reached.
    remedies.includes('send-again') && recipients.length === email.recipients.length && (
      <SendAgainButton key="send-again" email={email} />
    ),
    mayChange && <RemoveButton key="remove" email={email} recipients={recipients} />,
  ];
  return <div className="mt-4 flex flex-wrap gap-2 empty:hidden">{buttons}</div>;
}

function CommandButton({ id, command, name }: { id: string; command: 'try' | 'retry'; name: string }) {
  const { mutate, isPending } = useCommand(id);
  return (
    <Button isBusy={isPending} onClick={() => mutate(command)}>
      {name}
    </Button>
  );
}

function DomainLink({ id }: { id: string | null }) {
  return id === null ? (
    <Link to="/domains" className={buttonClass()}>
      Open domains
    </Link>
  ) : (
    <Link to="/domains/$id" params={{ id }} className={buttonClass()}>
      Open domain
    </Link>
  );
}

function DestinationButton({ email, recipient }: { email: InspectedEmail; recipient: Recipient }) {
  const project = useProject();
  const queries = useQueryClient();
  const { mutate, isPending } = useOrder(
    recipient.is_paused ? 'resume' : 'try',
    () => void queries.invalidateQueries({ queryKey: emailQuery(project.id, email.id).queryKey }),
  );
  const domain = destinationOf(recipient);
  return (
    <Button isBusy={isPending} onClick={() => mutate(domain)}>
      {recipient.is_paused ? `Resume ${domain}` : `Try ${domain} now`}
    </Button>
  );
}

/** Removes addresses that bounced or were added manually. Recipients that complained or unsubscribed decided themselves. */
function RemoveButton({ email, recipients }: { email: InspectedEmail; recipients: readonly Troubled[] }) {
  const project = useProject();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const entries = recipients.flatMap(({ recipient }) => recipient.suppression ?? []);
  const addresses = entries.flatMap(({ reason, address }) =>
    reason === 'bounce' || reason === 'manual' ? address : [],
  );
  const [entry] = entries;
  if (entry === undefined) return null;
  if (addresses.length === 0)
    return entries.length > 1 ? null : (
      <Link to="/suppressions" search={{ address: entry.address }} className={buttonClass()}>
        Open suppression
      </Link>
    );
  return (
    <>
      <Button onClick={() => setAsking(true)}>Remove from list</Button>
      {isAsking && (
        <RemoveDialog
          project={project.id}
          addresses={addresses}
          onRemoved={async () => {
            await queries.invalidateQueries({ queryKey: allSuppressions(project.id) });
            await queries.invalidateQueries({ queryKey: emailQuery(project.id, email.id).queryKey });
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

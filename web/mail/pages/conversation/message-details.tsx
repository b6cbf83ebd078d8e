import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import type { MailMessageSummary, MailPerson } from '../../../../src/contract/mail/conversations.ts';
import { bytes } from '../../../ui/amounts.ts';
import { classes } from '../../../ui/classes.ts';
import { ShieldIcon, WarningIcon } from '../../../ui/icons.tsx';
import { local } from '../../../ui/times.ts';
import { PersonButton } from '../../people/person-button.tsx';
import { shownAddress, shownName } from '../../reading/people.ts';

const MAX_LISTED = 200;

interface MessageDetailsProps {
  id: string;
  summary: MailMessageSummary;
  message: MailMessage | undefined;
}

/** The sender, the recipients, the dates and the checks of a message. */
export default function MessageDetails({ id, summary, message }: MessageDetailsProps) {
  return (
    <dl
      id={id}
      className="relative z-1 mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 rounded-md bg-sunken px-3 py-2.5 text-sm"
    >
      <People name="From" people={summary.from} />
      <People name="Reply-To" people={summary.reply_to} />
      <People name="To" people={summary.to} />
      <People name="Cc" people={summary.cc} />
      <People name="Bcc" people={summary.bcc} />
      {summary.date !== null && <Line name="Date">{local.dateTime(summary.date)}</Line>}
      <Line name="Received">{local.dateTime(summary.received_at)}</Line>
      <Line name="Size">{bytes(summary.octets)}</Line>
      {summary.message_id !== null && <Line name="Message-ID">{summary.message_id}</Line>}
      {message !== undefined && (
        <Line name="Security">
          <span
            className={classes(
              'flex items-start gap-1.5',
              { pass: 'text-good', fail: 'text-bad', none: 'text-warn', unknown: 'text-muted' }[
                message.authentication.verdict
              ],
            )}
          >
            {message.authentication.verdict === 'fail' || message.authentication.verdict === 'none' ? (
              <WarningIcon className="mt-0.5" />
            ) : (
              <ShieldIcon className="mt-0.5" />
            )}
            {message.authentication.text}
          </span>
          {message.authentication.details.map((detail) => (
            <span key={detail} className="block text-muted">
              {detail}
            </span>
          ))}
        </Line>
      )}
      {message?.spam != null && (
        <Line name="Spam check">
          {message.spam.text}
          {message.spam.details.map((detail) => (
            <span key={detail} className="block text-muted">
              {detail}
            </span>
          ))}
        </Line>
      )}
    </dl>
  );
}

function People({ name, people }: { name: string; people: readonly MailPerson[] }) {
  if (people.length === 0) return null;
  return (
    <Line name={name}>
      {people.slice(0, MAX_LISTED).map((person, at) => (
        <span key={`${person.address} ${at}`} className="block">
          <PersonButton person={person} className="rounded-sm text-start hover:underline">
            <bdi>{shownName(person)}</bdi>
          </PersonButton>
          {shownName(person) !== shownAddress(person.address) && (
            <span className="text-muted">
              {' '}
              <bdi>&lt;{shownAddress(person.address)}&gt;</bdi>
            </span>
          )}
        </span>
      ))}
      {people.length > MAX_LISTED && (
        <span className="text-muted">and {people.length - MAX_LISTED} more</span>
      )}
    </Line>
  );
}

function Line({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  );
}

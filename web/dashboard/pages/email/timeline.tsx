import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { Status, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { ChevronRightIcon } from '../../../ui/icons.tsx';
import type { LiveUpdates } from '../../shell/live.ts';
import { Moment, Time } from '../../../ui/time.tsx';
import { type Inspected, nameOf, TONES, wireOf, wordsOf } from './event-words.ts';
import type { DialogueLine } from '../../../../src/contract/events.ts';
import { counted, number } from '../../../ui/amounts.ts';

const SPEAKERS = { client: 'C', server: 'S', note: '–' } as const;

const NAMES = { client: 'Posthorn', server: 'Server', note: 'Note' } as const;

/** A longer list of events shows only the last events at first. */
const MAX_UNFOLDED = 8;
const LAST_EVENTS = 5;

const DOTS: Readonly<Record<Tone, string>> = {
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  info: 'bg-accent',
  quiet: 'bg-edge',
};

/** The events of an email: first the events of the whole email, then the events of each recipient. */
export function Timeline({ email, updates }: { email: InspectedEmail; updates: LiveUpdates }) {
  const { recipients } = email;
  const events = withEarlier(email.events);
  const isSingle = recipients.length === 1;
  const ofAll = isSingle ? events : events.filter(({ event }) => event.recipient === null);
  return (
    <section aria-label="Timeline" className="min-w-0 xl:order-last">
      <h2 className="mb-3 flex items-center gap-2 text-lg">
        Timeline
        {!email.is_done && (
          <span className="flex items-center gap-1.5 text-xs font-normal text-muted">
            <span
              aria-hidden="true"
              className={classes(
                'size-1.5 rounded-full',
                updates.areComing ? 'animate-pulse bg-accent' : 'bg-edge',
              )}
            />
            {updates.areComing ? 'Live' : updates.status}
          </span>
        )}
      </h2>
      {email.removed_fields.length > 0 && (
        <p className="mb-3 text-sm text-pretty wrap-anywhere text-muted">
          Removed header fields for other sending services: {email.removed_fields.join(', ')}.
        </p>
      )}
      <Events events={ofAll} />
      {isSingle && <Waiting recipient={recipients[0]} />}
      {email.events_left_out > 0 && (
        <p className="mt-3 text-sm text-muted">{email.events_left_out} events in between are not shown.</p>
      )}
      {!isSingle &&
        recipients.map((recipient, at) => (
          <details
            // The index is part of the key, because all erased recipients have the same address.
            key={`${recipient.address} ${at}`}
            open={recipients.length <= 5 || undefined}
            className="group mt-4 border-t border-line pt-3"
          >
            <summary className="flex list-none items-center gap-2 [&::-webkit-details-marker]:hidden">
              <ChevronRightIcon className="text-muted transition-transform group-open:rotate-90" />
              <span className="min-w-0 flex-1 wrap-anywhere">
                {recipient.address} <span className="text-sm text-muted">{recipient.field}</span>
              </span>
              <Status value={recipient.status} />
            </summary>
            <div className="pt-3 pl-1">
              <Events events={events.filter(({ event }) => event.recipient === recipient.address)} />
              <Waiting recipient={recipient} />
            </div>
          </details>
        ))}
    </section>
  );
}

interface TimedEvent extends Inspected {
  /** The time of the event before, of the same recipient or of the whole email. */
  earlier: string | undefined;
}

function withEarlier(events: readonly Inspected[]): TimedEvent[] {
  // The index of the last event of each recipient, and of the whole email.
  const last = new Map<string | null, number>();
  return events.map((inspected, at) => {
    const { recipient } = inspected.event;
    const before = Math.max(last.get(recipient) ?? -1, last.get(null) ?? -1);
    last.set(recipient, at);
    return { ...inspected, earlier: events[before]?.event.created_at };
  });
}

function Events({ events }: { events: readonly TimedEvent[] }) {
  const [showsAll, setShowsAll] = useState(false);
  if (events.length === 0) return <p className="text-sm text-muted">No events yet.</p>;
  const isLong = events.length > MAX_UNFOLDED;
  return (
    <>
      {isLong && (
        <Button className="mb-3" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? `Show the last ${LAST_EVENTS} events` : `Show all ${events.length} events`}
        </Button>
      )}
      <ol>
        {(isLong && !showsAll ? events.slice(-LAST_EVENTS) : events).map((inspected) => (
          <Event key={inspected.event.id} {...inspected} />
        ))}
      </ol>
    </>
  );
}

function Event({ event, deliveries, earlier }: TimedEvent) {
  const wire = wireOf(event);
  return (
    <li className="relative pb-4 pl-5 before:absolute before:top-4 before:bottom-0 before:left-[3px] before:w-px before:bg-line last:pb-0 last:before:hidden">
      <span
        aria-hidden="true"
        className={classes('absolute top-2 left-0 size-[7px] rounded-full', DOTS[TONES[event.type]])}
      />
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{nameOf(event)}</span>
        <span className="ml-auto text-right text-sm text-muted">
          <Moment value={event.created_at} earlier={earlier} />
        </span>
      </div>
      {wordsOf(event).map((line) => (
        <p key={line} className="text-sm wrap-anywhere text-muted">
          {line}
        </p>
      ))}
      {wire !== null && (wire.remoteMta !== null || wire.tls !== null) && (
        <p className="text-sm wrap-anywhere text-muted">
          {[wire.remoteMta, wire.tls === true && 'over TLS', wire.tls === false && 'without TLS']
            .filter(Boolean)
            .join(', ')}
        </p>
      )}
      {wire !== null && wire.dialogue.length > 0 && <Dialogue lines={wire.dialogue} />}
      {deliveries.length > 0 && <Deliveries deliveries={deliveries} />}
    </li>
  );
}

/** The webhooks that an event was sent to, and their responses. */
function Deliveries({ deliveries }: Pick<Inspected, 'deliveries'>) {
  const sorted = deliveries.toSorted((one, other) => one.url.localeCompare(other.url));
  return (
    <ul aria-label="Webhooks" className="mt-1 grid gap-1">
      {sorted.map((delivery) => (
        <li key={delivery.id} className="min-w-0 text-sm">
          <Link
            to="/webhooks/$id"
            params={{ id: delivery.webhook_id }}
            search={{ delivery: delivery.id }}
            className="block truncate text-muted underline decoration-line underline-offset-2 hover:text-text"
            title={delivery.url}
          >
            {delivery.url.replace(/^https?:\/\//, '')}
          </Link>
          <span className="flex items-center gap-2 text-muted">
            <Status value={delivery.status} />
            {[
              delivery.http_status ?? (delivery.error === null ? null : 'no response'),
              delivery.attempts > 1 && counted(delivery.attempts, 'attempt'),
            ]
              .filter(Boolean)
              .join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Waiting({ recipient }: { recipient: InspectedEmail['recipients'][number] | undefined }) {
  if (recipient === undefined || recipient.is_done) return null;
  const {
    waits_for: destination,
    next_attempt_at: nextAt,
    other_provider: otherProvider,
    is_paused: isPaused,
  } = recipient;
  if (otherProvider !== null)
    return (
      <p className="mt-2 pl-5 text-sm text-muted">
        {otherProvider === 'sandbox'
          ? 'The email was accepted while this installation was a sandbox, so it will not be sent for now. An operator can release or withdraw it.'
          : 'The email was accepted for real delivery, but this installation is now a sandbox. The email waits and uses no retries.'}
      </p>
    );
  if (destination !== null)
    return (
      <p className="mt-2 pl-5 text-sm text-muted">
        Waits until {isPaused ? `an operator resumes ${destination}` : `${destination} accepts mail again`}.
      </p>
    );
  if (nextAt === null || recipient.attempts === 0) return null;
  return (
    <p className="mt-2 pl-5 text-sm text-muted">
      Next attempt <Time value={nextAt} />
    </p>
  );
}

/** The SMTP dialogue of an attempt, collapsed at first. */
function Dialogue({ lines }: { lines: readonly DialogueLine[] }) {
  const tookMs = lines.at(-1)?.at_ms ?? 0;
  return (
    <details className="group/dialogue mt-1">
      <summary className="flex list-none items-center gap-1 text-sm text-accent [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon className="transition-transform group-open/dialogue:rotate-90" />
        SMTP dialogue
        <span className="text-muted">{number(tookMs)} ms</span>
      </summary>
      {/* The tab stop lets users scroll the dialogue with the keyboard. */}
      <ol
        tabIndex={0}
        aria-label="SMTP dialogue"
        className="mt-1.5 max-h-96 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs"
      >
        {lines.map(({ at_ms: atMs, by, text }, at) => (
          <li key={at} className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-1" title={`after ${atMs} ms`}>
            <span className={classes('text-muted', by === 'client' && 'text-accent')}>
              <span aria-hidden="true">{SPEAKERS[by]}</span>
              <span className="sr-only">{NAMES[by]}:</span>
            </span>
            <span className={classes('wrap-anywhere', by === 'note' && 'text-muted')}>{text}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

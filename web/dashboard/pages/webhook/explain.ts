/** Explains the outcome of a delivery, and what to do about it. */
import type { DeliverySummary } from '../../../../src/contract/dashboard/webhooks.ts';

export interface Explanation {
  what: string;
  advice: string;
}

/** The service's errors for attempts without a response (docs/webhooks.md, Answering), by how they begin. */
const ERRORS: readonly (readonly [start: string, Explanation])[] = [
  [
    'timed out',
    {
      what: 'Your receiver took longer than 10 seconds.',
      advice: 'Store the event, answer at once, and do the work afterwards.',
    },
  ],
  [
    'connection refused',
    {
      what: 'Nothing listens at that host and port.',
      advice: 'Start your receiver, and look at the port of the URL and at your firewall.',
    },
  ],
  [
    'the connection was closed',
    {
      what: 'Your receiver closed the connection before it answered.',
      advice:
        'Look into its log at the time of the attempt: it may have crashed, or a proxy before it gave up.',
    },
  ],
  [
    'no connection in time',
    { what: 'No connection could be made.', advice: 'A firewall may drop the packets, or the host is down.' },
  ],
  [
    'no route to the host',
    {
      what: 'The host cannot be reached from here.',
      advice: 'Look at its address, and at the network between.',
    },
  ],
  [
    'TLS',
    {
      what: 'The certificate of your receiver is not valid, or TLS could not be agreed.',
      advice: 'Renew the certificate, serve the whole chain, and see that it names the host of the URL.',
    },
  ],
  [
    'the address is not public',
    {
      what: 'The URL leads to an address that is not public.',
      advice: 'Webhooks go to public addresses only. Give the webhook a public URL.',
    },
  ],
  [
    'the webhook',
    {
      what: 'The webhook was paused while this delivery waited.',
      advice: 'Resume it, then replay this delivery.',
    },
  ],
  [
    'the event is gone',
    {
      what: 'The email of this event was deleted before it was delivered.',
      advice: 'Nothing can be sent any more.',
    },
  ],
  [
    'the header of the answer',
    {
      what: 'The header of the answer is larger than 16 KB.',
      advice: 'Answer without large cookies or header fields.',
    },
  ],
  [
    'the answer is not HTTP',
    {
      what: 'What answered does not speak HTTP/1.1.',
      advice: 'Look at the port of the URL, and whether it begins with https.',
    },
  ],
  [
    'only https',
    {
      what: 'The URL begins with http, and in production only https is dialled.',
      advice: 'Give the webhook a URL that begins with https.',
    },
  ],
  [
    'the host name',
    {
      what: 'The host of the URL could not be looked up.',
      advice: 'See that its name is right and that DNS knows it.',
    },
  ],
  [
    'the host has no public address',
    {
      what: 'The host of the URL has no public address.',
      advice: 'Webhooks go to public addresses only. Give the webhook a public URL.',
    },
  ],
  [
    'the sender stopped',
    {
      what: 'The service was stopped during the last attempt.',
      advice: 'Nobody knows whether your receiver has the event. Replay it: its id is the same.',
    },
  ],
  [
    'given up by the service',
    {
      what: 'The service was stopped during the attempt.',
      advice: 'Nobody knows whether your receiver has the event. Replay it: its id is the same.',
    },
  ],
  [
    'the signing secret',
    {
      what: 'The secret of the webhook cannot be opened, so nothing can be signed.',
      advice: 'Rotate the secret, and tell whoever runs the service.',
    },
  ],
];

const STATUSES: Readonly<Record<number, Explanation>> = {
  400: {
    what: 'Your receiver found the request malformed.',
    advice: 'Read the body as bytes: it is JSON with the type application/json.',
  },
  401: {
    what: 'Your receiver did not believe the request.',
    advice: 'Verify it by the signature with the current secret, not by a sign-in.',
  },
  403: {
    what: 'Your receiver refused the request.',
    advice: 'Look at its signature check, at its clock, and at a firewall that wants a cookie or a browser.',
  },
  404: {
    what: 'Nothing is at this path.',
    advice: 'Compare the path of the URL with the route of your receiver.',
  },
  405: { what: 'The path does not take POST.', advice: 'Give the URL of a route that takes POST.' },
  410: {
    what: 'Your receiver says that the path is gone for good.',
    advice: 'Change the URL, or delete the webhook.',
  },
  413: { what: 'Your receiver takes no bodies of this size.', advice: 'Let it take bodies of up to 1 MB.' },
  429: {
    what: 'Your receiver wants fewer requests.',
    advice: 'Take the events into a queue of your own, and answer at once.',
  },
};

/** Null if it was delivered or not attempted yet. */
export function explain({
  status,
  attempts,
  http_status,
  error,
}: Pick<DeliverySummary, 'status' | 'attempts' | 'http_status' | 'error'>): Explanation | null {
  if (status === 'delivered' || (attempts === 0 && error === null)) return null;
  if (error !== null) {
    const known = ERRORS.find(([start]) => error.startsWith(start))?.[1];
    if (known !== undefined) return known;
  }
  if (http_status === null)
    return error === null
      ? null
      : { what: 'There was no answer.', advice: 'Look at your receiver and the network before it.' };
  const known = STATUSES[http_status];
  if (known !== undefined) return known;
  if (http_status < 400) {
    return {
      what: 'Your receiver redirects. Redirects are not followed.',
      advice: 'Give the webhook the final URL.',
    };
  }
  if (http_status < 500) {
    return { what: 'Your receiver refused the request.', advice: 'What it answered below may say why.' };
  }
  return { what: 'Your receiver failed.', advice: 'Look into its log at the time of the attempt.' };
}

/** Explains the outcome of a delivery, and how to fix a failure. */
import type { DeliverySummary } from '../../../../src/contract/dashboard/webhooks.ts';

export interface Explanation {
  what: string;
  advice: string;
}

/** An explanation with other advice for a delivery that has attempts left. */
interface KnownError extends Explanation {
  adviceWhilePending?: string;
}

/**
 * Explains the errors that the service records for attempts without a response (docs/webhooks.md, Answering). An error is recognized by its
 * first words.
 */
const ERRORS: readonly (readonly [start: string, KnownError])[] = [
  [
    'timed out',
    {
      what: 'Your endpoint took longer than 10 seconds.',
      advice: 'Store the event, respond immediately, and process it afterwards.',
    },
  ],
  [
    'connection refused',
    {
      what: 'Nothing listens on that host and port.',
      advice: 'Start your endpoint, and check the port of the URL and your firewall.',
    },
  ],
  [
    'the connection was closed',
    {
      what: 'Your endpoint closed the connection before it responded.',
      advice:
        'Check its log at the time of the attempt: the endpoint may have crashed, or a proxy may have timed out.',
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
      advice: 'Check its address and the network in between.',
    },
  ],
  [
    'TLS',
    {
      what: 'The certificate of your endpoint is not valid, or the TLS handshake failed.',
      advice:
        'Renew the certificate, serve the whole chain, and make sure that it names the host of the URL.',
    },
  ],
  [
    'the address is not public',
    {
      what: 'The URL resolves to an address that is not public.',
      advice: 'Webhooks are sent only to public addresses. Use a public URL.',
    },
  ],
  [
    'the webhook',
    {
      what: 'The webhook was paused while this delivery was pending.',
      advice: 'Resume the webhook, then replay this delivery.',
    },
  ],
  [
    'the event is gone',
    {
      what: 'The email of this event was deleted before it was delivered.',
      advice: 'The event can no longer be sent.',
    },
  ],
  [
    'the response headers',
    {
      what: 'The response headers are larger than 16 KB.',
      advice: 'Respond without large cookies or headers.',
    },
  ],
  [
    'the response is not HTTP',
    {
      what: 'The server did not respond with HTTP/1.1.',
      advice: 'Check the port of the URL, and whether it begins with https.',
    },
  ],
  [
    'only https',
    {
      what: 'The URL begins with http, but in production only https is allowed.',
      advice: 'Use a URL that begins with https.',
    },
  ],
  [
    'the host name',
    {
      what: 'The host of the URL could not be looked up.',
      advice: 'Check the host name and its DNS records.',
    },
  ],
  [
    'the host has no public address',
    {
      what: 'The host of the URL has no public address.',
      advice: 'Webhooks are sent only to public addresses. Use a public URL.',
    },
  ],
  [
    'the sender stopped',
    {
      what: 'The service was stopped during the last attempt.',
      advice: 'Your endpoint may or may not have received the event. Replay it: the event ID stays the same.',
    },
  ],
  [
    'cancelled by the service',
    {
      what: 'The service was stopped during the attempt.',
      advice: 'Your endpoint may or may not have received the event. Replay it: the event ID stays the same.',
      adviceWhilePending:
        'Your endpoint may or may not have received the event. It is sent again with the same event ID.',
    },
  ],
  [
    'the signing secret',
    {
      what: 'The signing secret of the webhook cannot be decrypted.',
      advice: 'Rotate the secret, and notify an operator.',
    },
  ],
];

const STATUSES: Readonly<Record<number, Explanation>> = {
  400: {
    what: 'Your endpoint rejected the request as malformed.',
    advice: 'Read the body as bytes: it is JSON with the type application/json.',
  },
  401: {
    what: 'Your endpoint did not authenticate the request.',
    advice: 'Verify the signature with the current secret instead of requiring a login.',
  },
  403: {
    what: 'Your endpoint rejected the request.',
    advice:
      'Check its signature verification, its clock, and any firewall that requires cookies or a browser.',
  },
  404: {
    what: 'This path does not exist.',
    advice: 'Compare the path of the URL with the route of your endpoint.',
  },
  405: { what: 'This path does not accept POST.', advice: 'Use the URL of a route that accepts POST.' },
  410: {
    what: 'Your endpoint says that this path is permanently gone.',
    advice: 'Change the URL, or delete the webhook.',
  },
  413: { what: 'Your endpoint rejects bodies of this size.', advice: 'Allow bodies of up to 1 MB.' },
  429: {
    what: 'Your endpoint is rate limiting requests.',
    advice: 'Put events into your own queue, and respond immediately.',
  },
};

/** The explanation for an outcome. Null if the delivery has succeeded or has not been attempted yet. */
export function explain({
  status,
  attempts,
  http_status,
  error,
}: Pick<DeliverySummary, 'status' | 'attempts' | 'http_status' | 'error'>): Explanation | null {
  if (status === 'delivered' || (attempts === 0 && error === null)) return null;
  if (error !== null) {
    const known = ERRORS.find(([start]) => error.startsWith(start))?.[1];
    if (known !== undefined) {
      const { what, advice, adviceWhilePending = advice } = known;
      return { what, advice: status === 'pending' ? adviceWhilePending : advice };
    }
  }
  if (http_status === null)
    return error === null
      ? null
      : { what: 'There was no response.', advice: 'Check your endpoint and the network in front of it.' };
  const known = STATUSES[http_status];
  if (known !== undefined) return known;
  if (http_status < 400) {
    return {
      what: 'Your endpoint redirects. Redirects are not followed.',
      advice: 'Use the final URL.',
    };
  }
  if (http_status < 500) {
    return { what: 'Your endpoint rejected the request.', advice: 'The response below may say why.' };
  }
  return { what: 'Your endpoint failed.', advice: 'Check its log at the time of the attempt.' };
}

import type { EventFact } from '../../contract/events.ts';

/** The details of an event as one line. Empty if the event has no details. */
export function detailOf(event: EventFact): string {
  const { detail } = event;
  return joined(describe(event), detail !== null && 'note' in detail && detail.note && `(${detail.note})`);
}

function describe({ type, detail }: EventFact): string {
  switch (type) {
    case 'queued':
    case 'sending':
      return '';
    case 'sent':
    case 'delivered':
      return replyOf(detail);
    case 'deferred':
      return joined(replyOf(detail), detail.next_attempt_at && `(next attempt ${detail.next_attempt_at})`);
    case 'bounced':
      return joined(detail.type, detail.category, detail.diagnostic, detail.suppressed && '(suppressed)');
    case 'failed':
      return joined(detail.reason, detail.detail);
    case 'complained':
      return joined(detail.feedback_type, detail.reporting_mta);
    case 'opened':
      return joined(detail.is_machine && 'by a machine');
    case 'clicked':
      return joined(detail.url, detail.is_machine && 'by a machine');
  }
}

/** The code and text of a server's reply. The code is left out if the text already begins with it, as with some providers. */
function replyOf({
  smtp_code: code,
  response,
}: {
  smtp_code: number | null;
  response: string | null;
}): string {
  return joined(response?.startsWith(`${code} `) ? null : code, response);
}

function joined(...parts: readonly (string | number | boolean | null | undefined)[]): string {
  return parts
    .filter((part) => part !== null && part !== undefined && part !== false && part !== '')
    .join(' ');
}

/** What a calendar in a message says, as people ask for it (RFC 5545, RFC 5546). */

/** A time as its writer wrote it, and when that is. */
export interface CalendarTime {
  /** `2026-03-05T10:00:00`, or `2026-03-05` for whole days. */
  local: string;
  isAllDay: boolean;
  /** The writer's: a name of the IANA, or whatever stands there. Null: that of whoever reads it. */
  zone: string | null;
  /** Milliseconds since 1970. Null for whole days, and where nobody can say. */
  atMs: number | null;
}

export type ParticipationStatus = 'accepted' | 'tentative' | 'declined';

interface Participant {
  name: string | null;
  /** Null: it is no address of mail. */
  address: string | null;
}

export interface Attendee extends Participant {
  answer: ParticipationStatus | 'delegated' | 'none';
  isOptional: boolean;
}

export type CalendarMethod =
  | 'publish'
  | 'request'
  | 'reply'
  | 'add'
  | 'cancel'
  | 'refresh'
  | 'counter'
  | 'declinecounter';

export interface CalendarEvent {
  method: CalendarMethod;
  uid: string;
  /** Which one of a series is meant; null: all of it. */
  recurrence: CalendarTime | null;
  sequence: number;
  isCancelled: boolean;
  summary: string;
  /** Plain text. */
  description: string | null;
  location: string | null;
  /** Where people meet who are not there: https alone. */
  conference: string | null;
  start: CalendarTime;
  /** Of whole days: the last one. */
  end: CalendarTime | null;
  /** In words. */
  repeats: string | null;
  organizer: Participant | null;
  attendees: Attendee[];
  /** With those beyond the bound. */
  attendeesTotal: number;
  comment: string | null;
  /** Events in the file that are not this one, and dates of the series that it changes. */
  others: number;
  /** The zone that the file describes is not the one that it names: its own offset from UTC then, and that of the name, in minutes. */
  zoneLie: { written: number; known: number } | null;
}

/** The event from a calendar in a message, in a form for display (RFC 5545, RFC 5546). */

/** A time as written in the calendar, and the moment in milliseconds. */
export interface CalendarTime {
  /** `2026-03-05T10:00:00`, or `2026-03-05` for all-day events. */
  local: string;
  isAllDay: boolean;
  /** The time zone: an IANA name, or the name as written. Null for a floating time, which is in the reader's zone. */
  zone: string | null;
  /** The moment in milliseconds since 1970. Null for all-day events, and if the moment is unknown. */
  atMs: number | null;
}

export type ParticipationStatus = 'accepted' | 'tentative' | 'declined';

interface Participant {
  name: string | null;
  /** The email address. Null if the calendar identifies the participant in another way. */
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
  /** The start of the changed instance of a series. Null for a whole series or a single event. */
  recurrence: CalendarTime | null;
  sequence: number;
  isCancelled: boolean;
  summary: string;
  /** The description as plain text. */
  description: string | null;
  location: string | null;
  /** The URL of an online meeting. Always https. */
  conference: string | null;
  start: CalendarTime;
  /** The end of the event. For all-day events, the last day. */
  end: CalendarTime | null;
  /** The recurrence rule in words. Null if the event does not repeat. */
  repeats: string | null;
  organizer: Participant | null;
  attendees: Attendee[];
  /** The number of attendees, including attendees beyond the limit of the list. */
  attendeesTotal: number;
  comment: string | null;
  /** The number of other events in the file, including changed instances of the series. */
  others: number;
  /**
   * Set if the calendar names a known time zone but defines that zone differently. Contains, for the first time in the event at which they
   * differ, the UTC offset by the calendar's own definition (`written`) and that of the named zone (`known`), in minutes.
   */
  zoneMismatch: { written: number; known: number } | null;
}

/** The event in a message's calendar, in a form for display (RFC 5545, RFC 5546). */

/** A time as written, and the moment that it stands for. */
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
  /** The email address; null if the participant is identified in another way. */
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
  /** The instance of a series that the event is about. Null for the whole series. */
  recurrence: CalendarTime | null;
  sequence: number;
  isCancelled: boolean;
  summary: string;
  /** Plain text. */
  description: string | null;
  location: string | null;
  /** The URL of an online meeting. Always https. */
  conference: string | null;
  start: CalendarTime;
  /** The end. For all-day events, this is the last day. */
  end: CalendarTime | null;
  /** The recurrence rule in words. */
  repeats: string | null;
  organizer: Participant | null;
  attendees: Attendee[];
  /** The number of attendees, including attendees beyond the limit of the list. */
  attendeesTotal: number;
  comment: string | null;
  /** The number of other events in the file, including changed instances of the series. */
  others: number;
  /** If the file's definition of its time zone contradicts the zone's name, both offsets from UTC at that time, in minutes. Otherwise null. */
  zoneLie: { written: number; known: number } | null;
}

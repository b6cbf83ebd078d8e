/** Messages to subscribers, and the interface of the channels that send them. */
import type { AlertKind } from '../contract/dashboard/alerts.ts';
import type { Need } from '../contract/dashboard/overview.ts';
import type { AlertChannelName } from '../model/alerts.ts';
import type { WeekInNumbers } from './digest/weekly-digest.ts';

/** A problem of a project or of the installation, as it was last found. */
export interface AlertProblem extends Pick<Need, 'severity' | 'tone'> {
  kind: AlertKind;
  /** The public id of the resource concerned; null: none. */
  resource: string | null;
  /** One sentence, which may contain names that users chose. */
  text: string;
  /** Since when, as an API timestamp. Null: not known. */
  since: string | null;
}

/** A problem in a message. */
export interface ReportedProblem extends AlertProblem {
  /** `changed`: an earlier message reported it as opened, and it became worse or has another form. */
  change: 'opened' | 'changed' | 'resolved';
}

interface ProblemsContent {
  /** The most dangerous first, and a limited number. */
  problems: readonly ReportedProblem[];
  /** The number of further problems. */
  more: number;
}

/** The numbers of a project and its open problems. */
export interface WeeklyDigest extends WeekInNumbers {
  /** The most dangerous first, and a limited number. */
  problems: readonly AlertProblem[];
  /** The number of further problems. */
  more: number;
}

/** The content of a message in the outbox, by its type. */
export type StoredContent =
  | ({ type: 'alert.opened' | 'alert.resolved' } & ProblemsContent)
  | ({ type: 'digest.weekly' } & WeeklyDigest);

/** The content of a message. A test is sent at once and is never stored. */
export type AlertContent = StoredContent | { type: 'alert.test' };

/** A message to one subscriber. */
export interface AlertMessage {
  /** uuid. The same at every attempt, so that a receiver can recognize a message that it gets twice. */
  id: string;
  createdAt: Date;
  /** Null: the installation. `id` is public. */
  project: { id: string; name: string } | null;
  content: AlertContent;
  links: {
    /** The page with the problems. */
    problems: string;
    /** The page with the user's alerts, to change or remove them. */
    alerts: string;
  };
}

/** Where a message goes. The claim that read it has just checked that the user may still get it. */
export interface AlertTarget {
  /** uuids */
  subscriptionId: string;
  userId: string;
  /** The address of the user's account. */
  email: string;
  /** Whether the user has proved that the address is theirs. */
  isEmailVerified: boolean;
  userName: string;
  timeZone: string;
  /** Null for email. */
  url: string | null;
  /** Signs the requests of a webhook. Null for other channels. */
  secret: string | null;
}

export type ChannelResult =
  | { isDelivered: true; httpStatus: number | null }
  | {
      isDelivered: false;
      /** For the subscriber, in one sentence. */
      error: string;
      httpStatus: number | null;
      /** True: the target will never accept messages, so the subscription is disabled. */
      isPermanent: boolean;
    };

/** Sends messages without the queue, because the messages report problems of the queue. */
export interface AlertChannel {
  /** Sends once, within `SEND_TIMEOUT_MS`. Never rejects because of the receiver. */
  send(message: AlertMessage, target: AlertTarget): Promise<ChannelResult>;
}

/** The channels that this installation offers. */
export type AlertChannels = Partial<Record<AlertChannelName, AlertChannel>>;

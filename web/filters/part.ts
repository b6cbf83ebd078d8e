/** Types of the components that show a mailbox's filters in the dashboard and in the web client. */
import type { QueryKey } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import type {
  AddMailboxRule,
  ChangeMailboxRule,
  MailboxFiling,
  MailboxForwarding,
  MailboxRule,
  MailboxVacation,
  RuleWords,
} from '../../src/contract/mailbox-filing.ts';
import type { LoadedQuery } from '../shell/loaded.tsx';

export interface PartFrameProps {
  title: string;
  /** The status shown in the heading. */
  status?: ReactNode;
  description: ReactNode;
  /** The buttons, with the primary button last. */
  actions?: ReactNode;
  children: ReactNode;
}

export interface PartProps<Data, Calls> {
  /** Wraps the part: a separate page, or a card beside other cards. */
  frame: ComponentType<PartFrameProps>;
  query: LoadedQuery<Data>;
  /** The API of the application. Null if the user has only read access. */
  calls: Calls | null;
}

interface ChangingCalls {
  /** The key of the query that a change invalidates. */
  queryKey: QueryKey;
}

export interface RuleCalls extends ChangingCalls {
  add(rule: AddMailboxRule): Promise<unknown>;
  /** Null if rules can be added and removed, but not edited. */
  replace: ((id: string, rule: RuleWords) => Promise<unknown>) | null;
  change(id: string, change: ChangeMailboxRule): Promise<unknown>;
  remove(id: string): Promise<unknown>;
  /** Shows the rules in a new order before the service has confirmed the order. */
  show(rules: MailboxRule[]): void;
}

/** Calls for the list of blocked or of safe senders. */
export interface SenderCalls extends ChangingCalls {
  add(sender: string): Promise<unknown>;
  remove(sender: string): Promise<unknown>;
}

export interface VacationCalls extends ChangingCalls {
  set(vacation: MailboxVacation): Promise<unknown>;
  end(): Promise<unknown>;
}

export interface ForwardingCalls extends ChangingCalls {
  set(forwarding: MailboxForwarding): Promise<unknown>;
  end(): Promise<unknown>;
}

export type ListedSenders = MailboxFiling['blocked'];
export type ForwardingState = Pick<MailboxFiling, 'forwarding' | 'failing'>;

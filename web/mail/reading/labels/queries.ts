import { queryOptions, useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { MailLabel } from '../../../../src/contract/mail/labels.ts';
import { useMailbox } from '../../shell/session.ts';

/** Reloaded after changes of mail that can affect the labels (`catch-up.ts`). */
export function labelsQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['labels', mailbox],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/mailboxes/{mailbox}/labels', { params: { path: { mailbox } }, signal }))).data,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

/** The labels of the open mailbox with these keywords, sorted by name. A label that is not loaded has its keyword as its name. */
export function useLabels(keywords: readonly string[]): readonly Omit<MailLabel, 'unread'>[] {
  const { mailbox } = useMailbox();
  const all = useQuery(labelsQuery(mailbox)).data ?? [];
  return keywords
    .map(
      (keyword) => all.find((label) => label.keyword === keyword) ?? { keyword, name: keyword, color: null },
    )
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** The search for messages with a label. */
export function searchFor(keyword: string): string {
  return `label:${keyword}`;
}

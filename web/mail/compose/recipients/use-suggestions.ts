import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { Recipient } from './parse-addresses.ts';

const PAUSE_MS = 120;

/** Suggestions for the typed text. Recipients that were already added are left out. */
export function useSuggestions(
  mailbox: string,
  text: string,
  isOpen: boolean,
  chosen: readonly Recipient[],
): Recipient[] {
  const q = useSettled(text.trim().slice(0, 100), PAUSE_MS);
  const { data } = useQuery({
    queryKey: ['mail-addresses', mailbox, q],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/addresses', { params: { path: { mailbox }, query: { q } }, signal }),
      ),
    enabled: isOpen,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
  if (!isOpen || data === undefined) return [];
  const there = new Set(chosen.map(({ address }) => address.toLowerCase()));
  return data.data
    .filter(({ address }) => !there.has(address.toLowerCase()))
    .map(({ name, address }) => ({ name: name ?? '', address }));
}

/** The last value that stayed unchanged for a pause. */
function useSettled(value: string, pauseMs: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}

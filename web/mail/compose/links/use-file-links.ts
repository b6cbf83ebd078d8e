import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { ApiProblem, messageOf } from '../../../api/client.ts';
import { newKey } from '../../../ui/new-key.ts';
import { toastFailure } from '../../../ui/toast.tsx';
import {
  changeLink,
  createLink,
  createUpload,
  deleteUpload,
  fileLinksQuery,
  revokeLink,
} from '../../file-links/calls.ts';
import type { FileLink } from '../../../../src/contract/mail/file-links.ts';
import { currentUploads, isUnderWay, startUpload } from '../../file-links/upload/uploads.ts';
import { cardOf, extended, lengthOf, nameOf, tokenOf, tokensIn } from '../../file-links/words.ts';
import type { BodyHandle } from '../editor/body.ts';

/** A file link of a message being written. */
export interface DraftLink {
  key: string;
  name: string;
  octets: number;
  /** The link. Null while the link is being created, or if its creation failed. */
  link: FileLink | null;
  /** The reason why the link could not be created; null without a failure. */
  problem: string | null;
  /** Whether the link's card was removed from the message. The link is then closed after a moment. */
  isLeaving: boolean;
}

export interface FileLinkUploads {
  all: readonly DraftLink[];
  /** Creates one link for all given files. */
  add(files: readonly File[]): void;
  /** Closes the link and removes its card from the message. */
  remove(key: string): void;
  /** Inserts the card of the link again. */
  putBack(key: string): void;
  /** Updates the card after the link has changed. */
  replace(link: FileLink): void;
  /** Call when the text has changed. Closes links whose card was removed. */
  checkCards(): void;
  current(): readonly DraftLink[];
  /**
   * Moves the expiry dates, so that the chosen lifetimes begin when the message is sent.
   * @returns the reason why a date cannot be moved; null on success
   */
  extend(sentAt: Date): Promise<string | null>;
  /** Closes links that are not in the message. @param isDiscarded whether to close all links */
  closeUnusedLinks(isDiscarded?: boolean): void;
}

interface Options {
  mailbox: string;
  client: string;
  /** The text or HTML that the draft was opened with. */
  opened: string;
  body: RefObject<BodyHandle | null>;
  onChange(): void;
}

/** How long a link stays open after its card was removed, so that the user can undo the removal, or cut and paste the card. */
const LEAVING_MS = 10_000;
const CHECK_MS = 300;

/** The file links of a message. Each link has a card in the text; a link whose card is removed is closed. */
export function useFileLinks({ mailbox, client, opened, body, onChange }: Options): FileLinkUploads {
  const [all, setAll] = useState<readonly DraftLink[]>([]);
  const latest = useRef<readonly DraftLink[]>([]);
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  const checkTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const closed = useRef(new Set<string>());
  /** For each link that was extended for an attempt to send, which may have failed: the lifetime in ms that the user had chosen. */
  const chosen = useRef(new Map<string, number>());
  const queries = useQueryClient();

  const change = (next: (before: readonly DraftLink[]) => readonly DraftLink[]): void => {
    latest.current = next(latest.current);
    setAll(latest.current);
  };
  const patch = (key: string, given: Partial<DraftLink>): void =>
    change((before) => before.map((each) => (each.key === key ? { ...each, ...given } : each)));
  const changed = (): void => {
    void queries.invalidateQueries({ queryKey: ['file-links', mailbox] });
    onChange();
  };
  const present = (): Set<string> => {
    const { html = null, text = '' } = body.current?.body() ?? {};
    return tokensIn(html ?? text);
  };

  async function make(key: string, files: readonly File[]): Promise<void> {
    const uploads: string[] = [];
    try {
      for (const file of files) uploads.push(await createUpload(mailbox, file));
      const link = await createLink(mailbox, uploads, client);
      for (const [at, file] of files.entries()) startUpload(mailbox, uploads[at] ?? '', file);
      // The user removed the link or closed the composer while the link was being created.
      if (!latest.current.some((each) => each.key === key) || body.current === null)
        return await revokeLink(mailbox, link);
      patch(key, { link });
      body.current.putFileLink(tokenOf(link), cardOf(link));
      changed();
    } catch (error) {
      patch(key, { problem: wordsOf(error) });
      for (const id of uploads) void deleteUpload(mailbox, id).catch(() => {});
    }
  }

  function close({ key, link }: DraftLink): void {
    clearTimeout(timers.current.get(key));
    timers.current.delete(key);
    change((before) => before.filter((each) => each.key !== key));
    if (link === null) return;
    closed.current.add(tokenOf(link));
    body.current?.putFileLink(tokenOf(link), null);
    revokeLink(mailbox, link)
      .then(changed)
      .catch((error: unknown) =>
        toastFailure(`The link to ${nameOf(link)} could not be revoked: ${messageOf(error)}`),
      );
  }

  function show(link: FileLink): void {
    change((before) => before.map((each) => (each.link?.id === link.id ? { ...each, link } : each)));
    body.current?.putFileLink(tokenOf(link), cardOf(link));
    changed();
  }

  function checkNow(): void {
    const tokens = present();
    // An undo can restore a card whose link is closed, so the card is removed again.
    for (const token of closed.current) if (tokens.has(token)) body.current?.putFileLink(token, null);
    for (const each of latest.current) {
      if (each.link === null) continue;
      const isThere = tokens.has(tokenOf(each.link));
      if (isThere !== each.isLeaving) continue;
      patch(each.key, { isLeaving: !isThere });
      clearTimeout(timers.current.get(each.key));
      if (!isThere)
        timers.current.set(
          each.key,
          setTimeout(() => close(each), LEAVING_MS),
        );
    }
  }

  const begin = useEffectEvent(async () => {
    const tokens = tokensIn(opened);
    if (tokens.size === 0) return;
    const found = await queries.fetchInfiniteQuery(fileLinksQuery(mailbox)).catch(() => null);
    const links = found?.pages.flatMap(({ data }) => data) ?? [];
    change((before) => [
      ...links
        .filter((link) => link.is_for_draft && tokens.has(tokenOf(link)))
        .map((link) => ({
          key: link.id,
          name: nameOf(link),
          octets: link.octets,
          link,
          problem: null,
          isLeaving: false,
        })),
      ...before,
    ]);
    checkNow();
  });
  const leave = useEffectEvent(() => {
    for (const each of latest.current) if (each.isLeaving) close(each);
  });
  useEffect(() => {
    void begin();
    const running = timers.current;
    return () => {
      clearTimeout(checkTimer.current);
      for (const timer of running.values()) clearTimeout(timer);
      leave();
    };
  }, []);

  return {
    all,
    add(files) {
      const key = newKey();
      const name = nameOf({ files });
      const octets = files.reduce((sum, { size }) => sum + size, 0);
      change((before) => [...before, { key, name, octets, link: null, problem: null, isLeaving: false }]);
      void make(key, files);
    },
    remove(key) {
      const found = latest.current.find((each) => each.key === key);
      if (found !== undefined) close(found);
    },
    putBack(key) {
      const link = latest.current.find((each) => each.key === key)?.link;
      if (link == null) return;
      body.current?.putFileLink(tokenOf(link), cardOf(link));
      checkNow();
    },
    replace(link) {
      chosen.current.delete(link.id);
      show(link);
    },
    checkCards() {
      if (latest.current.length === 0 && closed.current.size === 0) return;
      clearTimeout(checkTimer.current);
      checkTimer.current = setTimeout(checkNow, CHECK_MS);
    },
    current: () => latest.current,
    async extend(sentAt) {
      const tokens = present();
      for (const { link } of latest.current) {
        if (link === null || !tokens.has(tokenOf(link))) continue;
        const chosenMs = chosen.current.get(link.id) ?? lengthOf(link);
        chosen.current.set(link.id, chosenMs);
        const until = extended(link, chosenMs, sentAt);
        if (until === 'never')
          return `The link to ${nameOf(link)} would expire before the message is sent. Send it sooner, or add the file again later.`;
        if (until === null) continue;
        show(await changeLink(mailbox, link.id, { expires_at: until.toISOString() }));
      }
      return null;
    },
    closeUnusedLinks(isDiscarded = false) {
      // If the composer is closed, the service uses the stored draft to decide which links to close.
      if (body.current === null && !isDiscarded) return;
      const tokens = present();
      for (const each of latest.current) {
        const stays = !isDiscarded && each.link !== null && tokens.has(tokenOf(each.link));
        if (!stays) close(each);
      }
    },
  };
}

/** Whether all files of the link are uploaded. For uploads in this tab, the state in the tab is newer than in the response. */
export function isComplete({ link }: DraftLink): boolean {
  if (link === null) return false;
  const uploads = currentUploads();
  return link.files.every(({ id, is_whole: isWhole }) => {
    const upload = uploads.find((each) => each.id === id);
    return isWhole || (upload !== undefined && upload.state === 'done');
  });
}

/** The ids of the link's uploads that will complete without action by the user, because they are not paused. */
export function underWay({ link }: DraftLink): string[] {
  const ids = link?.files.map(({ id }) => id) ?? [];
  return currentUploads()
    .filter((upload) => ids.includes(upload.id) && isUnderWay(upload) && upload.state !== 'paused')
    .map(({ id }) => id);
}

function wordsOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return 'No connection to the server.';
  const fields = Object.values(error.errors).join(' ');
  return fields === '' ? messageOf(error) : fields;
}

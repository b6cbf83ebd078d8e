import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { ApiProblem, dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { Draft, DraftWarning } from '../../../../src/contract/mail/drafts.ts';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import type { BodyHandle } from '../editor/body.ts';
import type { Files } from '../files/use-files.ts';
import { type Composition, type Fields, saveOf } from './composition.ts';
import { createDraftSaver, type DraftSaver, type SaveState } from './draft-saver.ts';
import { addName, beginNames, dropCopy, storeCopy } from './local-copy.ts';
import { wordsOf } from '../words-of.ts';

export interface DraftState {
  fields: Fields;
  change(given: Partial<Fields> | ((before: Fields) => Partial<Fields>)): void;
  /** Call when the text or the files have changed. */
  touched(): void;
  saveState: SaveState;
  warnings: readonly DraftWarning[];
  /** Saves now, even without changes. @returns the stored draft; null if the draft could not be saved */
  saved(): Promise<{ id: string; warnings: readonly DraftWarning[] } | null>;
  /** The message as it is now, with its text and files. */
  composition(): Composition;
  /** The id of the stored draft; null before the first save. */
  id(): string | null;
  /** The current fields, which may be newer than the fields of the last render. */
  current(): Fields;
  /** Saves unsaved changes. @returns whether all changes are saved */
  flush(): Promise<boolean>;
  /** Stops saving, because the draft was sent or deleted. */
  finish(): void;
}

export interface DraftOptions {
  mailbox: string;
  opened: Composition;
  body: RefObject<BodyHandle | null>;
  files: RefObject<Files | null>;
  /** Called when the service has stored the draft under a new id. */
  onSaved(id: string): void;
}

/** Savers of composers that were closed with unsaved changes, by composer id. The savers retry until they succeed. */
const closed = new Map<string, DraftSaver>();

/** The state of a draft that is being written. Saves the draft. */
export function useDraft({ mailbox, opened, body, files, onSaved }: DraftOptions): DraftState {
  const [fields, setFields] = useState(opened.fields);
  const [saveState, setSaveState] = useState<SaveState>(
    opened.savedAt === undefined ? { kind: 'untouched' } : { kind: 'saved', at: new Date(opened.savedAt) },
  );
  const [warnings, setWarnings] = useState<readonly DraftWarning[]>([]);
  const queries = useQueryClient();
  const now = useRef<Composition>(opened);
  const events = useRef({ onSaved });
  const known = useRef<readonly DraftWarning[]>([]);
  const saverRef = useRef<DraftSaver>(null);
  const isThere = useRef(true);
  const { client } = opened;

  /** The current text. Once the composer is closed, the text at the time of closing. */
  const collect = (): Composition => {
    now.current = {
      ...now.current,
      ...body.current?.body(),
      ...(files.current !== null && { files: files.current.uploaded() }),
    };
    return now.current;
  };

  async function save(): Promise<Date> {
    const composition = collect();
    storeCopy(mailbox, composition);
    const request = saveOf(composition);
    const { id } = composition;
    const answer = await dataOf<Draft>(
      id === null
        ? api.POST('/mailboxes/{mailbox}/drafts', { params: { path: { mailbox } }, body: request })
        : api.PUT('/mailboxes/{mailbox}/drafts/{id}', {
            params: { path: { mailbox, id } },
            body: request,
          }),
    );
    // From now on the draft is found by its id, and its first name may be used for another message.
    now.current = { ...now.current, id: answer.id, composeValue: null };
    dropCopy(mailbox, composition.client);
    if (isThere.current) addName(mailbox, id ?? opened.composeValue ?? '', answer.id);
    known.current = answer.warnings;
    setWarnings(answer.warnings);
    if (answer.conflict !== null) toast(answer.conflict);
    if (answer.id !== id && isThere.current) events.current.onSaved(answer.id);
    void queries.invalidateQueries({ queryKey: ['mail-drafts', mailbox] });
    return new Date(answer.saved_at);
  }

  saverRef.current ??= createDraftSaver({
    save,
    classifyFailure,
    onState(state) {
      if (state.kind === 'saved' && closed.get(client) === saver) closed.delete(client);
      if (isThere.current) setSaveState(state);
      else if (state.kind === 'failed') toastFailure(`The draft could not be saved: ${state.message}`);
      else if (state.kind === 'saved') toast('Saved in Drafts');
    },
  });
  const saver = saverRef.current;

  const write = (): void => {
    const { writtenAt = 0 } = now.current;
    // The time must increase with each change, even if the clock has been set back.
    now.current = { ...now.current, writtenAt: Math.max(Date.now(), writtenAt + 1) };
    saver.changed();
  };

  const begin = useEffectEvent(() => {
    if (opened.isUnsaved) saver.changed();
  });
  /** Stores unsaved changes in the tab and saves them, because the user may not come back. @returns false if all changes are saved */
  const leave = useEffectEvent((): boolean => {
    if (saver.isSaved()) return false;
    storeCopy(mailbox, collect());
    void saver.flush();
    return true;
  });
  useEffect(() => {
    events.current = { onSaved };
  });
  const arrive = useEffectEvent(() => {
    isThere.current = true;
    now.current = { ...now.current, composeValue: opened.composeValue };
    beginNames(mailbox, opened);
    // If the same draft was closed with unsaved changes, its saver may still be running. Stop it, because the text in this composer is
    // newer.
    if (closed.get(client) !== saver) closed.get(client)?.stop();
    closed.delete(client);
  });
  const close = useEffectEvent(() => {
    isThere.current = false;
    // After this point "New message" opens an empty message instead of this draft.
    now.current = { ...now.current, composeValue: null };
    // The effect runs while the editor still exists, so the text can still be read.
    if (leave()) closed.set(client, saver);
  });
  useLayoutEffect(() => {
    arrive();
    return () => close();
  }, []);
  useEffect(() => {
    begin();
    const onHide = () => void leave();
    const onLeave = (event: BeforeUnloadEvent) => leave() && event.preventDefault();
    const onVisibility = () => document.visibilityState === 'hidden' && leave();
    window.addEventListener('beforeunload', onLeave);
    window.addEventListener('pagehide', onHide);
    window.addEventListener('blur', onHide);
    window.addEventListener('online', onHide);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      // While unsaved changes are being saved, the listeners stay, so that the browser warns a user who leaves the page.
      if (leave()) return;
      window.removeEventListener('beforeunload', onLeave);
      window.removeEventListener('pagehide', onHide);
      window.removeEventListener('blur', onHide);
      window.removeEventListener('online', onHide);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, []);

  return {
    fields,
    saveState,
    warnings,
    change(given) {
      const before = now.current.fields;
      const next = { ...before, ...(typeof given === 'function' ? given(before) : given) };
      now.current = { ...now.current, fields: next };
      setFields(next);
      write();
    },
    touched: write,
    async saved() {
      if (now.current.id === null) write();
      const hasAll = await saver.flush();
      const { id } = now.current;
      return hasAll && id !== null ? { id, warnings: known.current } : null;
    },
    composition: collect,
    id: () => now.current.id,
    current: () => now.current.fields,
    flush: () => saver.flush(),
    finish() {
      saver.stop();
      dropCopy(mailbox, now.current.client);
    },
  };
}

/** Whether to retry a failed save. Content that the service rejected is not sent again, because it would be rejected again. */
function classifyFailure(error: unknown): { message: string; isRetried: boolean } {
  if (!(error instanceof ApiProblem)) return { message: 'no connection, retrying', isRetried: true };
  const isRetried = error.status >= 500 || error.status === 429 || error.status === 408;
  return { message: wordsOf(error), isRetried };
}

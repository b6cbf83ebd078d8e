import { useEffect, useRef, useState } from 'react';
import { ApiProblem, dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type {
  SaveTemplateDraft,
  TemplateDetail,
  TemplateTrial,
} from '../../../../src/contract/dashboard/templates.ts';
import type { TemplateKey } from '../templates/queries.ts';

const PAUSE_MS = 400;

type Fields = Required<Omit<SaveTemplateDraft, 'based_on' | 'revision'>>;

export interface WritingState {
  fields: Fields;
  /** The `updated_at` of the version that the draft is based on. */
  basedOn: string;
  /** Applies the text that the user typed in an editor. */
  change(fields: Partial<Fields>): void;
  /** Changes text from outside the editors. The editors then show the new text. */
  replace(fields: Partial<Fields>): void;
  /** Increases whenever the editors must replace their text with `fields`. */
  revision: number;
  /** Shows the draft of the template, or the published version if it has no draft. */
  reset(now: TemplateDetail): void;
  /** Keeps the text of this page, although another user has changed the draft. */
  overwrite(now: TemplateDetail): void;
  /** Shows the changes of other users, unless this user has changed something. */
  refresh(load: () => Promise<TemplateDetail>): Promise<void>;
  /**
   * Stores the draft, then publishes it. Text that the user types meanwhile is stored afterwards.
   * @param send publishes the fields; `revision` is the revision of the draft
   */
  publish<T>(send: (revision: string | null) => Promise<T>): Promise<T>;
  /** Discards the draft that this page shows. @param send deletes the draft on the service, if it has this revision */
  discard(send: (revision: string) => Promise<unknown>): Promise<void>;
  /** Records that `sent` was published. The editors keep their text. */
  settle(published: TemplateDetail, sent: Fields): void;
  /** Whether the draft differs from the published version. */
  isChanged: boolean;
  /** Whether the service rejects the draft because another user has changed it. */
  isOutdated: boolean;
  /** The last change, if another user made it. */
  others: { name: string; at: string } | null;
  /** Whether the service has stored the whole draft. */
  isKept: boolean;
  /** The reason why the service has not stored the draft; null without a problem. */
  problem: string | null;
  trial: TemplateTrial;
  /** The number of the preview's latest version. The URL of the preview contains it, so a new number reloads the frame. */
  round: number;
  /** Resolves when the service has stored the draft. @throws the error with which the draft was rejected */
  flush(): Promise<void>;
}

const fieldsOf = ({ subject, html, text, layout_id, sample }: Fields): Fields => ({
  subject,
  html,
  text,
  layout_id,
  sample,
});

const writtenIn = ({ draft, updated_at, ...published }: TemplateDetail) => ({
  fields: fieldsOf(draft ?? published),
  basedOn: draft?.based_on ?? updated_at,
  /** The last known revision of the draft. */
  draft: draft?.revision ?? null,
});

const isSame = (one: Fields, other: Fields): boolean =>
  JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other));

/**
 * The text that the service has not stored, by the id of the template, so that it survives a visit to another page if the service rejects
 * it or cannot be reached.
 */
const unsent = new Map<string, ReturnType<typeof writtenIn>>();

window.addEventListener('beforeunload', (event) => {
  if (unsent.size > 0) event.preventDefault();
});

/**
 * The state of a draft that is being written. The service stores the draft shortly after each change, so closing the
 * window or leaving the page loses nothing.
 */
export function useWriting(key: TemplateKey, template: TemplateDetail, email: string): WritingState {
  const othersIn = ({ draft }: TemplateDetail): WritingState['others'] =>
    draft === null || draft.actor_name === email ? null : { name: draft.actor_name, at: draft.updated_at };
  const [published, setPublished] = useState(() => fieldsOf(template));
  const [begun] = useState(() => unsent.get(key.id) ?? writtenIn(template));
  const [fields, setFields] = useState(begun.fields);
  const [basedOn, setBasedOn] = useState(begun.basedOn);
  const [others, setOthers] = useState(() => othersIn(template));
  const [isOutdated, setOutdated] = useState(false);
  const [trial, setTrial] = useState<TemplateTrial>(template.trial);
  const [round, setRound] = useState(0);
  const [revision, setRevision] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [isKept, setKept] = useState(() => !unsent.has(key.id));
  /** The current values, which may be newer than the values of the last render. */
  const written = useRef(begun);
  const isWaiting = useRef(!isKept);
  /** Whether the draft is being published, so that a change of the draft would be rejected. */
  const isHeld = useRef(false);
  const refusal = useRef<unknown>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const running = useRef<Promise<void>>(Promise.resolve());

  const send = (): Promise<void> => {
    clearTimeout(timer.current);
    running.current = running.current.then(async () => {
      if (!isWaiting.current || isHeld.current) return;
      isWaiting.current = false;
      const { fields: sent, basedOn: based_on, draft: revision } = written.current;
      try {
        const found = await dataOf(
          api.PUT('/projects/{project}/templates/{id}/draft', {
            params: { path: { ...key } },
            body: { ...sent, based_on, revision },
          }),
        );
        refusal.current = null;
        written.current = { ...written.current, draft: found.revision };
        if (isWaiting.current) unsent.set(key.id, written.current);
        else unsent.delete(key.id);
        setTrial(found);
        setOthers(null);
        setOutdated(false);
        setRound((before) => before + 1);
        setProblem(null);
        setKept(!isWaiting.current);
      } catch (error) {
        refusal.current = error;
        isWaiting.current = true;
        if (error instanceof ApiProblem && error.status === 404) unsent.delete(key.id);
        setProblem(messageOf(error));
        setOutdated(fieldErrors(error)['revision'] !== undefined);
      }
    });
    return running.current;
  };
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  useEffect(() => {
    const keep = (): void => void latest.current();
    keep();
    window.addEventListener('beforeunload', keep);
    return () => {
      window.removeEventListener('beforeunload', keep);
      keep();
    };
  }, []);

  const keepSoon = (): void => {
    setKept(false);
    isWaiting.current = true;
    unsent.set(key.id, written.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void latest.current(), PAUSE_MS);
  };
  const change = (given: Partial<Fields>): void => {
    written.current = { ...written.current, fields: { ...written.current.fields, ...given } };
    setFields(written.current.fields);
    keepSoon();
  };
  const reset = (now: TemplateDetail): void => {
    rest(now);
    setRevision((before) => before + 1);
  };
  const rest = (now: TemplateDetail): void => {
    clearTimeout(timer.current);
    isWaiting.current = false;
    unsent.delete(key.id);
    refusal.current = null;
    written.current = writtenIn(now);
    setPublished(fieldsOf(now));
    setFields(written.current.fields);
    setBasedOn(written.current.basedOn);
    setOthers(othersIn(now));
    setOutdated(false);
    setTrial(now.trial);
    setRound((before) => before + 1);
    setProblem(null);
    setKept(true);
  };
  /** Keeps the text, as a change of the version that the service has now. */
  const rebase = (now: TemplateDetail): void => {
    written.current = { ...writtenIn(now), fields: written.current.fields };
    setPublished(fieldsOf(now));
    setBasedOn(written.current.basedOn);
    keepSoon();
  };
  const flush = async (): Promise<void> => {
    await send();
    if (refusal.current !== null) throw refusal.current;
  };

  return {
    fields,
    basedOn,
    isKept,
    problem,
    trial,
    round,
    revision,
    change,
    reset,
    overwrite: rebase,
    isChanged: !isSame(fields, published),
    isOutdated,
    others,
    replace(given) {
      change(given);
      setRevision((before) => before + 1);
    },
    async refresh(load) {
      await running.current;
      const before = written.current;
      const isBusy = (): boolean => isWaiting.current || isHeld.current || written.current !== before;
      if (isBusy()) return;
      const now = await load();
      const { draft, basedOn } = writtenIn(now);
      if (!isBusy() && (draft !== before.draft || basedOn !== before.basedOn)) reset(now);
    },
    async publish(publishDraft) {
      await flush();
      isHeld.current = true;
      try {
        return await publishDraft(written.current.draft);
      } finally {
        isHeld.current = false;
        if (isWaiting.current) keepSoon();
      }
    },
    async discard(discardDraft) {
      // Discarding also works for text that the service rejected.
      await flush().catch(() => {});
      const { draft } = written.current;
      if (draft !== null) await discardDraft(draft);
    },
    settle(now, sent) {
      // The service may have normalized the text while it published. Show the published text, unless the user has kept typing.
      if (!isSame(written.current.fields, sent)) return rebase(now);
      return isSame(now, sent) ? rest(now) : reset(now);
    },
    flush,
  };
}

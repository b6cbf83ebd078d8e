import { useEffect, useRef, useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type {
  SaveTemplateDraft,
  TemplateDetail,
  TemplateTrial,
} from '../../../../src/contract/dashboard/templates.ts';
import type { TemplateKey } from '../templates/queries.ts';

const PAUSE_MS = 400;

type Fields = Omit<SaveTemplateDraft, 'based_on'>;

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
  /** Replaces the draft with the saved template. */
  reset(saved: TemplateDetail): void;
  /** Records that `sent` was saved. The editors keep their text. */
  settle(saved: TemplateDetail, sent: Fields): void;
  isChanged: boolean;
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

const fieldsOf = ({ subject, html, text, sample }: Fields): Fields => ({
  subject,
  html,
  text,
  sample,
});

const isSame = (one: Fields, other: Fields): boolean =>
  JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other));

/**
 * The state of a draft that is being written. The service stores the draft shortly after each change, so closing the
 * window or leaving the page loses nothing.
 */
export function useWriting(key: TemplateKey, template: TemplateDetail): WritingState {
  const [saved, setSaved] = useState(() => fieldsOf(template));
  const [fields, setFields] = useState(() => fieldsOf(template.draft ?? template));
  const [basedOn, setBasedOn] = useState(template.draft?.based_on ?? template.updated_at);
  const [trial, setTrial] = useState<TemplateTrial>(template.trial);
  const [round, setRound] = useState(0);
  const [revision, setRevision] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [isKept, setKept] = useState(true);
  /** The current values, which may be newer than the values of the last render. */
  const written = useRef({ fields, basedOn });
  const isWaiting = useRef(false);
  const refusal = useRef<unknown>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const running = useRef<Promise<void>>(Promise.resolve());

  const send = (): Promise<void> => {
    clearTimeout(timer.current);
    running.current = running.current.then(async () => {
      if (!isWaiting.current) return;
      isWaiting.current = false;
      const { fields: sent, basedOn: based_on } = written.current;
      try {
        const found = await dataOf(
          api.PUT('/projects/{project}/templates/{id}/draft', {
            params: { path: { ...key } },
            body: { ...sent, based_on },
          }),
        );
        refusal.current = null;
        setTrial(found);
        setRound((before) => before + 1);
        setProblem(null);
        setKept(!isWaiting.current);
      } catch (error) {
        refusal.current = error;
        isWaiting.current = true;
        setProblem(messageOf(error));
      }
    });
    return running.current;
  };
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (!isWaiting.current) return;
      void latest.current();
      event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
      void latest.current();
    };
  }, []);

  const keepSoon = (): void => {
    setKept(false);
    isWaiting.current = true;
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
    refusal.current = null;
    written.current = { fields: fieldsOf(now), basedOn: now.updated_at };
    setSaved(fieldsOf(now));
    setFields(fieldsOf(now));
    setBasedOn(now.updated_at);
    setTrial(now.trial);
    setRound((before) => before + 1);
    setProblem(null);
    setKept(true);
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
    isChanged: !isSame(fields, saved),
    replace(given) {
      change(given);
      setRevision((before) => before + 1);
    },
    settle(now, sent) {
      // The service may have normalized the text while it saved. Show the saved text, unless the user has kept typing.
      if (isSame(written.current.fields, sent)) return isSame(now, sent) ? rest(now) : reset(now);
      written.current = { ...written.current, basedOn: now.updated_at };
      setSaved(fieldsOf(now));
      setBasedOn(now.updated_at);
      return keepSoon();
    },
    async flush() {
      await send();
      if (refusal.current !== null) throw refusal.current;
    },
  };
}

import { useEffect, useRef, useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { SaveTemplateDraft, TemplateDetail, TemplateTrial } from '../../../api/schema.ts';
import type { TemplateKey } from '../templates/queries.ts';

const PAUSE_MS = 400;

export interface Writing {
  fields: SaveTemplateDraft;
  change(fields: Partial<SaveTemplateDraft>): void;
  /** Puts what is saved in the place of what was written. */
  reset(saved: TemplateDetail): void;
  isChanged: boolean;
  /** Whether the service has all that was written. */
  isKept: boolean;
  /** Why it has not. */
  problem: string | null;
  trial: TemplateTrial;
  /** Another number for each trial: what the preview is of. */
  round: number;
  /** Resolves when the service has all that was written. */
  flush(): Promise<void>;
}

const fieldsOf = ({ subject, html, text, sample }: SaveTemplateDraft): SaveTemplateDraft => ({
  subject,
  html,
  text,
  sample,
});

const isSame = (one: SaveTemplateDraft, other: SaveTemplateDraft): boolean =>
  JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other));

/** What is written is with the service a moment later, as a draft: neither a closed window nor another page loses it. */
export function useWriting(key: TemplateKey, template: TemplateDetail): Writing {
  const [saved, setSaved] = useState(() => fieldsOf(template));
  const [fields, setFields] = useState(() => fieldsOf(template.draft ?? template));
  const [trial, setTrial] = useState<TemplateTrial>(template.trial);
  const [round, setRound] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [isKept, setKept] = useState(true);
  const waiting = useRef<SaveTemplateDraft | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const running = useRef<Promise<void>>(Promise.resolve());

  const send = (): Promise<void> => {
    clearTimeout(timer.current);
    running.current = running.current.then(async () => {
      const body = waiting.current;
      if (body === null) return;
      waiting.current = null;
      try {
        const found = await dataOf(
          api.PUT('/projects/{project}/templates/{id}/draft', { params: { path: { ...key } }, body }),
        );
        setTrial(found);
        setRound((before) => before + 1);
        setProblem(null);
        setKept(waiting.current === null);
      } catch (error) {
        waiting.current ??= body;
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
      if (waiting.current === null) return;
      void latest.current();
      event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
      void latest.current();
    };
  }, []);

  return {
    ...{ fields, isKept, problem, trial, round },
    isChanged: !isSame(fields, saved),
    change(given) {
      const next = { ...(waiting.current ?? fields), ...given };
      setFields(next);
      setKept(false);
      waiting.current = next;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void latest.current(), PAUSE_MS);
    },
    reset(now) {
      clearTimeout(timer.current);
      waiting.current = null;
      setSaved(fieldsOf(now));
      setFields(fieldsOf(now));
      setTrial(now.trial);
      setRound((before) => before + 1);
      setProblem(null);
      setKept(true);
    },
    flush: send,
  };
}

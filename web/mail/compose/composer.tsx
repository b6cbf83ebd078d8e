import type { Editor } from '@tiptap/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type KeyboardEvent,
  type Ref,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { dataOf, messageOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import { classes } from '../../ui/classes.ts';
import { AlertDialog } from '../../ui/dialog.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { toastFailure } from '../../ui/toast.tsx';
import { ComposeFooter } from './compose-footer.tsx';
import type { Composition } from './draft/composition.ts';
import { choosePlainText } from './draft/plain-choice.ts';
import { useDraft } from './draft/use-draft.ts';
import type { BodyHandle } from './editor/body.ts';
import { fromText } from './editor/html.ts';
import { LinkDialog } from './editor/link-dialog.tsx';
import { MessageEditor } from './editor/message-editor.tsx';
import { PlainText } from './editor/plain-text.tsx';
import { ReadOnly } from './editor/read-only.tsx';
import { Toolbar } from './editor/toolbar.tsx';
import { DropZone } from './files/drop-zone.tsx';
import { FileStrip } from './files/file-strip.tsx';
import { isUploading, shownFiles } from './files/files.ts';
import { type Files, useFiles } from './files/use-files.ts';
import { HeadFields } from './head-fields.tsx';
import { identityOf } from './identity-of.ts';
import { identitiesQuery } from './queries.ts';
import { responsesQuery } from './responses/queries.ts';
import { ResponseDialog } from './responses/response-dialog.tsx';
import { SaveResponseDialog } from './responses/save-response-dialog.tsx';
import { Quote } from './quote.tsx';
import { withCorrected } from './recipients/parse-addresses.ts';
import { type FileLinkUploads, useFileLinks } from './links/use-file-links.ts';
import { MissingFilesDialog } from './send/missing-files-dialog.tsx';
import { LaterDialog } from './send/later-dialog.tsx';
import { useSending } from './send/use-sending.ts';
import { WarningDialog } from './send/warning-dialog.tsx';

export interface ComposerHandle {
  /** Resolves when all files are uploaded. Null if no upload is running, so that the composer can close at once. */
  files(): Promise<unknown> | null;
  /** Moves the focus to the text, at the position where writing stopped. */
  focus(): void;
}

export interface ComposerProps {
  mailbox: string;
  opened: Composition;
  /** Whether the message is part of a longer page, so that it has no scrollbar of its own. */
  isInline: boolean;
  /** Whether the composer takes the focus when it is opened. */
  takesFocus: boolean;
  /** Called when files begin to upload, and when all uploads have ended. */
  onUploading(isUploading: boolean): void;
  onSubject(subject: string): void;
  /** Called when the service has stored the draft under a new id. */
  onSaved(id: string): void;
  /** Called when the message has been sent or discarded. */
  onDone(): void;
  ref: Ref<ComposerHandle>;
}

type Text = { isPlain: false; html: string } | { isPlain: true; text: string };

/** The form for writing a message. */
export function Composer(props: ComposerProps) {
  const { mailbox, opened, isInline, takesFocus, onUploading, onSubject, onSaved, onDone, ref } = props;
  const queries = useQueryClient();
  const { data: identities } = useQuery(identitiesQuery(mailbox));
  const body = useRef<BodyHandle>(null);
  const filesNow = useRef<Files>(null);
  const to = useRef<HTMLInputElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const [text, setText] = useState<Text>(() =>
    opened.html === null ? { isPlain: true, text: opened.text } : { isPlain: false, html: opened.html },
  );
  const [openDialog, setOpenDialog] = useState<
    'link' | 'plain' | 'later' | 'discard' | 'response' | 'slash' | 'save-response' | null
  >(null);
  const linksNow = useRef<FileLinkUploads>(null);
  const draft = useDraft({ mailbox, opened, body, files: filesNow, onSaved });
  /** Call when the text or the files have changed. */
  const touched = (): void => {
    draft.touched();
    linksNow.current?.checkCards();
  };
  const links = useFileLinks({
    mailbox,
    client: opened.client,
    body,
    opened: opened.html ?? opened.text,
    onChange: draft.touched,
  });
  /** The limits on a message. Undefined if the server did not respond. */
  const askLimits = () =>
    queries.ensureQueryData(identitiesQuery(mailbox)).then(
      ({ limits }) => limits,
      () => undefined,
    );
  const files = useFiles({
    mailbox,
    first: opened.files,
    limits: askLimits,
    onChange: draft.touched,
    onImage: ({ url, name }) => body.current?.insertImage(url, name),
  });
  const sending = useSending({
    mailbox,
    draft,
    files,
    links,
    limits: identities?.limits,
    askLimits,
    onSent: onDone,
    onObstacle({ field }) {
      if (field === 'to') to.current?.focus();
    },
  });
  const { fields } = draft;

  useLayoutEffect(() => {
    filesNow.current = files;
    linksNow.current = links;
  });
  useImperativeHandle(ref, () => ({
    files() {
      commitTypedRecipient();
      // While sending waits for linked files, the promise never resolves, because the composer closes by itself after sending.
      if (sending.stopWaiting !== null) return new Promise(() => {});
      const isWaiting = files.current().some((file) => isUploading(file) && file.problem === null);
      return isWaiting ? files.settled() : null;
    },
    focus() {
      area.current?.querySelector<HTMLElement>('[contenteditable], textarea')?.focus();
    },
  }));
  const isUploadingNow = files.all.some((file) => isUploading(file) && file.problem === null);
  const tell = useEffectEvent((isUploadingFiles: boolean) => onUploading(isUploadingFiles));
  useEffect(() => tell(isUploadingNow), [isUploadingNow]);
  const tellSubject = useEffectEvent((subject: string) => onSubject(subject));
  useEffect(() => tellSubject(fields.subject), [fields.subject]);
  const isReady = text.isPlain || editor !== null;
  const isFirst = useRef(true);
  const isQuiet = useRef(!takesFocus);
  useEffect(() => {
    if (!isReady) return;
    if (isFirst.current && isQuiet.current) {
      isFirst.current = false;
      return;
    }
    // A reply starts with the focus in the text. Switching the format also moves the focus to the text.
    if (isFirst.current && opened.fields.to.length === 0) to.current?.focus();
    else body.current?.focus();
    isFirst.current = false;
  }, [isReady, opened]);

  const send = (at: Date | null): void => {
    commitTypedRecipient();
    setOpenDialog(null);
    sending.send(at);
  };
  const toPlain = (): void => {
    setOpenDialog(null);
    choosePlainText(true);
    setText({ isPlain: true, text: body.current?.body().text ?? '' });
    draft.touched();
  };
  const switchText = (): void => {
    if (!text.isPlain) {
      if (body.current?.hasFormatting() === true) setOpenDialog('plain');
      else toPlain();
      return;
    }
    choosePlainText(false);
    setText({ isPlain: false, html: fromText(body.current?.body().text ?? '') });
    draft.touched();
  };
  const discard = async (): Promise<void> => {
    draft.finish();
    links.closeUnusedLinks(true);
    const id = draft.id();
    onDone();
    if (id === null) return;
    await dataOf(api.DELETE('/mailboxes/{mailbox}/drafts/{id}', { params: { path: { mailbox, id } } })).catch(
      (error: unknown) => toastFailure(messageOf(error)),
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send(null);
  };
  const isOwnImage = (src: string) => src.startsWith(`/mail/api/mailboxes/${mailbox}/uploads/`);
  const isEmpty = () =>
    body.current?.isEmpty() !== false &&
    files.all.length === 0 &&
    links.all.length === 0 &&
    fields.subject === '' &&
    fields.quotedHtml === null;
  const identity = identities && identityOf(identities, fields);
  const { data: responses } = useQuery(responsesQuery(mailbox));
  const signature = identity?.signature_html ?? null;

  return (
    <div ref={area} className="flex min-h-0 flex-1 flex-col" onKeyDownCapture={onKeyDown}>
      <div
        className={classes(
          'flex flex-1 flex-col',
          isInline ? 'min-h-40' : 'min-h-0 overflow-y-auto overscroll-contain',
        )}
      >
        <HeadFields
          mailbox={mailbox}
          fields={fields}
          identities={identities}
          onChange={draft.change}
          toRef={to}
          onDone={() => body.current?.focus()}
        />
        {text.isPlain ? (
          <PlainText ref={body} text={text.text} onChange={touched} onFiles={files.add} />
        ) : (
          <MessageEditor
            ref={body}
            html={text.html}
            isOwnImage={isOwnImage}
            onChange={touched}
            onFiles={files.add}
            onEditor={setEditor}
            onLink={() => setOpenDialog('link')}
            onSlash={() => {
              const hasResponses = (responses?.data.length ?? 0) > 0;
              if (hasResponses) setOpenDialog('slash');
              return hasResponses;
            }}
          />
        )}
        {signature !== null && fields.withSignature && (
          <div className="px-4 pb-3 text-muted">
            <ReadOnly html={signature} label="Signature" isOwnImage={isOwnImage} />
          </div>
        )}
        {fields.quotedHtml !== null && (
          <Quote
            html={fields.quotedHtml}
            isOwnImage={isOwnImage}
            onRemove={() => draft.change({ quotedHtml: null })}
            onEdit={
              text.isPlain
                ? null
                : () => {
                    body.current?.append(fields.quotedHtml ?? '');
                    draft.change({ quotedHtml: null });
                  }
            }
          />
        )}
        {/* A click below the last line focuses the text. Keyboard users reach the text with Tab. */}
        <div
          className="min-h-4 flex-1 cursor-text"
          onPointerDown={(event) => {
            event.preventDefault();
            body.current?.focusEnd();
          }}
        />
      </div>
      {/* Inside a conversation, these stay visible while the reply is longer than the window. */}
      <div className={classes('shrink-0 bg-raised', isInline && 'sticky bottom-0 z-2 rounded-b-lg')}>
        <FileStrip mailbox={mailbox} files={files} links={links} limits={identities?.limits} />
        {sending.problem !== null && (
          <p role="alert" className="border-t border-line bg-bad-soft px-4 py-2 text-bad">
            {sending.problem}
          </p>
        )}
        {editor !== null && !text.isPlain && (
          <Toolbar
            editor={editor}
            onLink={() => setOpenDialog('link')}
            onPictures={(chosen) => files.add(chosen, true)}
          />
        )}
        <ComposeFooter
          isBusy={sending.waitReason !== null}
          note={
            sending.stopWaiting === null ? (
              sending.waitReason
            ) : (
              <>
                {sending.waitReason}{' '}
                <button
                  type="button"
                  className="font-medium text-accent hover:underline"
                  onClick={sending.stopWaiting}
                >
                  Cancel sending
                </button>
              </>
            )
          }
          onSend={() => send(null)}
          onLater={() => setOpenDialog('later')}
          onFiles={(chosen) => files.add(chosen, false)}
          onLinked={(chosen) => chosen.length > 0 && links.add(chosen)}
          fileCount={shownFiles(files.all).length + links.all.length}
          isPlain={text.isPlain}
          onPlain={switchText}
          withSignature={signature === null ? null : fields.withSignature}
          onSignature={() => draft.change({ withSignature: !fields.withSignature })}
          onDiscard={() => (isEmpty() ? void discard() : setOpenDialog('discard'))}
          menuItems={
            <>
              <MenuItem onClick={() => setOpenDialog('response')}>Insert canned response…</MenuItem>
              <MenuItem onClick={() => setOpenDialog('save-response')}>Save as canned response…</MenuItem>
            </>
          }
          saveState={draft.saveState}
        />
      </div>
      <DropZone takesImages={!text.isPlain} onFiles={files.add} />
      {openDialog === 'link' && editor !== null && (
        <LinkDialog editor={editor} onClose={() => setOpenDialog(null)} />
      )}
      {(openDialog === 'response' || openDialog === 'slash') && (
        <ResponseDialog
          onChoose={({ html, subject }) => {
            setOpenDialog(null);
            body.current?.insert(html);
            if (fields.subject === '' && subject !== null) draft.change({ subject });
          }}
          onClose={() => {
            setOpenDialog(null);
            // The slash that opened the dialog was meant as text.
            if (openDialog === 'slash') body.current?.insert('/');
          }}
        />
      )}
      {openDialog === 'save-response' && (
        <SaveResponseDialog
          html={body.current?.body().html ?? fromText(body.current?.body().text ?? '')}
          subject={fields.subject}
          onClose={() => setOpenDialog(null)}
        />
      )}
      {openDialog === 'later' && identities !== undefined && (
        <LaterDialog
          maxDays={identities.limits.schedule_days}
          onChoose={send}
          onClose={() => setOpenDialog(null)}
        />
      )}
      {sending.warnings !== null && (
        <WarningDialog
          warnings={sending.warnings}
          onSend={() => sending.answer(true)}
          onCorrect={(meant) => {
            sending.answer(false);
            draft.change(({ to: list, cc, bcc }) => ({
              to: withCorrected(list, meant),
              cc: withCorrected(cc, meant),
              bcc: withCorrected(bcc, meant),
            }));
          }}
          onClose={() => sending.answer(false)}
        />
      )}
      {sending.missing !== null && (
        <MissingFilesDialog links={sending.missing} onAnswer={sending.answerMissing} />
      )}
      <AlertDialog
        isOpen={openDialog === 'plain'}
        onClose={() => setOpenDialog(null)}
        title="Switch to plain text?"
        action="Switch"
        onConfirm={toPlain}
      >
        This removes bold, links, images and all other formatting. The text stays.
      </AlertDialog>
      <AlertDialog
        isOpen={openDialog === 'discard'}
        onClose={() => setOpenDialog(null)}
        title="Discard this draft?"
        action="Discard"
        onConfirm={() => void discard()}
      >
        This permanently deletes the draft and its files, and revokes its file links.
      </AlertDialog>
    </div>
  );
}

/** Turns typed text into a recipient by removing the focus from the recipient field. */
function commitTypedRecipient(): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLInputElement && activeElement.role === 'combobox')
    flushSync(() => activeElement.blur());
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { CopyIcon, DownloadIcon, RefreshIcon } from '../../../ui/icons.tsx';
import { newKey } from '../../../ui/new-key.ts';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useMay, useProject, useSession } from '../../shell/session.ts';
import { curlOf } from './curl.ts';
import { contentQuery, partUrl } from './queries.ts';
import { clicksOf } from './event-words.ts';

/** Without icons the three buttons fit side by side on phones. */
const ICON = 'hidden sm:block';

/** The actions for an email whose content is still stored. */
export function EmailActions({ email }: { email: InspectedEmail }) {
  const project = useProject();
  if (email.content !== 'kept') return null;
  return (
    <>
      {/* The API accepts no files. */}
      {email.files.length === 0 && <CopyAsCurl email={email} />}
      <a href={partUrl(project.id, email.id, 'source')} download className={buttonClass()}>
        <DownloadIcon className={ICON} />
        Download
      </a>
      <SendAgainButton email={email} icon={<RefreshIcon className={ICON} />} />
    </>
  );
}

/** Sends the email again after a confirmation. Absent if the user may not, or if the content is not stored any more. */
export function SendAgainButton({ email, icon }: { email: InspectedEmail; icon?: ReactNode }) {
  const maySend = useMay('developer');
  const [key, setKey] = useState<string | null>(null);
  if (!maySend || email.content !== 'kept') return null;
  return (
    <>
      <Button icon={icon} onClick={() => setKey(newKey())}>
        Send again
      </Button>
      {key !== null && <SendAgain key={key} email={email} sendKey={key} onClose={() => setKey(null)} />}
    </>
  );
}

function CopyAsCurl({ email }: { email: InspectedEmail }) {
  const project = useProject();
  const { service } = useSession();
  const queries = useQueryClient();
  const copy = useMutation({
    async mutationFn() {
      const content = await queries.ensureQueryData(contentQuery(project.id, email.id, clicksOf(email)));
      await copyText(curlOf(service.base_url, email, content)).catch(() => {
        throw new Error('The browser blocked copying.');
      });
    },
    onSuccess: () => toast('Copied. Set POSTHORN_KEY to an API key before you run it.'),
    onError: (error) => toastFailure(messageOf(error)),
  });
  return (
    <Button icon={<CopyIcon className={ICON} />} isBusy={copy.isPending} onClick={() => copy.mutate()}>
      Copy as curl
    </Button>
  );
}

interface SendAgainProps {
  email: InspectedEmail;
  /** The idempotency key, so that repeated clicks send only one email. */
  sendKey: string;
  onClose(): void;
}

function SendAgain({ email, sendKey, onClose }: SendAgainProps) {
  const project = useProject();
  const navigate = useNavigate();
  const send = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/emails/{id}/send-again', {
          params: { path: { project: project.id, id: email.id } },
          body: { key: sendKey },
        }),
      ),
    onSuccess({ id }) {
      toast('Sent again. This is the new email.');
      onClose();
      void navigate({ to: '/emails/$id', params: { id } });
    },
  });
  const { length } = email.recipients;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Send this email again?"
      description={`Sends a new email with the same content to ${length === 1 ? (email.recipients[0]?.address ?? 'its recipient') : `the same ${length} recipients`}, using today’s settings.`}
      onSubmit={() => send.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={send.isPending}>
            Send again
          </Button>
        </>
      }
    >
      {send.error !== null && (
        <p role="alert" className="text-bad">
          {messageOf(send.error)}
        </p>
      )}
    </Dialog>
  );
}

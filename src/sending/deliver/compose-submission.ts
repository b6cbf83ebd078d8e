/** Composes the message of a submission: the stored bytes, preceded by a signature. */
import { MAIL_FROM_LABEL } from '../../domains/expected-records.ts';
import { copyInSteps } from '../../concurrency/copy-in-steps.ts';
import { timeOf } from '../../model/ids.ts';
import { toSevenBit } from '../../rfc/message/seven-bit.ts';
import { sealArc } from '../../rfc/dkim/seal-arc.ts';
import { hashBody, signDkim, type SigningKey } from '../../rfc/dkim/sign.ts';
import { type ComposedEmail, type Composer, type Composing, onceEach } from './compose-email.ts';
import { forwardedCopy, isRedirected } from './forwarded-copy.ts';
import type { StoredEmail, SubmittedContent } from './stored-email.ts';

export interface SubmissionComposing extends Composing {
  /** Opens the bytes of service mail with links. Resolves to null if the mail has no link, or its link has ended. */
  serviceBodies: { open(submissionId: string): Promise<Buffer | null> };
}

export function submissionComposer(
  email: StoredEmail<SubmittedContent>,
  composing: SubmissionComposing,
): Composer<'link-ended'> {
  const { content } = email;
  const compose = onceEach((isSevenBit) => composeSubmission(email, composing, isSevenBit));
  return {
    hasCopies: false,
    senderDomain: () => content.fromDomain,
    compose: (_, isSevenBit) => compose(isSevenBit),
  };
}

/**
 * Rejects if the bytes are missing. This would be a bug, because bytes are stored as long as a row refers to them. Only sealed bytes are
 * deleted earlier, when their link ends.
 */
async function composeSubmission(
  { projectId, emailId, content }: StoredEmail<SubmittedContent>,
  { keyring, returnPaths, blobs, serviceBodies, provider }: SubmissionComposing,
  isSevenBit: boolean,
): Promise<ComposedEmail | 'link-ended' | null> {
  const { mailboxId, reversePath, fromDomain, messageId, digest, isUtf8 } = content;
  const isService = content.kind === 'service';
  const sealed = isService ? await serviceBodies.open(emailId) : null;
  const stored = sealed ?? (await (await blobs.open(projectId, digest))?.read()) ?? null;
  if (stored === null && isService) return 'link-ended';
  if (stored === null) throw new Error('the bytes of a submission are gone');
  const bytes = isSevenBit ? toSevenBit(stored) : stored;
  if (bytes === null) return null;
  const keys = await keyring.keysFor(projectId, fromDomain);
  const sentAt = timeOf(emailId);
  const signing = {
    timestamp: Math.floor(sentAt.getTime() / 1000),
    except: provider?.overwrites ?? [],
    bodyHash: bytes === stored ? content.bodyHash : null,
  };
  const isRedirect = content.kind === 'submitted' && isRedirected(bytes);
  const isForwarded = isRedirect || content.kind === 'forward' || content.kind === 'moved';
  const { added, rest } = isForwarded
    ? await arcSealed(bytes, content.fromAddress, keys, signing)
    : { added: await signatureOf(bytes, keys, signing), rest: bytes };
  const data = Buffer.allocUnsafe(added.length + rest.length);
  data.write(added, 'latin1');
  await copyInSteps(rest, data.subarray(added.length));
  const ownDomain = `${MAIL_FROM_LABEL}.${fromDomain}`;
  return {
    projectId,
    emailId,
    mailFrom: reversePath ?? returnPaths.mintForMailbox({ projectId, mailboxId }, sentAt, ownDomain),
    mailFromDomain: reversePath === null ? ownDomain : reversePath.slice(reversePath.lastIndexOf('@') + 1),
    localOnly: keys.length === 0,
    messageId,
    data,
    smtputf8: isUtf8,
    isForwarded,
    isRedirect,
    isService,
    isSealed: sealed !== null,
    dsnOf: (recipientIndex) => {
      const requested = content.requestedReports?.[recipientIndex];
      return requested && { envelopeId: content.envelopeId, returns: content.returns, ...requested };
    },
  };
}

interface Signing {
  /** Seconds since 1970. */
  timestamp: number;
  /** Fields that the provider replaces, in lower case. */
  except: readonly string[];
  bodyHash: Buffer | null;
}

/** The DKIM-Signature fields of a whole message with CRLF line ends. */
export function signatureOf(
  bytes: Buffer,
  keys: readonly SigningKey[],
  { bodyHash, ...options }: Signing,
): Promise<string> {
  const bodyStart = bytes.indexOf('\r\n\r\n') + 4;
  const message = { header: bytes.subarray(0, bodyStart - 2), body: bytes.subarray(bodyStart) };
  return signDkim(message, keys, { ...options, ...(bodyHash !== null && { bodyHash }) });
}

/** A forwarded message is not signed as our own mail. Its signatures stay, and an ARC seal records the result of their verification. */
async function arcSealed(
  bytes: Buffer,
  mailbox: string,
  keys: readonly SigningKey[],
  { timestamp, bodyHash }: Signing,
): Promise<{ added: string; rest: Buffer }> {
  const { added, rest, header, body, results, chain } = forwardedCopy(bytes, mailbox);
  // ARC allows only this algorithm (RFC 8617, section 4.1).
  const key = keys.find(({ algorithm }) => algorithm === 'rsa-sha256');
  if (key === undefined || results === '') return { added, rest };
  const seal = await sealArc(header, key, {
    results,
    chain,
    timestamp,
    bodyHash: bodyHash ?? hashBody(body),
  });
  return { added: seal + added, rest };
}
